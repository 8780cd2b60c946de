"""A league with one of everything, so that every kind of page is linked."""

import io
from uuid import uuid4

from django.contrib.auth.models import User
from django.utils import timezone
from PIL import Image

from league.models import HeldResult, Job, League, Membership
from league.services.calendar import adjust
from league.services.held_results import RejectionReason, Submission, store_held_result
from league.services.history import SYSTEM
from league.services.imports.people import NEW
from league.services.imports.steps import decide_names, start_import
from league.services.job_requests import start_job
from league.services.jobs import run
from league.services.links import issue_links
from league.services.people import link_user, merge_players, set_role
from league.services.photos import add_photo, clean_photo
from league.services.results import HanchanResult, TableAndTime, correct_hanchan, result_of, void_hanchan
from league.services.rules import save_version
from league.services.secret_links import renew_attendance_link
from league.services.session_points import enter_session_points
from scoring.core import FinishedGame
from tests.league.factories import make_league, make_players, make_session, play, settle, sums
from tests.league.imports.files import batch_of, file_of, game
from tests.tournaments.factories import draw_and_plan, make_tournament, play_stage
from tournaments.services.registration_terms import OfferedTerms, offer_registration

ROLES = {"aoki": "owner", "ishida": "organiser", "ueno": "scorer", "eguchi": "player"}


def make_lived_league(slug: str = "lived") -> League:
    """Return a league with one of everything, in which the demo accounts have their roles."""
    league = make_league(slug, name="よろず会", name_en="Everything League")
    for user in User.objects.filter(username__in=ROLES):
        set_role(league=league, user=user, role=Membership.Role(ROLES[user.username]), by=SYSTEM)
    _play(league)
    _bring_in(league)
    _direct(league)
    settle()
    return league


def _play(league: League) -> None:
    players = make_players(league, 6)
    session = make_session(league, league.day_of(timezone.now()))
    issue_links(session=session, by=SYSTEM)
    renew_attendance_link(session=session, by=SYSTEM)
    first = play(session, players=players[:4])
    output = io.BytesIO()
    Image.new("RGB", (300, 300), "white").save(output, "PNG")
    picture = clean_photo(output.getvalue())
    add_photo(hanchan=first, picture=picture, by=SYSTEM)
    void_hanchan(hanchan=play(session, players=players[:4]), reason="typed twice", by=SYSTEM)
    sent = Submission(uuid4(), {"raw_0": ["100"]}, timezone.now(), picture)
    refused = RejectionReason(HeldResult.Reason.SUM, "The total is 300 over.")
    store_held_result(session=session, table=1, sent=sent, refused=refused, by=SYSTEM)
    adjust(player=players[0], day=session.date, points=1000, reason="bonus", by=SYSTEM)
    enter_session_points(session=session, lines=sums({players[0]: 1000, players[1]: -1000}, 4), by=SYSTEM)
    merge_players(source=players[5], target=players[0], by=SYSTEM, reason="one person")
    link_user(player=players[3], user=User.objects.filter(username="eguchi").first(), by=SYSTEM)


def _bring_in(league: League) -> None:
    """Import one file, leave another at the column step, and change the rules."""
    done = batch_of(league, file_of(game(session="春の会")))
    decide_names(done, {}, unknown=NEW)
    start_import(done, SYSTEM)
    batch_of(league, file_of(game("2025-11-28"), game("2025-11-28", raw=(1, 2, 3, 4))), "half.csv")
    version = league.current_version
    assert version is not None
    parameters = {**version.parameters, "uma": ["20", "10", "-10", "-20"]}
    save_version(ruleset=version.ruleset, parameters=parameters, note="more uma", by=SYSTEM)
    run(start_job(league=league, kind=Job.Kind.REBUILD, by=SYSTEM).pk)
    # The latest session is still under way.
    Job.objects.create(league=league, kind=Job.Kind.IMPACT, state=Job.State.RUNNING, parameters={"version": version.pk})


def _direct(league: League) -> None:
    """Set up four tournaments: not yet drawn, open for registration, played by rounds, corrected after approval."""
    make_tournament(league, key="t-new", name="秋の大会")
    open_to_all = make_tournament(league, "swiss", players=8, key="t-open", name="オープン")
    offer_registration(tournament=open_to_all, offered=OfferedTerms(places=16, audience="anyone"), by=SYSTEM)
    rounds = make_tournament(league, "swiss", key="t-swiss", name="スイス")
    draw_and_plan(rounds, rounds.format.stages[0].key)
    corrected = make_tournament(league, key="t-corrected", name="冬の大会")
    play_stage(corrected, "qualifying")
    hanchan = league.hanchan.filter(session__in=corrected.sessions.values("session")).order_by("played_at")[0]
    stored = result_of(hanchan)
    raw = tuple(reversed(stored.game.raw))
    correct_hanchan(
        hanchan=hanchan,
        seen_version=hanchan.version,
        result=HanchanResult(stored.players, FinishedGame((0, 0, 100_000 - raw[3], raw[3]))),
        table_and_time=TableAndTime(table=hanchan.table),
        by=SYSTEM,
        reason="two names were mixed up",
    )
