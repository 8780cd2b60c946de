"""What the tables of an evening do to the season, as the page of the seats shows it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from league.core.season import Evenness, SeasonSoFar, evenness_of
from league.forms.seats import Coming
from league.messages import period_title, plain_name
from league.models import Player, Session
from league.selectors.season import season_of, season_so_far


@dataclass(frozen=True, slots=True)
class WindLine:
    """Somebody's hanchan at each wind so far; `seat` is the wind of now, -1 for whoever sits out first."""

    name: str
    counts: tuple[int, ...]
    seat: int


@dataclass(frozen=True, slots=True)
class ShownEvenness:
    """The figures of some tables. `pairs`: met so often, how many pairs before, how many after; `by_lot` as text."""

    season: str
    figures: Evenness
    by_lot: str
    pairs: tuple[tuple[int, int, int], ...]
    often: tuple[tuple[str, str, int], ...]
    winds: tuple[WindLine, ...]


def shown_evenness(
    session: Session, coming: Mapping[str, Coming], tables: Sequence[Sequence[str]], size: int
) -> ShownEvenness | None:
    """Return what these tables do, by the keys of those coming; None unless everybody has one seat. Three queries."""
    seated = [key for table in tables for key in table]
    if len(seated) < size or len(set(seated)) != len(seated) or not coming.keys() >= set(seated):
        return None
    people = [coming[key] for key in seated]
    so_far = season_so_far(session, [person.pk if isinstance(person, Player) else None for person in people])
    numbers = {key: number for number, key in enumerate(seated)}
    figures = evenness_of([[numbers[key] for key in table] for table in tables], so_far)
    names = [plain_name(person) for person in people]
    before = (*figures.before, *(0 for _ in figures.after[len(figures.before) :]))
    after = (*figures.after, *(0 for _ in before[len(figures.after) :]))
    return ShownEvenness(
        season=period_title(season_of(session)),
        figures=figures,
        by_lot=f"{figures.by_lot // 10}.{figures.by_lot % 10}",
        pairs=tuple(zip(range(len(before)), before, after, strict=True)),
        often=tuple((names[one], names[other], count) for one, other, count in figures.often),
        winds=_wind_lines(tables, names, so_far, size),
    )


def _wind_lines(
    tables: Sequence[Sequence[str]], names: Sequence[str], so_far: SeasonSoFar, size: int
) -> tuple[WindLine, ...]:
    seats = [seat if seat < size else -1 for table in tables for seat in range(len(table))]
    lines = zip(names, so_far.winds, seats, strict=True)
    return tuple(WindLine(name, tuple(winds[:size]), seat) for name, winds, seat in lines)
