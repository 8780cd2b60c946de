"""Messages of imports: errors of files and rows, and remarks."""

from collections.abc import Iterable, Mapping
from datetime import date
from decimal import Decimal
from typing import Any

from django.utils.translation import get_language, gettext, ngettext_lazy, pgettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from league.core.imports.games import ImportNote
from league.core.spreadsheets import layouts
from league.core.spreadsheets.columns import BY_KEY, RowShape
from league.core.spreadsheets.dates import DateOrder
from league.core.spreadsheets.headers import split_target
from league.messages import day_text
from scoring.core import ScoringError, format_points
from scoring.messages.errors import scoring_error_sentence
from scoring.messages.numbers import joined

FILE_SENTENCES = {
    "empty": _("This file is empty. Choose another one, or paste the rows."),
    "too_large": _("The file is larger than %(most)s MB. Split it, for example by year."),
    "too_large_unpacked": _(
        "This workbook is larger than %(most)s MB when unpacked. Save only the sheet with the results."
    ),
    "old_excel": _("This is an old Excel file (.xls) or has a password. Save it as .xlsx or CSV without a password."),
    "binary": _("This is neither text nor a spreadsheet. Save the results as CSV or .xlsx."),
    "not_a_workbook": _("This workbook is damaged or not an Excel file. Open it, save it as .xlsx and try again."),
    "not_encoding": _("Line %(line)s of the file cannot be read as %(encoding)s. Choose another encoding."),
    "other_layout": _("The file cannot be read with this layout. Choose another one, or “detect”."),
    "record_json": _(
        "This is the replay of a single hanchan, with every draw and discard (JSON, as from Tenhou or "
        "Mahjong Soul). Enter its final scores, or import your lobby's list of results."
    ),
    "record_mjlog": _(
        "This is the replay of a single hanchan, with every draw and discard (mjlog, as from Tenhou). Enter "
        "its final scores, or import your lobby's list of results."
    ),
    "unknown_header": _("Row %(row)s cannot be a heading row. Choose another one."),
    "too_many_rows": _("The file has more than %(most)s rows. Split it, for example by year."),
    "too_many_columns": _("Line %(line)s has more than %(most)s columns. Delete columns without results."),
    "formulas": _(
        "Line %(line)s contains the formula %(formula)s without a value. Open the file in a spreadsheet "
        "program, save it and try again."
    ),
    "no_games": _("There are no results below the headings. Check how the file was read."),
    "tables_unknown": _(
        "More people than fit at a table have a raw score under %(names)s, so it is not known who played at which "
        "table. Give each table a column of its own, such as A1 and B1, or import points."
    ),
    "no_rules": _("The league has no rules yet. Choose rules first, so that results can be scored."),
    "column_missing": _("No column is selected for: %(column)s. Choose one."),
    "column_twice": _("Two columns are selected for: %(column)s. Choose one of them."),
    "forms_mixed": _("Some columns describe one player per row, others one hanchan per row. Use only one kind."),
    "not_ready": _("The import cannot run yet. Answer the open questions and fix the errors."),
    "nothing_left": _("Nothing is left to import: all hanchan in the file are left out or already exist."),
    "not_in_league": _("This player is no longer in the league. Choose another one."),
    "already_run": _("This file was already imported."),
    "running": _("This import is running."),
    "not_done": _("This import was not run, or was already undone."),
    "too_late": _("An import can only be undone within %(days)s days. Correct or void individual results instead."),
}
"""Errors of a whole file or of a step of the import."""

