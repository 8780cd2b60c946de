"""What titles are given for, in words; how the history tells of them."""

from collections.abc import Mapping

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import get_language, gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from league.core.periods import PeriodKind
from league.models import League
from league.selectors.history.subjects import HistorySubject, register_subject
from stats.core.titles import TitleRule, load_titles
from stats.models import OwnTitle

METRIC_NAMES: Mapping[str, Promise] = {
    "board": _("the league's board"),
    "total": _("Total points"),
    "average_points": _("Points per hanchan"),
    "average_placement": _("Average placement"),
    "best_raw": _("Best raw score"),
    "best_points": _("Most points in a hanchan"),
    "top_rate": _("1st rate"),
    "top_two_rate": _("Rate of top two"),
    "avoid_last_rate": _("Last avoidance"),
    "plus_rate": _("Rate of plus results"),
    "bust_rate": _("Rate of busts"),
    "hanchan": _("Hanchan played"),
}

BETTER: Mapping[str, Promise] = {"high": _("the highest value"), "low": _("the lowest value")}


def title_name(title: TitleRule) -> str:
    """Return what a title is called in the language of the page."""
    return _in_language(title.name)


def title_about(title: TitleRule) -> str:
    """Return what a title is given for, in the language of the page."""
    return _in_language(title.about) or str(METRIC_NAMES[title.metric])


KIND_NAMES: Mapping[PeriodKind, Promise] = {
    PeriodKind.MONTH: _("%(title)s of the month"),
    PeriodKind.YEAR: _("%(title)s of the year"),
    PeriodKind.ALL: _("%(title)s of all time"),
}


def held_title_name(key: str, own: Mapping[str, str], kind: PeriodKind) -> str:
    """Return what a title is called that was held in periods of a kind; first on a month's board is the month's MVP.

    `own`: the names of a title that is the league's own.
    """
    if key == "overall" and kind is PeriodKind.MONTH:
        return gettext("MVP of the month")
    shipped = {title.key: title.name for title in load_titles()}
    return str(KIND_NAMES[kind]) % {"title": _in_language(shipped.get(key, own)) or key}


def _in_language(texts: Mapping[str, str]) -> str:
    return texts.get("ja" if (get_language() or "ja").startswith("ja") else "en", "")


def _manage_page(league: League, _pk: int) -> str:
    return reverse("stats:own_titles", args=[league.slug])


OWN_TITLES = HistorySubject(
    "owntitle",
    pgettext_lazy("award", "Title"),
    _("Titles"),
    OwnTitle,
    _manage_page,
    values={"metric": METRIC_NAMES, "better": BETTER},
)


def register() -> None:
    """Let the league's history tell of its titles."""
    register_subject(OWN_TITLES)
