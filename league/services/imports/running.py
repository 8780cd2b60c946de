"""Running an import: one transaction that adds everything, or rolls back."""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _

from league.core.limits import MAX_PUBLIC_REASON_LENGTH
from league.core.spreadsheets.names import WrittenName
from league.core.spreadsheets.tables import ImportFileError
from league.models import Hanchan, ImportBatch, Job, League, Player, Session
from league.services.boards import OnProgress, StoppedError, mark_stale
from league.services.bulk import STORED_TOGETHER, PreparedHanchan, prepare, store_unmarked
from league.services.calendar import adjust
from league.services.history import FILE, Actor
from league.services.imports.checks import Check, CheckedGame, CheckedTotal, check, report_on
from league.services.imports.contents import today_of
from league.services.imports.people import make_players, other_names, set_other_names, undone
from league.services.imports.sessions import Numbering, make_sessions, numbering_of
from league.services.imports.undoing import beside, progress, set_active, undo
from league.services.imports.values import ImportReport
from league.services.locking import lock_league, met_another, persevering
from league.services.results import HanchanResult, TableAndTime, beginning_of
from league.services.rules import adopt_card
from league.services.session_points import PublishedSum, enter_session_points
from league.services.stored_json import as_stored, from_stored

CLOSE_TOGETHER = 600
"""A session with more hanchan than this gets one per second instead of one per minute, to fit into a day."""


def run_import(batch_id: int, by: Actor, on_progress: OnProgress) -> dict[str, Any]:
    """Run an import and return its counts; a batch that was run already returns its counts unchanged.

    Raise ImportFileError "not_ready" if it cannot be run yet, and StoppedError if `on_progress` does.
    """
    try:
        on_progress(progress(0, 1, ""))
        by = replace(by, source=FILE)
        # A player may be merged between check and storage; then run again.
        return persevering(partial(_run, batch_id, by, on_progress), met_another)
    except BaseException as error:
        expected = isinstance(error, (ImportFileError, StoppedError))
        state = ImportBatch.State.DRAFT if expected else ImportBatch.State.FAILED
        ImportBatch.objects.filter(pk=batch_id, state=ImportBatch.State.RUNNING).update(state=state)
        raise


def _run(batch_id: int, by: Actor, on_progress: OnProgress) -> dict[str, Any]:
    with beside(on_progress) as on_own_connection, transaction.atomic():
        batch = ImportBatch.objects.select_for_update(of=("self",)).filter(pk=batch_id).first()
        if batch is None:
            raise ImportFileError("not_ready")
        if batch.is_over:
            return _figures(batch)
        # Results can still be entered: they need the league's row, but only with a lock on its key.
        lock_league(batch.league_id)
        batch.league = League.objects.select_related("current_version").get(pk=batch.league_id)
        checked = check(batch, lambda done, games: on_own_connection(progress(done, 2 * games, str(batch))))
        report = report_on(checked)
        if not report.is_ready:
            raise ImportFileError("not_ready")
        made = _Run(batch, checked, by, on_own_connection).store()
        contents = checked.contents
        batch.reading = {**as_stored(contents.reading), "headers": contents.headers}
        new = batch.league.sessions.filter(pk__in=made["sessions"]).order_by("ruleset_version").distinct()
        versions = tuple(new.values_list("ruleset_version", flat=True))
        batch.report, batch.made = as_stored(replace(report, versions=versions)), made
        batch.state, batch.run_at = ImportBatch.State.DONE, timezone.now()
        batch.save(update_fields=["reading", "report", "made", "state", "run_at"])
    return _figures(batch)


def _figures(batch: ImportBatch) -> dict[str, Any]:
    report = from_stored(ImportReport, batch.report or {})
    return {"batch": batch.pk, "added": report.added, "same": report.same}


