"""The pictures that leagues have: a kind is one entry here."""

from stats.exports.cards.games import hanchan_card, session_card
from stats.exports.cards.kinds import CardKind, register_card
from stats.exports.cards.league import board_card, league_card, player_card

BOARD = register_card(CardKind("stats:board_card", ("league:standings",), ("scope",), board_card))
EVENING = register_card(CardKind("stats:session_card", ("league:session",), ("pk",), session_card))
HANCHAN = register_card(CardKind("stats:hanchan_card", ("league:hanchan", "league:receipt"), ("pk",), hanchan_card))
PLAYER = register_card(CardKind("stats:player_card", ("stats:player",), ("pk",), player_card))
PLAIN = CardKind("stats:league_card", (), (), league_card)
"""Of every other page of a league."""
