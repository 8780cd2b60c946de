"""How likely somebody is to reach a goal: estimates, exact where one hanchan is left, else from many that are drawn.

Who is stronger is a number by player; an order of the table then has the chance that Plackett and Luce give it. What its places
bring is taken from a bank of real hanchan. docs/adr/0062 says why. These are estimates: what is certain is in `needs`.
"""

from tournaments.core.odds.bank import TYPICAL, Bank, typical_bank
from tournaments.core.odds.exact import chances_of_one
from tournaments.core.odds.simulation import DEFAULT_SAMPLES, Odds, odds_of

__all__ = ["DEFAULT_SAMPLES", "TYPICAL", "Bank", "Odds", "chances_of_one", "odds_of", "typical_bank"]
