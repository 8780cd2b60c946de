import pytest

from scoring.core.rounding import Basis, Mode, round_to

SCORES = (31700, 31300, 25500, 11500, -1500, -500, 29500, 30500, 500)

RAW = {
    Mode.NONE: (1.7, 1.3, -4.5, -18.5, -31.5, -30.5, -0.5, 0.5, -29.5),
    Mode.FLOOR: (1, 1, -5, -19, -32, -31, -1, 0, -30),
    Mode.CEIL: (2, 2, -4, -18, -31, -30, 0, 1, -29),
    Mode.TRUNC: (1, 1, -5, -19, -31, -30, -1, 0, -30),
    Mode.AWAY: (2, 2, -4, -18, -32, -31, 0, 1, -29),
    Mode.HALF_UP: (2, 1, -4, -18, -31, -30, 0, 1, -29),
    Mode.HALF_DOWN: (2, 1, -5, -19, -32, -31, -1, 0, -30),
    Mode.HALF_AWAY: (2, 1, -4, -18, -32, -31, 0, 1, -29),
}

DIFF = RAW | {
    Mode.TRUNC: (1, 1, -4, -18, -31, -30, 0, 0, -29),
    Mode.AWAY: (2, 2, -5, -19, -32, -31, -1, 1, -30),
    Mode.HALF_UP: (2, 1, -5, -19, -32, -31, -1, 1, -30),
    Mode.HALF_AWAY: (2, 1, -5, -19, -32, -31, -1, 1, -30),
    Mode.HALF_DOWN: (2, 1, -4, -18, -31, -30, 0, 0, -29),
}


@pytest.mark.parametrize(("basis", "table"), [(Basis.RAW, RAW), (Basis.DIFF, DIFF)], ids=["raw", "diff"])
@pytest.mark.parametrize("mode", list(Mode))
def test_rounding_follows_its_mode(mode: Mode, basis: Basis, table: dict[Mode, tuple[float, ...]]) -> None:
    for score, points in zip(SCORES, table[mode], strict=True):
        rounded = (
            round_to(score, 1000, mode, basis) - 30000
            if basis is Basis.RAW
            else round_to(score - 30000, 1000, mode, basis)
        )
        assert rounded == int(points * 1000), score


def test_rounding_to_multiples_of_two_points() -> None:
    assert [round_to(value, 2000, Mode.TRUNC, Basis.DIFF) for value in (7000, -45000, 6000)] == [6000, -44000, 6000]
