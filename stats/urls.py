"""Addresses of what is told of players, below their league."""

from django.urls import path

from stats.views import compare, matrix, players, race

app_name = "stats"

urlpatterns = [
    path("l/<slug:slug>/p/<int:pk>/", players.detail, name="player"),
    path("l/<slug:slug>/players/compare/", compare.compare, name="compare"),
    path("l/<slug:slug>/players/matrix/", matrix.matrix, name="matrix"),
    path("l/<slug:slug>/race/", race.race, name="race"),
]
