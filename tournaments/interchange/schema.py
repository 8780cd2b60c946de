"""Schema of `tournaments` in a tenbo/1 file, which names players, sessions and rulesets by their keys in the file."""

from typing import Annotated, Any, Literal

from pydantic import Field, StringConstraints, model_validator

from league.core.limits import MAX_INTEGER
from league.interchange.field_types import (
    AsList,
    Key,
    Line20,
    Line100,
    Line150,
    Moment,
    Name100,
    Note300,
    Number,
    Ordinal,
    Round,
    RulesetKey,
    StrictDocument,
    Table,
    Text,
)
from league.interchange.schema import LeagueFile
from stats.interchange import TitleDocument
from stats.services.titles import MAX_TITLES
from tournaments.core.ticking import MOST_COUNTERS, MOST_HANDS, MOST_SCORE, every_hand
from tournaments.interchange.bodies import NAMES
from tournaments.models import Decision
from tournaments.models.registrations import MAX_TERMS_NOTE_LENGTH

AddressKey = RulesetKey
Label = Annotated[str, StringConstraints(min_length=1, max_length=40)]
Block = Annotated[str, StringConstraints(max_length=40)]
"""A block's name; empty if it is the stage's only block."""

Keys = Annotated[tuple[Key, ...], AsList]
LotSeed = Annotated[int, Field(ge=0, le=2**63 - 1)]

TickScore = Annotated[int, Field(ge=-MOST_SCORE, le=MOST_SCORE)]
TickCount = Annotated[int, Field(ge=0, le=MOST_COUNTERS)]
TickSeat = Annotated[int, Field(ge=0, le=3)]

KIND_OF = {next(iter(names.values())): kind for kind, names in NAMES.items()}
"""Keys that identify the kind of decision."""

BELONGS_TO = {name: first for first, *others in (names.values() for names in NAMES.values()) for name in others}
BELONGS_TO |= {"to": "advance", "proposal": "advance"}
"""Additional keys that are only allowed for one kind of decision."""


class EntryDocument(StrictDocument):
    """An entrant. `block`: block in the first stage, unless a decision draws the blocks."""

    player: Key
    seed: Number | None = None
    block: Block = ""
    substitute: bool = False


class TickDocument(StrictDocument):
    """A table after a number of hands, or (`takes_back`, 1-based list position) the withdrawal of an earlier tick."""

    table: Table
    round: Round
    number: Annotated[int, Field(ge=0, le=MOST_HANDS)]
    at: Moment | None = None
    seats: Annotated[tuple[Key, ...], AsList] = ()
    scores: Annotated[tuple[TickScore, ...], AsList] = ()
    hand: Literal["", *every_hand()] = ""  # type: ignore[valid-type]
    honba: TickCount = 0
    sticks: TickCount = 0
    riichi: Annotated[tuple[TickSeat, ...], AsList] = ()
    takes_back: Annotated[int, Field(ge=0)] | None = None

    @model_validator(mode="after")
    def _says_one_thing(self) -> "TickDocument":
        whole = (
            self.hand != "" and len(self.seats) == len(self.scores) in {3, 4} and len({*self.seats}) == len(self.seats)
        )
        if whole == (self.takes_back is not None) or (self.takes_back is not None and self.hand):
            raise ValueError('must contain "seats", "scores" and "hand", or only "takes_back"')
        if any(seat >= len(self.seats) for seat in self.riichi):
            raise ValueError('"riichi" must contain seat numbers, from 0')
        return self


class StageSessionDocument(StrictDocument):
    """A session of the league whose hanchan count in a stage. `number` defaults to the block's next session."""

    stage: Label
    block: Block = ""
    session: Key
    number: Ordinal | None = None
    ticks: Annotated[tuple[TickDocument, ...], AsList] = ()


class StageRulesDocument(StrictDocument):
    """A stage with rules of its own. The version defaults to the latest."""

    stage: Label
    ruleset: Key
    ruleset_version: Number | None = None


class RevocationDocument(StrictDocument):
    """When, by whom and why a decision was revoked. `at` defaults to now."""

    at: Moment | None = None
    by: Line150 = ""
    reason: Note300 = ""


class LeftTableDocument(StrictDocument):
    """A planned hanchan of a player who left, with its original seats. `moved_to`: session where three play it."""

    session: Key
    round: Round
    table: Table
    players: Annotated[Keys, Field(min_length=3, max_length=4)]
    moved_to: Key | None = None


