"""How much is loaded, and how often each race is run."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Size:
    """`crowd` hanchan in so many `leagues`, `steady` leagues of these ages; `games` that the core alone scores.

    `players` of each steady league: 80 were in the games that others were timed on, fewer play every month of a small one.
    `rounds` of each race, `posts` of each phone in a round, `long` work on so many hanchan.
    """

    crowd: int
    leagues: int
    steady: tuple[int, ...]
    players: int
    games: int
    rounds: int
    posts: int
    long: int


SIZES = {
    "smallest": Size(10_000, 50, (800, 8_000), 24, 2_000, 1, 2, 1_000),
    "quick": Size(5_000, 20, (1_000, 5_000), 80, 20_000, 3, 5, 1_000),
    "usual": Size(20_000, 100, (1_000, 10_000, 100_000), 80, 100_000, 5, 12, 10_000),
    "million": Size(1_000_000, 200, (10_000, 100_000, 1_000_000), 80, 100_000, 7, 25, 37_000),
}
