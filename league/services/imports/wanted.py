"""The hanchan a game of the file should become, and how it differs from the rules and from the stored one."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from league.core.imports.games import ImportedGame, ImportedSeat, ImportNote
from league.models import Hanchan, Player
from league.services.imports.contents import FileRules
from league.services.imports.sessions import SessionTarget
from league.services.imports.values import ASKED
from league.services.results import HanchanResult, result_of, with_origin
from scoring.core import FinishedGame, Ledger, ScoredGame

COLUMN_OF = {
    "sticks_left": "sticks",
    "busts": "bust",
    "chombo": "chombo",
    "chips": "chips",
    "deposits": "deposits",
}
"""Column of the file for each fact of FinishedGame other than scores."""


@dataclass(slots=True)
class CheckedGame:
    """The `number`th game of the file with its outcome. `existing`: primary key of the hanchan that it changes or repeats.

    `worked_out`: its raw scores were derived from the points in the file. `why_as_is`: note for an accepted wrong total
    if the file has no note. `busted`: seats that are bust by a cause unknown to the file; `points` as scored;
    `beside`: points of chips that the points in the file do not contain.
    """

    game: ImportedGame
    number: int = 0
    status: str = "added"
    notes: list[ImportNote] = field(default_factory=list)
    finished: FinishedGame | None = None
    place: SessionTarget | None = None
    rules: FileRules | None = None
    existing: int | None = None
    version: int = 0
    worked_out: bool = False
    why_as_is: str = ""
    busted: tuple[int, ...] = ()
    points: tuple[int, ...] = ()
    beside: tuple[int, ...] = ()

    def fail(self, *notes: ImportNote) -> None:
        if notes:
            self.status = "error"
            self.notes += notes

    @property
    def is_bust_alone(self) -> bool:
        """Whether the unknown cause of a bust is all that is wrong."""
        wrong = [note.values.get("scoring") for note in self.notes]
        return bool(self.busted) and wrong == ["bust_unexplained"]

    @property
    def is_asked(self) -> bool:
        return self.status == "added" and any(note.code in ASKED for note in self.notes)

    @property
    def label(self) -> str:
        day = self.game.session.day.isoformat() if self.game.session else ""
        return f"{day} {'・'.join(name for name in self.game.names if name)}".strip()


def wants_voided(game: ImportedGame) -> bool:
    return game.state == Hanchan.State.VOIDED


def differences(entry: ImportedSeat, scored: ScoredGame, seat: int, beside: int = 0) -> list[ImportNote]:
    if entry.points is None and entry.placement is None:
        return []
    found, result = [], scored.seats[seat]
    names = {"name": entry.written.name}
    if entry.points is not None:
        accounts = {result.points[ledger] for ledger in Ledger}
        if entry.points + beside not in accounts | {points + result.total_only for points in accounts}:
            ours = result.points[Ledger.RANKING]
            found.append(ImportNote("points_differ", {**names, "theirs": entry.points, "ours": ours}))
    if entry.placement is not None and entry.placement != result.placement:
        values = {**names, "theirs": entry.placement, "ours": result.placement}
        found.append(ImportNote("placement_differs", values))
    return found


def wanted_result(
    outcome: CheckedGame, players: Sequence[Player], before: HanchanResult | None, mapped: frozenset[str]
) -> HanchanResult:
    """Return the result to store; facts without a column in the file are kept from `before`."""
    game, facts = outcome.game, outcome.finished
    assert facts is not None
    yakuman = tuple((seat, note) for seat, entry in enumerate(game.entries) for note in entry.yakuman)
    note = game.memo or (outcome.why_as_is if facts.as_is else "")
    result = HanchanResult(
        tuple(players), facts, note=note, end_reason=game.end, yakuman=yakuman, worked_out=outcome.worked_out
    )
    if before is None:
        return result
    if before.game.points and before.game.points == tuple(entry.points for entry in game.entries):
        # The points are already stored, so keep the stored scores.
        result = replace(result, game=before.game, worked_out=False)
    result = result if game.given else with_origin(result, before)
    if not game.seats_known and set(players) == set(before.players):
        result = _in_order_of(before.players, result)
    if not result.game.points:
        untold = {name: getattr(before.game, name) for name, key in COLUMN_OF.items() if key not in mapped}
        result = replace(result, game=replace(result.game, **untold))
    return replace(
        result,
        note=note if "memo" in mapped or not before.note else before.note,
        end_reason=game.end if "end" in mapped else before.end_reason,
        yakuman=result.yakuman if "yakuman" in mapped else before.yakuman,
    )


def _in_order_of(players: Sequence[Player], result: HanchanResult) -> HanchanResult:
    """Return the result with the players in the order of `players`, their known seats."""
    order = [result.players.index(player) for player in players]
    seat_of = {old: new for new, old in enumerate(order)}
    return replace(
        result,
        players=tuple(players),
        game=result.game.reseated(order),
        yakuman=tuple((seat_of[seat], note) for seat, note in result.yakuman),
    )


def changes_of(outcome: CheckedGame, wanted: HanchanResult, hanchan: Hanchan, mapped: frozenset[str]) -> list[str]:
    game, before = outcome.game, result_of(hanchan)
    pairs: list[tuple[str, object, object]] = [
        ("player", wanted.players, before.players),
        ("raw", wanted.game.raw, before.game.raw),
        ("points", wanted.game.points, before.game.points),
        *((key, _facts(wanted, name), _facts(before, name)) for name, key in COLUMN_OF.items()),
        ("memo", wanted.note.strip(), before.note.strip()),
        ("end", wanted.end_reason, before.end_reason),
        ("yakuman", _by_seat(wanted), _by_seat(before)),
        ("table", game.table or hanchan.table, hanchan.table),
        ("game", game.round or hanchan.round, hanchan.round),
        ("played_at", game.played_at or hanchan.played_at, hanchan.played_at),
        ("state", wants_voided(game), hanchan.is_voided),
    ]
    if "rules" in mapped and game.rules and outcome.rules is not None:
        pairs.append(("rules", outcome.rules.version.pk, hanchan.ruleset_version_id))
    return [column for column, new, old in pairs if new != old]


def _facts(result: HanchanResult, name: str) -> object:
    found = getattr(result.game, name)
    return sorted(found, key=lambda bust: bust.seat) if name == "busts" else found


def _by_seat(result: HanchanResult) -> list[tuple[int, str]]:
    return sorted(((seat, note.strip()) for seat, note in result.yakuman), key=lambda each: each[0])
