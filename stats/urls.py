"""Addresses of what is told of players, below their league."""

from django.urls import path

from stats.views import players, searching

app_name = "stats"

urlpatterns = [
    path("l/<slug:slug>/search/", searching.search, name="search"),
    path("l/<slug:slug>/p/<int:pk>/", players.detail, name="player"),
]