class SettledDocument(StrictDocument):
    """How the tables of a player who left continue: with `player`, with three players, or cancelled."""

    remedy: Literal["substitute", "house", "three", "nobody", "next"]
    player: Key | None = None
    seats: Annotated[tuple[LeftTableDocument, ...], AsList] = ()


class RegistrationDocument(StrictDocument):
    """A registration; a registered player without an entry is on the waiting list. `at` defaults to now."""

    player: Key
    state: Literal["asked", "standing", "withdrawn", "refused"] = "standing"
    reason: Note300 = ""
    at: Moment | None = None
    checked_in: Moment | None = None
    brought: bool = False


class RegistrationTermsDocument(StrictDocument):
    """Terms of registration and the queue, without secret URLs."""

    places: Annotated[int, Field(ge=1, le=MAX_INTEGER)]
    audience: Literal["members", "anyone"] = "members"
    needs_approval: bool = False
    opens_at: Moment | None = None
    closes_at: Moment | None = None
    check_in_from: Moment | None = None
    check_in_until: Moment | None = None
    note: Annotated[Text, Field(max_length=MAX_TERMS_NOTE_LENGTH)] = ""
    queue: Annotated[tuple[RegistrationDocument, ...], AsList] = ()


class DecisionDocument(StrictDocument):
    """A decision on a stage: exactly one of `withdrawn`, `advance`, `order`, `closed`, `blocks`.

    Without `to`, players advance to the destinations of their ranks. Without `proposal`, it is calculated from the
    results.
    """

    stage: Label
    withdrawn: Annotated[Keys, Field(min_length=1)] | None = None
    substitutes: dict[Key, Key] = Field(default_factory=dict)
    short: dict[Key, SettledDocument] = Field(default_factory=dict)
    disqualified: bool = False
    closed: Keys | None = None
    unranked: Keys = ()
    advance: Keys | None = None
    to: Label | None = None
    proposal: Keys | None = None
    order: Annotated[Keys, Field(min_length=2)] | None = None
    blocks: dict[Block, Keys] | None = None
    seed: LotSeed | None = None
    method: Line20 = "hand"
    reason: Note300 = ""
    at: Moment | None = None
    by: Line150 = ""
    revoked: RevocationDocument | None = None

    @property
    def said(self) -> list[str]:
        """The kinds of decision given; a valid file has exactly one."""
        return [name for name in KIND_OF if getattr(self, name) is not None]

    @property
    def newcomers(self) -> list[str]:
        """Players not entered before: substitutes and house players."""
        house = [settled.player for settled in self.short.values() if settled.player and settled.remedy != "next"]
        return [*self.substitutes.values(), *house]

    @property
    def kind(self) -> Decision.Kind:
        return KIND_OF[self.said[0]]

    def parts(self) -> dict[str, Any]:
        """Return the parts of the body by their names in the file."""
        return self.model_dump(include={*NAMES[self.kind].values()}, exclude_none=True)


class TournamentDocument(StrictDocument):
    """A tournament. `document`: the complete format, if it differs from the built-in format with this key.

    Without `ruleset`, use the rules of the first session, or else the league's. `strict_entry` applies to sessions
    opened later. `shows_chances`: pages show the chances of advancing and winning.
    """

    key: AddressKey
    name: Name100
    name_en: Line100 = ""
    format: Key
    document: dict[str, Any] | None = None
    ruleset: Key | None = None
    ruleset_version: Number | None = None
    stage_rules: Annotated[tuple[StageRulesDocument, ...], AsList] = ()
    state: Literal["preparing", "running", "finished"] = "running"
    note: Text = ""
    strict_entry: bool = True
    shows_chances: bool = True
    entries: Annotated[tuple[EntryDocument, ...], AsList] = ()
    registration: RegistrationTermsDocument | None = None
    sessions: Annotated[tuple[StageSessionDocument, ...], AsList] = ()
    decisions: Annotated[tuple[DecisionDocument, ...], AsList] = ()


class WholeFile(LeagueFile):
    titles: Annotated[tuple[TitleDocument, ...], AsList, Field(max_length=MAX_TITLES)] = ()
    tournaments: Annotated[tuple[TournamentDocument, ...], AsList] = ()
