"""Schema of tenbo/1 files.

Unknown keys are rejected and values are never converted silently. Keys without a default are required.
"""

from datetime import time
from typing import Annotated, Any, Literal

from pydantic import Field

from league.core import limits
from league.interchange.field_types import (
    AsList,
    Chombo,
    Clock,
    Club,
    Day,
    Distinct,
    EndReason,
    Key,
    Line60,
    Line100,
    MemberNumber,
    Minimum,
    Moment,
    Name100,
    Note,
    Number,
    OtherName,
    Parameters,
    PersonName,
    Points,
    PublicNote,
    RawScore,
    Reading,
    Reason,
    Round,
    RulesetKey,
    SeatNumber,
    Slug,
    StrictDocument,
    Table,
    Text,
    Tiebreak,
    TimeZone,
    Title,
    Venue,
    VersionNote,
    Yakuman,
)

SCHEMA = "tenbo/1"

PLAYER_COLUMNS = ("key", "name", "kana", "romanised", "number", "club", "is_guest", "visibility")
"""Player fields that have the same name in the file."""


class LeagueDocument(StrictDocument):
    """The league's settings.

    `ruleset`, `ruleset_version`: current rules, by default the first in the file. Without `confirmed_since`,
    `confirmed_by` applies to results of any age.
    """

    slug: Slug
    name: Name100
    name_en: Line100 = ""
    description: Text = ""
    time_zone: TimeZone = "Asia/Tokyo"
    day_boundary: Clock = time(6, 0)
    first_month: Annotated[int, Field(ge=1, le=12)] = 1
    state: Literal["active", "archived", "taken_down"] = "active"
    is_public: bool = True
    minimum_month: Minimum = 0
    minimum_year: Minimum = 0
    minimum_all: Minimum = 0
    tiebreak: Tiebreak = ("last_hanchan", "shared")
    ledger: Literal["ranking", "settlement"] = "ranking"
    metric: Literal["points", "average_points", "average_placement"] = "points"
    entry_mode: Literal["fast", "strict"] = "fast"
    confirmed_by: Literal["none", "one", "all", "organiser"] = "none"
    confirmed_since: Moment | None = None
    disputed_count: bool = True
    unbalanced_count: bool = True
    ruleset: Key | None = None
    ruleset_version: Number | None = None


class VersionDocument(StrictDocument):
    number: Number
    parameters: Parameters
    note: VersionNote = ""


class RulesetDocument(StrictDocument):
    """A rule set with all versions, or with the parameters of a single one.

    With `card` and without `versions`, `parameters` override those of the card; null removes one.
    """

    key: RulesetKey
    name: Line100 = ""
    name_en: Line100 = ""
    card: Line60 = ""
    parameters: Parameters | None = None
    versions: Annotated[tuple[VersionDocument, ...], AsList] | None = None


class PlayerDocument(StrictDocument):
    """A player. `merged_into`: key of the player this one was merged into."""

    key: Key
    name: PersonName
    kana: Reading = ""
    romanised: Reading = ""
    number: MemberNumber = ""
    club: Club = ""
    is_guest: bool = False
    active: bool = True
    visibility: Literal["public", "members", "nobody"] = "public"
    aliases: Annotated[tuple[OtherName, ...], AsList, Distinct] = ()
    merged_into: Key | None = None


class SeatDocument(StrictDocument):
    """A player's result: either `raw`, or `points` with `placement`.

    `as`: key of the merged player under whose name it was recorded.
    """

    player: Key
    raw: RawScore | None = None
    points: Points | None = None
    placement: Annotated[int, Field(ge=1, le=4)] | None = None
    chips: Annotated[int, Field(ge=-limits.MAX_CHIPS, le=limits.MAX_CHIPS)] = 0
    deposits: Annotated[int, Field(ge=0, le=limits.MAX_DEPOSITS)] = 0
    recorded_as: Key | None = Field(default=None, alias="as")


class YakumanDocument(StrictDocument):
    seat: SeatNumber
    note: Yakuman = ""


