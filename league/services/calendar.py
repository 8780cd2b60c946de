"""Changes to sessions, adjustments and a league's settings."""

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date, time
from types import MappingProxyType
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy

from league.core.periods import written_time
from league.models import Adjustment, League, Player, Revision, RulesetVersion, Session
from league.services.boards import mark_all_stale, mark_stale
from league.services.confirming import confirm_anew, recount
from league.services.days import start_moving
from league.services.history import Actor, Change, write_revision, write_revisions
from league.services.job_requests import JobRunningError
from league.services.locking import lock_league, locked
from league.services.session_numbers import next_number, number_by_date

DAY_SETTINGS = {"day_boundary", "time_zone"}
"""Settings that decide on which day a hanchan counts."""

DAYS_ARE_MOVING = gettext_lazy(
    "Playing days are being recalculated. Change the time zone or day boundary after this is done."
)


class NoRulesError(Exception):
    """The league has no ruleset yet, so it can have no sessions."""


@dataclass(frozen=True, slots=True)
class SessionFacts:
    """Editable facts of a session.

    `strict_entry`: whether every score has to be entered; None follows the league. Only used when a session is opened,
    `change_session` ignores it. `number`: None to number the session by date.
    """

    date: date
    title: str = ""
    venue: str = ""
    tables: int = 1
    ruleset_version: RulesetVersion | None = None
    start_time: time | None = None
    strict_entry: bool | None = None
    number: int | None = None
    title_en: str = ""

    @classmethod
    def of(cls, session: Session) -> "SessionFacts":
        """Return the facts of a session for another one, which is numbered by date."""
        return cls(**{each.name: getattr(session, each.name) for each in fields(cls)} | {"number": None})


@transaction.atomic
def open_session(*, league: League, facts: SessionFacts, by: Actor, postponed_from: Session | None = None) -> Session:
    """Store a new session, by default with the league's current rules. Raise NoRulesError or NumberTakenError.

    `postponed_from`: the session from which a part was postponed to the new one.
    """
    lock_league(league.pk)
    session = _new_session(league, facts, next_number(league))
    session.postponed_from = postponed_from
    session.save(force_insert=True)
    _number(league, [session], [facts])
    write_revision(league, session, Change(Revision.Action.CREATED, after=session_snapshot(session)), by)
    return session


@transaction.atomic
def open_sessions(*, league: League, facts: Sequence[SessionFacts], by: Actor) -> list[Session]:
    """Create sessions in this order. Raise NoRulesError or NumberTakenError.

    Four queries; more if sessions without a title are not in date order.
    """
    lock_league(league.pk)
    sessions = [_new_session(league, each, number) for number, each in enumerate(facts, start=next_number(league))]
    Session.objects.bulk_create(sessions)
    _number(league, sessions, facts)
    changes = [(each, Change(Revision.Action.CREATED, after=session_snapshot(each))) for each in sessions]
    write_revisions(league, changes, by)
    return sessions


def _new_session(league: League, facts: SessionFacts, number: int) -> Session:
    """Return an unsaved session. Raise NoRulesError."""
    version = facts.ruleset_version or league.current_version
    if version is None:
        raise NoRulesError
    columns = {each.name: getattr(facts, each.name) for each in fields(facts)}
    columns |= {"number": number, "number_typed": facts.number is not None, "ruleset_version": version}
    return Session(league=league, key=f"s-{secrets.token_hex(6)}", **columns)


def _number(league: League, sessions: Sequence[Session], facts: Sequence[SessionFacts]) -> None:
    """Give stored sessions their typed number if there is one, else a number by date."""
    typed = {session.pk: each.number for session, each in zip(sessions, facts, strict=True) if each.number is not None}
    for session in sessions:
        session.number = typed.get(session.pk, session.number)
    Session.objects.bulk_update([each for each in sessions if each.title and each.pk in typed], ["number"])
    if any(not each.title for each in sessions):
        _renumber(league, sessions, typed)


def _renumber(league: League, sessions: Sequence[Session], typed: Mapping[int, int] = MappingProxyType({})) -> None:
    numbers = number_by_date(league, typed)
    for session in sessions:
        session.number = numbers.get(session.pk, session.number)


def _number_of(session: Session) -> int:
    """Return the session's own number, or the next free one if another untitled session has it."""
    others = session.league.sessions.kept().exclude(pk=session.pk)
    is_taken = not session.title and others.filter(number=session.number, title="").exists()
    return next_number(session.league) if is_taken else session.number


@transaction.atomic
def change_session(*, session: Session, facts: SessionFacts, by: Actor) -> Session:
    """Change a session. Its hanchan keep their time and rules. Raise NumberTakenError.

    Points entered without hanchan move to the new day.
    """
    lock_league(session.league_id)
    before = session_snapshot(session)
    _move_points(session, facts.date)
    session.date, session.venue = facts.date, facts.venue
    if facts.title != session.own_name:
        session.title, session.title_en = facts.title, facts.title_en
    session.tables, session.start_time = facts.tables, facts.start_time
    session.number, session.number_typed = _number_of(session), facts.number is not None
    session.ruleset_version = facts.ruleset_version or session.ruleset_version
    session.save()
    _number(session.league, [session], [facts])
    write_revision(session.league, session, Change(Revision.Action.CHANGED, before, session_snapshot(session)), by)
    return session


@transaction.atomic
def play_by(*, sessions: Iterable[Session], version: RulesetVersion, by: Actor) -> None:
    """Use other rules for further hanchan of these sessions."""
    lock_league(version.ruleset.league_id)
    found = [(session, session_snapshot(session)) for session in sessions]
    Session.objects.filter(pk__in=[session.pk for session, _ in found]).update(ruleset_version=version)
    changes = [(each, Change(Revision.Action.CHANGED, old, old | {"rules": str(version)})) for each, old in found]
    write_revisions(version.ruleset.league, changes, by)


