import pytest
from django.test import Client

from league.models import League, Standing
from league.tables.board_page import podium_lines
from league.templatetags.tenbo import pictures
from tests.league.factories import make_league, make_session, play, settle


@pytest.mark.parametrize(
    ("totals", "bars"),
    [
        pytest.param((126_100, 63_050, 12_610), [(0, 10000, 0), (0, 5000, 0), (0, 1000, 0)], id="all above zero"),
        pytest.param((30_000, 0, -10_000), [(2500, 7500, 2500), (2500, 0, 2500), (0, 2500, 2500)], id="on both sides"),
        pytest.param((-10_000, -20_000), [(5000, 5000, 10000), (0, 10000, 10000)], id="all below zero"),
        pytest.param((0, 0), [(0, 0, 0), (0, 0, 0)], id="nothing"),
        pytest.param((), [], id="nobody"),
    ],
)
def test_podium_bars_are_proportional_to_points(totals: tuple[int, ...], bars: list[tuple[int, int, int]]) -> None:
    lines = podium_lines(League(metric=League.Metric.POINTS), [Standing(total=total) for total in totals])
    assert [place.bar for place in lines] == bars


def test_podium_bars_of_average_points_are_proportional_to_the_average() -> None:
    lines = [Standing(total=40_000, hanchan=4), Standing(total=30_000, hanchan=6)]
    first, second = podium_lines(League(metric=League.Metric.AVERAGE_POINTS), lines)
    assert (first.bar, second.bar) == ((0, 10000, 0), (0, 5000, 0))


def test_podium_has_no_bars_for_average_placement() -> None:
    (place,) = podium_lines(League(metric=League.Metric.AVERAGE_PLACEMENT), [Standing(total=40_000)])
    assert place.bar is None
    assert pictures.podium_bar(None) == ""


def test_negative_bar_is_drawn_left_of_zero() -> None:
    bar = pictures.podium_bar((0, 2500, 2500))
    assert '<rect class="minus" x="0.00%" width="25.00%"' in bar
    assert '<line x1="25.00%"' in bar
    assert '<rect class="plus" x="25.00%" width="75.00%"' in pictures.podium_bar((2500, 7500, 2500))


@pytest.mark.django_db
def test_league_home_shows_the_podium_in_order(client: Client) -> None:
    play(make_session(make_league()))
    settle()
    html = client.get("/en/l/camarade/").content.decode()
    podium = html[html.index('<ol class="podium">') : html.index("</ol>", html.index('<ol class="podium">'))]
    assert podium.index("Aoki") < podium.index("Ishida") < podium.index("Ueno")
    assert podium.count("<rect") == 3
    assert podium.count('class="minus"') == 1
    assert podium.count("<a ") == 3