class HanchanDocument(StrictDocument):
    """A hanchan, seats in order from the first dealer.

    `chombo`: number per seat; `busts`: as in the scoring command. `played_at` defaults to one minute after the previous
    hanchan, the first to the start of the session (19:00 if unknown); `ruleset` defaults to the session's.
    `worked_out`: raw scores were derived from points; `as_is`: a wrong total was accepted, which requires a note.
    """

    key: Key
    table: Table = 1
    round: Round | None = None
    played_at: Moment | None = None
    sticks_left: Annotated[int, Field(ge=0, le=limits.MAX_STICKS)] = 0
    seats: Annotated[tuple[SeatDocument, ...], AsList, Field(min_length=3, max_length=4)]
    busts: Annotated[tuple[dict[str, Any], ...], AsList, Field(max_length=4)] = ()
    chombo: Annotated[tuple[Chombo, ...], AsList, Field(max_length=4)] = ()
    yakuman: Annotated[tuple[YakumanDocument, ...], AsList, Field(max_length=99)] = ()
    end_reason: EndReason = ""
    state: Literal["recorded", "confirmed", "disputed", "voided"] = "recorded"
    note: Note = ""
    worked_out: bool = False
    as_is: bool = False
    ruleset: Key | None = None
    ruleset_version: Number | None = None


class PlanDocument(StrictDocument):
    """Planned seats of a table, first dealer first.

    Round 0 applies to all rounds. `waiting`: players who sit out first at a table that rotates.
    """

    table: Table
    round: Annotated[int, Field(ge=0, le=limits.MAX_ROUND)] = 0
    players: Annotated[tuple[Key, ...], AsList, Field(min_length=3, max_length=4)]
    waiting: Annotated[tuple[Key, ...], AsList, Field(max_length=3)] = ()


StandsFor = Annotated[int, Field(ge=1, le=limits.MAX_SESSION_HANCHAN)]
Times = Annotated[int, Field(ge=0, le=limits.MAX_SESSION_HANCHAN)]


class SessionPointsDocument(StrictDocument):
    """A player's points in a session without hanchan.

    `hanchan`: number of hanchan they represent, null if unknown. `places`: number of finishes in each place.
    """

    player: Key
    points: Points
    hanchan: StandsFor | None
    places: Annotated[tuple[Times, Times, Times, Times] | None, AsList] = None
    note: PublicNote = ""
    withdrawn: bool = False
    recorded_as: Key | None = Field(default=None, alias="as")


class AttendanceDocument(StrictDocument):
    """A player's answer for a session; `arrives_at` if late."""

    player: Key
    answer: Literal["", "coming", "late", "absent"]
    arrives_at: Clock | None = None
    word: Line60 = ""


class SessionDocument(StrictDocument):
    """A session with its hanchan.

    Without `number`, it is numbered by date; a given number is fixed unless `numbered_by_date` is set. `ruleset`
    defaults to the league's. `start_time`: local time, absent if only the day is known. `postponed_from`: session of
    which this one is a postponed part. `strict_entry` defaults to the league's `entry_mode`.
    """

    key: Key
    date: Day
    start_time: Clock | None = None
    number: Number | None = None
    numbered_by_date: bool = False
    title: Title = ""
    title_en: Title = ""
    venue: Venue = ""
    tables: Table = 1
    state: Literal["open", "closed", "withdrawn"] = "open"
    strict_entry: bool | None = None
    ruleset: Key | None = None
    ruleset_version: Number | None = None
    postponed_from: Key | None = None
    plan: Annotated[tuple[PlanDocument, ...], AsList] = ()
    answers_until: Moment | None = None
    answers: Annotated[tuple[AttendanceDocument, ...], AsList] = ()
    hanchan: Annotated[tuple[HanchanDocument, ...], AsList] = ()
    points: Annotated[tuple[SessionPointsDocument, ...], AsList] = ()


class AdjustmentDocument(StrictDocument):
    """A manual adjustment of points. With `session`, it counts wherever that session counts."""

    player: Key
    date: Day
    points: Points
    reason: Reason
    session: Key | None = None
    withdrawn: bool = False
    recorded_as: Key | None = Field(default=None, alias="as")


class LeagueFile(StrictDocument):
    """A whole league. The apps that own `titles` and `tournaments` name their contents."""

    schema_name: Literal["tenbo/1"] = Field(alias="schema")
    league: LeagueDocument
    rulesets: Annotated[tuple[RulesetDocument, ...], AsList] = ()
    players: Annotated[tuple[PlayerDocument, ...], AsList] = ()
    sessions: Annotated[tuple[SessionDocument, ...], AsList] = ()
    adjustments: Annotated[tuple[AdjustmentDocument, ...], AsList] = ()
    titles: Annotated[tuple[Any, ...], AsList] = ()
    tournaments: Annotated[tuple[Any, ...], AsList] = ()
