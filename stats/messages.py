from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext, pgettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from league.core.periods import PeriodKind
from league.messages import joined as joined_names
from league.models import League, Standing
from league.selectors.history.subjects import subject_for
from league.templatetags.tenbo.numbers import mean_placement, mean_points_text, points_text, raw_score_text
from scoring.core.reading import shipped_table
from scoring.messages.numbers import Texts, in_language, joined
from stats.core.titles import TitleRule, load_titles
from stats.models import OwnTitle


def came_first(names: Sequence[str], points: int) -> str:
    facts = {"names": joined_names(names), "points": points_text(points)}
    if len(names) > 1:
        return gettext("%(names)s tied for 1st with %(points)s.") % facts
    return gettext("%(names)s finished 1st with %(points)s.") % facts


def biggest_hanchan(name: str, number: int, points: int, raw: int | None) -> str:
    """Return the sentence on a session's highest score; `raw` if known."""
    facts = {"name": name, "round": number, "points": points_text(points)}
    if raw is None:
        return gettext("Best hanchan: %(name)s in round %(round)s with %(points)s.") % facts
    text = gettext("Best hanchan: %(name)s in round %(round)s with %(raw)s (%(points)s).")
    return text % {**facts, "raw": raw_score_text(raw)}


def changes_of_rank(changes: Iterable[tuple[str, int | None, int | None]], month: str) -> str:
    """Return the sentence on changed ranks on a month's board: names with ranks before and after."""
    moved = joined(
        pgettext("a change of rank", "%(name)s from #%(before)s to #%(after)s")
        % {"name": name, "before": before, "after": after}
        for name, before, after in changes
    )
    return gettext("Rank changes in %(month)s: %(changes)s.") % {"month": month, "changes": moved}


@cache
def _texts() -> Mapping[str, Mapping[str, Mapping[str, Texts]]]:
    return shipped_table(__package__, "messages.toml")


def name_of(what: str, key: str) -> str:
    """Return the name of an "achievement" or a "record"."""
    return in_language(_texts()[what][key]["name"])


def about_of(what: str, key: str) -> str:
    """Return what an "achievement" or a "record" is; "" if its name tells."""
    return in_language(_texts()[what][key].get("about", {}))


METRIC_NAMES: Mapping[str, Promise] = {
    "board": _("the league's standings"),
    "total": _("Total points"),
    "average_points": _("Points per hanchan"),
    "average_placement": _("Average placement"),
    "best_raw": _("Best raw score"),
    "best_points": _("Most points in a hanchan"),
    "top_rate": _("1st rate"),
    "top_two_rate": _("Top-2 rate"),
    "avoid_last_rate": _("Last avoidance"),
    "plus_rate": _("Plus rate"),
    "bust_rate": _("Bust rate"),
    "hanchan": _("Hanchan played"),
}

BETTER: Mapping[str, Promise] = {"high": _("highest value"), "low": _("lowest value")}


def title_name(title: TitleRule) -> str:
    return in_language(title.name)


def title_about(title: TitleRule) -> str:
    return in_language(title.about) or str(METRIC_NAMES[title.metric])


KIND_NAMES: Mapping[PeriodKind, Promise] = {
    PeriodKind.MONTH: _("%(title)s of the month"),
    PeriodKind.YEAR: _("%(title)s of the year"),
    PeriodKind.ALL: _("%(title)s of all time"),
}


def held_title_name(key: str, own: Mapping[str, str], kind: PeriodKind) -> str:
    """Return the name of a title held in a kind of period. First place on a month's board is the month's MVP.

    `own`: names of a league's own title.
    """
    if key == "overall" and kind is PeriodKind.MONTH:
        return gettext("MVP of the month")
    shipped = {title.key: title.name for title in load_titles()}
    return str(KIND_NAMES[kind]) % {"title": in_language(shipped.get(key, own)) or key}


OWN_TITLES = subject_for(
    OwnTitle,
    lambda league, _pk: reverse("stats:own_titles", args=[league.slug]),
    title=pgettext_lazy("award", "Title"),
    titles=_("Titles"),
    values={"metric": METRIC_NAMES, "better": BETTER},
)


def score_text(league: League, line: Standing) -> str:
    """Return the value that orders a board, formatted for the league's metric."""
    match league.metric:
        case League.Metric.AVERAGE_POINTS:
            return mean_points_text(line.averaged, line.all_hanchan)
        case League.Metric.AVERAGE_PLACEMENT:
            return mean_placement(line.all_halves, line.placed)
    return points_text(line.total)
