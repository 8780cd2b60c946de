from django.utils.translation import gettext

from scoring.core import Ledger, Part, ScoredGame, ScoringRules
from scoring.messages import parameter_label, points_text
from scoring.messages.numbers import joined


def parameter_names(parameters: tuple[str, ...]) -> str:
    return joined(map(parameter_label, parameters))


def chip_prize_sentence(rules: ScoringRules) -> str:
    """Return a warning if the bust prize is in chips but an account with bust prizes does not count chips, else ""."""
    bust = rules.bust
    if bust is None or not bust.prize or bust.prize_in != "chips":
        return ""
    names = {Ledger.RANKING: gettext("Ranking points"), Ledger.SETTLEMENT: gettext("Settlement")}
    without = [
        names[ledger]
        for ledger, held in rules.accounts
        if Part.BUST in held.parts and not (rules.chips and Part.CHIPS in held.parts)
    ]
    text = gettext(
        "The bust prize is paid in chips, but chips are worth no points in: %(accounts)s. The prize is only "
        "shown with each hanchan. To count it, set the value of a chip and include chips in the account."
    )
    return text % {"accounts": joined(without)} if without else ""


def sum_sentence(scored: ScoredGame | None) -> str:
    """Return a warning if an example's points, without fees and penalties, do not add up to 0 in an account, else ""."""
    if scored is None or scored.game.sticks_left:
        return ""
    apart = {Part.FEES, Part.PENALTIES}
    sums = (sum(sum(row) for part, row in scored.parts(ledger).items() if part not in apart) for ledger in Ledger)
    total = max(sums, key=abs)
    text = gettext("The points of a hanchan add up to %(total)s, not 0.")
    return text % {"total": points_text(total)} if total else ""
