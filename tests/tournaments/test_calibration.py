"""Whether chances are called good only when they are, and when there is enough to tell."""

from random import Random

import pytest

from tournaments.core.odds import LEAST_STAGES, Band, Calibration, ChanceVerdict, Prediction, calibration_of


def stages(count: int, seed: int, *, told: str) -> Calibration:
    """Return how good chances were of which the truth is 70, 20, 8 and 2 %: told as they are, all alike, or upside down."""
    random, truth = Random(seed), (0.7, 0.2, 0.08, 0.02)
    say = {"true": truth, "equal": (0.25,) * 4, "reversed": truth[::-1]}[told]
    found: list[list[Prediction]] = []
    for _ in range(count):
        winner = random.choices(range(4), truth)[0]
        found.append([(likely, player == winner) for player, likely in enumerate(say)])
    return calibration_of(found)


@pytest.mark.parametrize(
    ("told", "verdict"),
    [("true", ChanceVerdict.BETTER), ("equal", ChanceVerdict.UNDECIDED), ("reversed", ChanceVerdict.WORSE)],
)
def test_good_chances_are_called_good_and_bad_ones_bad(told: str, verdict: ChanceVerdict) -> None:
    assert stages(60, 1, told=told).verdict is verdict


def test_bands_tell_what_was_expected_and_what_came() -> None:
    true, false = stages(400, 2, told="true"), stages(400, 2, told="reversed")
    assert [(band.low, band.count) for band in true.bands] == [(0.0, 400), (0.05, 400), (0.2, 400), (0.6, 400)]
    assert all(band.fits for band in true.bands)
    assert not all(band.fits for band in false.bands)


def test_with_few_stages_nothing_is_said() -> None:
    assert stages(LEAST_STAGES - 1, 3, told="true").verdict is ChanceVerdict.TOO_FEW
    assert stages(1, 3, told="true").margin == 0
    assert calibration_of([]) == Calibration(0, 0, (), 0.0, 0.0)
    assert calibration_of([[]]).verdict is ChanceVerdict.TOO_FEW


def test_what_is_nearly_certain_has_a_band() -> None:
    assert calibration_of([[(1.0, True), (0.0, False)]]).bands == (
        Band(0.0, 0.05, 1, 0.0, 0),
        Band(0.95, 1.0, 1, 1.0, 1),
    )
