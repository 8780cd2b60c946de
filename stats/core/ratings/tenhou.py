"""The rating R of Tenhou: whoever comes out better than the table's mean lets expect gains. In 1/1000.

ΔR = c · (b + (R̄ - R) / 40) with b = +30 / +10 / -10 / -30 (three players: +30 / 0 / -30), c = max(1 - 0.002 · n, 0.2) and R̄ the
mean of the table before the hanchan. Source: https://tenhou.net/man/#RATING.
"""

START = 1_500_000

BASES = {3: (30_000, 0, -30_000), 4: (30_000, 10_000, -10_000, -30_000)}
"""What a placement is worth, by the number of players."""

PULL = 40
"""So much of the distance to the table's mean is taken off what a placement is worth."""

MOVES_ALL, SLOWS_BY, MOVES_LEAST = 1000, 2, 200
"""The factor c in 1/1000: of the first hanchan, by how much less with each, and the least there is."""

WORTH = {
    (players, placement, sharing): sum(bases[placement - 1 : placement - 1 + sharing]) // sharing
    for players, bases in BASES.items()
    for placement in range(1, players + 1)
    for sharing in range(1, players - placement + 2)
}
"""What a placement is worth by players, placement and how many share it: those share what they cover, without a rest."""


def factor(hanchan: int) -> int:
    """Return the factor c in 1/1000 of somebody who has played so many hanchan before."""
    return max(MOVES_ALL - SLOWS_BY * hanchan, MOVES_LEAST)


def change(worth: int, table: int, players: int, rating: int, hanchan: int) -> int:
    """Return by how much a rating changes, rounded half away from zero; `table`: the sum of the table's ratings before."""
    share = factor(hanchan) * (PULL * players * worth + table - players * rating)
    whole = MOVES_ALL * PULL * players
    if share >= 0:
        return (2 * share + whole) // (2 * whole)
    return -((whole - 2 * share) // (2 * whole))