ROW_SENTENCES = {
    "date_missing": _("The date is missing."),
    "date_unreadable": _("“%(text)s” is not a date. Enter a date such as 2025-11-21."),
    "date_ambiguous": _(
        "“%(text)s” can be read as two dates. Choose the order of day, month and year, or enter a date such "
        "as 2025-11-21."
    ),
    "number_unreadable": _("%(column)s: “%(text)s” is not a number."),
    "word_unreadable": _("%(column)s: “%(text)s” is unknown."),
    "out_of_range": _("%(column)s: %(text)s is not between %(least)s and %(most)s."),
    "too_long": _("%(column)s: the text is longer than %(most)s characters."),
    "differs": _("%(column)s: rows of the same hanchan contradict each other."),
    "player_missing": _("A player's name is missing."),
    "seat_unreadable": _("“%(text)s” is not a seat. Enter E, S, W, N or 1 to 4."),
    "seat_twice": _("Two players have the same seat."),
    "seat_missing": _("Some players have a seat and some do not. Enter a seat for everyone or for no one."),
    "seat_gap": _("There is an empty seat between occupied ones."),
    "dealer_unknown": _(
        "“%(text)s” is not one of the players. Enter the first dealer's name exactly as it appears in the row."
    ),
    "raw_missing": _("The raw score of %(name)s is missing."),
    "points_missing": _("The points of %(name)s are missing, and no raw score is given."),
    "raw_worked_out": _("Raw scores were derived from the points."),
    "points_alone": _("Only points are stored, because several sets of raw scores are possible."),
    "as_is": _("Accepted with an incorrect total."),
    "raw_fraction": _("%(name)s: %(text)s is not a raw score in this file's unit."),
    "bust_unreadable": _("%(name)s: “%(text)s” does not say what caused the bust. Leave the cell blank to be asked."),
    "name_unknown": _("There is no player called %(name)s. Choose a player or add a new one."),
    "player_twice": _(
        "%(name)s has two seats at this table. If these are two people, give them different names or member numbers."
    ),
    "no_prize": _("It is not known who won the bust prize, so none is paid. The hanchan will be marked."),
    "key_twice": _("The key %(key)s is in the file twice."),
    "session_unclear": _("The league has %(count)s sessions on %(date)s. Enter the session in its column."),
    "points_differ": _(
        "%(name)s: the file says %(theirs)s pt, these rules give %(ours)s pt. The points given by the rules are stored."
    ),
    "placement_differs": _("%(name)s: the file says placement %(theirs)s, these rules give %(ours)s."),
    "in_the_future": _("%(day)s is in the future. Correct the date."),
    "twice_in_file": _("The same result appears earlier in the file. It is imported only once."),
    "same_scores_twice": _("The same players with the same scores appear earlier in the file."),
    "similar_scores": _(
        "The same players with nearly the same scores are already saved or appear earlier in the file. Is "
        "this another hanchan?"
    ),
    "stored_differs": _("The league has a different result of this hanchan. Correct it on its page."),
    "others_planned": _("Different players are planned for this round and table: %(names)s."),
}
"""Errors and remarks about a single row or hanchan."""

UNITS = {
    100: _("Raw scores are read as hundreds: 317 is 31,700."),
    1000: _("Raw scores are read as thousands: 31.7 is 31,700."),
}

NOTE_SENTENCES = {
    "quotes_ignored": _("Quotation marks in this file do not match, so they were read as text."),
    "encoding_unsure": _(
        "The text can be Japanese (Shift_JIS) or have accented letters (Windows-1252). Check that the names look right."
    ),
    "seats_by_order": _("The file contains no seats. The order of rows is used as the seat order."),
    "seats_by_place": _("The file lists players by placement, without seats. That order is used as the seat order."),
    "seats_by_dealer": _(
        "The order of columns is used as the seat order. The player under “%(header)s” was the first dealer."
    ),
    "taken_as_raw": _("Reading “%(header)s” as raw scores (the totals match)."),
    "taken_as_points": _("Reading “%(header)s” as points (they add up to 0 in each hanchan)."),
    "seats_by_columns": _("The file contains no seats. The order of columns is used as the seat order."),
    "all_points": _("The numbers are points: they add up to 0 in each hanchan."),
    "days_of_sheets": _("Dates come from the names of the sheets."),
    "sheets_left_out": _("No results could be read from these sheets: %(names)s."),
    "totals_differ": _(
        "The file's total differs from the sum of the hanchan (total ≠ sum): %(names)s. A penalty, a bust prize or a "
        "missing hanchan can be the reason."
    ),
    "days_of_stamps": _(
        "No column contains the date of play, so the date of “%(header)s” (when the form was filled in) is "
        "used. Times before %(boundary)s count for the previous day."
    ),
    "year_taken": _("The dates have no year: “%(text)s” is read as %(day)s."),
    "dates_said": _("Dates are read as %(order)s: %(text)s is %(day)s."),
}
"""Remarks about the file as a whole."""

LAYOUTS = {
    layouts.TABLE: _("Table with named columns"),
    layouts.LOG: _("Lines such as A(+45.0) B(+9.0) C(-20.0) D(-34.0)"),
    layouts.MATRIX: _("A row per hanchan, a column per person"),
    layouts.SIGNED: _("A row per hanchan, a plus and a minus column per person"),
    layouts.PLAYERS: _("A row per person, a column per hanchan"),
    layouts.ROUNDS: _("Rounds side by side"),
}
"""How a sheet is laid out."""

HOW = {
    "number": _("by member number"),
    "exact": _("same name"),
    "alias": _("by other name"),
    "honorific": _("without the honorific"),
    "kana": _("by sound"),
    "chosen": _("chosen"),
}
"""How a known name was matched, by NameMatch.how."""

