"""What the bench makes of times and of two kept runs."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from bench import race
from bench.compare import compared, main
from bench.race import Row, Spent, count, enough, explained, growth, readable, render, row_of


def test_a_ratio_is_the_median_of_the_rounds_and_not_of_the_times() -> None:
    # The second round met a neighbour: both sides took ten times as long.
    ours = [Spent(2, 1), Spent(30, 1), Spent(2, 1)]
    floor = [Spent(1, 1), Spent(10, 1), Spent(2, 1)]
    row = row_of("work", ours, floor, goal=2)
    assert (row.ratio, row.ok, row.seconds) == (2, True, 2)
    assert row_of("work", ours, floor, goal=2, by="cpu").ratio == 1


def test_both_sides_run_in_turn_and_change_who_begins() -> None:
    order: list[str] = []
    race.race("work", lambda: order.append("ours"), lambda: order.append("floor"), goal=None, rounds=3)
    assert order == ["ours", "floor", "ours", "floor", "floor", "ours", "ours", "floor"]


def test_growth_is_the_dearest_age_against_the_cheapest() -> None:
    now = [0.0]

    def work(seconds: float) -> None:
        now[0] += seconds

    works = {100: lambda: work(0.2), 10: lambda: work(0.1), 1000: lambda: work(0.1)}
    row = growth("page", works, goal=1.5, rounds=3, clock=lambda: now[0])
    assert row.ratio == pytest.approx(2)
    assert not row.ok
    assert row.ours == "100.00 ms / 200.00 ms / 100.00 ms"


@pytest.mark.parametrize(("seconds", "rounds"), [(0.001, 7), (2.0, 4), (60.0, 1)])
def test_slow_work_is_repeated_less_often_but_always_done(seconds: float, rounds: int) -> None:
    assert enough(7, seconds) == rounds


def test_a_row_without_a_goal_is_never_missed() -> None:
    assert count("bytes", 10**9, goal=None).ok
    assert not count("queries", 13, goal=12).ok


def test_a_missed_goal_is_explained_by_where_the_time_goes_and_one_that_is_reached_is_not() -> None:
    row = Row("sorting", "", "", 2.0, 1.0)
    work = lambda: sorted(range(20_000), key=lambda number: -number)  # noqa: E731
    assert "sorted" in " ".join(explained(row, work).why)
    assert "% <lambda> (bench/test_race.py:" in " ".join(explained(row, work).why)
    assert explained(replace(row, ratio=0.5), work).why == ()


def test_a_pinned_count_fails_only_when_it_becomes_worse_and_a_time_never_does() -> None:
    missed = count("queries", 13, goal=12)
    assert missed.fails
    assert not replace(missed, pin=13).fails
    assert replace(missed, pin=12.5).fails
    assert not Row("slow", "2 s", "1 s", 2.0, 1.5).fails
    lines = render([replace(missed, pin=13), replace(missed, pin=12.5), replace(count("bytes", 3, goal=4), pin=9)])
    assert lines.splitlines()[1].endswith("<= 12             missed, pinned at 13")
    assert lines.splitlines()[2].endswith("WORSE than pinned at 12")
    assert lines.splitlines()[3].endswith("ok, no longer to be pinned at 9")


def test_the_table_says_what_was_missed() -> None:
    table = render(
        [Row("slow", "2 s", "1 s", 2.0, 1.5), count("queries", 1200, goal=1500), count("bytes", 8, goal=None)]
    )
    assert table.splitlines()[1].split() == ["slow", "2", "s", "1", "s", "2.00x", "<=", "1.5x", "MISSED"]
    assert table.splitlines()[2].split() == ["queries", "1,200", "1,200", "<=", "1,500", "ok"]
    assert table.splitlines()[3].split() == ["bytes", "8", "8"]


@pytest.mark.parametrize(
    ("seconds", "text"), [(2.5, "2.50 s"), (0.0125, "12.50 ms"), (0.0000125, "12 us"), (0.001, "1.00 ms")]
)
def test_a_time_has_the_unit_that_suits_it(seconds: float, text: str) -> None:
    assert readable(seconds) == text


def kept(name: str, ratio: float, goal: float | None = 2.0, *, is_timing: bool = True) -> dict[str, object]:
    return Row(name, "", "", ratio, goal, is_timing=is_timing).as_json()


def test_two_runs_are_compared_row_by_row() -> None:
    before = [kept("page", 4), kept("entry", 1), kept("gone", 1), kept("near", 1.0), kept("bytes", 9, is_timing=False)]
    after = [kept("page", 1), kept("entry", 1.9), kept("near", 1.1), kept("bytes", 10, is_timing=False), kept("new", 3)]
    words = {line[0]: line[-1] for line in compared(before, after)}
    assert words == {
        "page": "better reached",
        "entry": "worse",
        "gone": "only before",
        "near": "",
        "bytes": "worse",
        "new": "MISSED",
    }


def test_comparing_is_a_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [tmp_path / "before.json", tmp_path / "after.json"]
    for path, ratio, size in zip(paths, (1.0, 5.0), ("quick", "usual"), strict=True):
        path.write_text(json.dumps({"load": "0.1", "size": size, "rows": [kept("page", ratio)]}), "utf-8")
    monkeypatch.setattr("sys.argv", ["compare", *map(str, paths)])
    main()
    told = capsys.readouterr().out
    assert "page   1.00x  5.00x    5.00  worse MISSED" in told
    assert "Not the same data: size quick before, usual after." in told
