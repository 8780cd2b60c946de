from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from scoring.core.plain import InputError, as_list, as_table, read_points, read_whole, read_wholes
from scoring.core.plain import translatable as _
from scoring.core.points import format_points, shown
from scoring.core.ruleset import Leftover, ScoringRules

STICK = 1000
"""Points of a riichi stick."""

MAX_RAW_SCORE = 10_000_000
"""Above any possible raw score."""

MAX_STICKS = MAX_RAW_SCORE // STICK
MOST_STICKS_OFFERED = 4
"""Maximum number of sticks suggested to explain a wrong total; if more are missing, a typing error is likelier."""
MAX_CHIPS = 10_000_000

MAX_CHOMBO = 99
"""Maximum number of chombo per hanchan."""

WINDS = ("East", "South", "West", "North")

CAUSES = ("win", "draw", "riichi", "other")


class ScoringError(ValueError):
    """A game that cannot be scored. `code`: the reason; `seat`: the affected seat; `values`: for the message."""

    def __init__(self, code: str, seat: int | None = None, **values: object) -> None:
        self.code = code
        self.seat = seat
        self.values = values
        facts = {name: f"{value:,}" if isinstance(value, int) else value for name, value in values.items()}
        super().__init__(MESSAGES[code] % {"who": seat_name(seat), **facts})


MESSAGES = {
    # Pages have sentences of their own for these two, by the number of sticks.
    "unbalanced": "The scores and leftover sticks add up to %(sum)s instead of %(expected)s, off by %(difference)s.",
    "unbalanced_sticks": (
        "The scores and leftover sticks add up to %(sum)s instead of %(expected)s, off by %(difference)s. "
        "Riichi sticks still on the table would explain it: %(sticks)s."
    ),
    "ruleset_incomplete": _("These rules are incomplete. An organiser has to set: %(parameters)s."),
    "players": _("There are %(count)s scores, but these rules are for %(players)s players."),
    "too_large": _("%(who)s: a score of %(value)s is too high. Check the digits."),
    "not_hundreds": _("%(who)s: %(value)s is not a multiple of 100. Count the 100-point sticks again."),
    "sticks": _("There cannot be %(value)s leftover sticks. Count them again."),
    "length": _("%(what)s: there are %(count)s values for %(players)s players. Enter one for each seat."),
    "unset": _(
        "To score this hanchan, the rules need a value that is not set: %(parameter)s. An organiser has to set it."
    ),
    "deposits": _(
        "Leftover riichi sticks go back to the players who placed them. Enter who placed them (%(sticks)s in total)."
    ),
    "no_uma_row": _("The rules have no uma for %(floaters)s floating players. An organiser has to add it."),
    "bust_seat": _("The bust names seat %(value)s, which does not exist. Choose a player at this table."),
    "bust_cause": _(
        "%(who)s: choose whether the bust came from a win, a draw, a riichi without enough points or something else."
    ),
    "bust_twice": _("%(who)s is entered as bust twice. Remove one entry."),
    "not_bust": _("%(who)s is not bust with %(raw)s points under these rules. Remove the bust."),
    "bust_unexplained": _("%(who)s is bust with %(raw)s points. Choose who won the hand, or that it ended in a draw."),
    "bust_winner": _("%(who)s was busted by a win. Choose the winner."),
    "bust_tenpai": _("%(who)s went bust on an exhaustive draw. Choose at least one player who was tenpai."),
    "bust_noten": _("%(who)s went bust on the same draw, so was not tenpai. Remove %(who)s from the tenpai players."),
    "bust_riichi": _(
        "%(who)s: under these rules, a riichi without enough points does not end the game. Choose "
        "another cause of the bust."
    ),
    "bust_shares": _(
        "%(who)s: the shares of the bust prize add up to %(total)s instead of %(prize)s. Split it among the "
        "other players."
    ),
    "bust_share": _("%(who)s: the bust prize goes to other players at the table, in whole chips if paid in chips."),
    "no_draw_shares": _(
        "%(who)s: the rules do not say how %(tenpai)s tenpai players share the bust prize. An organiser has to set it."
    ),
    "chombo_count": _("%(who)s: %(value)s is not a valid number of chombo."),
    "chips_count": _("%(who)s: %(value)s is not a valid number of chips."),
    "chips_unbalanced": _("The chips add up to %(total)s instead of 0. Count them again."),
    "points_unbalanced": _(
        "The points add up to %(sum)s instead of %(expected)s, off by %(difference)s. Check each of them."
    ),
    "points_too_large": _("%(who)s: %(value)s is too much for one hanchan. Check the digits."),
    "points_alone": _("If only points are known, sticks, busts, chombo and chips cannot be entered. Remove them."),
    "placements": _("The placements %(placements)s are not possible in one game. Correct them."),
}
"""Sentences by code, translated on pages."""


