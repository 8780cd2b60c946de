"""The pictures that leagues have: a kind is one entry here."""

from stats.exports.cards.games import hanchan_at_hand, hanchan_card, session_at_hand, session_card
from stats.exports.cards.kinds import CardKind, register_card
from stats.exports.cards.league import board_at_hand, board_card, league_card, player_card, story_card

BOARD = register_card(CardKind("stats:board_card", ("league:standings",), ("scope",), board_card, board_at_hand))
EVENING = register_card(CardKind("stats:session_card", ("league:session",), ("pk",), session_card, session_at_hand))
HANCHAN = register_card(
    CardKind("stats:hanchan_card", ("league:hanchan", "league:receipt"), ("pk",), hanchan_card, hanchan_at_hand)
)
PLAYER = register_card(CardKind("stats:player_card", ("stats:player",), ("pk",), player_card))
STORY = register_card(CardKind("stats:story_card", ("stats:story",), ("period",), story_card))
PLAIN = CardKind("stats:league_card", (), (), league_card)
"""Of every other page of a league."""
