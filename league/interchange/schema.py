"""Schema of tenbo/1 files.

Unknown keys are rejected and values are never converted silently. Keys without a default are required.
"""

from datetime import time
from typing import Annotated, Any, Literal

from pydantic import Field

from league.core import limits
from league.interchange import field_types as types

SCHEMA = "tenbo/1"

PLAYER_COLUMNS = ("key", "name", "kana", "romanised", "number", "club", "is_guest", "visibility")
"""Player fields that have the same name in the file."""


class LeagueDocument(types.StrictDocument):
    """The league's settings.

    `ruleset`, `ruleset_version`: current rules, by default the first in the file. Without `confirmed_since`,
    `confirmed_by` applies to results of any age.
    """

    slug: types.Slug
    name: types.Name100
    name_en: types.Line100 = ""
    description: types.Text = ""
    time_zone: types.TimeZone = "Asia/Tokyo"
    day_boundary: types.Clock = time(6, 0)
    first_month: Annotated[int, Field(ge=1, le=12)] = 1
    state: Literal["active", "archived", "taken_down"] = "active"
    is_public: bool = True
    minimum_month: types.Minimum = 0
    minimum_year: types.Minimum = 0
    minimum_all: types.Minimum = 0
    tiebreak: types.Tiebreak = ("last_hanchan", "shared")
    ledger: Literal["ranking", "settlement"] = "ranking"
    metric: Literal["points", "average_points", "average_placement"] = "points"
    entry_mode: Literal["fast", "strict"] = "fast"
    confirmed_by: Literal["none", "one", "all", "organiser"] = "none"
    confirmed_since: types.Moment | None = None
    disputed_count: bool = True
    unbalanced_count: bool = True
    ruleset: types.Key | None = None
    ruleset_version: types.Number | None = None


class VersionDocument(types.StrictDocument):
    number: types.Number
    parameters: types.Parameters
    note: types.VersionNote = ""


class RulesetDocument(types.StrictDocument):
    """A rule set with all versions, or with the parameters of a single one.

    With `card` and without `versions`, `parameters` override those of the card; null removes one.
    """

    key: types.RulesetKey
    name: types.Line100 = ""
    name_en: types.Line100 = ""
    card: types.Line60 = ""
    parameters: types.Parameters | None = None
    versions: Annotated[tuple[VersionDocument, ...], types.AsList] | None = None


class PlayerDocument(types.StrictDocument):
    """A player. `merged_into`: key of the player this one was merged into."""

    key: types.Key
    name: types.PersonName
    kana: types.Reading = ""
    romanised: types.Reading = ""
    number: types.MemberNumber = ""
    club: types.Club = ""
    is_guest: bool = False
    active: bool = True
    visibility: Literal["public", "members", "nobody"] = "public"
    aliases: Annotated[tuple[types.OtherName, ...], types.AsList, types.Distinct] = ()
    merged_into: types.Key | None = None


class SeatDocument(types.StrictDocument):
    """A player's result: either `raw`, or `points` with `placement`.

    `as`: key of the merged player under whose name it was recorded.
    """

    player: types.Key
    raw: types.RawScore | None = None
    points: types.Points | None = None
    placement: Annotated[int, Field(ge=1, le=4)] | None = None
    chips: Annotated[int, Field(ge=-limits.MAX_CHIPS, le=limits.MAX_CHIPS)] = 0
    deposits: Annotated[int, Field(ge=0, le=limits.MAX_DEPOSITS)] = 0
    recorded_as: types.Key | None = Field(default=None, alias="as")


class YakumanDocument(types.StrictDocument):
    seat: types.SeatNumber
    note: types.Yakuman = ""


class HanchanDocument(types.StrictDocument):
    """A hanchan, seats in order from the first dealer.

    `chombo`: number per seat; `busts`: as in the scoring command. `played_at` defaults to one minute after the previous
    hanchan, the first to the start of the session (19:00 if unknown); `ruleset` defaults to the session's.
    `worked_out`: raw scores were derived from points; `as_is`: a wrong total was accepted, which requires a note.
    """

    key: types.Key
    table: types.Table = 1
    round: types.Round | None = None
    played_at: types.Moment | None = None
    sticks_left: Annotated[int, Field(ge=0, le=limits.MAX_STICKS)] = 0
    seats: Annotated[tuple[SeatDocument, ...], types.AsList, Field(min_length=3, max_length=4)]
    busts: Annotated[tuple[dict[str, Any], ...], types.AsList, Field(max_length=4)] = ()
    chombo: Annotated[tuple[types.Chombo, ...], types.AsList, Field(max_length=4)] = ()
    yakuman: Annotated[tuple[YakumanDocument, ...], types.AsList, Field(max_length=99)] = ()
    end_reason: types.EndReason = ""
    state: Literal["recorded", "confirmed", "disputed", "voided"] = "recorded"
    note: types.Note = ""
    worked_out: bool = False
    as_is: bool = False
    ruleset: types.Key | None = None
    ruleset_version: types.Number | None = None


