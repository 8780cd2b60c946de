"""What an import has to say, in words: why a file or a row cannot be read, and what to look at."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import get_language, ngettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from league.core.spreadsheets.columns import BY_KEY
from league.core.spreadsheets.dates import DateOrder
from league.core.spreadsheets.headers import split_target
from league.core.spreadsheets.logs import LOG
from scoring.core import ScoringError, format_points
from scoring.messages.errors import scoring_error_sentence
from scoring.messages.numbers import joined

FILE_SENTENCES = {
    "empty": _("There is nothing in this file. Choose another one, or paste the rows."),
    "too_large": _("The file is larger than %(most)s MB. Divide it, by year for instance."),
    "too_large_unpacked": _("The workbook unpacks to more than %(most)s MB. Save the sheet with the results alone."),
    "too_costly": _(
        "Reading this file takes more memory or time than a table of results needs. Save its sheet as CSV, or divide it."
    ),
    "unreadable": _("This file cannot be read here. Save its sheet as CSV, or copy the cells and paste them."),
    "busy": _("Other files are being read just now. Try again in a minute."),
    "old_excel": _("This is an old Excel file (.xls), or one with a password. Save it as .xlsx or CSV without one."),
    "binary": _("This is no text and no spreadsheet. Save the results as CSV or .xlsx."),
    "not_a_workbook": _("This workbook is damaged or no Excel file. Open it, save it as .xlsx and try again."),
    "unknown_encoding": _("This encoding is not known here. Choose one of the list."),
    "not_encoding": _("In %(encoding)s the file makes no sense, first in line %(line)s. Choose another encoding."),
    "unknown_delimiter": _("Cells cannot be divided by that. Choose one of the list."),
    "no_log": _("No line of this file reads like A(+45.0) B(+9.0) C(-20.0) D(-34.0). Choose what divides its cells."),
    "unknown_sheet": _("There is no sheet “%(sheet)s”. Choose one of the list."),
    "unknown_header": _("There is no row %(row)s that could be the header. Choose another one."),
    "unknown_column": _("“%(column)s” is nothing that a column can be. Choose from the list."),
    "too_many_rows": _("There are more than %(most)s rows. Divide the file, by year for instance."),
    "too_many_columns": _("Line %(line)s has more than %(most)s columns. Delete those that hold no results."),
    "formulas": _(
        "Line %(line)s holds the formula %(formula)s without its value. Open the file in a spreadsheet, save it there "
        "and try again."
    ),
    "no_games": _("Below the header there are no results. Check which row is the header."),
    "no_rules": _("The league has no rules yet. Choose rules first; then the results can be scored."),
    "column_missing": _("No column holds this: %(column)s. Say which one it is."),
    "column_twice": _("Two columns are said to hold this: %(column)s. Choose one of them."),
    "forms_mixed": _("Some columns belong to a row per player, others to a row per hanchan. Choose one way."),
    "not_ready": _("The import cannot be run yet. See what is left to decide or to mend."),
    "not_in_league": _("That player is not in this league any more. Choose another one."),
    "changed_meanwhile": _("%(game)s was changed just now. Nothing was imported; check again."),
    "already_run": _("This file was imported already."),
    "running": _("This import is running."),
    "too_many_mendings": _("More than %(most)s cells were mended here. Mend the file itself and upload it again."),
    "not_done": _("This import was not run, or was undone already."),
    "too_late": _("An import can be undone for %(days)s days. Correct or take back single results instead."),
    "reason_missing": _("Write why you undo the import; everybody can read it in the history."),
}
"""Why a file or a step cannot be gone on with."""

ROW_SENTENCES = {
    "date_missing": _("The date is missing."),
    "date_unreadable": _("“%(text)s” is no date. Write it like 2025-11-21."),
    "date_ambiguous": _(
        "“%(text)s” can be read as two dates. Say in which order the dates stand, where the file is read, or write it "
        "like 2025-11-21."
    ),
    "number_unreadable": _("%(column)s: “%(text)s” is no number."),
    "word_unreadable": _("%(column)s: “%(text)s” means nothing here."),
    "out_of_range": _("%(column)s: %(text)s is not from %(least)s to %(most)s."),
    "too_long": _("%(column)s: the text is longer than %(most)s characters."),
    "differs": _("%(column)s: the rows of one hanchan say different things."),
    "player_missing": _("The name of a player is missing."),
    "seat_unreadable": _("“%(text)s” is no seat. Write E, S, W, N or 1 to 4."),
    "seat_twice": _("Two players have the same seat."),
    "seat_missing": _("Some players have a seat and some have none. Give all of them or none."),
    "seat_gap": _("A seat between the others is empty."),
    "dealer_unknown": _("“%(text)s” is none of the players. Write the first dealer like one of the names of the row."),
    "raw_missing": _("The raw score of %(name)s is missing."),
    "points_missing": _("The points of %(name)s are missing, and no raw score is given."),
    "raw_worked_out": _("The raw scores are worked out from the points."),
    "points_alone": _("Only the points are known; no single set of raw scores gives them."),
    "as_is": _("It does not add up, and is taken as it is."),
    "raw_fraction": _("%(name)s: %(text)s is no raw score in the unit of this file."),
    "bust_unreadable": _("%(name)s: “%(text)s” does not say how the bust came about. Write win:E, draw:E+W or a name."),
    "name_unknown": _("Nobody is called %(name)s. Say who it is, or make a new player."),
    "player_twice": _("%(name)s sits twice at this table."),
    "key_twice": _("The key %(key)s stands twice in the file."),
    "rules_unknown": _("The league has no rules “%(text)s”. Add them first, or correct the cell."),
    "session_unclear": _("The league has %(count)s sessions on %(date)s. Write in the session column which one it is."),
    "points_differ": _("%(name)s: the file says %(theirs)s pt, these rules give %(ours)s pt. Ours will be stored."),
    "placement_differs": _("%(name)s: the file says place %(theirs)s, these rules give place %(ours)s."),
    "in_the_future": _("%(day)s has not come yet. Correct the date."),
    "session_stays": _("The hanchan stays in its session, %(session)s."),
    "twice_in_file": _("The same result stands in the file before. It is taken once."),
    "same_scores_twice": _("The same scores of the same players stand in the file before."),
    "similar_scores": _(
        "The same players with nearly the same scores are saved already or stand in the file before. Is this another hanchan?"
    ),
    "others_planned": _("Other people are planned for this round and table: %(names)s."),
    "changes": _("Differs from the league: %(columns)s."),
}
"""What there is to say of a single game."""

UNITS = {
    100: _("Raw scores are taken as hundreds: 317 is 31,700."),
    1000: _("Raw scores are taken as thousands: 31.7 is 31,700."),
}

NOTE_SENTENCES = {
    "quotes_ignored": _("Quotation marks do not match in this file; they were taken as part of the text."),
    "encoding_unsure": _("The file could be in several encodings. See whether the names look right."),
    "seats_by_order": _("The file names no seats. The players of a hanchan are seated in the order of its rows."),
    "seats_by_place": _("The file names the players by placement and no seats. They are seated in that order."),
    "seats_by_dealer": _(
        "The players go round the table as the columns do. Whoever stands under “%(header)s” began as dealer."
    ),
    "taken_as_raw": _("“%(header)s” is taken for raw scores: the sums of the hanchan show it."),
    "taken_as_points": _("“%(header)s” is taken for points: they add up to nothing in each hanchan."),
    "days_of_stamps": _(
        "No column says when the hanchan were played. “%(header)s” says when they were typed: that day is taken, before "
        "%(boundary)s the one before."
    ),
    "dates_said": _("Dates are read as %(order)s: %(text)s is %(day)s."),
    "dates_guessed": _(
        "Dates seem to stand as %(order)s: %(text)s is %(day)s. Where the file is read you can say otherwise."
    ),
}
"""What there is to know about the file as a whole."""

HOW = {
    "key": _("by key"),
    "number": _("by member number"),
    "exact": _("same name"),
    "alias": _("by another name"),
    "honorific": _("without the honorific"),
    "kana": _("by sound"),
    "chosen": _("chosen"),
    "new": _("new player"),
    "guest": _("new guest"),
    "ask": _("who is this?"),
}
"""How a name was understood, by NameMatch.how."""

STATUSES = {
    "added": _("Added"),
    "changed": pgettext_lazy("rows of an import", "Changed"),
    "same": _("Already there"),
    "error": _("Error"),
    "left_out": _("Left out"),
}
"""What becomes of a game, by RowStatus.status."""

ENCODINGS = {
    "utf-8": _("UTF-8"),
    "cp932": _("Shift_JIS (cp932), as Japanese Excel saves CSV"),
    "utf-16-le": _("UTF-16, as Excel saves “Unicode text”"),
    "utf-16-be": _("UTF-16 (big-endian)"),
}

DELIMITERS = {
    ",": _("Comma"),
    "\t": _("Tab"),
    ";": _("Semicolon"),
    "|": _("Vertical bar"),
    LOG: _("nothing: lines such as A(+45.0) B(+9.0) C(-20.0) D(-34.0)"),
}

DATE_ORDERS = {
    DateOrder.YEAR_FIRST: pgettext_lazy("order of dates", "year, month, day"),
    DateOrder.DAY_FIRST: pgettext_lazy("order of dates", "day, month, year"),
    DateOrder.MONTH_FIRST: pgettext_lazy("order of dates", "month, day, year"),
}
"""Order of the numbers of a date."""


def column_label(target: str) -> str:
    """Return the header of a target in the reader's language; with a seat 素点2."""
    key, seat = split_target(target)
    language = "ja" if (get_language() or "").startswith("ja") else "en"
    return BY_KEY[key].header(language, None if seat is None else seat + 1) if key in BY_KEY else key