def seat_name(seat: int | None) -> str:
    return "The table" if seat is None or not 0 <= seat < len(WINDS) else WINDS[seat]


@dataclass(frozen=True, slots=True)
class Bust:
    """A player who went bust, and how.

    `shares`: (seat, amount) pairs agreed at the table if the rules leave them open, in 1/1000 pt or 1/1000 chip.
    """

    seat: int
    by: str
    winners: tuple[int, ...] = ()
    tenpai: tuple[int, ...] = ()
    shares: tuple[tuple[int, int], ...] = ()

    def reseated(self, seat_of: Mapping[int, int]) -> "Bust":
        return replace(
            self,
            seat=seat_of[self.seat],
            winners=tuple(sorted(seat_of[seat] for seat in self.winners)),
            tenpai=tuple(sorted(seat_of[seat] for seat in self.tenpai)),
            shares=tuple(sorted((seat_of[seat], amount) for seat, amount in self.shares)),
        )


@dataclass(frozen=True, slots=True)
class FinishedGame:
    """The facts of a hanchan. Sequences start with the first dealer; an empty one means that nothing happened.

    `raw`: points of sticks without the `sticks_left` on the table; `deposits`: the players whose sticks those are. If
    raw scores are unknown, `raw` is empty and `points` (1/1000 pt) holds the given points, with `placements` if known.
    `as_is`: a wrong sum or an unexplained bust was accepted.
    """

    raw: tuple[int, ...]
    sticks_left: int = 0
    busts: tuple[Bust, ...] = ()
    chombo: tuple[int, ...] = ()
    chips: tuple[int, ...] = ()
    deposits: tuple[int, ...] = ()
    points: tuple[int, ...] = ()
    placements: tuple[int, ...] = ()
    as_is: bool = False

    @property
    def size(self) -> int:
        return len(self.raw or self.points)

    def reseated(self, order: Sequence[int]) -> "FinishedGame":
        seat_of = {old: new for new, old in enumerate(order)}

        def in_order(values: tuple[int, ...]) -> tuple[int, ...]:
            return tuple(values[seat] for seat in order) if values else ()

        return replace(
            self,
            raw=in_order(self.raw),
            busts=tuple(bust.reseated(seat_of) for bust in self.busts),
            chombo=in_order(self.chombo),
            chips=in_order(self.chips),
            deposits=in_order(self.deposits),
            points=in_order(self.points),
            placements=in_order(self.placements),
        )


def read_game(table: Mapping[str, Any]) -> FinishedGame:
    """Read a game from a JSON table. Raise InputError."""
    as_table(table, "game", *_KEYS)
    if "raw" not in table and "points" not in table:
        raise InputError("raw: this is missing")
    if table.get("raw") and table.get("points"):
        raise InputError("points: give either raw scores or points")
    as_is = table.get("as_is", False)
    if not isinstance(as_is, bool):
        raise InputError("as_is: true or false is expected")
    return FinishedGame(
        raw=read_wholes(table.get("raw"), "raw"),
        sticks_left=read_whole(table.get("sticks_left", 0), "sticks_left"),
        busts=tuple(
            _bust(bust, f"busts[{number}]") for number, bust in enumerate(as_list(table.get("busts") or (), "busts"))
        ),
        chombo=read_wholes(table.get("chombo"), "chombo"),
        chips=read_wholes(table.get("chips"), "chips"),
        deposits=read_wholes(table.get("deposits"), "deposits"),
        points=tuple(read_points(amount, "points") for amount in as_list(table.get("points") or (), "points")),
        placements=read_wholes(table.get("placements"), "placements"),
        as_is=as_is,
    )


