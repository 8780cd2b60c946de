"""What can be answered to the questions about rules, as the fields of a form take it."""

from collections.abc import Sequence

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from league.messages import PARTS as PART_NAMES

Choices = Sequence[tuple[str, str | Promise]]

OPEN = ("", _("not settled"))

BASES: Choices = (
    ("points", _("Points: the raw score counts, then uma and oka")),
    ("placement", _("Placement only: every place is worth a fixed number of points")),
)
OKAS: Choices = (
    ("auto", _("what the return points leave to the top")),
    ("points", _("a fixed number of points")),
)
UMAS: Choices = (
    ("fixed", _("the same for every hanchan")),
    ("floating", _("depends on how many players finish above a line")),
)
TIE_RANKS: Choices = (
    OPEN,
    ("seat", _("the seat nearer to the first dealer is ahead")),
    ("shared", _("they share the placement")),
)
TIE_POINTS: Choices = (
    OPEN,
    ("seat", _("goes by seat order")),
    ("split", _("is split between them")),
)
SPLIT_UNITS: Choices = (OPEN, ("1", "1"), ("0.1", "0.1"), ("0.001", "0.001"))
REMAINDERS: Choices = (
    OPEN,
    ("one_each_nearest", _("one unit each, nearest to the first dealer first")),
    ("all_nearest", _("all of it to the seat nearest to the first dealer")),
    ("seat_order_if_indivisible", _("no split at all then: seat order decides")),
)
ROUNDINGS: Choices = (
    ("none", _("no rounding")),
    ("trunc", _("towards the return points (cut off)")),
    ("floor", _("down")),
    ("ceil", _("up")),
    ("away", _("away from the return points")),
    ("half_up", _("to the nearest, halves up")),
    ("half_down", _("to the nearest, halves down")),
    ("half_away", _("to the nearest, halves away from zero")),
)
ROUNDING_BASES: Choices = (
    ("diff", _("the difference to the return points")),
    ("raw", _("the raw score itself")),
)
LEFTOVERS: Choices = (
    OPEN,
    ("top", _("to the top")),
    ("split_tops", _("to the top, split between equal tops")),
    ("top_after_rank_points", _("to the top, after all other points")),
    ("void", _("to nobody")),
    ("returned", _("back to those who put them down")),
)
BUST_ENDS: Choices = (
    OPEN,
    ("never", _("nobody can go bust")),
    ("below_zero", _("below zero")),
    ("zero_or_below", _("at zero or below")),
)
BUST_WINS: Choices = (
    OPEN,
    ("first", _("the first winner in turn order")),
    ("split", _("all winners, shared out")),
    ("each", _("every winner the whole prize")),
)
BUST_OTHERS: Choices = (
    OPEN,
    ("none", _("no prize")),
    ("equal_split", _("split between the other players")),
    ("manual", _("decided by hand")),
)
BUST_DRAWS: Choices = (
    OPEN,
    ("equal_split", _("the tenpai players share it evenly")),
    ("rows", _("by placement, as the lines say")),
)
PRIZES: Choices = (("points", _("points")), ("chips", _("chips")))
CHOMBO_LEDGERS: Choices = (
    ("total", _("on the total; the hanchan stays as it was played")),
    ("game", _("in the hanchan, as penalties")),
)
CHOMBO_HANDS: Choices = (
    OPEN,
    ("replay", _("The hand is played again.")),
    ("ends_game", _("The game ends with it.")),
)
CHOMBO_DEALERS: Choices = (
    OPEN,
    ("stays", _("The deal does not move.")),
    ("passes_unless_last", _("The dealer's chombo passes the deal, except in the last hand.")),
)
CHOMBO_DEPOSITS: Choices = (
    OPEN,
    ("yes", _("Riichi sticks of that hand go back.")),
    ("no", _("Riichi sticks of that hand stay on the table.")),
)
CHOMBOS: Choices = (
    OPEN,
    ("none", _("nothing beyond the hand")),
    ("mangan", _("a mangan payment at the table")),
    ("flat_each", _("a fixed payment to each player at the table")),
    ("total", _("points off the total")),
)
PARTS: Choices = tuple(PART_NAMES.items())
"""What an account may hold."""
