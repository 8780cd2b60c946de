"""What an import has to say, in words: why a file or a row cannot be read, and what to look at."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import get_language, ngettext, pgettext_lazy
from django.utils.translation import gettext_lazy as lazy

from league.core.imports.columns import BY_KEY
from league.core.imports.headers import split_target
from scoring.core import ScoringError, format_points
from scoring.wording.errors import scoring_error_sentence
from scoring.wording.numbers import joined

FILE_SENTENCES = {
    "empty": lazy("There is nothing in this file. Choose another one, or paste the rows."),
    "too_large": lazy("The file is larger than %(most)s MB. Divide it, by year for instance."),
    "too_large_unpacked": lazy("The workbook unpacks to more than %(most)s MB. Save the sheet with the results alone."),
    "old_excel": lazy("This is an old Excel file (.xls), or one with a password. Save it as .xlsx or CSV without one."),
    "binary": lazy("This is no text and no spreadsheet. Save the results as CSV or .xlsx."),
    "not_a_workbook": lazy("This workbook is damaged or no Excel file. Open it, save it as .xlsx and try again."),
    "unknown_encoding": lazy("This encoding is not known here. Choose one of the list."),
    "not_encoding": lazy("In %(encoding)s the file makes no sense, first in line %(line)s. Choose another encoding."),
    "unknown_delimiter": lazy("Cells cannot be divided by that. Choose one of the list."),
    "unknown_sheet": lazy("There is no sheet “%(sheet)s”. Choose one of the list."),
    "unknown_header": lazy("There is no row %(row)s that could be the header. Choose another one."),
    "unknown_column": lazy("“%(column)s” is nothing that a column can be. Choose from the list."),
    "too_many_rows": lazy("There are more than %(most)s rows. Divide the file, by year for instance."),
    "too_many_columns": lazy("Line %(line)s has more than %(most)s columns. Delete those that hold no results."),
    "formulas": lazy(
        "Line %(line)s holds the formula %(formula)s without its value. Open the file in a spreadsheet, save it there "
        "and try again."
    ),
    "no_games": lazy("Below the header there are no results. Check which row is the header."),
    "no_rules": lazy("The league has no rules yet. Choose rules first; then the results can be scored."),
    "points_only": lazy(
        "The file has points but no raw scores, so nothing could be checked. Add the raw scores. If they are lost, "
        "enter the points of each session on its own page."
    ),
    "column_missing": lazy("No column holds this: %(column)s. Say which one it is."),
    "column_twice": lazy("Two columns are said to hold this: %(column)s. Choose one of them."),
    "forms_mixed": lazy("Some columns belong to a row per player, others to a row per hanchan. Choose one way."),
    "not_ready": lazy("The import cannot be run yet. See what is left to decide or to mend."),
    "not_in_league": lazy("That player is not in this league any more. Choose another one."),
    "changed_meanwhile": lazy("%(game)s was changed just now. Nothing was imported; check again."),
    "already_run": lazy("This file was imported already."),
    "running": lazy("This import is running."),
    "not_done": lazy("This import was not run, or was undone already."),
    "too_late": lazy("An import can be undone for %(days)s days. Correct or take back single results instead."),
    "reason_missing": lazy("Write why you undo the import; everybody can read it in the history."),
}
"""Why a file or a step cannot be gone on with."""

ROW_SENTENCES = {
    "date_missing": lazy("The date is missing."),
    "date_unreadable": lazy("“%(text)s” is no date. Write it like 2025-11-21."),
    "date_ambiguous": lazy("“%(text)s” can be read as two dates. Write it like 2025-11-21."),
    "number_unreadable": lazy("%(column)s: “%(text)s” is no number."),
    "word_unreadable": lazy("%(column)s: “%(text)s” means nothing here."),
    "out_of_range": lazy("%(column)s: %(text)s is not from %(least)s to %(most)s."),
    "too_long": lazy("%(column)s: the text is longer than %(most)s characters."),
    "differs": lazy("%(column)s: the rows of one hanchan say different things."),
    "player_missing": lazy("The name of a player is missing."),
    "seat_unreadable": lazy("“%(text)s” is no seat. Write E, S, W, N or 1 to 4."),
    "seat_twice": lazy("Two players have the same seat."),
    "seat_missing": lazy("Some players have a seat and some have none. Give all of them or none."),
    "seat_gap": lazy("A seat between the others is empty."),
    "raw_missing": lazy("The raw score of %(name)s is missing."),
    "raw_fraction": lazy("%(name)s: %(text)s is no raw score in the unit of this file."),
    "bust_unreadable": lazy(
        "%(name)s: “%(text)s” does not say how the bust came about. Write win:E, draw:E+W or a name."
    ),
    "name_unknown": lazy("Nobody is called %(name)s. Say who it is, or make a new player."),
    "player_twice": lazy("%(name)s sits twice at this table."),
    "key_twice": lazy("The key %(key)s stands twice in the file."),
    "rules_unknown": lazy("The league has no rules “%(text)s”. Add them first, or correct the cell."),
    "session_unclear": lazy(
        "The league has %(count)s sessions on %(date)s. Write in the session column which one it is."
    ),
    "points_differ": lazy("%(name)s: the file says %(theirs)s pt, these rules give %(ours)s pt. Ours will be stored."),
    "placement_differs": lazy("%(name)s: the file says place %(theirs)s, these rules give place %(ours)s."),
    "session_stays": lazy("The hanchan stays in its session, %(session)s."),
    "twice_in_file": lazy("The same result stands in the file before. It is taken once."),
    "same_scores_twice": lazy("The same scores of the same players stand in the file before."),
    "changes": lazy("Differs from the league: %(columns)s."),
}
"""What there is to say of a single game."""

UNITS = {
    100: lazy("Raw scores are taken as hundreds: 317 is 31,700."),
    1000: lazy("Raw scores are taken as thousands: 31.7 is 31,700."),
}

NOTE_SENTENCES = {
    "quotes_ignored": lazy("Quotation marks do not match in this file; they were taken as part of the text."),
    "encoding_unsure": lazy("The file could be in several encodings. See whether the names look right."),
    "seats_by_order": lazy("The file names no seats. The players of a hanchan are seated in the order of its rows."),
}
"""What there is to know about the file as a whole."""

HOW = {
    "key": lazy("by key"),
    "number": lazy("by member number"),
    "exact": lazy("same name"),
    "alias": lazy("by another name"),
    "honorific": lazy("without the honorific"),
    "kana": lazy("by sound"),
    "chosen": lazy("chosen"),
    "new": lazy("new player"),
    "guest": lazy("new guest"),
    "ask": lazy("who is this?"),
}
"""How a name was understood, by NameMatch.how."""

STATUSES = {
    "added": lazy("Added"),
    "changed": pgettext_lazy("rows of an import", "Changed"),
    "same": lazy("Already there"),
    "error": lazy("Error"),
    "left_out": lazy("Left out"),
}
"""What becomes of a game, by RowStatus.status."""

ENCODINGS = {
    "utf-8": lazy("UTF-8"),
    "cp932": lazy("Shift_JIS (cp932), as Japanese Excel saves CSV"),
    "utf-16-le": lazy("UTF-16, as Excel saves “Unicode text”"),
    "utf-16-be": lazy("UTF-16 (big-endian)"),
}

DELIMITERS = {",": lazy("Comma"), "\t": lazy("Tab"), ";": lazy("Semicolon"), "|": lazy("Vertical bar")}


def column_label(target: str) -> str:
    """Return the header of a target in the reader's language; with a seat 素点2."""
    key, seat = split_target(target)
    language = "ja" if (get_language() or "").startswith("ja") else "en"
    return BY_KEY[key].header(language, None if seat is None else seat + 1) if key in BY_KEY else key


