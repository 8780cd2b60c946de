"""Field types of tenbo/1 files: strict, with error messages for people."""

import re
import unicodedata
from collections.abc import Callable
from datetime import date, datetime, time
from decimal import Decimal
from typing import Annotated, Any, TypeVar
from zoneinfo import available_timezones

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainSerializer,
    StringConstraints,
    WithJsonSchema,
)

from league.core import limits
from league.core.spelling import without_hidden
from league.models import Hanchan
from league.models.leagues import KEY_PATTERN
from league.services.people import UNSEEN
from scoring.core import TIEBREAKS, format_points, parse_points

SLUG = re.compile(r"[-a-zA-Z0-9_]+")
FIRST_DATE, LAST_DATE = date(1900, 1, 1), date(9998, 12, 31)


def _text(text: str) -> str:
    for char in text:
        if unicodedata.category(char) in {"Cc", "Cs"} and char not in "\n\r\t":
            raise ValueError(f"holds the character U+{ord(char):04X}, which cannot be stored; remove it")
    return text


def _line(text: str) -> str:
    if any(char in "\n\r\t" for char in text):
        raise ValueError("must be a single line; remove line breaks and tabs")
    return _text(text)


def _seen(text: str) -> str:
    return without_hidden(_line(text))


def _filled(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be empty")
    return _line(text)


def _name(text: str) -> str:
    """Clean a name; files of older versions may contain invisible characters."""
    return without_hidden(_filled(text)) or UNSEEN


def _other_names(names: tuple[str, ...]) -> tuple[str, ...]:
    clean = [without_hidden(name) for name in names]
    untouched = {name for name, given in zip(clean, names, strict=True) if name == given}
    kept: list[str] = []
    for name, given in zip(clean, names, strict=True):
        if name == given or (name and name not in untouched and name not in kept):
            kept.append(name)
    return tuple(kept)


def _day(value: object) -> date:
    day = _parsed(value, date.fromisoformat, 'must be a date such as "2025-11-21"', length=10)
    if not FIRST_DATE <= day <= LAST_DATE:
        raise ValueError(f"must be between {FIRST_DATE} and {LAST_DATE}")
    return day


def _moment(value: object) -> datetime:
    expected = 'must be a time with its offset such as "2025-11-21T20:10:00+09:00"'
    moment = _parsed(value, datetime.fromisoformat, expected)
    if moment.tzinfo is None:
        raise ValueError(expected)
    if not FIRST_DATE.year < moment.year < LAST_DATE.year:
        raise ValueError(f"must be between {FIRST_DATE.year + 1} and {LAST_DATE.year - 1}")
    return moment


def _clock(value: object) -> time:
    expected = 'must be a time of day such as "06:00"'
    clock = _parsed(value, time.fromisoformat, expected)
    if clock.tzinfo is not None:
        raise ValueError(expected)
    return clock


Parsed = TypeVar("Parsed", date, datetime, time)


def _parsed(value: object, parse: Callable[[str], Parsed], expected: str, *, length: int | None = None) -> Parsed:
    if not isinstance(value, str) or (length is not None and len(value) != length):
        raise ValueError(expected)
    try:
        return parse(value)
    except ValueError as error:
        raise ValueError(expected) from error


def _points(value: object) -> int:
    expected = 'must be points such as "-40" or "21.7", at most three decimals'
    if isinstance(value, bool) or not isinstance(value, (str, int, Decimal)):
        raise ValueError(expected)
    try:
        points = parse_points(value)
    except (ValueError, ArithmeticError) as error:
        raise ValueError(expected) from error
    if abs(points) > limits.MAX_POINTS:
        least, most = format_points(-limits.MAX_POINTS), format_points(limits.MAX_POINTS)
        raise ValueError(f"must be between {least} and {most} points")
    return points


def _only(fits: Callable[[Any], object], complaint: str) -> AfterValidator:
    def checked(value: Any) -> Any:
        if not fits(value):
            raise ValueError(complaint)
        return value

    return AfterValidator(checked)


AsList = BeforeValidator(lambda value: tuple(value) if isinstance(value, list) else value)
Distinct = AfterValidator(_other_names)
Line = Annotated[str, AfterValidator(_line)]
Key = Annotated[str, StringConstraints(min_length=1, max_length=limits.MAX_KEY_LENGTH), AfterValidator(_filled)]
Slug = Annotated[
    str,
    StringConstraints(min_length=1, max_length=50),
    _only(SLUG.fullmatch, "may contain only letters, digits, hyphens and underscores"),
]
RulesetKey = Annotated[
    str,
    StringConstraints(min_length=1, max_length=limits.MAX_KEY_LENGTH),
    _only(KEY_PATTERN.fullmatch, "may contain only a-z, 0-9 and hyphens"),
]
PersonName = Annotated[str, StringConstraints(min_length=1, max_length=limits.MAX_NAME_LENGTH), AfterValidator(_name)]
Name100 = Annotated[str, StringConstraints(min_length=1, max_length=100), AfterValidator(_name)]
Reason = Annotated[
    str, StringConstraints(min_length=1, max_length=limits.MAX_PUBLIC_REASON_LENGTH), AfterValidator(_filled)
]
OtherName = Annotated[str, StringConstraints(min_length=1, max_length=limits.MAX_NAME_LENGTH), AfterValidator(_filled)]
Reading = Annotated[str, StringConstraints(max_length=limits.MAX_READING_LENGTH), AfterValidator(_seen)]
Club = Annotated[str, StringConstraints(max_length=limits.MAX_CLUB_LENGTH), AfterValidator(_seen)]
MemberNumber = Annotated[str, StringConstraints(max_length=limits.MAX_MEMBER_NUMBER_LENGTH), AfterValidator(_seen)]
Yakuman = Annotated[str, StringConstraints(max_length=limits.MAX_YAKUMAN_LENGTH), AfterValidator(_seen)]
Title = Annotated[str, StringConstraints(max_length=limits.MAX_TITLE_LENGTH), AfterValidator(_seen)]
Venue = Annotated[str, StringConstraints(max_length=limits.MAX_VENUE_LENGTH), AfterValidator(_seen)]
PublicNote = Annotated[str, StringConstraints(max_length=limits.MAX_PUBLIC_REASON_LENGTH), AfterValidator(_line)]
Line20 = Annotated[str, StringConstraints(max_length=20), AfterValidator(_seen)]
Line60 = Annotated[str, StringConstraints(max_length=60), AfterValidator(_seen)]
Line100 = Annotated[str, StringConstraints(max_length=100), AfterValidator(_seen)]
Line150 = Annotated[str, StringConstraints(max_length=150), AfterValidator(_seen)]
VersionNote = Annotated[str, StringConstraints(max_length=limits.MAX_REASON_LENGTH), AfterValidator(_line)]
Note300 = Annotated[str, StringConstraints(max_length=limits.MAX_REASON_LENGTH), AfterValidator(_text)]
Note = Annotated[str, StringConstraints(max_length=limits.MAX_NOTE_LENGTH), AfterValidator(_text)]
Text = Annotated[str, StringConstraints(max_length=2000), AfterValidator(_text)]
Day = Annotated[date, BeforeValidator(_day)]
Moment = Annotated[datetime, BeforeValidator(_moment)]
Clock = Annotated[time, BeforeValidator(_clock)]
Points = Annotated[
    int, BeforeValidator(_points), PlainSerializer(format_points, str), WithJsonSchema({"type": "string"})
]
RawScore = Annotated[
    int,
    Field(ge=-limits.MAX_RAW_SCORE, le=limits.MAX_RAW_SCORE),
    _only(lambda score: score % 100 == 0, "must be a multiple of 100"),
]
Minimum = Annotated[int, Field(ge=0, le=limits.MAX_MINIMUM)]
Ordinal = Annotated[int, Field(ge=1, le=limits.MAX_SMALL)]
Table = Annotated[int, Field(ge=1, le=limits.MAX_TABLE)]
Round = Annotated[int, Field(ge=1, le=limits.MAX_ROUND)]
Number = Annotated[int, Field(ge=1, le=limits.MAX_INTEGER)]
Chombo = Annotated[int, Field(ge=0, le=limits.MAX_CHOMBO)]
SeatNumber = Annotated[int, Field(ge=0, le=3)]
Parameters = dict[str, Any]
TimeZone = Annotated[
    str, _only(lambda name: name in available_timezones(), "is not a known time zone; use one such as Asia/Tokyo")
]
Tiebreak = Annotated[
    tuple[Line, ...],
    AsList,
    Field(min_length=1),
    _only(set(TIEBREAKS).issuperset, f"contains an unknown tie-break; known ones are {', '.join(TIEBREAKS)}"),
]
EndReason = Annotated[
    str,
    _only(
        lambda reason: reason in Hanchan.EndReason.values,
        f"must be one of {', '.join(filter(None, Hanchan.EndReason.values))}, or empty",
    ),
]


class StrictDocument(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, populate_by_name=True)