_KEYS = ("raw", "sticks_left", "busts", "chombo", "chips", "deposits", "points", "placements", "as_is")


def write_game(game: FinishedGame) -> dict[str, Any]:
    """Return the JSON table of a game as `read_game` expects it; empty fields are omitted."""
    table: dict[str, Any] = {"raw": list(game.raw), "sticks_left": game.sticks_left}
    if game.points:
        table = {"points": [format_points(points) for points in game.points]}
    if game.placements:
        table["placements"] = list(game.placements)
    if game.as_is:
        table["as_is"] = True
    if game.busts:
        table["busts"] = [_write_bust(bust) for bust in game.busts]
    for name in ("chombo", "chips", "deposits"):
        if any(getattr(game, name)):
            table[name] = list(getattr(game, name))
    return table


def _bust(value: object, path: str) -> Bust:
    table = as_table(value, path, "seat", "by", "winners", "tenpai", "shares")
    if not isinstance(by := table.get("by"), str) or by not in CAUSES:
        raise InputError(f"{path}.by: one of {', '.join(CAUSES)} is expected")
    return Bust(
        read_whole(table.get("seat"), f"{path}.seat"),
        by,
        winners=read_wholes(table.get("winners"), f"{path}.winners"),
        tenpai=read_wholes(table.get("tenpai"), f"{path}.tenpai"),
        shares=_shares(table.get("shares"), f"{path}.shares"),
    )


def _shares(value: object, path: str) -> tuple[tuple[int, int], ...]:
    if value is None:
        return ()
    shares = as_table(value, path)
    try:
        return tuple(sorted((int(seat), read_points(share, path)) for seat, share in shares.items()))
    except (TypeError, ValueError) as error:
        raise InputError(f"{path}: {error}") from error


def _write_bust(bust: Bust) -> dict[str, Any]:
    table: dict[str, Any] = {"seat": bust.seat, "by": bust.by}
    if bust.winners:
        table["winners"] = list(bust.winners)
    if bust.tenpai:
        table["tenpai"] = list(bust.tenpai)
    if bust.shares:
        table["shares"] = {str(seat): format_points(share) for seat, share in bust.shares}
    return table


def check_game(game: FinishedGame, rules: ScoringRules) -> None:
    """Raise ScoringError unless the game is complete, adds up and has everything the rules require.

    Raw scores plus 1000 for each stick left must equal the sum of start points, and busts must be explained, unless the
    game is accepted `as_is`.
    """
    if rules.missing:
        raise ScoringError("ruleset_incomplete", parameters=", ".join(rules.missing))
    raw = game.raw
    _check_sum(game, rules)
    if game.chombo or game.chips or game.deposits:
        _check_lengths(game)
    if game.sticks_left:
        _check_sticks(game, rules)
    if game.chips:
        _check_chips(game)
    if game.chombo and any(game.chombo):
        _check_chombo(game, rules)
    if game.busts or (min(raw) <= 0 and rules.bust is not None):
        _check_busts(game, rules)


def _check_lengths(game: FinishedGame) -> None:
    players = len(game.raw)
    for what in ("chombo", "chips", "deposits"):
        values = getattr(game, what)
        if values and len(values) != players:
            raise ScoringError("length", what=what, count=len(values), players=players)


def _check_sum(game: FinishedGame, rules: ScoringRules) -> None:
    raw, sticks, players = game.raw, game.sticks_left, rules.players
    if len(raw) != players:
        raise ScoringError("players", count=len(raw), players=players)
    for score in raw:
        if score % 100 or not -MAX_RAW_SCORE <= score <= MAX_RAW_SCORE:
            raise _odd_score(raw)
    if not 0 <= sticks <= MAX_STICKS:
        raise ScoringError("sticks", value=shown(sticks))
    total, expected = sum(raw) + STICK * sticks, players * (rules.start_points or 0)
    if total != expected and not game.as_is:
        raise _unbalanced(total, expected)