def sentence(code: str, values: Mapping[str, Any]) -> str:
    """Return what is wrong or worth knowing, with the remedy where there is one."""
    if code == "scoring":
        error = ScoringError(values["scoring"], values["seat"], **values["values"])
        return scoring_error_sentence(error, values["names"])
    if code == "unit":
        return str(UNITS[values["unit"]])
    if code in {"totals_skipped", "headers_skipped", "dates_carried"}:
        return _counted(code, values["count"])
    known = {**FILE_SENTENCES, **ROW_SENTENCES, **NOTE_SENTENCES}
    return str(known[code]) % _facts(code, values)


def _counted(code: str, count: int) -> str:
    sentences = {
        "totals_skipped": ngettext(
            "%(count)s row with a total was passed over.", "%(count)s rows with totals were passed over.", count
        ),
        "headers_skipped": ngettext(
            "%(count)s repeated header was passed over.", "%(count)s repeated headers were passed over.", count
        ),
        "dates_carried": ngettext(
            "%(count)s row without a date has that of the row above.",
            "%(count)s rows without a date have that of the row above.",
            count,
        ),
    }
    return sentences[code] % {"count": count}


def _facts(code: str, values: Mapping[str, Any]) -> dict[str, Any]:
    facts = dict(values)
    if "column" in facts and code != "unknown_column":
        facts["column"] = column_label(facts["column"])
    if "columns" in facts:
        facts["columns"] = joined(column_label(column) for column in facts["columns"])
    if code == "points_differ":
        facts |= {name: format_points(facts[name]) for name in ("theirs", "ours")}
    return facts
