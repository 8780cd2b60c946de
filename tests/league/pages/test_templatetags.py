import re
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from types import SimpleNamespace
from typing import TypeVar
from xml.etree import ElementTree

import pytest
from django.template import Context, Template
from django.test import RequestFactory
from django.utils import timezone
from django.utils.html import strip_tags

from league.templatetags import tenbo
from league.templatetags.tenbo import numbers, pictures

T = TypeVar("T")


def in_both(japanese: T, english: T, language: str) -> T:
    return japanese if language == "ja" else english


@pytest.mark.parametrize(
    ("value", "least", "japanese", "english"),
    [
        pytest.param(21_700, 1, "+21.7", "+21.7", id="plus"),
        pytest.param(-4_500, 1, "▲4.5", "−4.5", id="minus"),
        pytest.param(0, 1, "0.0", "0.0", id="nought has no sign"),
        pytest.param(31_000, 0, "+31", "+31", id="whole settlement"),
        pytest.param(4_550, 1, "+4.55", "+4.55", id="more decimals if needed"),
        pytest.param(-3_333, 0, "▲3.333", "−3.333", id="finest unit"),
        pytest.param(-50, 1, "▲0.05", "−0.05", id="smaller than one"),
        pytest.param(1_234_500, 1, "+1234.5", "+1234.5", id="no separators"),
        pytest.param(None, 1, "—", "—", id="nothing"),
    ],
)
def test_points_carry_their_sign(value: int | None, least: int, japanese: str, english: str, language: str) -> None:
    expected = in_both(japanese, english, language)

    assert numbers.points_text(value, least) == expected
    assert expected in numbers.points(value, least)


def test_negative_points_have_text_for_screen_readers(language: str) -> None:
    html = numbers.points(-4_500)

    assert f'<span class="sr">{in_both("マイナス4.5", "minus 4.5", language)}</span>' in html
    assert '<span aria-hidden="true">' in html


@pytest.mark.parametrize(
    ("value", "japanese", "english"),
    [(31_700, "31,700", "31,700"), (-1_500, "▲1,500", "−1,500"), (0, "0", "0"), (None, "—", "—")],
)
def test_raw_scores_are_grouped_by_thousands(value: int | None, japanese: str, english: str, language: str) -> None:
    expected = in_both(japanese, english, language)

    assert numbers.raw_score_text(value) == expected
    assert expected in numbers.raw_score(value)


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        pytest.param(lambda: strip_tags(numbers.mean_points(412_600, 60)), "+6.9", id="points per hanchan"),
        pytest.param(lambda: numbers.mean_points(-100, 2), numbers.points(-100), id="half away from zero"),
        pytest.param(lambda: numbers.mean_points(100, 0), "—", id="no hanchan, no points per hanchan"),
        pytest.param(lambda: numbers.mean_placement(278, 60), "2.32", id="average placement"),
        pytest.param(lambda: numbers.mean_placement(None, 0), "—", id="no average placement"),
        pytest.param(lambda: numbers.mean(5, 3), "1.67", id="average"),
        pytest.param(lambda: numbers.mean(5, 0), "—", id="no average"),
        pytest.param(lambda: numbers.percent(19, 60), "31.7%", id="share"),
        pytest.param(lambda: numbers.percent(0, 0), "—", id="no share"),
        pytest.param(lambda: numbers.times(228), "19", id="whole times"),
        pytest.param(lambda: numbers.times(42), "3.5", id="shared times"),
        pytest.param(lambda: numbers.times(None), "—", id="no times"),
        pytest.param(lambda: numbers.rate(228, 60), "31.7%", id="rate from twelfths"),
        pytest.param(lambda: numbers.rate(0, 0), "—", id="no rate"),
        pytest.param(lambda: strip_tags(numbers.signed(3)), "+3", id="chips with their sign"),
        pytest.param(lambda: strip_tags(numbers.signed(0)), "0", id="no chips won or lost"),
        pytest.param(lambda: numbers.signed(None), "—", id="no chips"),
        pytest.param(lambda: numbers.gap(34_400), "34.4", id="gap without a sign"),
        pytest.param(lambda: numbers.gap(None), "—", id="no gap"),
    ],
)
def test_figures_are_rounded_or_a_dash(printed: Callable[[], str], expected: str) -> None:
    assert printed() == expected


def test_placements_and_ranks_are_written_in_both_languages(language: str) -> None:
    assert [numbers.placement(place) for place in (1, 2, 3, 4)] == in_both(
        ["1着", "2着", "3着", "4着"], ["1st", "2nd", "3rd", "4th"], language
    )
    assert numbers.rank_label(3) == in_both("3位", "#3", language)
    assert numbers.rank_label(None) == "—"


def test_placement_chip_has_text_for_screen_readers(language: str) -> None:
    chip = numbers.place_chip(4)

    assert "place-4" in chip
    assert in_both("4着", "4th", language) in chip
    assert numbers.place_chip(None) == "—"


@pytest.mark.parametrize("value", [11324, "11324", [1, 1, 3, 2, 4]])
def test_recent_placements_start_with_the_oldest(value: int | str | Sequence[int]) -> None:
    assert re.findall(r'class="p(\d)"', numbers.recent(value)) == ["1", "1", "3", "2", "4"]
    assert [numbers.recent(0), numbers.recent(None), numbers.recent(""), numbers.recent([])] == ["—"] * 4