def _move_points(session: Session, day: date) -> None:
    counting = session.points_without_hanchan.exclude(day=day)
    moved = list(counting.select_for_update().values_list("day", "player"))
    if moved:
        counting.update(day=day)
        mark_stale(session.league, {day, *(before for before, _ in moved)}, [player for _, player in moved])


@transaction.atomic
def set_session_state(*, session: Session, state: Session.State, by: Actor) -> Session:
    """Close, reopen or withdraw a session; a withdrawn one gets a new number if its own has been taken meanwhile."""
    _set_state([session], state, by)
    return session


@transaction.atomic
def withdraw_sessions(*, league: League, sessions: Sequence[Session], by: Actor) -> None:
    """Withdraw sessions of a league; the remaining ones are renumbered."""
    if sessions:
        for session in sessions:
            session.league = league
        _set_state(sessions, Session.State.WITHDRAWN, by)


def _set_state(sessions: Sequence[Session], state: Session.State, by: Actor) -> None:
    league = sessions[0].league
    lock_league(league.pk)
    for session in sessions:
        # They may have been renumbered since they were read.
        session.refresh_from_db(fields=["state", "number", "number_typed"])
    comes_or_goes = any(Session.State.WITHDRAWN in {state, each.state} for each in sessions)
    for session in sessions:
        before = session_snapshot(session)
        session.state = state
        if state != Session.State.WITHDRAWN:
            own, session.number = session.number, _number_of(session)
            session.number_typed = session.number_typed and own == session.number
        session.save(update_fields=["state", "number", "number_typed"])
        write_revision(league, session, Change(Revision.Action.CHANGED, before, session_snapshot(session)), by)
    if comes_or_goes:
        _renumber(league, sessions)


@transaction.atomic
def set_strict_entry(*, session: Session, strict: bool | None, by: Actor) -> Session:
    """Set whether every score has to be entered, or the last one is filled in (False); None follows the league."""
    current = locked(Session.objects.select_related("league", "ruleset_version"), session.pk)
    if current.strict_entry is not strict:
        before = session_snapshot(current)
        current.strict_entry = strict
        current.save(update_fields=["strict_entry"])
        write_revision(current.league, current, Change(Revision.Action.CHANGED, before, session_snapshot(current)), by)
    return current


def session_snapshot(session: Session) -> dict[str, Any]:
    snapshot = {
        "date": session.date.isoformat(),
        "start_time": written_time(session.start_time),
        "title": session.title,
        "venue": session.venue,
        "tables": session.tables,
        "rules": str(session.ruleset_version),
        "state": str(session.state),
        "strict_entry": session.strict_entry,
    }
    typed = {"number": session.number} if session.number_typed else {}
    return snapshot | typed | ({"postponed_from": str(session.postponed_from)} if session.postponed_from else {})


@transaction.atomic
def adjust(
    *, player: Player, day: date, points: int, reason: str, by: Actor, session: Session | None = None
) -> Adjustment:
    """Add `points` (1/1000 pt) to a player's total, with a public reason.

    With a session, the points also count in its tournament stage.
    """
    adjustment = Adjustment.objects.create(
        league=player.league, player=player, day=day, points=points, reason=reason, session=session, created_by=by.user
    )
    change = Change(Revision.Action.CREATED, after=adjustment_snapshot(adjustment), reason=reason)
    write_revision(player.league, adjustment, change, by)
    mark_stale(player.league, [day], [player.pk])
    return adjustment


def adjustment_snapshot(adjustment: Adjustment) -> dict[str, Any]:
    return {
        "player": adjustment.player_id,
        "name": adjustment.player.name,
        "day": adjustment.day.isoformat(),
        "points": adjustment.points,
        "reason": adjustment.reason,
    } | ({"session": str(adjustment.session)} if adjustment.session else {})


@transaction.atomic
def change_settings(*, league: League, settings: dict[str, Any], by: Actor) -> League:
    """Change settings and mark the affected boards as stale.

    In a large league a job moves hanchan to their new days. Raise ValidationError for invalid values, or while such a
    job is running.
    """
    before = {name: _plain(getattr(league, name)) for name in settings}
    for name, value in settings.items():
        setattr(league, name, value)
    after = {name: _plain(getattr(league, name)) for name in settings}
    changed = [name for name in settings if before[name] != after[name]]
    if not changed:
        return league
    before, after = ({name: side[name] for name in changed} for side in (before, after))
    if before.get("confirmed_by") == League.ConfirmedBy.NOBODY:
        # Hanchan from before the league used confirmation need none.
        league.confirmed_since = timezone.now()
    league.full_clean()
    league.save()
    write_revision(league, league, Change(Revision.Action.CHANGED, before, after), by)
    _take_effect(league, set(changed), by)
    if before.keys() & DAY_SETTINGS:
        try:
            start_moving(league, by)
        except JobRunningError as error:
            raise ValidationError(DAYS_ARE_MOVING) from error
    mark_all_stale(league)
    return league


def _take_effect(league: League, changed: set[str], by: Actor) -> None:
    if {"disputed_count", "unbalanced_count"} & changed:
        recount(league)
    if "confirmed_by" in changed:
        confirm_anew(league, by)
    if "day_boundary" in changed:
        # Sessions that start after midnight may change their place in the order.
        number_by_date(league)


def _plain(value: object) -> object:
    return value if isinstance(value, (bool, int, str, list)) else str(value)
