import uuid
from datetime import UTC, datetime
from typing import Any

from django.urls import reverse

from league.models import League, Session, TableLink
from league.services.history import SYSTEM
from league.services.links import code_of, issue_link

JSON = {"Accept": "application/json"}
"""Headers of the page's script for JSON responses."""


EVENING = datetime(2025, 11, 21, 11, 30, tzinfo=UTC)
"""21 November 2025, 20:30 in Tokyo."""


def link_of(session: Session, table: int = 1) -> TableLink:
    return issue_link(session=session, table=table, by=SYSTEM)


def at(link: TableLink, name: str = "table", *args: object) -> str:
    return reverse(f"league:{name}", args=[code_of(link), *args])


def typed(league: League, *scores: str, **more: Any) -> dict[str, Any]:
    values: dict[str, Any] = {"client_key": str(uuid.uuid4()), "do": "save", "sticks_left": "0"}
    values |= {f"player_{seat}": str(player.pk) for seat, player in enumerate(league.players.order_by("pk")[:4])}
    values |= {f"raw_{seat}": score for seat, score in enumerate(scores or ("317", "313", "255", ""))}
    return values | more


def url(name: str, league: League, *args: object) -> str:
    return reverse(f"league:{name}", args=[league.slug, *args])


def text(answer: Any) -> str:
    page: str = answer.content.decode()
    return page
