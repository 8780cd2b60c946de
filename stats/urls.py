"""Addresses of what is told of players and of their league, below it."""

from django.urls import path

from stats.views import own_titles, players, records, titles

app_name = "stats"

urlpatterns = [
    path("l/<slug:slug>/p/<int:pk>/", players.detail, name="player"),
    path("l/<slug:slug>/records/", records.index, name="records"),
    path("l/<slug:slug>/titles/", titles.index, name="titles"),
    path("l/<slug:slug>/titles/own/", own_titles.index, name="own_titles"),
    path("l/<slug:slug>/titles/own/new/", own_titles.new, name="own_title_new"),
    path("l/<slug:slug>/titles/own/<int:pk>/", own_titles.edit, name="own_title"),
    path("l/<slug:slug>/titles/own/<int:pk>/withdraw/", own_titles.withdraw, name="own_title_withdraw"),
]
