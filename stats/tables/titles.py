"""Title pages: holders and values, runners-up and distance, players below the minimum."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from league.core.numbers import decimal_text, rounded
from league.models import Player
from league.templatetags.tenbo.numbers import points_text, raw_score_text
from stats.core.titles import Unit
from stats.messages import title_about, title_name
from stats.selectors.titles import GivenTitle

MISSING = 5
"""Number of players below the minimum listed, closest first."""


@dataclass(frozen=True, slots=True)
class TitleValue:
    """A title's value for a page: `number` for points (1/1000 pt) and raw scores, else `text`."""

    unit: str
    number: int = 0
    text: str = ""


@dataclass(frozen=True, slots=True)
class TitleCard:
    """A title on its page. `value` is None without holders, `distance` without a runner-up."""

    key: str
    name: str
    about: str
    needed: int
    holders: list[Player]
    value: TitleValue | None
    runner_up: list[Player]
    distance: TitleValue | None
    missing: list[tuple[Player, int]]
    more_missing: int


def title_card(title: GivenTitle, people: Mapping[int, Player]) -> TitleCard:
    standing = title.standing
    return TitleCard(
        key=title.rule.key,
        name=title_name(title.rule),
        about=title_about(title.rule),
        needed=standing.needed,
        holders=[people[player] for player in standing.holders],
        value=_value(title.unit, standing.value),
        runner_up=[people[player] for player in standing.runner_up],
        distance=_value(title.unit, standing.distance),
        missing=[(people[player], count) for player, count in standing.missing[:MISSING]],
        more_missing=max(0, len(standing.missing) - MISSING),
    )


def title_value_text(title: GivenTitle) -> str:
    value = _value(title.unit, title.standing.value)
    if value is None:
        return ""
    return {"points": points_text(value.number), "raw": raw_score_text(value.number)}.get(value.unit, value.text)


def _value(unit: Unit, value: Fraction | int | None) -> TitleValue | None:
    if value is None:
        return None
    match unit:
        case Unit.RAW:
            return TitleValue("raw", int(value))
        case Unit.POINTS:
            # Averages are rounded to a tenth of a point; point totals are shown as they are.
            return TitleValue("points", value if isinstance(value, int) else 100 * rounded(value / 100))
        case Unit.SHARE:
            return TitleValue("text", text=f"{decimal_text(100 * value, 1)}%")
        case Unit.PLACEMENT:
            return TitleValue("text", text=decimal_text(value, 2))
    return TitleValue("text", text=str(value))
