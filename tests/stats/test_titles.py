from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import pytest

from stats.core.titles import (
    METRICS,
    Better,
    TitleError,
    TitleLine,
    TitleMinimum,
    TitleRule,
    TitleScope,
    Unit,
    load_titles,
    read_minimum,
    read_title,
    standing_of,
)

EXAMPLES = [
    pytest.param(title, example, id=f"{title.key}: {example['about']}")
    for title in load_titles()
    for example in title.examples
]


def line(document: Mapping[str, Any]) -> TitleLine:
    """Return a line of an example; hanchan are placed and counted by default."""
    return TitleLine(**{"placed": document["hanchan"], "counted": document["hanchan"]} | dict(document))


def value(title: TitleRule, text: str | None) -> Fraction | int | None:
    """Format a value as the examples do: points with a decimal point, shares as fractions."""
    if text is None:
        return None
    number = Fraction(text)
    return number * 1000 if title.measured.unit in {Unit.BOARD, Unit.POINTS} else number


@pytest.mark.parametrize(("title", "example"), EXAMPLES)
def test_worked_example_of_a_title_holds(title: TitleRule, example: Mapping[str, Any]) -> None:
    found = standing_of(title, TitleScope(example.get("scope", "year")), [line(each) for each in example["lines"]])
    assert list(found.holders) == example["holders"]
    assert found.value == value(title, example["value"])
    assert list(found.runner_up) == example["runner_up"]
    assert found.distance == value(title, example.get("distance"))
    assert dict(found.missing) == example.get("missing", {})


def test_every_shipped_title_has_examples_and_translations() -> None:
    titles = load_titles()
    assert [title.key for title in titles[:3]] == ["overall", "best-score", "last-avoidance"]
    assert all(title.examples and title.name.keys() == {"ja", "en"} == title.about.keys() for title in titles)


@pytest.mark.parametrize("metric", METRICS)
def test_player_with_totals_only_holds_no_title(metric: str) -> None:
    title = TitleRule("own", {"ja": "x", "en": "x"}, metric, Better.HIGH, {TitleScope.ALL: TitleMinimum()})
    assert standing_of(title, TitleScope.ALL, [TitleLine("aoki", total=5000)]).holders == ()


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        ("total", 40000),
        ("average_points", 4000),
        ("best_points", 50000),
        ("top_two_rate", Fraction(1, 2)),
        ("plus_rate", Fraction(3, 5)),
        ("bust_rate", Fraction(1, 10)),
        ("hanchan", 10),
    ],
)
def test_title_metrics_are_calculated_from_the_career(metric: str, expected: Fraction | int) -> None:
    own = TitleRule("own", {"ja": "x", "en": "x"}, metric, Better.LOW, {TitleScope.ALL: TitleMinimum()})
    played = TitleLine(
        "aoki",
        hanchan=10,
        placed=10,
        counted=10,
        total=40000,
        averaged=40000,
        first=36,
        second=24,
        plus=6,
        busts=1,
        points_best=50000,
    )
    assert standing_of(own, TitleScope.ALL, [played]).value == expected


@pytest.mark.parametrize(
    ("text", "most", "needed"), [("0", 30, 1), (20, 30, 20), ("1/3", 30, 10), ("1/3", 31, 11), (" 2/2 ", 5, 5)]
)
def test_title_minimum_is_a_number_or_a_fraction(text: object, most: int, needed: int) -> None:
    minimum = read_minimum(text)
    assert minimum.of(most) == needed
    assert read_minimum(str(minimum)) == minimum


@pytest.mark.parametrize("text", ["", "-1", "1.5", "20000", "2/1", "0/3", "1/0", "1/", "/3", "三", "1/99999"])
def test_invalid_title_minimum_is_refused(text: str) -> None:
    with pytest.raises(TitleError):
        read_minimum(text)


GOOD = 'name = { ja = "x", en = "x" }\nmetric = "total"\nbetter = "high"\nminimum = 0\nscopes = ["all"]'


@pytest.mark.parametrize(
    ("right", "wrong"),
    [('"total"', '"luck"'), (', en = "x"', ""), ('"high"', '"higher"'), ('["all"]', '["week"]'), ("= 0", '= "many"')],
)
def test_faulty_title_file_is_refused(right: str, wrong: str) -> None:
    assert read_title("own", GOOD).minimum == {TitleScope.ALL: TitleMinimum(0)}
    with pytest.raises(TitleError):
        read_title("own", GOOD.replace(right, wrong))
