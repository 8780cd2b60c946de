from collections.abc import Iterable, Mapping, Sequence

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext, pgettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from league.core.periods import PeriodKind
from league.models import League, Standing
from league.selectors.history.subjects import register_subject, subject_for
from league.templatetags.tenbo.numbers import mean_placement, mean_points_text, points_text, raw_score_text
from scoring.messages.numbers import in_language, joined
from stats.core.feats import Feat
from stats.core.league_records import RecordKind
from stats.core.statistics import Run
from stats.core.titles import TitleRule, load_titles
from stats.models import OwnTitle


def came_first(names: Sequence[str], points: int) -> str:
    facts = {"names": pgettext("between names", ", ").join(names), "points": points_text(points)}
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


ACHIEVEMENTS: Mapping[Feat, tuple[Promise, Promise]] = {
    Feat.FIRST_TOP: (pgettext_lazy("achievement", "First win"), _("Finished 1st for the first time.")),
    Feat.TOPS_3: (pgettext_lazy("achievement", "Three wins in a row"), _("Won three hanchan in a row.")),
    Feat.TOPS_5: (pgettext_lazy("achievement", "Five wins in a row"), _("Unstoppable for five hanchan.")),
    Feat.TOPS_10: (
        pgettext_lazy("achievement", "Ten wins in a row"),
        _("Ten wins in a row: one for the history books."),
    ),
    Feat.HANCHAN_100: (pgettext_lazy("achievement", "100 hanchan"), _("A regular at the table.")),
    Feat.HANCHAN_500: (
        pgettext_lazy("achievement", "500 hanchan"),
        _("The league would not be the same without you."),
    ),
    Feat.RAW_60: (pgettext_lazy("achievement", "60,000 points"), _("Finished a hanchan with 60,000 points or more.")),
    Feat.RAW_80: (pgettext_lazy("achievement", "80,000 points"), _("Finished a hanchan with 80,000 points or more.")),
    Feat.YAKUMAN: (pgettext_lazy("achievement", "Yakuman"), _("Won a yakuman that was recorded with the result.")),
    Feat.NO_LAST: (
        pgettext_lazy("achievement", "A month without a 4th"),
        _("Never finished last in a month with enough hanchan to be ranked."),
    ),
    Feat.FOUR_SEATS: (
        pgettext_lazy("achievement", "A win from every seat"),
        _("Won hanchan starting from East, South, West and North."),
    ),
    Feat.EVERYBODY: (
        pgettext_lazy("achievement", "Beat everyone"),
        _("Finished above every opponent at least once, with at least eight opponents."),
    ),
}
"""Names and explanations, in display order."""

RECORDS: Mapping[RecordKind, tuple[Promise, Promise | str]] = {
    RecordKind.HIGHEST_RAW: (_("Highest raw score"), ""),
    RecordKind.LOWEST_RAW: (_("Lowest raw score"), ""),
    RecordKind.MOST_POINTS: (_("Most points in a hanchan"), ""),
    RecordKind.FEWEST_POINTS: (_("Fewest points in a hanchan"), ""),
    RecordKind.BIGGEST_EVENING: (_("Most points in a session"), _("all hanchan of a session on one day")),
    RecordKind.MOST_IN_EVENING: (_("Most hanchan in a session"), _("by one player in a session on one day")),
    RecordKind.CLOSEST: (_("Closest hanchan"), _("smallest gap between 1st and last (winner shown)")),
    RecordKind.WIDEST: (_("Largest spread"), _("1st minus last (winner shown)")),
}
"""Names of records, with an explanation if needed."""

LONGEST: Mapping[Run, Promise] = {
    Run.FIRST: _("Most wins in a row"),
    Run.TOP_TWO: _("Most top-two finishes in a row"),
    Run.NOT_LAST: _("Most hanchan without a last place"),
}


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


def register() -> None:
    register_subject(OWN_TITLES)


def score_text(league: League, line: Standing) -> str:
    """Return the value that orders a board, formatted for the league's metric."""
    match league.metric:
        case League.Metric.AVERAGE_POINTS:
            return mean_points_text(line.averaged, line.all_hanchan)
        case League.Metric.AVERAGE_PLACEMENT:
            return mean_placement(line.all_halves, line.placed)
    return points_text(line.total)
