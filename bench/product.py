"""Every call the bench makes into Tenbo besides HTTP, in one place."""

import uuid
from collections.abc import Iterable, Sequence
from datetime import datetime, time
from typing import Any

from django.contrib.auth.models import User
from django.contrib.sessions.backends.db import SessionStore
from django.core.management import call_command
from django.db import connection

from league.core.derived import COLUMNS, PART_COLUMNS
from league.core.periods import ALL_TIME, Period, month_of, year_of
from league.models import Hanchan, Job, League, Membership, Player, RulesetVersion, Session, StalePeriod, Standing
from league.models.edition_scopes import RuleUses
from league.services.boards import rebuild_boards
from league.services.calendar import SessionFacts, open_session
from league.services.history import SYSTEM, Actor
from league.services.imports.running import run_import
from league.services.imports.steps import NEW, create_batch, decide_names, set_options
from league.services.job_requests import start_job
from league.services.rescoring import rescore
from league.services.results import HanchanResult, TableAndTime, record_hanchan
from league.services.results.rows import derived_seats
from league.services.rules import adopt_card, save_version
from league.tasks import refresh_standings
from scoring.core import FinishedGame
from stats.services.feats import keep_feats
from stats.services.months import keep_months
from stats.services.ratings import replay_anew, replay_ratings
from tournaments.models import StageSession

COLUMN_OF_PART = PART_COLUMNS
DERIVED = COLUMNS

__all__ = ["COLUMN_OF_PART", "DERIVED", "derived_seats"]


# --- Setting up ------------------------------------------------------------------------------------------------------


def league_with_rules(slug: str, *, time_zone: str, day_boundary: time) -> tuple[League, RulesetVersion]:
    """Return a new public league that plays by the Camarade rules."""
    league = League.objects.create(slug=slug, name=slug, time_zone=time_zone, day_boundary=day_boundary)
    return league, adopt_card(league=league, card_key="camarade", name="Camarade", by=SYSTEM)


def count_uses_of_rules() -> None:
    """Count which rules are used how often, after hanchan were loaded past the triggers that do it."""
    with connection.cursor() as cursor:
        for statement in RuleUses().anew(postgresql=True):
            cursor.execute(statement)


def open_today(league: League, day: Any, tables: int = 1) -> Session:
    """Return a new open session of the league."""
    return open_session(league=league, facts=SessionFacts(date=day, tables=tables), by=SYSTEM)


def scorer_of(leagues: Iterable[League]) -> User:
    """Return a user who may enter results in all these leagues."""
    user = User.objects.create_user(f"scorer-{uuid.uuid4().hex[:8]}")
    memberships = [Membership(league=league, user=user, role=Membership.Role.SCORER) for league in leagues]
    Membership.objects.bulk_create(memberships)
    return user


def logged_in(user: User) -> str:
    """Return the cookie of a session in which the user is logged in."""
    session = SessionStore()
    session["_auth_user_id"] = str(user.pk)
    session["_auth_user_backend"] = "django.contrib.auth.backends.ModelBackend"
    session["_auth_user_hash"] = user.get_session_auth_hash()
    session.create()
    return str(session.session_key)


def load_tournaments() -> None:
    """Load the invented leagues: they have tournaments that are under way and finished."""
    call_command("load_demo", verbosity=0)


def a_tournament() -> dict[str, str]:
    """Return the public pages of a tournament that has played, by name."""
    played = StageSession.objects.filter(session__hanchan__isnull=False).order_by("-pk").first()
    assert played is not None
    start = f"/l/{played.tournament.league.slug}/t/{played.tournament.key}/"
    return {"tournament": start, "stage": f"{start}stage/{played.stage}/", "projector": f"{start}wall/"}


# --- Results and boards ----------------------------------------------------------------------------------------------


def enter(session: Session, players: Iterable[Player], game: FinishedGame, moment: datetime | None = None) -> Hanchan:
    """Record one hanchan as a service does, without HTTP."""
    place = TableAndTime(table=1, played_at=moment, client_key=uuid.uuid4())
    result = HanchanResult(tuple(players), game)
    return record_hanchan(session=session, result=result, table_and_time=place, by=SYSTEM, even_if_same=True).hanchan


def is_fresh(league: League) -> bool:
    """Return whether no board of the league waits for the worker."""
    return not StalePeriod.objects.filter(league=league).exists()


def bring_up_to_date(league: League) -> None:
    """Do what the worker does for a league with stale boards."""
    refresh_standings.apply(args=(league.pk,)).get()


def forget_month(league: League, month: Period) -> None:
    """Take the lines of a month's board away and mark it stale."""
    Standing.objects.filter(league=league, period=month.key).delete()
    StalePeriod.objects.create(league=league, period=month.key)


def forget_boards(league: League) -> None:
    """Take the lines of all boards of the league away."""
    Standing.objects.filter(league=league).delete()


def boards_of(league: League, day: Any) -> tuple[Period, Period, Period]:
    """Return the three boards that a result of this day moves."""
    return month_of(day), year_of(day, league.first_month), ALL_TIME


def rebuild(league: League) -> None:
    """Work out every board of the league anew."""
    rebuild_boards(league, lambda _progress: None)


def keep_careers(league: League) -> None:
    """Keep what months that are over came to for each player, and what stands out in periods, as the sweep has it done."""
    keep_months(league.pk)
    keep_feats(league.pk)


def score_again(league: League) -> Job:
    """Have all hanchan of a league scored again under another uma, by whatever worker takes it."""
    assert league.current_version is not None
    parameters = {**league.current_version.parameters, "uma": [20, 10, -10, -20]}
    version = save_version(ruleset=league.current_version.ruleset, parameters=parameters, note="", by=SYSTEM)
    return start_job(league=league, kind=Job.Kind.RESCORE, by=SYSTEM, parameters={"version": version.pk})


def how_far(job: Job) -> tuple[int, int, bool]:
    """Return how much of a piece of long work is done, how much there is, and whether it is done."""
    job.refresh_from_db()
    return job.done, job.total, job.is_over


def replay_everything(league: League) -> None:
    """Replay the ratings of a league from its first hanchan, as the worker does after the first migration."""
    replay_anew(league)


def follow_ratings(league: League) -> None:
    """Bring the ratings of a league up to date, as the worker does after a result."""
    replay_ratings(league.pk)


# --- Long work -------------------------------------------------------------------------------------------------------


def other_version(league: League, uma: Sequence[str] = ("20", "10", "-10", "-20")) -> RulesetVersion:
    """Return a further version of the league's rules, with another uma."""
    current = league.current_version
    assert current is not None
    parameters = {**current.parameters, "uma": list(uma)}
    return save_version(ruleset=current.ruleset, parameters=parameters, note="", by=SYSTEM)


def rescore_all(league: League, version: RulesetVersion) -> dict[str, Any]:
    """Score the whole league again under another version."""
    return rescore(league, version.pk, Actor(None, "job"), lambda _progress: None)


def import_file(league: League, data: bytes) -> dict[str, Any]:
    """Import a file with names that nobody in the league has yet."""
    batch = create_batch(league=league, file_name="games.csv", data=data, by=SYSTEM)
    decide_names(batch, {}, unknown=NEW)
    set_options(batch, leave_out_errors=False, take_asked=True)
    return run_import(batch.pk, SYSTEM, lambda _progress: None)
