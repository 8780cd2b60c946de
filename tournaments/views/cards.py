"""Share pictures of tournaments."""

from stats.http.cards import card_view
from tournaments.http.cards import STAGE, TOURNAMENT

tournament = card_view(TOURNAMENT)
stage = card_view(STAGE)
