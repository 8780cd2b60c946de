import itertools
from collections import Counter
from datetime import UTC, date, datetime, time, timedelta

import pytest

from league.core.limits import MAX_ROUND
from league.core.seating import next_round, rotated
from league.core.sessions import (
    SessionPhase,
    SessionSoFar,
    TablesOfThose,
    answers_end,
    day_ends,
    numbers_by_date,
    phase_of,
    tables_of,
)

TODAY = date(2025, 11, 21)
NOON = datetime(2025, 11, 21, 3, 0, tzinfo=UTC)
WEEK = timedelta(days=7)


@pytest.mark.parametrize(
    ("known", "phase"),
    [
        pytest.param(SessionSoFar(TODAY + WEEK), "planned", id="next week"),
        pytest.param(SessionSoFar(TODAY + WEEK, planned=8, missing=8), "planned", id="next week, with its tables"),
        pytest.param(SessionSoFar(TODAY + WEEK, is_postponed=True), "postponed", id="postponed to next week"),
        pytest.param(SessionSoFar(TODAY + WEEK, played=1), "running", id="a table was quicker than the day"),
        pytest.param(SessionSoFar(TODAY), "tonight", id="today, nothing played"),
        pytest.param(SessionSoFar(TODAY, begins=NOON + timedelta(minutes=1)), "tonight", id="before it starts"),
        pytest.param(SessionSoFar(TODAY, begins=NOON), "running", id="it starts"),
        pytest.param(SessionSoFar(TODAY, is_postponed=True), "tonight", id="the postponed table's day has come"),
        pytest.param(SessionSoFar(TODAY, played=1), "running", id="today, a result"),
        pytest.param(SessionSoFar(TODAY, played=2, planned=2), "running", id="the next hanchan may be planned later"),
        pytest.param(SessionSoFar(TODAY, played=2, planned=2, is_played_out=True), "over", id="all of it played"),
        pytest.param(SessionSoFar(TODAY, is_closed=True), "over", id="closed"),
        pytest.param(SessionSoFar(TODAY + WEEK, is_closed=True), "over", id="closed before its day"),
        pytest.param(SessionSoFar(TODAY - WEEK, played=3), "over", id="last week, left open"),
        pytest.param(SessionSoFar(TODAY - WEEK, played=3, planned=3), "over", id="last week, all results"),
        pytest.param(SessionSoFar(TODAY - WEEK, played=2, planned=3, missing=1), "awaited", id="a result is missing"),
        pytest.param(SessionSoFar(TODAY - WEEK), "awaited", id="last week, no result"),
        pytest.param(SessionSoFar(TODAY - WEEK, has_moved=True), "postponed", id="all its tables were moved"),
        pytest.param(SessionSoFar(TODAY, has_moved=True), "postponed", id="all of today's tables were moved"),
        pytest.param(SessionSoFar(TODAY, planned=1, missing=1, has_moved=True), "tonight", id="one table stays"),
        pytest.param(SessionSoFar(TODAY, played=4, is_withdrawn=True), "withdrawn", id="withdrawn"),
    ],
)
def test_phase_follows_the_day_and_the_results(known: SessionSoFar, phase: str) -> None:
    assert phase_of(known, today=TODAY, now=NOON) is SessionPhase(phase)


@pytest.mark.parametrize(
    ("coming", "size", "planned", "full", "short", "over"),
    [
        pytest.param(0, 4, 2, 0, 8, 0, id="nobody"),
        pytest.param(10, 4, 3, 2, 2, 0, id="two short of three tables"),
        pytest.param(12, 4, 3, 3, 0, 0, id="just enough"),
        pytest.param(14, 4, 3, 3, 0, 2, id="two take turns"),
        pytest.param(17, 4, 3, 4, 0, 1, id="a table more"),
        pytest.param(7, 3, 2, 2, 0, 1, id="tables of three"),
    ],
)
def test_coming_players_give_the_tables(coming: int, size: int, planned: int, full: int, short: int, over: int) -> None:
    assert tables_of(coming, size, planned) == TablesOfThose(full, short, over)


