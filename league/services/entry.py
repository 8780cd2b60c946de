"""Results typed at a table: scored, then recorded. New guests become players when their first hanchan is stored."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from time import time
from typing import Any, TypeAlias

from django.core.cache import caches
from django.db import transaction
from django.db.models import F

from league.models import Hanchan, League, Player, Session, TableLink
from league.selectors.games import seats_of
from league.services import results
from league.services.held_results import settle_held_result
from league.services.history import Actor
from league.services.people import PlayerFacts, player_of
from league.services.photos import CleanedPhoto, add_photo
from scoring.core import FinishedGame, ScoredGame, ScoringError, ScoringRules, score

Seated: TypeAlias = Player | PlayerFacts

RULES_TO_MEND = {"unset", "ruleset_incomplete", "no_uma_row", "no_draw_shares"}
"""Codes of scoring errors that are caused by the rules, whatever the scores."""


MAX_RESULTS = 60
"""Hanchan per table link, voided ones included."""


@dataclass(frozen=True, slots=True)
class Draft:
    """The round and time shown when typing began; None if unknown.

    `kept_since`: when the result was typed, if the phone had to keep it until it was online.
    """

    round: int | None = None
    since: datetime | None = None
    kept_since: datetime | None = None


@dataclass(frozen=True, slots=True)
class TypedResult:
    """A typed result, first dealer first, with its scoring or the scoring error.

    `seated` holds a player or the facts of a new one per seat, without empty seats.
    """

    seated: tuple[Seated, ...]
    game: FinishedGame
    table_and_time: results.TableAndTime
    scored: ScoredGame | None = None
    refusal: ScoringError | None = None
    note: str = ""
    end_reason: str = Hanchan.EndReason.NORMAL
    yakuman: tuple[tuple[int, str], ...] = ()
    photo: CleanedPhoto | None = None
    worked_out: bool = False

    @property
    def needs_rules(self) -> bool:
        return self.refusal is not None and self.refusal.code in RULES_TO_MEND

    def played_by(self, players: tuple[Player, ...]) -> results.HanchanResult:
        return results.HanchanResult(players, self.game, self.note, self.end_reason, self.yakuman, self.worked_out)


def scored_by(entry: TypedResult, rules: ScoringRules) -> TypedResult:
    try:
        return replace(entry, scored=score(entry.game, rules))
    except ScoringError as error:
        return replace(entry, refusal=error)


def says_the_same(hanchan: Hanchan, entry: TypedResult) -> bool:
    """Return whether all entered facts equal the stored ones; new players count as a difference."""
    players = tuple(person for person in entry.seated if isinstance(person, Player))
    known, place = results.result_of(hanchan), entry.table_and_time
    said = (place.table, place.round or hanchan.round, place.played_at or hanchan.played_at)
    if len(players) < len(entry.seated) or said != (hanchan.table, hanchan.round, hanchan.played_at):
        return False
    return results.with_origin(entry.played_by(players), known) == known


def is_stored_as(hanchan: Hanchan, entry: TypedResult) -> bool:
    """Return whether a hanchan has the people and raw scores of an entry, whose guests may be players by now."""
    seats = seats_of(hanchan)
    are_same = (
        person.pk == seat.player_id if isinstance(person, Player) else person.name == seat.player.name
        for person, seat in zip(entry.seated, seats, strict=False)
    )
    scores = tuple(seat.raw_score for seat in seats)
    return len(entry.seated) == len(seats) and all(are_same) and entry.game.raw == scores


def record_entry(
    *, session: Session, entry: TypedResult, by: Actor, draft: Draft = Draft(), even_if_same: bool = False
) -> results.RecordedHanchan:
    """Record a result and its new guests, all or nothing.

    Raise the errors of `record_hanchan`, and ResultError "link_full", "link_guests" or "not_this_evening".
    """

    def stored() -> results.RecordedHanchan:
        if by.link is not None and Hanchan.objects.filter(recorded_through=by.link).count() >= MAX_RESULTS:
            raise results.ResultError("link_full")
        held = session.held_results.filter(client_key=entry.table_and_time.client_key, settled_at=None).first()
        typed_at = held.entered_at if held is not None else None
        table_and_time = _placed(entry.table_and_time, session, by, (draft.kept_since, typed_at))
        table_and_time = replace(table_and_time, meant_round=draft.round, typed_since=draft.since)
        # The form behind a table link shows public names only; take the stored ones.
        result = _result_of(_with_names(entry) if by.link is not None else entry, session.league, by)
        recorded = results.stored_hanchan(session, result, table_and_time, by, even_if_same=even_if_same)
        if not recorded.is_new:
            # The same submission has already been stored; do not keep the guests created for this one.
            transaction.set_rollback(True)
            return recorded
        if by.link is not None:
            _count_guests(by.link, sum(isinstance(person, PlayerFacts) for person in entry.seated))
        if held is not None:
            settle_held_result(held, recorded.hanchan, by)
        if entry.photo is not None:
            add_photo(hanchan=recorded.hanchan, picture=entry.photo, by=by)
        return recorded

    return results.once(stored, entry.table_and_time, session.league)


def _count_guests(link: TableLink, guests: int) -> None:
    """Count the guests added through a link. Raise ResultError "link_guests" above its limit.

    Called last, so that locks are taken in the same order as when a link is revoked.
    """
    links = TableLink.objects.filter(pk=link.pk)
    if guests and not links.filter(guests__lte=F("most_guests") - guests).update(guests=F("guests") + guests):
        raise results.ResultError("link_guests", most=links.values_list("most_guests", flat=True).get())


def _placed(
    table_and_time: results.TableAndTime, session: Session, by: Actor, typed_at: Iterable[datetime | None]
) -> results.TableAndTime:
    """Return the entry's table and time; without a time, the time of typing if it is on the session's day.

    Entries through a table link always get the link's own table. Raise ResultError "not_this_evening".
    """
    table, moment, league = table_and_time.table, table_and_time.played_at, session.league
    if by.link is not None:
        table = by.link.table
        if moment is not None and league.day_of(moment) != session.date:
            raise results.ResultError("not_this_evening")
    if moment is None:
        moment = next((each for each in typed_at if each is not None and league.day_of(each) == session.date), None)
    return replace(table_and_time, table=table, played_at=moment)


@transaction.atomic
def correct_entry(*, hanchan: Hanchan, seen_version: int, entry: TypedResult, by: Actor, reason: str) -> Hanchan:
    return results.correct_hanchan(
        hanchan=hanchan,
        seen_version=seen_version,
        result=results.with_origin(_result_of(_with_names(entry), hanchan.league, by), results.result_of(hanchan)),
        table_and_time=entry.table_and_time,
        by=by,
        reason=reason,
    )


def _with_names(entry: TypedResult) -> TypedResult:
    """Return the entry with players as stored, because the names in the form may be masked."""
    players = Player.objects.filter(pk__in=[person.pk for person in entry.seated if isinstance(person, Player)])
    known = {player.pk: player for player in players.order_by()}
    people = [known.get(person.pk, person) if isinstance(person, Player) else person for person in entry.seated]
    return replace(entry, seated=tuple(people))


def _result_of(entry: TypedResult, league: League, by: Actor) -> results.HanchanResult:
    return entry.played_by(
        tuple(person if isinstance(person, Player) else player_of(league, person, by) for person in entry.seated)
    )


FORGOTTEN_AFTER = 90


@dataclass(frozen=True, slots=True)
class LiveTyping:
    scores: tuple[str, ...]
    names: tuple[str, ...]
    age: int


@dataclass(frozen=True, slots=True)
class TypingPlace:
    session: Session
    table: int
    round: int

    @property
    def key(self) -> str:
        return f"typing:{self.session.pk}:{self.table}:{self.round}"


def note_typing(place: TypingPlace, device: str, names: Sequence[str], scores: Sequence[str]) -> None:
    said = {"device": device, "scores": list(scores), "names": list(names), "at": time()}
    caches["notes"].set(place.key, said, FORGOTTEN_AFTER)


def forget_typing(places: Iterable[TypingPlace]) -> None:
    caches["notes"].delete_many(place.key for place in places)


def typed_elsewhere(place: TypingPlace, device: str) -> LiveTyping | None:
    said: dict[str, Any] | None = caches["notes"].get(place.key)
    if said is None or said["device"] == device or not any(said["scores"]):
        return None
    return LiveTyping(tuple(said["scores"]), tuple(said["names"]), max(0, int(time() - said["at"])))
