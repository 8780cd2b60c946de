from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from django.urls import reverse
from django.utils.translation import gettext, ngettext

from league.core.periods import PeriodKind, parse_period
from league.messages import joined, period_title, plain_name
from league.models import League, Standing
from league.templatetags.tenbo.numbers import gap, points_text, raw_score_text
from stats.core.charts.lines import LinePicture
from stats.core.league_records import RecordKind
from stats.core.statistics import Run
from stats.messages import about_of, name_of, score_text, title_name
from stats.selectors.records import HeldRecord, PeriodRecords
from stats.selectors.stories import PeriodStory
from stats.selectors.titles import GivenTitle
from stats.tables.period_switch import address_of
from stats.tables.race import RaceDay, points_picture
from stats.tables.titles import title_value_text

RAW = frozenset({RecordKind.HIGHEST_RAW, RecordKind.LOWEST_RAW, RecordKind.CLOSEST, RecordKind.WIDEST})


@dataclass(frozen=True, slots=True)
class RecordLine:
    """A line of the page. `unit`: "raw", "points" or "hanchan". `note`: explanation, may be empty."""

    label: str
    note: str
    unit: str
    held: HeldRecord


def record_lines(found: PeriodRecords) -> list[RecordLine]:
    kinds = [*found.held.items(), *found.longest.items()]
    return [RecordLine(name_of("record", kind), about_of("record", kind), _unit(kind), held) for kind, held in kinds]


def _unit(kind: StrEnum) -> str:
    if kind in RAW:
        return "raw"
    return "hanchan" if kind is RecordKind.MOST_IN_EVENING or isinstance(kind, Run) else "points"


TOLD_OTHERWISE = {"overall", "best-score"}
"""Titles covered by other sentences: the winner and the highest raw score."""

MOST_NAMED = 3
"""A title that more players share is left out."""


@dataclass(frozen=True, slots=True)
class StorySentence:
    text: str
    url: str
    label: str


def story_sentences(league: League, story: PeriodStory, *, is_over: bool) -> Iterator[StorySentence]:
    """Yield the sentences of a story, with the names they contain. `is_over`: the period has ended."""
    board = reverse("league:standings", args=[league.slug, story.period.key])
    to_board = gettext("Standings")
    for text in _of_the_board(league, story):
        yield StorySentence(text, board, to_board)
    yield from _of_players(league, story)
    yield from _of_hanchan(league, story)
    yield from _of_titles(league, story)
    if story.short:
        yield StorySentence(_short(story.short, is_over=is_over), board, to_board)


def _short(lines: Sequence[Standing], *, is_over: bool) -> str:
    if is_over:
        text = ngettext(
            "%(names)s was one hanchan short of being ranked.",
            "%(names)s were one hanchan short of being ranked.",
            len(lines),
        )
    else:
        text = ngettext(
            "%(names)s is one hanchan short of being ranked.",
            "%(names)s are one hanchan short of being ranked.",
            len(lines),
        )
    return text % {"names": _names(lines)}


def _of_the_board(league: League, story: PeriodStory) -> Iterator[str]:
    facts = {"period": period_title(story.period), "hanchan": story.hanchan, "players": len(story.lines)}
    yield gettext("In %(period)s, %(players)s players played %(hanchan)s hanchan.") % facts
    if not story.champions:
        yield gettext("No one has played enough hanchan to be ranked yet.")
        return
    first = story.champions[0]
    facts |= {"names": _names(story.champions), "score": score_text(league, first)}
    if len(story.champions) > 1:
        yield gettext("%(names)s share 1st place with %(score)s.") % facts
    elif {first.player_id} <= story.defended:
        yield gettext("%(names)s is 1st with %(score)s, as in the previous period.") % facts
    else:
        yield gettext("%(names)s is 1st with %(score)s.") % facts
    second = next((line for line in story.lines if line.rank is not None and line.rank > 1), None)
    if second is not None and league.metric == League.Metric.POINTS:
        facts |= {"second": plain_name(second.player), "gap": gap(first.total - second.total)}
        yield gettext("%(second)s follows %(gap)s points behind.") % facts


