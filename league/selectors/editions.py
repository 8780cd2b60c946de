"""Editions: what changes with every change of anything in a league, or in all of them together."""

from dataclasses import dataclass
from datetime import date, datetime, time

from league.core.periods import league_day
from league.selectors.questions import answers, joined

COUNTED = """
    coalesce((SELECT number FROM {edition} WHERE {column} = {of}), 0)
        + (SELECT count(*) FROM {rise} WHERE {column} = {of}) AS number,
    (SELECT max(at) FROM (SELECT moved_at AS at FROM {edition} WHERE {column} = {of}
                          UNION ALL SELECT max(at) FROM {rise} WHERE {column} = {of}) AS moves) AS moved_at
"""
"""The two numbers of an edition, as columns of a statement: both from one moment of the database. `of`: its key."""

EDITION = COUNTED.format(edition="league_edition", rise="league_editionrise", column="league_id", of="{league}")
"""The two numbers of a league's edition."""

OF_SESSION = {"edition": "league_sessionedition", "rise": "league_sessionrise", "column": "session_id"}
"""Where the editions of sessions are counted."""

EDITION_OF_ALL = """
    SELECT (SELECT coalesce(sum(number), 0) FROM league_edition) + (SELECT count(*) FROM league_editionrise),
           (SELECT max(at) FROM (SELECT max(moved_at) AS at FROM league_edition
                                 UNION ALL SELECT max(at) FROM league_editionrise) AS moves),
           (SELECT {together} FROM (SELECT DISTINCT time_zone || ' ' || day_boundary AS days FROM league_league) AS zones)
"""


def edition_text(number: int, moved_at: int | None) -> str:
    """Return an edition as pages carry it; two that are equal show the same facts."""
    return f"{number}.{moved_at or 0}"


@dataclass(frozen=True, slots=True)
class EditionOfAll:
    """What changes with every change of any league, and when the days of leagues begin: time zone and hour."""

    text: str
    days: tuple[tuple[str, time], ...]

    def today(self, now: datetime) -> tuple[date, ...]:
        """Return which day it is for each way in which leagues of the site count days."""
        return tuple(league_day(now, zone, boundary) for zone, boundary in self.days)


def edition_of_all() -> EditionOfAll:
    """Return the edition of all leagues together. One query."""
    ((number, moved_at, days),) = answers((EDITION_OF_ALL.format(together=joined("days", ",")), []))[0]
    zones = (each.split(" ") for each in (days or "").split(",") if each)
    return EditionOfAll(
        edition_text(number, moved_at), tuple(sorted((zone, time.fromisoformat(clock)) for zone, clock in zones))
    )


def edition_now(league_id: int) -> str:
    """Return the edition of a league at this moment. One query."""
    ((number, moved_at),) = answers((f"SELECT {EDITION.format(league='%s')}", 4 * [league_id]))[0]
    return edition_text(number, moved_at)
