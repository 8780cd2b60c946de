"""The shape of a tenbo/1 file. Keys that are not listed here are refused, nothing is converted silently.

Keys without a default must be there. A key that may be absent says here what its absence means.
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
"""Of a player, under the same names in the file."""


class LeagueDocument(StrictDocument):
    """The league's settings. `ruleset` and `ruleset_version` are the current rules: absent means the first listed.

    Without `confirmed_since`, results of every age are to be confirmed by whom `confirmed_by` names.
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
    """A rule set with all versions, or the parameters of one.

    With `card` and without `versions`, `parameters` override the card; null removes a key.
    """

    key: RulesetKey
    name: Line100 = ""
    card: Line60 = ""
    parameters: Parameters | None = None
    versions: Annotated[tuple[VersionDocument, ...], AsList] | None = None


class PlayerDocument(StrictDocument):
    """A player. `merged_into` names the player that this name turned out to be."""

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
    """A player at the table. `as`: name under which it was recorded before a merge.

    Either `raw`, or `points` with `placement`.
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
    """A hanchan, first dealer first. `chombo`: fouls per seat; `busts`: as in the scoring command.

    Defaults: `played_at` one minute after the previous one, 19:00 for the first; `ruleset` of the session.
    `worked_out`: raw scores were derived from points; `as_is`: an accepted wrong total, with a note.
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
    """Planned seats of a table, first dealer first. Round 0 applies to all hanchan.

    `waiting`: sit out first at a table that rotates.
    """

    table: Table
    round: Annotated[int, Field(ge=0, le=limits.MAX_ROUND)] = 0
    players: Annotated[tuple[Key, ...], AsList, Field(min_length=3, max_length=4)]
    waiting: Annotated[tuple[Key, ...], AsList, Field(max_length=3)] = ()


StandsFor = Annotated[int, Field(ge=1, le=limits.MAX_SESSION_HANCHAN)]
Times = Annotated[int, Field(ge=0, le=limits.MAX_SESSION_HANCHAN)]


class SessionPointsDocument(StrictDocument):
    """A player's points of a session without hanchan.

    `hanchan`: number they represent, null if unknown. `places`: number of each placement.
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
    """A session with its hanchan. Without `number` it is numbered by its date, without `ruleset` it has the league's rules.

    A `number` stays as it is, unless it is `numbered_by_date`.

    `start_time` is the clock's of the league, absent where only the day is known. `postponed_from` names the session
    of which this is a part that is played on another day. Without `strict_entry` scores are typed as the league's
    `entry_mode` says.
    """

    key: Key
    date: Day
    start_time: Clock | None = None
    number: Number | None = None
    numbered_by_date: bool = False
    title: Title = ""
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
    """Points put on a total by hand. With a `session` they count wherever that session does."""

    player: Key
    date: Day
    points: Points
    reason: Reason
    session: Key | None = None
    withdrawn: bool = False
    recorded_as: Key | None = Field(default=None, alias="as")


class LeagueFile(StrictDocument):
    """A whole league. `titles` and `tournaments` are read by the apps above."""

    schema_name: Literal["tenbo/1"] = Field(alias="schema")
    league: LeagueDocument
    rulesets: Annotated[tuple[RulesetDocument, ...], AsList] = ()
    players: Annotated[tuple[PlayerDocument, ...], AsList] = ()
    sessions: Annotated[tuple[SessionDocument, ...], AsList] = ()
    adjustments: Annotated[tuple[AdjustmentDocument, ...], AsList] = ()
    titles: Annotated[tuple[Any, ...], AsList] = ()
    tournaments: Annotated[tuple[Any, ...], AsList] = ()