def _of_players(league: League, story: PeriodStory) -> Iterator[StorySentence]:
    if story.comeback is not None:
        facts = {
            "name": plain_name(story.player(story.comeback.player)),
            "low": points_text(story.comeback.low),
            "total": points_text(story.comeback.total),
        }
        yield StorySentence(
            gettext("Biggest comeback: %(name)s, from %(low)s to %(total)s.") % facts, "#race", gettext("The race")
        )
    if story.pair is not None:
        one, other, games = story.pair
        of_pair = {"one": plain_name(one), "other": plain_name(other), "count": games}
        text = ngettext(
            "%(one)s and %(other)s met most often, in %(count)s hanchan.",
            "%(one)s and %(other)s met most often, in %(count)s hanchan.",
            games,
        )
        yield StorySentence(text % of_pair, _player(league, story, one.pk), plain_name(one))
    if story.records is not None and story.records.busiest is not None:
        line = story.records.busiest
        of_busiest = {"name": plain_name(line.player), "count": line.value}
        count = line.value
        text = ngettext("%(name)s played most: %(count)s hanchan.", "%(name)s played most: %(count)s hanchan.", count)
        yield StorySentence(text % of_busiest, _player(league, story, line.player.pk), plain_name(line.player))


def _of_hanchan(league: League, story: PeriodStory) -> Iterator[StorySentence]:
    if story.records is None:
        return
    best, raw = story.records.best_points, story.records.best_raw
    facts = {"name": plain_name(best.player), "points": points_text(best.value)}
    yield _hanchan(league, best, gettext("Most points in a hanchan: %(name)s with %(points)s.") % facts)
    if raw is not None:
        facts = {"name": plain_name(raw.player), "score": raw_score_text(raw.value)}
        yield _hanchan(league, raw, gettext("Highest raw score: %(name)s with %(score)s.") % facts)


def _of_titles(league: League, story: PeriodStory) -> Iterator[StorySentence]:
    url = f"{reverse('stats:titles', args=[league.slug])}?period={story.period.key}"
    for title in story.titles:
        if 0 < len(title.standing.holders) <= MOST_NAMED and title.rule.key not in TOLD_OTHERWISE:
            yield StorySentence(_title(story, title), url, gettext("Titles"))


def _title(story: PeriodStory, title: GivenTitle) -> str:
    facts = {
        "title": title_name(title.rule),
        "value": title_value_text(title),
        "names": joined(plain_name(story.player(player)) for player in title.standing.holders),
    }
    return gettext("%(title)s: %(names)s with %(value)s.") % facts


def _hanchan(league: League, record: HeldRecord, text: str) -> StorySentence:
    return StorySentence(text, reverse("league:hanchan", args=[league.slug, record.hanchan]), gettext("This hanchan"))


def _player(league: League, story: PeriodStory, player: int) -> str:
    return f"{reverse('stats:player', args=[league.slug, player])}?period={story.period.key}"


def _names(lines: Iterable[Standing]) -> str:
    return joined(plain_name(line.player) for line in lines)


@dataclass(frozen=True, slots=True)
class RaceOfStory:
    """The race of the leaders: players, chart, totals in 1/1000 pt after each step.

    `by_month`: steps are months, shown by their last day.
    """

    lines: tuple[Standing, ...]
    picture: LinePicture
    by_month: bool
    rows: tuple[tuple[date, tuple[int, ...]], ...]


def race_of_story(league: League, story: PeriodStory) -> RaceOfStory | None:
    if not story.race or not story.steps:
        return None
    lines, curves = zip(*story.race, strict=True)
    race = reverse("stats:race", args=[league.slug])
    people = [line.player_id for line in lines]
    days = [date.fromisoformat(step) if step.count("-") > 1 else parse_period(step).last for step in story.steps]
    steps = [RaceDay(day, race + address_of(story.period.key, people, on=f"{day}"), current=False) for day in days]
    return RaceOfStory(
        lines=lines,
        picture=points_picture(curves, [line.player for line in lines], steps),
        by_month=story.period.kind is PeriodKind.YEAR,
        rows=tuple(zip(days, zip(*curves, strict=True), strict=True)),
    )
