from datetime import date

import pytest
from django.test import Client
from django.urls import reverse

from league.models import League, Session
from league.services.calendar import set_session_state
from league.services.history import SYSTEM
from league.services.links import code_of, issue_link
from tests.league.factories import make_session
from tests.tournaments.factories import draw_and_plan
from tournaments.models import StageSession, Tournament
from tournaments.services.planning import link_session, postpone_table, unlink_session

pytestmark = pytest.mark.django_db


def planned(tournament: Tournament) -> Session:
    return draw_and_plan(tournament, tournament.format.stages[0].key)[0].session


def fills(page: str) -> bool:
    return 'data-fills="1"' in page


@pytest.mark.long
def test_strict_session_wants_all_scores_everywhere(organiser: Client, league: League, tournament: Tournament) -> None:
    session = planned(tournament)
    link = issue_link(session=session, table=1, by=SYSTEM)
    enter = reverse("league:enter_session", args=[league.slug, session.pk])
    for page in (organiser.get(enter), Client().get(reverse("league:table", args=[code_of(link)]))):
        assert not fills(page.content.decode())
        assert "4人全員の点数を、合計が合うように入力します" in page.content.decode()
    card = organiser.get(reverse("league:print_cards", args=[league.slug, session.pk])).content.decode()
    assert "全員の素点を百点単位で" in card
    assert "残りの1人" not in card
    ordinary = make_session(league)
    assert fills(organiser.get(reverse("league:enter_session", args=[league.slug, ordinary.pk])).content.decode())


def test_linked_and_postponed_sessions_are_strict_until_unlinked(league: League, tournament: Tournament) -> None:
    session, linked = planned(tournament), make_session(league)
    stage = tournament.format.stages[0]
    place = StageSession(stage=stage.key, block=stage.block_keys[1], number=1)
    link_session(tournament=tournament, session=linked, stage_session=place, by=SYSTEM)
    assert Session.objects.get(pk=linked.pk).is_strict
    other = postpone_table(
        stage_session=StageSession.objects.get(session=session), table=1, to=date(2026, 6, 1), reason="雪", by=SYSTEM
    )
    assert other.session.is_strict
    unlink_session(stage_session=StageSession.objects.get(session=linked), reason="別の大会", by=SYSTEM)
    linked.refresh_from_db()
    assert linked.strict_entry is None


def test_strict_entry_applies_to_open_sessions_only(organiser: Client, league: League, tournament: Tournament) -> None:
    session, over = planned(tournament), make_session(league)
    stage = tournament.format.stages[0]
    place = StageSession(stage=stage.key, block=stage.block_keys[1], number=1)
    link_session(tournament=tournament, session=over, stage_session=place, by=SYSTEM)
    set_session_state(session=Session.objects.get(pk=over.pk), state=Session.State.CLOSED, by=SYSTEM)
    edit = reverse("tournaments:edit", args=[league.slug, tournament.key])
    assert organiser.get(edit).context["form"]["strict_entry"].value() is True
    sent = {"name": tournament.name, "ruleset_version": tournament.ruleset_version_id}
    organiser.post(edit, sent)
    session.refresh_from_db()
    over.refresh_from_db()
    assert (session.strict_entry, over.strict_entry) == (None, True)
    organiser.post(edit, sent | {"strict_entry": "on"})
    session.refresh_from_db()
    assert session.strict_entry is True
    assert "入力" in organiser.get(reverse("league:history", args=[league.slug])).content.decode()