ENCODINGS = {
    "utf-8": _("UTF-8"),
    "cp932": _("Shift_JIS (cp932), as Japanese Excel saves CSV"),
    "cp1252": _("Windows-1252, as Excel saves CSV in Western Europe and America"),
    "utf-16-le": _("UTF-16, as Excel saves “Unicode text”"),
    "utf-16-be": _("UTF-16 (big-endian)"),
}

DATE_ORDERS = {
    DateOrder.YEAR_FIRST: pgettext_lazy("order of dates", "year, month, day"),
    DateOrder.DAY_FIRST: pgettext_lazy("order of dates", "day, month, year"),
    DateOrder.MONTH_FIRST: pgettext_lazy("order of dates", "month, day, year"),
}


COUNTED_SENTENCES = {
    "totals_skipped": ngettext_lazy(
        "%(count)s row of totals was skipped.", "%(count)s rows of totals were skipped.", "count"
    ),
    "headers_skipped": ngettext_lazy(
        "%(count)s repeated heading was skipped.", "%(count)s repeated headings were skipped.", "count"
    ),
    "lines_passed_over": ngettext_lazy(
        "%(count)s line without a result was skipped.", "%(count)s lines without results were skipped.", "count"
    ),
    "sheets_unread": ngettext_lazy(
        "Nothing was read from the sheet %(names)s. If it has results, choose it under “Read the file differently” to "
        "import it alone.",
        "Nothing was read from these sheets: %(names)s. If they have results, choose one under “Read the file "
        "differently” to import it alone.",
        "count",
    ),
    "totals_agree": ngettext_lazy(
        "%(count)s total in the file agrees with its hanchan.",
        "%(count)s totals in the file agree with their hanchan.",
        "count",
    ),
    "sticks_taken": ngettext_lazy(
        "In %(count)s hanchan, missing points are counted as riichi sticks left on the table.",
        "In %(count)s hanchan, missing points are counted as riichi sticks left on the table.",
        "count",
    ),
    "dates_carried": ngettext_lazy(
        "%(count)s row without a date uses the date of the row above.",
        "%(count)s rows without a date use the date of the row above.",
        "count",
    ),
}
"""Remarks about a number of rows, people or hanchan."""


def layout_label(layout: str, form: str) -> str:
    if layout != layouts.TABLE:
        return str(LAYOUTS[layout])
    return gettext("A row per hanchan") if form == RowShape.WIDE else gettext("A row per player and hanchan")


def column_label(target: str) -> str:
    """Return a column's heading in the reader's language, with the seat number if any: 素点2."""
    key, seat = split_target(target)
    language = "ja" if (get_language() or "").startswith("ja") else "en"
    return BY_KEY[key].header(language, None if seat is None else seat + 1) if key in BY_KEY else key


def sentence(code: str, values: Mapping[str, Any]) -> str:
    """Return the text of a remark or error by its code."""
    if code == "scoring":
        return scoring_error_sentence(
            ScoringError(values["scoring"], values["seat"], **values["values"]), values["names"]
        )
    if code == "unit":
        return str(UNITS[values["unit"]])
    known = {**FILE_SENTENCES, **ROW_SENTENCES, **NOTE_SENTENCES, **COUNTED_SENTENCES}
    sheet = f"{values['sheet']}: " if values.get("sheet") else ""
    return f"{sheet}{known[code] % _facts(code, values)}"


def said(notes: Iterable[ImportNote]) -> list[str]:
    return [sentence(note.code, note.values) for note in notes]


def _facts(code: str, values: Mapping[str, Any]) -> dict[str, Any]:
    facts = dict(values)
    if "column" in facts:
        facts["column"] = column_label(facts["column"])
    if code in {"sheets_left_out", "sheets_unread", "tables_unknown"}:
        facts["names"] = joined(facts["names"])
    if code == "totals_differ":
        minus = pgettext("negative sign", "−")
        numbers = [(name, f"{Decimal(said):,f} ≠ {Decimal(ours):,f}") for name, said, ours in facts["names"]]
        facts["names"] = joined(f"{name} ({pair})".replace("-", minus) for name, pair in numbers)
    if "day" in facts:
        facts["day"] = day_text(date.fromisoformat(facts["day"]))
    if "order" in facts:
        facts["order"] = DATE_ORDERS[DateOrder(facts["order"])]
    if code == "points_differ":
        facts |= {name: format_points(facts[name]) for name in ("theirs", "ours")}
    return facts
