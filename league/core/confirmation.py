"""Whether a result counts as confirmed (docs/adr/0026)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum


class Policy(StrEnum):
    NOBODY = "none"
    ONE = "one"
    ALL = "all"
    ORGANISER = "organiser"


class ResultState(StrEnum):
    RECORDED = "recorded"
    CONFIRMED = "confirmed"
    DISPUTED = "disputed"


Sender = tuple[str, str]
"""An account or a phone. A phone passed round the table still counts once."""


@dataclass(frozen=True, slots=True)
class Recorder:
    """Who entered the result, as far as known: account, phone, and their player if they sat at the table."""

    user: int | None = None
    device: str = ""
    player: int | None = None


@dataclass(frozen=True, slots=True)
class Statement:
    """A confirmation or dispute; `player` is None if it came from an organiser."""

    agrees: bool
    player: int | None
    user: int | None = None
    device: str = ""


@dataclass(frozen=True, slots=True)
class Agreement:
    """The state of a result, with confirmations and open disputes.

    `agreed`: for each player who agreed, whether from another phone or account than the one that entered the result.
    """

    state: ResultState
    agreed: Mapping[int, bool]
    disputed: tuple[int | None, ...]
    is_settled: bool


def agreement_on(policy: Policy, players: Sequence[int], recorder: Recorder, words: Iterable[Statement]) -> Agreement:
    """Work out the agreement from all statements, oldest first.

    The player who entered the result agrees implicitly. A player's latest statement counts. An organiser's confirmation
    settles all earlier disputes and satisfies any policy.
    """
    agreed = {recorder.player: False} if recorder.player in players and recorder.player is not None else {}
    senders: dict[int, dict[Sender, bool]] = {}
    disputed: dict[int | None, None] = {}
    is_settled = False
    for word in words:
        if word.player is None:
            is_settled = word.agrees
            disputed = {} if word.agrees else {**disputed, None: None}
        elif not word.agrees:
            disputed[word.player] = None
            agreed.pop(word.player, None)
            senders.pop(word.player, None)
        else:
            disputed.pop(word.player, None)
            if word.player in players:
                agreed[word.player] = agreed.get(word.player, False) or is_elsewhere(word, recorder)
                if word.user is not None or word.device:
                    sender = ("account", str(word.user)) if word.user is not None else ("phone", word.device)
                    senders.setdefault(word.player, {})[sender] = is_elsewhere(word, recorder)
    is_enough = is_settled or _suffices(policy, players, recorder, agreed, senders)
    state = ResultState.DISPUTED if disputed else ResultState.CONFIRMED if is_enough else ResultState.RECORDED
    return Agreement(state, agreed, tuple(disputed), is_settled)


def is_elsewhere(word: Statement, recorder: Recorder) -> bool:
    """Return whether the statement came from another account or phone; False if unknown."""
    if word.user is not None and recorder.user is not None:
        return word.user != recorder.user
    if word.device and recorder.device:
        return word.device != recorder.device
    return word.user != recorder.user


def _suffices(
    policy: Policy,
    players: Sequence[int],
    recorder: Recorder,
    agreed: Mapping[int, bool],
    senders: Mapping[int, Mapping[Sender, bool]],
) -> bool:
    """Return whether enough other players agreed, each from a phone or account of their own.

    The phone or account that entered the result counts for one player. If it is unknown, any of the others may be the
    same, so one more is required.
    """
    match policy:
        case Policy.ALL if set(players) <= agreed.keys():
            needed = len(players) - 1
        case Policy.ONE:
            needed = 1
        case _:
            return False
    others = [said for player, said in senders.items() if player != recorder.player]
    sure = [{sender for sender, is_other in said.items() if is_other} for said in others]
    is_unknown = recorder.user is None and not recorder.device
    return _matched(sure) >= needed or (is_unknown and _matched([set(said) for said in others]) > needed)


def _matched(senders: Sequence[set[Sender]]) -> int:
    """Return the largest number of players who can each be assigned a different sender."""
    if not senders:
        return 0
    # More senders than players make no difference.
    first, rest = sorted(senders[0])[: len(senders)], senders[1:]
    return max([_matched(rest), *(1 + _matched([other - {sender} for other in rest]) for sender in first)])
