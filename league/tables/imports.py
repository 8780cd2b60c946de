"""Tables for the page of an import: names, and rows of the check."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, gettext

from league.core.imports.games import ImportNote
from league.messages import plain_name
from league.messages.imports import HOW, STATUSES, sentence
from league.models import Player
from league.services.imports.people import GUEST, NEW, SAME
from league.services.imports.values import WAITING, ImportReport, NameMatch, RowStatus


def said(notes: Iterable[ImportNote]) -> list[str]:
    return [sentence(note.code, note.values) for note in notes]


# --- Names -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class NameRow:
    """A name in the file with the choice of its player. `field`: name of the select."""

    match: NameMatch
    field: str
    how: str | Promise
    options: SafeString

    @property
    def is_open(self) -> bool:
        return self.match.how == "ask"

    @property
    def is_twin(self) -> bool:
        """Whether the question is only if this is another person of the file."""
        return self.is_open and bool(self.match.twin) and not self.match.candidates


def name_field(match: NameMatch) -> str:
    """Return the form field name for a name in the file."""
    return f"name-{hashlib.sha256(match.key.encode()).hexdigest()[:16]}"


def name_rows(matches: Sequence[NameMatch], players: Sequence[Player], chosen: Mapping[str, str]) -> list[NameRow]:
    """Return the rows of names; `players`: options, `chosen`: earlier choices by NameMatch.key."""
    everybody = _group(gettext("All players"), players)
    return [
        NameRow(match, name_field(match), HOW[match.how], _options(match, everybody, chosen.get(match.key, "")))
        for match in matches
    ]


def _options(match: NameMatch, everybody: SafeString, chosen: str) -> SafeString:
    found = match.player if match.how != "chosen" else None
    first = _known(found) if found else gettext("detect") if chosen else gettext("choose a player")
    options = [("", first), (NEW, gettext("a new player")), (GUEST, gettext("a new guest"))]
    if match.twin:
        options.insert(1, (SAME, gettext("the same as %(name)s") % {"name": match.twin}))
    elif match.how in {NEW, GUEST} and not chosen:
        options, chosen = options[1:], match.how
    if match.player is not None and chosen:
        options.append((str(match.player.pk), _known(match.player)))
    rows = [(value, mark_safe(" selected") if value == chosen else "", label) for value, label in options]
    return mark_safe(  # noqa: S308 - every part is escaped
        format_html_join("", '<option value="{}"{}>{}</option>', rows)
        + (_group(gettext("Sounds alike"), match.candidates) if match.candidates else "")
        + everybody
    )


def _group(label: str, players: Iterable[Player]) -> SafeString:
    options = ((player.pk, _known(player)) for player in players)
    inner = format_html_join("", '<option value="{}">{}</option>', options)
    return format_html('<optgroup label="{}">{}</optgroup>', label, inner)


def _known(player: Player) -> str:
    names = (player.name, player.kana) if get_language() == "ja" else (plain_name(player), player.name)
    return " · ".join(dict.fromkeys(filter(None, (*names, player.number))))


# --- Rows of a check -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CheckRow:
    """The outcome for one hanchan of the file, as text."""

    lines: str
    row: RowStatus
    status_label: str | Promise
    sentences: list[str]


def check_rows(report: ImportReport) -> list[CheckRow]:
    """Return the hanchan that need a look: errors, and remarks."""
    return [_check_row(row) for row in report.rows if (row.is_wrong and row.errors) or row.is_warned]


def _check_row(row: RowStatus) -> CheckRow:
    first, last = min(row.lines, default=0), max(row.lines, default=0)
    return CheckRow(
        f"{first}" if first == last else f"{first}–{last}", row, STATUSES[row.status], said(_told(row.notes))
    )


def _told(notes: Iterable[ImportNote]) -> Iterator[ImportNote]:
    return (note for note in notes if note.values.get("scoring", note.code) not in WAITING)
