"""Pasting of a table of totals into the form for points without hanchan."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from league.core.pasted_sums import FIGURES, PastedSum, PastedSums, read_sums
from league.core.spreadsheets.names import NameDirectory, WrittenName
from league.forms.session_points import MAX_LINES, MAX_PASTED, more_lines
from league.models import Session
from league.services.imports.people import league_people
from league.services.people_lists import SURE

MOST_NAMED = 10
MAX_HEAD = 40


def pasted_lines(sent: Mapping[str, Any], session: Session) -> tuple[dict[str, Any], list[str]]:
    """Return the form data with the pasted rows added, and messages to the user.

    A player's existing line is updated. If a name is unknown or ambiguous, the line's player is left blank.
    """
    text = str(sent.get("paste", ""))[:MAX_PASTED]
    read = read_sums(text)
    lines = {name: value for name, value in more_lines(sent).items() if name != "paste"}
    directory = league_people(session.league).directory
    problems, unknown = [], []
    for number, row in enumerate(read.rows):
        who = _meant(directory, row)
        line = _line_for(lines, who)
        if line is None:
            left = len(read.rows) - number
            problems.append(_no_room(left))
            break
        if who is None:
            unknown.append(_("line %(line)s: %(name)s") % {"line": line + 1, "name": row.name})
        else:
            lines[f"player_{line}"] = str(who)
        lines |= {f"{figure}_{line}": row.texts.get(figure, "") for figure in FIGURES}
    if unknown:
        problems.append(
            _(
                "These names match no player, or more than one. Choose a player in each row, or add the players "
                "first: %(names)s."
            )
            % {"names": ", ".join(unknown)}
        )
    return lines, [*_not_read(read), *problems]


def _not_read(read: PastedSums) -> list[str]:
    if read.unclear is not None:
        return [" ".join(_unclear(read.unclear))]
    if not read.rows:
        return [
            _(
                "No row with a player and points was found. Copy the table with its headings, or put names before "
                "points."
            )
        ]
    if read.ignored:
        said = _first_of([str(line) for line in read.ignored])
        return [_("Lines without a player or points were skipped: %(lines)s.") % {"lines": said}]
    return []


def _unclear(heads: tuple[str, ...]) -> Iterator[str]:
    yield _("Nothing was read. The headings must contain one column for players (選手) and one for points (ポイント).")
    if heads:
        short = [Truncator(head).chars(MAX_HEAD) for head in heads]
        yield _("Unknown headings: %(heads)s.") % {"heads": _first_of(short)}


def _first_of(texts: Sequence[str]) -> str:
    return ", ".join(texts[:MOST_NAMED]) + (" …" if texts[MOST_NAMED:] else "")


def _no_room(left: int) -> str:
    text = ngettext(
        "There is only room for %(most)s lines, so %(count)s row was left out. Enter these first, then paste the rest.",
        "There is only room for %(most)s lines, so %(count)s rows were left out. Enter these first, then "
        "paste the rest.",
        left,
    )
    return text % {"most": MAX_LINES, "count": left}


def _meant(directory: NameDirectory, row: PastedSum) -> int | None:
    found = directory.find(WrittenName(row.name))
    return found.people[0] if found.how in SURE else None


def _line_for(lines: dict[str, Any], who: int | None) -> int | None:
    """Return the index of the player's line, or else the first blank one; None if the form is full."""
    for line in range(MAX_LINES):
        if who is not None and str(lines.get(f"player_{line}")) == str(who):
            return _with_room(lines, line)
    for line in range(MAX_LINES):
        if not any(lines.get(f"{name}_{line}") for name in ("player", *FIGURES)):
            return _with_room(lines, line)
    return None


def _with_room(lines: dict[str, Any], line: int) -> int:
    lines["lines"] = max(int(lines["lines"]), line + 1)
    return line