@dataclass(slots=True)
class _Run:
    batch: ImportBatch
    checked: Check
    by: Actor
    on_progress: OnProgress
    players: dict[WrittenName, Player] = field(default_factory=dict)
    made: dict[str, Any] = field(default_factory=dict)
    first: dict[int, int] = field(default_factory=dict)
    adopted: list[int] = field(default_factory=list)
    freed: list[tuple[int, int]] = field(default_factory=list)

    @property
    def league(self) -> League:
        return self.batch.league

    def store(self) -> dict[str, Any]:
        added = self.checked.added
        sessions = self._make_sessions(added)
        totals = self.checked.added_totals
        names = [entry.written for outcome in added for entry in outcome.game.entries]
        names += [each.total.written for each in totals]
        self.players, people = make_players(self.league, self.checked.people, names, self.by)
        people += self._bring_back()
        named = other_names(self.checked.people, self.players)
        set_other_names(self.league, named, self.by, str(self.batch))
        self._begin_with_round_1(sessions, added)
        self.made = {
            "sessions": [session.pk for session in sessions],
            "players": [player.pk for player in people],
            "named": named,
            "rules": self.adopted,
            "numbers": self.freed,
            "hanchan": [],
            **self._add_totals(totals),
        }
        self._add(added)
        return self.made

    def _make_sessions(self, added: list[CheckedGame]) -> list[Session]:
        for outcome in added:
            session = outcome.place.session if outcome.place is not None else None
            if session is not None and session._state.adding:
                session.tables = max(session.tables, outcome.game.table or 1)
        contents = self.checked.contents
        places = [place for place in self.checked.sessions(added) if place.session.pk is None]
        if places and (chosen := contents.chosen) and not chosen.pk:
            card, name = chosen.ruleset.card, chosen.ruleset.name
            adopted = adopt_card(league=self.league, card_key=card, name=name, by=self.by)
            contents.reading = replace(contents.reading, rules=str(adopted.pk))
            self.adopted.append(adopted.pk)
            for place in places:
                place.session.ruleset_version = adopted
        by_date = contents.reading.by_date == "1"
        made, self.freed = make_sessions(self.league, places, today_of(self.batch), self.by, by_date=by_date)
        return made

    def _begin_with_round_1(self, sessions: list[Session], added: list[CheckedGame]) -> None:
        """Note where the rounds of new sessions begin, because a sheet may number its hanchan throughout."""
        new = {session.pk for session in sessions}
        for game, session in ((each.game, each.place.session) for each in added if each.place is not None):
            if session.pk in new and game.round and not game.key:
                self.first[session.pk] = min(game.round, self.first.get(session.pk, game.round))

    def _bring_back(self) -> list[Player]:
        gone = undone(self.league)
        known = {player.pk: player for player in self.players.values()}.values()
        back = [player for player in known if player.pk in gone and not player.is_active]
        set_active(self.league, back, is_active=True, reason=str(self.batch), by=self.by)
        return back

    def _add(self, outcomes: list[CheckedGame]) -> None:
        total = len(outcomes)
        places = list({id(place): place for outcome in outcomes if (place := outcome.place)}.values())
        numbering = numbering_of(places)
        clocks = _clocks(self.league, outcomes)
        days = set()
        for start in range(0, len(outcomes), STORED_TOGETHER):
            chunk = outcomes[start : start + STORED_TOGETHER]
            prepared = [self._prepared(each, numbering, clocks) for each in chunk]
            stored = store_unmarked(self.league, prepared, self.by)
            self.made["hanchan"] += [[hanchan.pk, hanchan.version] for hanchan in stored]
            days |= {hanchan.day for hanchan in stored}
            self.on_progress(progress(total + start + len(chunk), 2 * total, chunk[-1].label))
        mark_stale(self.league, days)

    def _add_totals(self, totals: list[CheckedTotal]) -> dict[str, list[int]]:
        """Store sums as points of their session and penalties as adjustments; return their primary keys."""
        note = (_("Import of %(file)s") % {"file": str(self.batch)})[:MAX_PUBLIC_REASON_LENGTH]
        sums: dict[Session, dict[Player, PublishedSum]] = {}
        adjusted = []
        for each in totals:
            total, player = each.total, self.players[each.total.written]
            assert each.place is not None
            session = each.place.session
            if total.hanchan:
                sums.setdefault(session, {})[player] = PublishedSum(total.points, total.hanchan)
            else:
                made = adjust(
                    player=player, day=session.date, points=total.points, reason=note, by=self.by, session=session
                )
                adjusted.append(made.pk)
        stored = [enter_session_points(session=on, lines=lines, note=note, by=self.by) for on, lines in sums.items()]
        return {"sums": [points.pk for each in stored for points in each], "adjusted": adjusted}

    def _result(self, outcome: CheckedGame) -> HanchanResult:
        game, facts = outcome.game, outcome.finished
        assert facts is not None
        return HanchanResult(
            tuple(self.players[entry.written] for entry in game.entries),
            facts,
            note=game.memo or (outcome.why_as_is if facts.as_is else ""),
            yakuman=tuple((seat, entry.yakuman) for seat, entry in enumerate(game.entries) if entry.yakuman),
            worked_out=outcome.worked_out,
        )

    def _prepared(
        self, outcome: CheckedGame, numbering: Numbering, clocks: dict[int, Iterator[datetime]]
    ) -> PreparedHanchan:
        game, place = outcome.game, outcome.place
        assert place is not None
        # If the league uses confirmation, the import confirms its results.
        is_confirmed = self.league.confirmed_by != League.ConfirmedBy.NOBODY
        said = game.round and (game.round if game.key else game.round + 1 - self.first.get(place.session.pk, 1))
        table, number = numbering.place(place.session.pk, game.table, said)
        state = Hanchan.State.CONFIRMED if is_confirmed else Hanchan.State.RECORDED
        where = TableAndTime(table, number, next(clocks[place.session.pk]), key=game.key or None)
        return prepare(place.session, self._result(outcome), where, self.by, state)


def _clocks(league: League, outcomes: Iterable[CheckedGame]) -> dict[int, Iterator[datetime]]:
    """Return the times for games without a time, one iterator per session."""
    counts = Counter(each.place.session for each in outcomes if each.place)
    found = Hanchan.objects.filter(session__in=counts).order_by().values_list("session").annotate(Max("played_at"))
    last = dict(found)
    return {session.pk: _moments(league, session, last.get(session.pk), count) for session, count in counts.items()}


def _moments(league: League, session: Session, last: datetime | None, count: int) -> Iterator[datetime]:
    step = timedelta(minutes=1) if count <= CLOSE_TOGETHER else timedelta(seconds=1)
    evening = beginning_of(session)
    follows = last is not None and last >= evening and league.day_of(last + count * step) == session.date
    moment = last + step if follows and last is not None else evening
    while True:
        yield moment
        moment += step


def import_job(job: Job, on_progress: OnProgress) -> dict[str, Any]:
    by = Actor(job.created_by, FILE)
    if job.parameters.get("undo"):
        return {"batch": job.parameters["batch"], **as_stored(undo(job.parameters["batch"], by, on_progress))}
    return run_import(job.parameters["batch"], by, on_progress)
