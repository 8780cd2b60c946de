"""Whose league a secret opens a part of, in the database in which one works."""

from league.selectors.places import opened_by
from league.services.attendance_links import attendance_link_for
from league.services.links import link_for
from league.services.live_addresses import live_address_for

OF_TABLES = ("table", "table_preview", "table_state", "table_receipt", "table_undo", "table_confirm", "table_photo_add")


def register() -> None:
    """Have the pages of secret addresses found in whichever database their league lives."""
    opened_by(league_of_table, *(f"league:{name}" for name in (*OF_TABLES, "table_photo")))
    opened_by(league_of_answers, "league:attend")
    opened_by(league_of_live_address, "league:secret_session", "league:secret_board")


def league_of_table(code: str) -> int | None:
    """Return the league of a table by the code of its link. One query."""
    link = link_for(code)
    return link.session.league_id if link else None


def league_of_answers(code: str) -> int | None:
    """Return the league of a session by the code of a link for answers. One query."""
    link = attendance_link_for(code)
    return link.session.league_id if link else None


def league_of_live_address(secret: str) -> int | None:
    """Return the league whose boards a secret address shows. One query."""
    address = live_address_for(secret)
    return address.league_id if address else None
