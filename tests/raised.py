"""Check that every service that changes what a page shows raises its league's edition (docs/adr/0074).

Each statement that writes is recorded with the outermost service, task or import function that it comes from; a function
that writes a table which pages show must have raised an edition by the end of the test.
"""

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

from django.apps import apps
from django.db import DatabaseError, connection
from django.db.models import Sum

from league.models import Edition, League
from league.models.editions import edition_text

WRITES = re.compile(r'\s*(?:WITH\b.*?\b)?(?:INSERT INTO|UPDATE|DELETE FROM)\s+"?(\w+)"?', re.DOTALL | re.IGNORECASE)

SERVICES = re.compile(r"(?:league|tournaments|stats|accounts)\.(?:services|interchange|tasks)\b")

NOT_SHOWN = {
    "league.Edition": "it is the count itself",
    "stats.KeptSums": "it says what the hanchan of the period say",
    "stats.RatedHanchan": "it is written with the state of the ratings, which raises the edition",
    "stats.PlayerRating": "as well",
    "league.StalePeriod": "what waits to be refreshed; the fact and the refresh raise the edition",
    "league.Job": "long work: its own page asks for its progress, and what it changes raises the edition",
    "league.ImportBatch": "a file being prepared; what its run makes raises the edition",
    "league.Attempts": "tries of secrets are nothing that a page shows",
    "league.SignOfLife": "when workers were heard of is told on the host's page, which nobody keeps",
    "league.SentForm": "it belongs to no page: it tells a form that has done its work",
    "league.HeldResult": "kept for the organisers' desk and on no page that is kept",
    "league.HeldPhoto": "as the held result that it came with",
    "league.AttendanceLink": "the codes are on the organisers' page only; each answer notes the link's last use",
    "league.LeagueOffer": "it is shown to owners and to whoever it is made to",
    "league.LiveAddress": "secret addresses are on the organisers' page only; reading by one notes its last use",
    "league.TableLink": "the codes of tables are on the organisers' pages only; each entry notes the link's last use",
}
"""Tables of a league that no cached page shows, each with the reason why changes raise no edition."""

RAISES_NONE = {
    "league.services.photo_moves.move_photos": "a picture that lies elsewhere is the same picture",
    "league.tasks.move_photos": "as well",
    "league.services.photo_moves.bring_back": "as well",
    "accounts.tasks.sweep_notices": "up to where a history was read is on no page",
    "accounts.services.notices.look_for_news": "as well",
    "accounts.services.deletion.end_account": "pages call whoever closed an account a former member already",
    "accounts.tasks.end_account": "as well",
    "league.engine.update_columns": "it is a statement of whichever service raises",
    "league.services.ending.end_league": "nobody reads a league whose time has come",
}
"""Services that change a shown table without raising an edition, each with the reason."""


def edition_of(league: League) -> str:
    return edition_text(Edition.objects.filter(league=league).aggregate(sum=Sum("mark"))["sum"])


def shown_tables() -> frozenset[str]:
    hidden = {apps.get_model(name)._meta.db_table for name in NOT_SHOWN}
    ours = {"league", "tournaments", "stats"}
    return frozenset(model._meta.db_table for model in apps.get_models() if model._meta.app_label in ours) - hidden


@contextmanager
def watching() -> Iterator[None]:
    shown = shown_tables()
    written: list[tuple[FrameType, str, frozenset[Any]]] = []
    raised: set[FrameType] = set()

    def note(execute: Callable[..., Any], sql: Any, params: Any, many: bool, context: Any) -> Any:
        try:
            answer = execute(sql, params, many, context)
        except DatabaseError:
            # Refused changes are rolled back.
            raised.update(filter(None, [_service()]))
            raise
        if isinstance(sql, str) and sql.startswith("ROLLBACK TO SAVEPOINT"):
            gone = sql.split()[-1].strip('"')
            written[:] = [each for each in written if gone not in each[2]]
        if isinstance(sql, str) and (found := WRITES.match(sql)) and (frame := _service()):
            table = found[1]
            if table == Edition._meta.db_table:
                raised.add(frame)
            elif table in shown:
                written.append((frame, table, frozenset(connection.savepoint_ids)))
        return answer

    with connection.execute_wrapper(note):
        yield
    unraised = ((frame, table) for frame, table, _ in written if frame not in raised)
    services = ((f"{frame.f_globals['__name__']}.{frame.f_code.co_qualname}", table) for frame, table in unraised)
    silent = {f"{service}: {table}" for service, table in services if service not in RAISES_NONE}
    assert not silent, f"These services change what pages show and raise no edition: {sorted(silent)}"


def _service() -> FrameType | None:
    found: FrameType | None = None
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        if SERVICES.match(str(frame.f_globals.get("__name__"))):
            found = frame
        frame = frame.f_back
    return found