def sentence(code: str, values: Mapping[str, Any]) -> str:
    """Return a remark or error with its remedy."""
    if code == "scoring":
        error = ScoringError(values["scoring"], values["seat"], **values["values"])
        said = scoring_error_sentence(error, values["names"])
        return (
            _("%(said)s In a file this stands in a column “bust”: %(example)s.")
            % {"said": said, "example": "win:E, draw:E+W"}
            if error.code == "bust_unexplained"
            else said
        )
    if code == "unit":
        return str(UNITS[values["unit"]])
    if code in COUNTED:
        return _counted(code, values["count"])
    known = {**FILE_SENTENCES, **ROW_SENTENCES, **NOTE_SENTENCES}
    return str(known[code]) % _facts(code, values)


COUNTED = frozenset({"totals_skipped", "headers_skipped", "dates_carried", "lines_passed_over", "sticks_taken"})


def _counted(code: str, count: int) -> str:
    sentences = {
        "totals_skipped": ngettext(
            "%(count)s row with a total was passed over.", "%(count)s rows with totals were passed over.", count
        ),
        "headers_skipped": ngettext(
            "%(count)s repeated header was passed over.", "%(count)s repeated headers were passed over.", count
        ),
        "lines_passed_over": ngettext(
            "%(count)s line that tells of no hanchan was passed over.",
            "%(count)s lines that tell of no hanchan were passed over.",
            count,
        ),
        "sticks_taken": ngettext(
            "In %(count)s hanchan the points that are missing are counted as riichi sticks left on the table.",
            "In %(count)s hanchan the points that are missing are counted as riichi sticks left on the table.",
            count,
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
    if "order" in facts:
        facts["order"] = DATE_ORDERS[DateOrder(facts["order"])]
    if code == "points_differ":
        facts |= {name: format_points(facts[name]) for name in ("theirs", "ours")}
    return facts
