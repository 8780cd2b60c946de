import json
import random
from collections.abc import Sequence
from datetime import date

import pytest

from stats.core.careers import Career, as_json, career_of, from_json
from stats.core.feats import EVERYBODY_FROM, NO_LAST_FROM, Feat, FeatSeat, PlayedMonth, earned, in_question
from stats.core.statistics import Meeting, PlayedHanchan


def seat(
    hanchan: int,
    placement: int = 2,
    *,
    at: int = 0,
    raw: int | None = 30000,
    yakuman: bool = False,
    met: Sequence[int] = (1, 2, 3),
    beaten: Sequence[int] = (),
) -> FeatSeat:
    return FeatSeat(hanchan, date(2025, 1, 1), at, placement, 4, raw, yakuman, tuple(met), tuple(beaten))


def career(seats: Sequence[FeatSeat]) -> Career:
    games = [
        PlayedHanchan(each.hanchan, each.seat, each.placement, 1, 4, each.raw, 0, yakuman=each.has_yakuman, session=1)
        for each in seats
    ]
    meetings = [Meeting(other, 0, 1 if other in each.beaten else 0, 0, 0) for each in seats for other in each.met]
    return from_json(json.loads(json.dumps(as_json(career_of(games, meetings)))))


def found(*months: Sequence[FeatSeat], minimum: int = 0, is_over: bool = True) -> dict[str, tuple[str, int | None]]:
    """Return {feat: (month, hanchan)}, asserting that only the candidate months' hanchan are needed."""
    played = [
        PlayedMonth(date(2025, number, 28), is_over, seats=[each._replace(day=date(2025, number, 1)) for each in month])
        for number, month in enumerate(months, start=1)
    ]
    sums = [month._replace(career=career(month.seats), seats=()) for month in played]
    asked = {month.last for month in in_question(sums)}
    some = [month if month.last in asked else short for month, short in zip(played, sums, strict=True)]
    both = [earned(each, minimum) for each in (played, some)]
    assert both[0] == both[1]
    return {feat.value: (one.month, one.hanchan) for feat, one in both[0].items()}


def of_placements(first: int, *placements: int) -> list[FeatSeat]:
    return [seat(first + number, placement) for number, placement in enumerate(placements)]


@pytest.mark.parametrize(
    ("months", "achieved"),
    [
        pytest.param([of_placements(1, 2, 1, 1)], {"first_top": ("2025-01", 2)}, id="the first of several tops"),
        pytest.param(
            [of_placements(1, 1, 1, 1)], {"first_top": ("2025-01", 1), "tops_3": ("2025-01", 3)}, id="three in a row"
        ),
        pytest.param([of_placements(1, 1, 1, 2, 1)], {"first_top": ("2025-01", 1)}, id="broken"),
        pytest.param(
            [of_placements(1, 4, 1, 1), of_placements(11, 1, 4)],
            {"first_top": ("2025-01", 2), "tops_3": ("2025-02", 11)},
            id="over the end of a month",
        ),
        pytest.param(
            [of_placements(1, 1, 1), of_placements(11, 1), of_placements(21, 1, 1, 2)],
            {"first_top": ("2025-01", 1), "tops_3": ("2025-02", 11), "tops_5": ("2025-03", 22)},
            id="through a month that is all tops",
        ),
        pytest.param(
            [of_placements(1, 1, 1), of_placements(11, 2, 1), of_placements(21, 1)],
            {"first_top": ("2025-01", 1)},
            id="not through a month that begins with none",
        ),
        pytest.param(
            [of_placements(1, *[1] * 10)],
            {
                "first_top": ("2025-01", 1),
                "tops_3": ("2025-01", 3),
                "tops_5": ("2025-01", 5),
                "tops_10": ("2025-01", 10),
            },
            id="ten in a row",
        ),
        pytest.param([[seat(1, raw=59900), seat(2, raw=60000)]], {"raw_60": ("2025-01", 2)}, id="60,000 points"),
        pytest.param([[seat(1, raw=81000)]], {"raw_60": ("2025-01", 1), "raw_80": ("2025-01", 1)}, id="80,000 points"),
        pytest.param([[seat(1, raw=None)]], {}, id="points only"),
        pytest.param([[seat(1), seat(2, yakuman=True)]], {"yakuman": ("2025-01", 2)}, id="yakuman"),
        pytest.param(
            [
                [seat(1, 1, at=2), seat(2, 1, at=0)],
                [seat(3, 2, at=3), seat(4, 1, at=3), seat(5, at=1)],
                [seat(6, 1, at=1)],
            ],
            {"first_top": ("2025-01", 1), "four_seats": ("2025-03", 6)},
            id="a top from each seat",
        ),
    ],
)
def test_hanchan_achievements_are_recognised(months: list[list[FeatSeat]], achieved: dict[str, object]) -> None:
    assert found(*months, minimum=500) == achieved


