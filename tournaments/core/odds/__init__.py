"""How likely somebody is to reach a goal in the last hanchan: estimates that are exact sums, without chance.

Who is stronger is a number by player; an order of the table then has the chance that Plackett and Luce give it. What its places
bring is taken from a bank of real hanchan. These are estimates: what is certain is in `needs`.
"""

from tournaments.core.odds.bank import TYPICAL, Bank, typical_bank
from tournaments.core.odds.calibration import Calibration, ChanceVerdict, calibration_of
from tournaments.core.odds.exact import chances_by_places, chances_of_one
from tournaments.core.odds.shares import shares_of_places

DEFAULT_SAMPLES = 20_000
"""So many drawn endings leave an error of 0.35 % on an even chance."""

__all__ = [
    "DEFAULT_SAMPLES",
    "TYPICAL",
    "Bank",
    "Calibration",
    "ChanceVerdict",
    "calibration_of",
    "chances_by_places",
    "chances_of_one",
    "shares_of_places",
    "typical_bank",
]
