from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Exists, OuterRef

from league.core.confirmation import Agreement, Policy, Recorder, ResultState, Statement, agreement_on
from league.core.kept_states import readable_state
from league.models import Confirmation, Hanchan, League, Revision, Seat
from league.models.play import HanchanQuerySet
from league.permissions import CONFIRM, JUDGE, READ_BOOKS, Person
from league.selectors.games import seats_of
from league.selectors.people import current_player

FACTS = (Revision.Action.RECORDED, Revision.Action.CORRECTED, Revision.Action.RESTORED, Revision.Action.VOIDED)
"""Actions that change the entered facts, after which new confirmations are needed."""

RAISING = (*FACTS, Revision.Action.RESCORED)
"""Actions that increase a hanchan's version. Rescoring changes points, but not what players confirmed."""


MAX_ASKED = 20
"""Most results to confirm that a player is shown at once."""

MAX_LOOKED_AT = 200
"""Most results to search; more than a season's unconfirmed results of one player."""

Raised = Sequence[tuple[str, int | None]]
"""Actions that increased a hanchan's version and the primary keys of their users, latest first."""


@dataclass(frozen=True, slots=True)
class LatestFacts:
    since: int
    recorder: Recorder


@dataclass(frozen=True, slots=True)
class SeatConfirmation:
    """The statement of a seat's player; `said` is "agrees", "disputes" or "".

    `is_at_table`: made with the table link, so only the device is known.
    """

    seat: Seat
    said: str
    is_recorder: bool
    is_elsewhere: bool
    is_at_table: bool


@dataclass(frozen=True, slots=True)
class ConfirmationView:
    hanchan: Hanchan
    lines: tuple[SeatConfirmation, ...]
    organiser: Confirmation | None
    disputes: tuple[Confirmation, ...]
    outdated: tuple[Confirmation, ...]

    @property
    def agreed(self) -> int:
        return sum(line.said == Confirmation.Verdict.AGREES for line in self.lines)

    @property
    def policy(self) -> str:
        return self.hanchan.league.confirmed_by

    @property
    def is_asked(self) -> bool:
        return self.hanchan.league.asks_for(self.hanchan.played_at)

    @property
    def is_checked_at_table(self) -> bool:
        """Whether all confirmations were made with the table link."""
        agreeing = [line for line in self.lines if line.said == Confirmation.Verdict.AGREES and not line.is_recorder]
        return self.organiser is None and bool(agreeing) and all(line.is_at_table for line in agreeing)


@dataclass(frozen=True, slots=True)
class Statements:
    """The latest facts, statements about them in order, the resulting agreement, and statements about earlier facts."""

    facts: LatestFacts
    current: tuple[Confirmation, ...]
    agreement: Agreement
    outdated: tuple[Confirmation, ...]

    def latest(self) -> dict[int | None, Confirmation]:
        return {speaker_of(each): each for each in self.current}


def statements_on(hanchan: Hanchan) -> Statements:
    """Return the statements about a hanchan. One query with prefetched seats, two if it was corrected."""
    said = list(hanchan.confirmations.select_related("player__merged_into").order_by("pk"))
    return _statements(hanchan, said, facts_of(hanchan))


def agreed_of(hanchan: Sequence[Hanchan], raised: Mapping[int, Raised]) -> dict[int, int]:
    """Return how many players agree to each hanchan, by primary key. One query; `raised`: result of `raised_of`."""
    return {pk: len(statements.agreement.agreed) for pk, statements in _statements_on_all(hanchan, raised).items()}


def _statements_on_all(hanchan: Sequence[Hanchan], raised: Mapping[int, Raised]) -> dict[int, Statements]:
    said: dict[int, list[Confirmation]] = defaultdict(list)
    rows = Confirmation.objects.filter(hanchan__in=hanchan).select_related("player__merged_into").order_by("pk")
    for each in rows if hanchan else ():
        said[each.hanchan_id].append(each)
    return {game.pk: _statements(game, said[game.pk], _facts(game, raised.get(game.pk, ()))) for game in hanchan}


def asked_of(user: Person, league: League) -> list[Hanchan]:
    """Return the oldest hanchan waiting for the user's confirmation, with seats.

    Usually four queries; one if there are none, and none if the league does not ask or the user may not confirm.
    """
    if league.confirmed_by not in {Policy.ONE, Policy.ALL} or not user.has_perm(CONFIRM, league):
        return []
    pending = _pending(user).filter(league=league).in_order_of_play()
    pending = pending.select_related("session").prefetch_related("seats__player")
    found: list[Hanchan] = []
    for start in range(0, MAX_LOOKED_AT, MAX_ASKED):
        chunk = list(pending[start : start + MAX_ASKED])
        found += _unanswered(user, league, chunk)
        if len(found) >= MAX_ASKED or len(chunk) < MAX_ASKED:
            break
    return found[:MAX_ASKED]


def leagues_asking(user: Person, leagues: Sequence[League]) -> list[League]:
    """Return the leagues that have results for the user to confirm. At most one query."""
    asking = [each for each in leagues if each.is_active and each.confirmed_by in {Policy.ONE, Policy.ALL}]
    rows = _pending(user).filter(league__in=asking).order_by().values_list("league", flat=True)
    waiting = set(rows.distinct()) if asking else set()
    return [each for each in asking if each.pk in waiting]


def _pending(user: Person) -> HanchanQuerySet:
    """Return unconfirmed hanchan that the user played and has not confirmed in the current version."""
    sat = Seat.objects.filter(hanchan=OuterRef("pk"), player__user=user.pk)
    agrees = Confirmation.objects.filter(
        hanchan=OuterRef("pk"), player__user=user.pk, version=OuterRef("version"), verdict=Confirmation.Verdict.AGREES
    )
    return Hanchan.objects.awaiting().filter(Exists(sat), ~Exists(agrees))