def _odd_score(raw: tuple[int, ...]) -> ScoringError:
    odd = ((seat, score) for seat, score in enumerate(raw) if score % 100 or abs(score) > MAX_RAW_SCORE)
    seat, score = next(odd)
    if abs(score) > MAX_RAW_SCORE:
        return ScoringError("too_large", seat, value=shown(score))
    return ScoringError("not_hundreds", seat, value=score)


def _unbalanced(total: int, expected: int) -> ScoringError:
    difference = total - expected
    sticks = -difference // STICK if difference in range(-MOST_STICKS_OFFERED * STICK, 0, STICK) else 0
    code = "unbalanced_sticks" if sticks else "unbalanced"
    return ScoringError(code, sum=total, expected=expected, difference=difference, sticks=sticks)


def _check_sticks(game: FinishedGame, rules: ScoringRules) -> None:
    if rules.leftover is None:
        raise ScoringError("unset", parameter="leftover")
    if rules.leftover is Leftover.RETURNED and (
        sum(game.deposits) != game.sticks_left or min(game.deposits, default=0) < 0
    ):
        raise ScoringError("deposits", sticks=game.sticks_left)


def _check_chips(game: FinishedGame) -> None:
    for seat, count in enumerate(game.chips):
        if not -MAX_CHIPS <= count <= MAX_CHIPS:
            raise ScoringError("chips_count", seat, value=shown(count))
    if sum(game.chips):
        raise ScoringError("chips_unbalanced", total=sum(game.chips))


def _check_chombo(game: FinishedGame, rules: ScoringRules) -> None:
    for seat, count in enumerate(game.chombo):
        if not 0 <= count <= MAX_CHOMBO:
            raise ScoringError("chombo_count", seat, value=shown(count))
    if rules.chombo is None:
        raise ScoringError("unset", parameter="chombo")


def _check_busts(game: FinishedGame, rules: ScoringRules) -> None:
    named: set[int] = set()
    for bust in game.busts:
        _check_bust(bust, game, rules)
        if bust.seat in named:
            raise ScoringError("bust_twice", bust.seat)
        named.add(bust.seat)
    _check_tenpai(game)
    if rules.asks_busts and not game.as_is:
        for seat, score in enumerate(game.raw):
            if rules.is_bust(score) and seat not in named:
                raise ScoringError("bust_unexplained", seat, raw=score)


def _check_tenpai(game: FinishedGame) -> None:
    drawn = [bust for bust in game.busts if bust.by == "draw"]
    noten = {bust.seat for bust in drawn}
    for seat in (seat for bust in drawn for seat in bust.tenpai):
        if seat in noten:
            raise ScoringError("bust_noten", seat)


def _check_bust(bust: Bust, game: FinishedGame, rules: ScoringRules) -> None:
    seats = range(len(game.raw))
    if bust.seat not in seats:
        raise ScoringError("bust_seat", value=shown(bust.seat))
    if bust.by not in CAUSES:
        raise ScoringError("bust_cause", bust.seat, value=shown(bust.by))
    if bust.by == "riichi":
        if rules.bust is None or not rules.bust.illegal_riichi:
            raise ScoringError("bust_riichi", bust.seat)
    elif not rules.is_bust(game.raw[bust.seat]):
        raise ScoringError("not_bust", bust.seat, raw=game.raw[bust.seat])
    others = set(seats) - {bust.seat}
    if bust.by == "win" and not _some_of(bust.winners, others):
        raise ScoringError("bust_winner", bust.seat)
    if bust.by == "draw" and not _some_of(bust.tenpai, others):
        raise ScoringError("bust_tenpai", bust.seat)


def _some_of(named: tuple[int, ...], seats: set[int]) -> bool:
    return bool(named) and len(set(named)) == len(named) and set(named) <= seats
