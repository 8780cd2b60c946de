"""A bank of results: what hanchan brought to first, second, third and fourth place."""

from functools import lru_cache

from scoring.core import FinishedGame, ScoringError, ScoringRules, score

Bank = tuple[tuple[int, ...], ...]
"""Rows of points in 1/1000 pt, the most first; each row is one hanchan and adds up to nothing."""

TYPICAL = {
    4: (
        (46_300, 29_800, 18_700, 5200),
        (39_400, 27_600, 20_100, 12_900),
        (52_100, 24_500, 17_800, 5600),
        (36_200, 30_900, 21_400, 11_500),
        (43_800, 33_100, 16_300, 6800),
        (41_000, 26_200, 22_700, 10_100),
        (58_600, 21_300, 14_900, 5200),
        (34_700, 28_400, 24_300, 12_600),
        (48_900, 31_500, 20_600, -1000),
        (38_100, 32_700, 17_500, 11_700),
        (44_500, 25_300, 19_900, 10_300),
        (63_200, 23_400, 12_100, 1300),
    ),
    3: (
        (55_200, 36_100, 13_700),
        (48_600, 33_400, 23_000),
        (66_300, 29_500, 9200),
        (43_900, 35_800, 25_300),
        (58_100, 38_700, 8200),
        (71_400, 26_800, 6800),
        (50_500, 31_200, 23_300),
        (61_000, 34_900, 9100),
    ),
}
"""Raw scores as hanchan often end, by number of players: invented, for leagues that have no results of their own yet."""


@lru_cache(maxsize=64)
def typical_bank(rules: ScoringRules) -> Bank:
    """Return what the typical scores bring under these rules; a row that they cannot score is left out."""
    players, start = rules.players or 4, rules.start_points or 0
    rows = []
    for raw in TYPICAL[players]:
        moved = (start * players - sum(raw)) // players // 100 * 100
        game = FinishedGame(tuple(value + moved for value in raw), as_is=True)
        try:
            points = score(game, rules).ranking
        except ScoringError:
            continue
        rows.append(tuple(sorted(points, reverse=True)))
    return tuple(rows)