def to_judge(user: Person, league: League) -> list[Hanchan]:
    """Return the oldest hanchan that a referee has to decide, disputed ones first. Two to four queries.

    Empty for organisers, who have an inbox instead.
    """
    if not user.has_perm(JUDGE, league) or user.has_perm(READ_BOOKS, league):
        return []
    disputed = league.hanchan.filter(state=Hanchan.State.DISPUTED)
    found: list[Hanchan] = []
    for waiting in (disputed, league.hanchan.awaiting()):
        listed = waiting.in_order_of_play().select_related("session").prefetch_related("seats__player")
        found += listed[: MAX_ASKED - len(found)]
    return found


def _unanswered(user: Person, league: League, hanchan: Sequence[Hanchan]) -> list[Hanchan]:
    for game in hanchan:
        game.league = league
    statements = _statements_on_all(hanchan, raised_of(hanchan))
    agreed = {pk: said.agreement.agreed for pk, said in statements.items()}
    return [
        game
        for game in hanchan
        if not any(seat.player.user_id == user.pk and seat.player_id in agreed[game.pk] for seat in seats_of(game))
    ]


def _statements(hanchan: Hanchan, said: Sequence[Confirmation], facts: LatestFacts) -> Statements:
    current = tuple(each for each in said if each.version >= facts.since)
    outdated = tuple(each for each in said if each.version < facts.since)
    players = [seat.player_id for seat in seats_of(hanchan)]
    agrees = Confirmation.Verdict.AGREES
    words = [Statement(each.verdict == agrees, speaker_of(each), each.by_id, each.device) for each in current]
    agreement = agreement_on(Policy(hanchan.league.confirmed_by), players, facts.recorder, words)
    return Statements(facts, current, agreement, outdated)


def confirming_of(hanchan: Hanchan) -> ConfirmationView:
    """Return the confirmations of a hanchan. Queries as in `statements_on`."""
    statements = statements_on(hanchan)
    latest = statements.latest()
    agreement = statements.agreement
    return ConfirmationView(
        hanchan=hanchan,
        lines=tuple(_line(seat, statements, latest) for seat in seats_of(hanchan)),
        organiser=latest.get(None) if agreement.is_settled else None,
        disputes=tuple(latest[speaker] for speaker in agreement.disputed),
        outdated=statements.outdated,
    )


def _line(seat: Seat, statements: Statements, latest: Mapping[int | None, Confirmation]) -> SeatConfirmation:
    agreement, player, said = statements.agreement, seat.player_id, ""
    if player in agreement.disputed:
        said = str(Confirmation.Verdict.DISPUTES)
    elif player in agreement.agreed:
        said = str(Confirmation.Verdict.AGREES)
    return SeatConfirmation(
        seat,
        said,
        is_recorder=player == statements.facts.recorder.player,
        is_elsewhere=agreement.agreed.get(player, False),
        is_at_table=player in latest and latest[player].by_id is None,
    )


def speaker_of(said: Confirmation) -> int | None:
    """Return the primary key of the player who made a statement, following merges; None for an organiser."""
    return current_player(said.player).pk if said.player is not None else None


def facts_of(hanchan: Hanchan) -> LatestFacts:
    """Return the version in which the facts last changed, and who entered them. One query if they were changed."""
    return _facts(hanchan, raised_of([hanchan]).get(hanchan.pk, ()))


def _facts(hanchan: Hanchan, raised: Raised) -> LatestFacts:
    since = hanchan.version
    for action, user in raised:
        if action in FACTS:
            return LatestFacts(since, _recorder(hanchan, user, hanchan.device if since == 1 else ""))
        since -= 1
    return LatestFacts(1, _recorder(hanchan, hanchan.recorded_by_id, hanchan.device))


def raised_of(hanchan: Sequence[Hanchan]) -> Mapping[int, Raised]:
    """Return the actions that increased each changed hanchan's version, by primary key. At most one query.

    All hanchan must be of the same league.
    """
    changed: dict[int, list[tuple[str, int | None]]] = {each.pk: [] for each in hanchan if each.version > 1}
    if changed:
        revisions = Revision.objects.filter(league=hanchan[0].league_id, subject="hanchan", subject_id__in=changed)
        rows = revisions.filter(action__in=RAISING).order_by("-pk")
        for pk, action, user in rows.values_list("subject_id", "action", "by_id"):
            changed[pk].append((action, user))
    return changed


def people_seen(hanchan: Hanchan) -> set[int]:
    """Return the primary keys of all players who were ever entered for the hanchan, from its history. One query."""
    revisions = Revision.objects.filter(league=hanchan.league_id, subject="hanchan", subject_id=hanchan.pk)
    states = revisions.filter(action__in=FACTS).values_list("after", flat=True)
    return {seat["player"] for state in map(readable_state, states) if state for seat in state["seats"]}


def _recorder(hanchan: Hanchan, user: int | None, device: str) -> Recorder:
    own = (seat.player_id for seat in seats_of(hanchan) if user is not None and seat.player.user_id == user)
    return Recorder(user, device, next(own, None))


def is_better(agreement: Agreement, state: str) -> bool:
    """Return whether an agreement should replace a state.

    A confirmed hanchan is never reset to recorded, because the league may have changed its policy since.
    """
    if agreement.state == ResultState.RECORDED and state == Hanchan.State.CONFIRMED:
        return False
    return agreement.state != state
