"""Addresses of what is told of players, below their league."""

from django.urls import path

from stats.views import players, ratings

app_name = "stats"

urlpatterns = [
    path("l/<slug:slug>/p/<int:pk>/", players.detail, name="player"),
    path("l/<slug:slug>/p/<int:pk>/rating/", ratings.changes, name="rating_changes"),
    path("l/<slug:slug>/ratings/", ratings.index, name="ratings"),
]
