from dataclasses import replace
from unittest.mock import patch

import pytest

from league.services.proofs.registry import proofs
from league.services.proofs.values import ProofTally
from tests.keeping.test_verify import verify
from tests.tournaments.factories import by_entry, make_running_tournament, play_planned
from tournaments.http.pages import kept_state
from tournaments.management.proofs import TOURNAMENTS
from tournaments.models import Decision, Tournament
from tournaments.selectors.state import state_of, tournaments_of

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def running() -> Tournament:
    return make_running_tournament()


@pytest.mark.merge
def test_corrupt_cached_state_is_found_and_repaired(running: Tournament) -> None:
    assert TOURNAMENTS in proofs
    assert verify()[0] == 0
    [tournament] = tournaments_of(running.league)
    right = state_of(tournament)
    wrong = replace(right, state=replace(right.state, stages=right.state.stages[:1]))
    # A cached result from other code.
    with patch("tournaments.http.pages.state_of", lambda each: wrong):
        assert TOURNAMENTS.repair is not None
        TOURNAMENTS.repair(tournament.league)
        kept_state(tournament)
    assert [found.column for found in TOURNAMENTS.check(running.league, ProofTally())] == ["kept state"]
    assert verify("--repair")[0] == 0
    assert kept_state(tournament).state == right.state


def test_decision_about_another_player_is_reported_but_not_repaired(running: Tournament) -> None:
    decision = Decision.objects.create(
        tournament=running, kind="order", stage="qualifying", body={"players": [987654]}, at=running.created_at
    )
    left, told = verify("--repair")
    assert left >= 1
    assert f"decision {decision.pk}: entries is [987654], who did not enter this tournament" in told
    assert Decision.objects.get(pk=decision.pk).body == {"players": [987654]}


def test_digest_changes_with_results(running: Tournament) -> None:
    def digest() -> str:
        tally = ProofTally()
        assert list(TOURNAMENTS.check(running.league, tally)) == []
        return tally.digest

    before = digest()
    assert digest() == before
    play_planned(running.sessions.order_by("pk")[1], by_entry(running))
    assert digest() != before
