from django.utils.translation import gettext, pgettext

from scoring.core import Ledger, Part, ScoringRules
from scoring.messages import parameter_label


def parameter_names(parameters: tuple[str, ...]) -> str:
    return pgettext("between parameters", ", ").join(str(parameter_label(name)) for name in parameters)


def incomplete_sentence(rules: str, missing: tuple[str, ...]) -> str:
    text = gettext("%(rules)s was taken over. Before anything can be scored by it, set: %(missing)s.")
    return text % {"rules": rules, "missing": parameter_names(missing)}


def chip_prize_sentence(rules: ScoringRules) -> str:
    """Return the accounts in which a bust prize in chips does not count although they include bust prizes.

    "" if it counts or is paid in points.
    """
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
        "The bust prize is paid in chips, and chips move no points in: %(accounts)s. It is only told beside each hanchan. "
        "To have it count, say what a chip is worth and let the account hold chips."
    )
    return text % {"accounts": pgettext("between parameters", ", ").join(without)} if without else ""
