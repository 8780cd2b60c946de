"""An evening in sentences, each whole, so that every language can order it freely."""

from django.utils.translation import gettext, ngettext, pgettext

from league.templatetags.tenbo.numbers import points_text, raw_score_text
from stats.core.evenings import EveningFacts, Outstanding, RankShift


def evening_sentences(evening: EveningFacts, month: str) -> list[str]:
    """Return who came first, the hanchan that stood out, and what changed on the board of the `month`."""
    said = [_first(evening)]
    if evening.best is not None and evening.hanchan > 1:
        said.append(_best(evening.best))
    if evening.changes:
        said.append(_changes(evening.changes, month))
    return said


def _first(evening: EveningFacts) -> str:
    facts = {
        "names": pgettext("between names", ", ").join(evening.first),
        "points": points_text(evening.points),
        "count": evening.hanchan,
    }
    if len(evening.first) > 1:
        text = ngettext(
            "%(names)s came first together with %(points)s after %(count)s hanchan.",
            "%(names)s came first together with %(points)s after %(count)s hanchan.",
            evening.hanchan,
        )
    else:
        text = ngettext(
            "%(names)s came first with %(points)s after %(count)s hanchan.",
            "%(names)s came first with %(points)s after %(count)s hanchan.",
            evening.hanchan,
        )
    return text % facts


def _best(best: Outstanding) -> str:
    facts = {"name": best.name, "round": best.round, "points": points_text(best.points)}
    if best.raw is None:
        return gettext("The biggest hanchan was %(name)s's in round %(round)s: %(points)s.") % facts
    text = gettext("The biggest hanchan was %(name)s's in round %(round)s: %(raw)s, %(points)s.")
    return text % {**facts, "raw": raw_score_text(best.raw)}


def _changes(changes: tuple[RankShift, ...], month: str) -> str:
    moved = pgettext("between changes of rank", ", ").join(
        pgettext("a change of rank", "%(name)s from #%(before)s to #%(after)s")
        % {"name": change.name, "before": change.before, "after": change.after}
        for change in changes
    )
    return gettext("On the board of %(month)s: %(changes)s.") % {"month": month, "changes": moved}