class PlanDocument(types.StrictDocument):
    """Planned seats of a table, first dealer first.

    Round 0 applies to all rounds. `waiting`: players who sit out first at a table that rotates.
    """

    table: types.Table
    round: Annotated[int, Field(ge=0, le=limits.MAX_ROUND)] = 0
    players: Annotated[tuple[types.Key, ...], types.AsList, Field(min_length=3, max_length=4)]
    waiting: Annotated[tuple[types.Key, ...], types.AsList, Field(max_length=3)] = ()


StandsFor = Annotated[int, Field(ge=1, le=limits.MAX_SESSION_HANCHAN)]
Times = Annotated[int, Field(ge=0, le=limits.MAX_SESSION_HANCHAN)]


class SessionPointsDocument(types.StrictDocument):
    """A player's points in a session without hanchan.

    `hanchan`: number of hanchan they represent, null if unknown. `places`: number of finishes in each place.
    """

    player: types.Key
    points: types.Points
    hanchan: StandsFor | None
    places: Annotated[tuple[Times, Times, Times, Times] | None, types.AsList] = None
    note: types.PublicNote = ""
    withdrawn: bool = False
    recorded_as: types.Key | None = Field(default=None, alias="as")


class AttendanceDocument(types.StrictDocument):
    """A player's answer for a session; `arrives_at` if late."""

    player: types.Key
    answer: Literal["", "coming", "late", "absent"]
    arrives_at: types.Clock | None = None
    word: types.Line60 = ""


class SessionDocument(types.StrictDocument):
    """A session with its hanchan.

    Without `number`, it is numbered by date; a given number is fixed unless `numbered_by_date` is set. `ruleset`
    defaults to the league's. `start_time`: local time, absent if only the day is known. `postponed_from`: session of
    which this one is a postponed part. `strict_entry` defaults to the league's `entry_mode`.
    """

    key: types.Key
    date: types.Day
    start_time: types.Clock | None = None
    number: types.Number | None = None
    numbered_by_date: bool = False
    title: types.Title = ""
    title_en: types.Title = ""
    venue: types.Venue = ""
    tables: types.Table = 1
    state: Literal["open", "closed", "withdrawn"] = "open"
    strict_entry: bool | None = None
    ruleset: types.Key | None = None
    ruleset_version: types.Number | None = None
    postponed_from: types.Key | None = None
    plan: Annotated[tuple[PlanDocument, ...], types.AsList] = ()
    answers_until: types.Moment | None = None
    answers: Annotated[tuple[AttendanceDocument, ...], types.AsList] = ()
    hanchan: Annotated[tuple[HanchanDocument, ...], types.AsList] = ()
    points: Annotated[tuple[SessionPointsDocument, ...], types.AsList] = ()


class AdjustmentDocument(types.StrictDocument):
    """A manual adjustment of points. With `session`, it counts wherever that session counts."""

    player: types.Key
    date: types.Day
    points: types.Points
    reason: types.Reason
    session: types.Key | None = None
    withdrawn: bool = False
    recorded_as: types.Key | None = Field(default=None, alias="as")


class LeagueFile(types.StrictDocument):
    """A whole league. The apps that own `titles` and `tournaments` name their contents."""

    schema_name: Literal["tenbo/1"] = Field(alias="schema")
    league: LeagueDocument
    rulesets: Annotated[tuple[RulesetDocument, ...], types.AsList] = ()
    players: Annotated[tuple[PlayerDocument, ...], types.AsList] = ()
    sessions: Annotated[tuple[SessionDocument, ...], types.AsList] = ()
    adjustments: Annotated[tuple[AdjustmentDocument, ...], types.AsList] = ()
    titles: Annotated[tuple[Any, ...], types.AsList] = ()
    tournaments: Annotated[tuple[Any, ...], types.AsList] = ()
