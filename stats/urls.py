"""Addresses of what is told of players, below their league."""

from django.urls import path

from stats.views import players

app_name = "stats"

urlpatterns = [
    path("l/<slug:slug>/p/<int:pk>/", players.detail, name="player"),
]