def test_achievements_for_100_and_500_hanchan() -> None:
    months = [of_placements(1000 * number, *[3] * 99) for number in range(1, 7)]
    found_in = {key: value for key, value in found(*months, minimum=200).items() if key.startswith("hanchan")}
    assert found_in == {"hanchan_100": ("2025-02", 2000), "hanchan_500": ("2025-06", 6004)}


@pytest.mark.parametrize(
    ("count", "minimum", "is_achieved"),
    [(NO_LAST_FROM, 0, True), (NO_LAST_FROM - 1, 0, False), (5, 5, True), (4, 5, False)],
)
def test_month_without_last_place_is_over_and_has_enough_games(count: int, minimum: int, *, is_achieved: bool) -> None:
    played = of_placements(1, *[3] * count)
    assert found(played, minimum=minimum) == ({"no_last": ("2025-01", None)} if is_achieved else {})
    assert found([*played, seat(99, 4)], minimum=minimum) == {}
    assert found(played, minimum=minimum, is_over=False) == {}


def test_achievement_for_beating_every_opponent() -> None:
    before = [seat(number, met=[number], beaten=[number]) for number in range(1, EVERYBODY_FROM)]
    assert found(before) == {}
    last = EVERYBODY_FROM
    meets = [seat(50, met=[1, last], beaten=[])]
    assert found(before, meets) == {}
    assert found(before, meets, [seat(60, met=[last], beaten=[last]), seat(61, met=[99])]) == {
        "everybody": ("2025-03", 60)
    }
    assert found(before, meets, [seat(60, met=[99]), seat(61, met=[last], beaten=[last])]) == {}


@pytest.mark.parametrize("seed", range(20))
def test_achievements_do_not_depend_on_month_boundaries(seed: int) -> None:
    dice = random.Random(seed)
    played = []
    for number in range(120):
        met = dice.sample(range(1, 13), 3)
        placement = dice.choice((1, 1, 1, 2, 3, 4))
        raw = dice.choice((30000, 30000, 30000, 61000, None))
        seen = dice.randrange(4)
        played.append(
            seat(
                number, placement, at=seen, raw=raw, yakuman=dice.random() < 0.02, met=met, beaten=met[placement - 1 :]
            )
        )
    cuts = sorted(dice.sample(range(1, 120), 5))
    months = [played[start:end] for start, end in zip([0, *cuts], [*cuts, 120], strict=True)]
    whole = {feat: one[1] for feat, one in found(played, minimum=500).items()}
    assert {feat: one[1] for feat, one in found(*months, minimum=500).items()} == whole
    assert {Feat.FIRST_TOP, Feat.HANCHAN_100, Feat.FOUR_SEATS} <= whole.keys()


def test_months_with_loaded_hanchan_are_not_candidates() -> None:
    first, second = of_placements(1, 2, 3), of_placements(3, 1, 2)
    there = PlayedMonth(date(2025, 1, 28), True, seats=first)
    kept = PlayedMonth(date(2025, 2, 28), True, seats=())._replace(career=career(second))
    assert list(in_question([there, kept])) == [kept]
