"""Results and standings as plain lines, the way organisers post them and fans quote them."""

from collections.abc import Iterable

from django.utils.translation import pgettext

from tournaments.core.ranking import RankingLine
from tournaments.messages.ranks import line_mark

POINT = 1000


def press_points(points: int) -> str:
    """Return points as they are printed: +107.4, ▲68.6, ±0."""
    if not points:
        return "±0"
    whole, rest = divmod(abs(points), POINT)
    fraction = f"{rest:03}".rstrip("0").ljust(1, "0")
    sign = "+" if points > 0 else pgettext("negative sign", "−")
    return f"{sign}{whole}.{fraction}"


def press_line(rank: int, name: str, points: int) -> str:
    """Return a line of a session: "1位 名前 +107.4"."""
    facts = {"rank": rank, "name": name, "points": press_points(points)}
    return pgettext("line of a result", "%(rank)s. %(name)s %(points)s") % facts


def press_standing(name: str, line: RankingLine) -> str:
    """Return a line of the standings: "3位 名前 +39.3(4/12)", with who has left marked."""
    facts = {"rank": line.rank, "name": name, "points": press_points(line.points)}
    facts |= {"played": line.played, "planned": line.planned}
    told = pgettext("line of standings", "%(rank)s. %(name)s %(points)s (%(played)s/%(planned)s)") % facts
    if line.unranked is not None:
        told = pgettext("line of standings", "– %(name)s %(points)s (%(played)s/%(planned)s)") % facts
    return f"{told} {line_mark(line)}".rstrip()


def press_block(title: str, lines: Iterable[str]) -> str:
    return "\n".join((pgettext("title of a result", "[%(title)s]") % {"title": title}, *lines))
