"""What stages, their sessions and tournaments are called, in the reader's language."""

from collections.abc import Mapping

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from tournaments.core.format import Stage


def in_language(names: Mapping[str, str]) -> str:
    return names.get((get_language() or "ja")[:2]) or names.get("ja") or next(iter(names.values()), "")


def stage_name(stage: Stage) -> str:
    return in_language(stage.name)


def block_name(block: str) -> str:
    return _("Block %(block)s") % {"block": block} if block else ""


def stage_session_title(tournament_name: str, stage: Stage, number: int, block: str = "") -> str:
    """Return the title of a session that is opened for a stage, such as "Qualifying, session 2, block B"."""
    facts = {"tournament": tournament_name, "stage": stage_name(stage), "number": number, "block": block}
    several = stage.sessions > 1
    if several and block:
        return _("%(tournament)s: %(stage)s, session %(number)s, block %(block)s") % facts
    if several:
        return _("%(tournament)s: %(stage)s, session %(number)s") % facts
    if block:
        return _("%(tournament)s: %(stage)s, block %(block)s") % facts
    return _("%(tournament)s: %(stage)s") % facts
