"""What a file leaves open: in which order its dates stand, when games without a date were played, sticks that were left."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from league.core.imports.records import ABOVE, BY_SESSION, BY_STAMP, STAY, FileRecords
from league.core.spreadsheets.date_orders import ORDERS, OrderGuess, guess_order, hint_of
from league.core.spreadsheets.dates import DateError, DateOrder, DateReading, ambiguous, parse_date, parse_stamp
from league.core.spreadsheets.headers import columns_of, split_target
from league.models import League
from league.services.imports.source import FileSource, texts_under
from league.services.imports.values import FileQuestions, ImportNote

SAMPLES = 3


def is_day(text: str) -> bool:
    """Whether an answer names the day of games without a date."""
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def days_of(source: FileSource, records: FileRecords, league: League, today: date) -> tuple[DateReading, FileQuestions]:
    """Return how the dates of a file are read, and what has to be asked about them."""
    reading, columns = source.reading, source.reading.columns
    day_column = next((key for key in ("date", "stamp") if key in columns), "")
    stamps = texts_under(source, "stamp")
    texts = texts_under(source, day_column) if day_column else []
    hint = hint_of(league.time_zone)
    guess = guess_order(texts, today, hint)
    calendar = DateReading(
        today=today,
        order=reading.date_order or _shown(guess),
        year=reading.year,
        boundary=league.day_boundary,
        zone=league.time_zone,
        takes_stamps=day_column == "stamp" or reading.undated == BY_STAMP,
        stamps=_order_of_stamps(reading.date_order, day_column, guess_order(stamps, today, hint)),
    )
    undated = 0 if day_column == "stamp" else records.undated_games()
    return calendar, FileQuestions(
        samples=tuple((text, _in_every_order(text, calendar, day_column)) for text in _samples(texts)),
        guess=guess,
        day_column=day_column,
        undated=undated,
        ways=_ways(columns, day_column) if undated else (),
    )


def _shown(guess: OrderGuess) -> DateOrder:
    """Return the order that the file shows; a hint decides nothing before somebody has seen it."""
    return guess.order if guess.is_sure else DateOrder.UNKNOWN


def _order_of_stamps(said: DateOrder, day_column: str, guess: OrderGuess) -> DateOrder:
    return (said if day_column == "stamp" else DateOrder.UNKNOWN) or _shown(guess) or said


def _ways(columns: Sequence[str], day_column: str) -> tuple[str, ...]:
    dated = {ABOVE, BY_SESSION} if day_column == "date" else set()
    known = dated - ({BY_SESSION} if "session" not in columns else set()) | ({BY_STAMP} & _stamped(columns)) | {STAY}
    return tuple(way for way in (ABOVE, BY_SESSION, BY_STAMP, STAY) if way in known)


def _stamped(columns: Sequence[str]) -> set[str]:
    return {BY_STAMP} if "stamp" in columns else set()


def _samples(texts: Sequence[str]) -> list[str]:
    """Return a few dates from the beginning, the middle and the end of a file, those that need an order first."""
    some = [text for text in texts if ambiguous(text)] or list(texts)
    return list(dict.fromkeys(some[at] for at in (0, len(some) // 2, len(some) - 1))) if some else []


def _in_every_order(text: str, calendar: DateReading, day_column: str) -> dict[DateOrder, date | None]:
    return {order: _day(text, replace(calendar, order=order, stamps=order), day_column) for order in ORDERS}


def _day(text: str, calendar: DateReading, day_column: str) -> date | None:
    try:
        return parse_stamp(text, calendar) if day_column == "stamp" else parse_date(text, calendar)
    except DateError:
        return None


def notes_on(source: FileSource, questions: FileQuestions, calendar: DateReading, *, sticks: int) -> list[ImportNote]:
    """Return what was decided about a file, by itself or by an answer, for whoever looks at what becomes of it."""
    found = _of_columns(source)
    if questions.day_column == "stamp":
        values = {"header": _header(source, "stamp"), "boundary": f"{calendar.boundary:%H:%M}"}
        found.append(ImportNote("days_of_stamps", values))
    found += _of_dates(source, questions)
    if sticks:
        found.append(ImportNote("sticks_taken", {"count": sticks}))
    return found


def _of_dates(source: FileSource, questions: FileQuestions) -> list[ImportNote]:
    """Return in which order the dates are read, with one of them as an example."""
    said, guess = source.reading.date_order, questions.guess
    order = said or _shown(guess)
    if not (order and guess.dates):
        return []
    text, days = questions.samples[0]
    day = days[order]
    values = {"order": str(order), "text": text, "day": day.isoformat() if day else ""}
    return [ImportNote("dates_said" if said else "dates_guessed", values)] if day else []


def _of_columns(source: FileSource) -> list[ImportNote]:
    """Return which columns hold something else than their headers say, and whose order gives the seats."""
    columns, found = source.reading.columns, []
    for at, (called, read) in enumerate(zip(columns_of(source.header), columns, strict=False)):
        kinds = split_target(called)[0], split_target(read)[0]
        if kinds in {("points", "raw"), ("raw", "points")}:
            found.append(ImportNote(f"taken_as_{kinds[1]}", {"header": source.headers[at]}))
            break
    if "dealer" in columns:
        found.append(ImportNote("seats_by_dealer", {"header": _header(source, "dealer")}))
    return found


def _header(source: FileSource, target: str) -> str:
    return source.headers[source.reading.columns.index(target)]