@pytest.mark.parametrize(
    ("now", "before", "shown"), [(1, 3, "↑2"), (2, 2, "→"), (3, 1, "↓2"), (None, 1, ""), (1, None, "")]
)
def test_rank_change_has_an_arrow(now: int | None, before: int | None, shown: str) -> None:
    assert shown in numbers.rank_move(now, before)
    assert bool(numbers.rank_move(now, before)) == bool(shown)


def test_dates_are_written_as_the_language_writes_them(language: str) -> None:
    evening = datetime(2025, 11, 21, 12, 34, tzinfo=UTC)
    with timezone.override("Asia/Tokyo"):
        assert tenbo.day(date(2025, 11, 21)) == in_both("2025/11/21(金)", "Fri 21 Nov 2025", language)
        assert tenbo.month_name(date(2025, 11, 1)) == in_both("2025年11月", "November 2025", language)
        assert tenbo.clock(evening) == "21:34"
        assert strip_tags(tenbo.moment(evening)) == in_both("2025/11/21(金) 21:34", "Fri 21 Nov 2025 21:34", language)
        assert 'datetime="2025-11-21T21:34:00+09:00"' in tenbo.moment(evening)
    assert tenbo.moment(None) == "—"


def test_player_name_follows_the_language(language: str) -> None:
    aoki = SimpleNamespace(name="青木", romanised="Aoki")
    ueno = SimpleNamespace(name="上野", romanised="")

    assert tenbo.local_name(aoki) == in_both("青木", "Aoki", language)
    assert tenbo.local_name(ueno) == in_both("上野", '<span lang="ja">上野</span>', language)
    assert language == "ja" or "<b>" not in tenbo.local_name(SimpleNamespace(name="<b>青木", romanised=""))


def test_sparkline_is_an_image_inside_its_frame() -> None:
    svg = ElementTree.fromstring(pictures.sparkline([0, 12_000, -98_650]))
    curve = svg.find("polyline")
    assert curve is not None
    points = [point.split(",") for point in curve.attrib["points"].split()]

    assert svg.get("role") == "img"
    assert svg.get("aria-label") == numbers.points_text(-98_650)
    assert len(points) == 3
    assert all(0 <= int(x) <= 960 and 0 <= int(y) <= 280 for x, y in points)
    assert int(points[1][1]) < int(points[0][1]) < int(points[2][1])


def test_sparkline_scales_to_its_values() -> None:
    small, large = (
        ElementTree.fromstring(pictures.sparkline([0, amount])).find("polyline") for amount in (1_000, 90_000)
    )
    assert small is not None
    assert large is not None
    assert small.attrib["points"] == large.attrib["points"]


@pytest.mark.parametrize("values", [[0], [5_000], [-5_000], [0, 0]])
def test_sparkline_of_few_values_is_drawn(values: list[int]) -> None:
    assert "<polyline" in pictures.sparkline(values, label="<x>")
    assert "<x>" not in pictures.sparkline(values, label="<x>")
    assert pictures.sparkline([]) == ""


def test_placement_bar_fills_the_whole_width() -> None:
    svg = ElementTree.fromstring(pictures.placement_bar(228, 156, 216, 120))
    widths = [float(rect.attrib["width"].rstrip("%")) for rect in svg.iter("rect")]

    assert sum(widths) == pytest.approx(100, abs=0.1)
    assert [text.text for text in svg.iter("text")] == ["19", "13", "18", "10"]
    assert pictures.placement_bar(0, 0, 0, 0) == ""


@pytest.mark.parametrize(
    ("address", "language_code", "expected"),
    [
        pytest.param("/l/camarade/?sort=-points", "en", "/en/l/camarade/?sort=-points", id="to English"),
        pytest.param("/en/l/camarade/?sort=-points", "ja", "/l/camarade/?sort=-points", id="to Japanese"),
        pytest.param("/en/l/camarade/", "en", "/en/l/camarade/", id="stays English"),
        pytest.param("/", "en", "/en/", id="home to English"),
        pytest.param("/en/", "ja", "/", id="home to Japanese"),
        pytest.param("/l/en/?q=%E9%9D%92", "en", "/en/l/en/?q=%E9%9D%92", id="a league called en"),
    ],
)
def test_lang_switch_keeps_path_and_query(address: str, language_code: str, expected: str) -> None:

    assert tenbo.lang_switch(Context({"request": RequestFactory().get(address)}), language_code) == expected
    assert tenbo.lang_switch(Context({}), "en") == "/en/"


def test_icon_is_hidden_from_screen_readers() -> None:
    html = Template('{% load tenbo %}{% icon "check" %}').render(Context({}))

    assert 'aria-hidden="true"' in html
    assert "#check" in html


@pytest.mark.parametrize(("allowed", "shown"), [(True, "yes"), (False, "no")])
def test_may_tag_checks_the_permission_of_the_user(allowed: bool, shown: str) -> None:
    user = SimpleNamespace(has_perm=lambda permission, thing: allowed and (permission, thing) == ("league.manage", 7))
    page = Template('{% load tenbo %}{% may "league.manage" league as ok %}{% if ok %}yes{% else %}no{% endif %}')

    assert page.render(Context({"user": user, "league": 7})) == shown
    assert page.render(Context({})) == "no"


def test_this_month_is_the_month_of_the_league_day() -> None:
    league = SimpleNamespace(
        day_of=lambda moment: date(2025, 10, 31), periods_of=lambda day: (SimpleNamespace(key=f"{day:%Y-%m}"),)
    )

    assert tenbo.this_month(league) == "2025-10"