def test_day_ends_at_the_day_boundary() -> None:
    assert day_ends(date(2026, 3, 7), "Asia/Tokyo", time(6, 0)) == datetime(2026, 3, 7, 21, 0, tzinfo=UTC)


def test_answers_end_at_the_deadline_or_the_start() -> None:
    ends = datetime(2026, 3, 7, 21, 0, tzinfo=UTC)
    begins, noon = ends - timedelta(hours=9), ends - timedelta(hours=20)
    assert answers_end(ends, None, None) == ends
    assert answers_end(ends, begins, None) == begins
    assert answers_end(ends, begins, noon) == noon
    assert answers_end(ends, begins, ends) == begins


@pytest.mark.parametrize(
    ("played", "planned", "following"),
    [
        ((), (), 1),
        ((1, 2), (), 3),
        ((), (3, 4), 3),  # postponed in the middle of a stage
        ((3,), (3, 4), 4),
        ((1, 3), (1, 2, 3), 2),  # one was left out
        ((1, 3), (1, 2, 3, 4), 4),
        ((1, 2), (1, 2), 3),
        ((MAX_ROUND,), (), MAX_ROUND),
    ],
)
def test_next_round_follows_the_plan(played: tuple[int, ...], planned: tuple[int, ...], following: int) -> None:
    assert next_round(played, planned) == following


@pytest.mark.parametrize(
    ("typed", "numbers"),
    [
        ([None, None, None], [1, 2, 3]),
        ([None, 12, None], [1, 12, 13]),
        ([None, None, 2], [1, 3, 2]),
        ([3, 1, None], [3, 1, 4]),
        ([], []),
    ],
)
def test_numbering_continues_from_manual_numbers(typed: list[int | None], numbers: list[int]) -> None:
    assert numbers_by_date(typed) == numbers


@pytest.mark.parametrize(
    ("played", "waiting", "following"),
    [
        pytest.param([], "", "", id="nothing played"),
        pytest.param([], "E", "", id="nothing played, one waiting"),
        pytest.param(["ABCD", "BCDA"], "", "BCDA", id="four keep their seats"),
        pytest.param(["ABCD"], "E", "ABCE", id="the fifth takes the last seat"),
        pytest.param(["ABCD", "ABCE"], "", "ABDE", id="the longest run sits out"),
        pytest.param(["ABCD", "ABCE", "ABDE"], "", "ACDE", id="the longest run sits out again"),
        pytest.param(["ABCD", "ABCE"], "EF", "ABFE", id="the longest wait comes in"),
        pytest.param(["ABC"], "D", "ABD", id="table of three"),
        pytest.param(["ABC"], "DE", "ABD", id="table of three, two waiting"),
    ],
)
def test_players_rotate_by_longest_run_and_longest_wait(played: list[str], waiting: str, following: str) -> None:
    assert rotated(played, waiting=waiting) == tuple(following)


@pytest.mark.parametrize(("people", "size"), [("ABCDE", 4), ("ABCDEF", 4), ("ABCDEFG", 4), ("ABCD", 3), ("ABCDE", 3)])
def test_players_sit_out_equally_often(people: str, size: int) -> None:
    seatings = [tuple(people[:size])]
    while len(seatings) < 4 * len(people):
        seatings.append(rotated(seatings, waiting=tuple(people[size:])))
    out = Counter(person for seating in seatings for person in people if person not in seating)
    assert max(out.values()) - min(out[person] for person in people) <= 1
    assert all(len(set(seating)) == size for seating in seatings)


def test_only_one_seat_changes_per_hanchan() -> None:
    seatings = [tuple("ABCD")]
    for _ in range(20):
        seatings.append(rotated(seatings, waiting="EF"))
    for before, after in itertools.pairwise(seatings):
        assert sum(one != other for one, other in zip(before, after, strict=True)) == 1
