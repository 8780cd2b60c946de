"""A league that comes in a file, or hundreds of results that do, are chained like those that were entered."""

from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from league.models import Hanchan, League, UnchainedFact
from league.selectors.chain import check_chain, head_of
from league.services.bulk import store_unmarked
from league.services.chain import TOGETHER, chain_history
from league.services.history import SYSTEM
from tests.league.factories import make_league, make_players, make_session, run
from tests.league.imports.test_bulk import prepared_in
from tests.tournaments.factories import by_entry, draw_and_plan, make_tournament, play_planned
from tournaments.models import Decision
from tournaments.services.events import revoke_decision

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def test_a_league_that_comes_in_a_file_begins_a_chain_of_its_own(tmp_path: Path) -> None:
    tournament = make_tournament()
    sessions = draw_and_plan(tournament, "qualifying")
    play_planned(sessions[0], by_entry(tournament))
    revoke_decision(Decision.objects.earliest("pk"), SYSTEM, "drawn anew")
    chain_history(tournament.league.pk)
    file = tmp_path / "league.json"
    file.write_text(run("export_league", "cinderella"), "utf-8")
    run("import_league", str(file), slug="copy")
    copy = League.objects.get(slug="copy")
    chain_history(copy.pk)
    head = head_of(copy)
    assert head is not None
    assert {kind for kind, _ in head.facts} == {"revision", "decision", "revocation"}
    assert head.number == 1
    for league in (tournament.league, copy):
        assert list(check_chain(league)) == []


@pytest.mark.long
def test_hundreds_of_results_are_noted_with_no_statement_more() -> None:
    league = make_league()
    make_players(league)
    session = make_session(league)
    chain_history(league.pk)
    prepared = [each for table in range(1, 210) for each in prepared_in(session, table=table)]
    assert len(prepared) > TOGETHER
    with CaptureQueriesContext(connection) as queries:
        store_unmarked(league, prepared, SYSTEM)
    assert not any("unchained" in query["sql"] for query in queries)
    assert UnchainedFact.objects.count() == Hanchan.objects.count() == len(prepared)
    before = league.chain.count()
    assert chain_history(league.pk) == len(prepared)
    assert league.chain.count() == before + -(-len(prepared) // TOGETHER)
    assert list(check_chain(league)) == []
