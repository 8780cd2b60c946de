"""Whatever is done to the history behind the site's back is found by its chain, and named."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.core.management.base import CommandError
from django.db import connection
from django.test.utils import CaptureQueriesContext

from league.core.chain import shortened
from league.models import ChainLink, Confirmation, League, Revision, UnchainedFact
from league.models.growing import FactKind, OnlyGrows, fact_kinds, growing
from league.selectors import chain as chain_as_read
from league.selectors.chain import check_chain, head_of, heads_by_day, link_with
from league.services import chain
from league.services.chain import chain_history, sweep_chains
from league.services.confirming import NewStatement, say
from league.services.history import SYSTEM
from league.services.people import merge_players, separate_players
from league.services.proofs.history import HISTORY
from league.services.proofs.values import ProofTally
from league.services.results import void_hanchan
from tests.league.factories import make_league, make_players, make_session, play, run
from tests.league.managing.test_rescoring import peak
from tests.tournaments.factories import draw_and_plan, make_tournament
from tournaments.models import Decision
from tournaments.services.events import revoke_decision

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def league() -> League:
    """Return a league with some of everything that is chained, in several links."""
    tournament = make_tournament()
    league = tournament.league
    chain_history(league.pk)
    draw_and_plan(tournament, "qualifying")
    revoke_decision(Decision.objects.earliest("pk"), SYSTEM, "drawn anew")
    chain_history(league.pk)
    hanchan = play(make_session(league))
    say(hanchan=hanchan, statement=NewStatement(Confirmation.Verdict.AGREES, 1, None), by=SYSTEM)
    chain_history(league.pk)
    void_hanchan(hanchan=play(make_session(league)), by=SYSTEM, reason="x")
    chain_history(league.pk)
    return league


@contextmanager
def behind_its_back() -> Iterator[Callable[[str], None]]:
    """Give the way of somebody who owns the database and takes its guards away."""
    is_postgresql = connection.vendor == "postgresql"
    watched: list[OnlyGrows | FactKind] = [*growing, *fact_kinds]
    with connection.cursor() as cursor:
        if is_postgresql:
            cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        for guard in watched:
            for statement in guard.removal(guard.table, postgresql=is_postgresql):
                cursor.execute(statement)
        yield lambda statement: cursor.execute(statement) and None
        for guard in watched:
            for statement in guard.statements(guard.table, "public" if is_postgresql else ""):
                cursor.execute(statement)


def faults(league: League, head: str = "") -> list[str]:
    return [str(fault) for fault in check_chain(league, head)]


def newest(kind: str) -> int:
    """Return the number of the newest fact of a kind that is chained; 0 where none is."""
    links = ChainLink.objects.order_by("-number").values_list("facts", flat=True)
    return next((int(fact) for facts in links for name, fact in facts if name == kind), 0)


def test_a_history_is_chained_whole_and_holds(league: League) -> None:
    links = list(league.chain.all())
    assert [link.number for link in links] == [1, 2, 3, 4]
    assert [link.previous for link in links[1:]] == [link.hash for link in links[:-1]]
    chained = {(kind, fact) for link in links for kind, fact in link.facts}
    assert {kind for kind, _ in chained} == {"revision", "confirmation", "decision", "revocation"}
    assert len([kind for kind, _ in chained if kind == "revision"]) == Revision.objects.count()
    assert not UnchainedFact.objects.exists()
    assert faults(league) == []


TAMPERED = {
    "a revision that says something else": ("UPDATE league_revision SET reason = 'y' WHERE id = {revision}", "changed"),
    "a revision with other facts": ("UPDATE league_revision SET after = '{{}}' WHERE id = {revision}", "changed"),
    "a revision of another moment": (
        "UPDATE league_revision SET at = '2001-01-01 00:00:00' WHERE id = {revision}",
        "changed",
    ),
    "a confirmation that became a dispute": (
        "UPDATE league_confirmation SET verdict = 'disputes' WHERE id = {confirmation}",
        "changed",
    ),
    "a decision for somebody else": ("UPDATE tournaments_decision SET body = '{{}}' WHERE id = {decision}", "changed"),
    "another reason why it was revoked": (
        "UPDATE tournaments_decision SET revoked_reason = '' WHERE id = {revocation}",
        "changed",
    ),
    "a decision that is not revoked any more": (
        "UPDATE tournaments_decision SET revoked_at = NULL WHERE id = {revocation}",
        "deleted",
    ),
    "a revision that is gone": ("DELETE FROM league_revision WHERE id = {revision}", "deleted"),
    "a confirmation that is gone": ("DELETE FROM league_confirmation WHERE id = {confirmation}", "deleted"),
    "a revision that nobody wrote": (
        "INSERT INTO league_revision (league_id, subject, subject_id, action, at, by_name, source, reason)"
        " SELECT league_id, subject, subject_id, action, at, by_name, source, reason FROM league_revision"
        " WHERE id = {revision}",
        "inserted",
    ),
    "links without the facts of one": (
        "UPDATE league_chainlink SET facts = '[]' WHERE number = 2",
        "rewritten",
    ),
    "a link of another day": ("UPDATE league_chainlink SET at = '2001-01-01 00:00:00' WHERE number = 2", "rewritten"),
    "a link that is gone": ("DELETE FROM league_chainlink WHERE number = 2", "number"),
    "the last link that is gone": ("DELETE FROM league_chainlink WHERE number = 4", "inserted"),
    "links in another order": (
        "UPDATE league_chainlink SET number = CASE number WHEN 2 THEN 13 WHEN 3 THEN 12 END WHERE number IN (2, 3)",
        "number",
    ),
    "salts that were thrown away": ("UPDATE league_chainlink SET salts = digests WHERE number = 3", "changed"),
}


@pytest.mark.parametrize(("statement", "code"), TAMPERED.values(), ids=TAMPERED)
def test_what_was_done_behind_its_back_is_found(league: League, statement: str, code: str) -> None:
    kinds = {kind.name: newest(kind.name) for kind in fact_kinds}
    with behind_its_back() as does:
        does(statement.format(**kinds))
    found = list(check_chain(league))
    assert code in {fault.code for fault in found}
    assert len(list(HISTORY.check(league, ProofTally()))) == len(found)
    named = next((name for name in kinds if f"{{{name}}}" in statement), None)
    if named and code != "inserted":
        fact = kinds[named]
        assert [fault.fact for fault in found] == [(named, fact)] or ("revocation", fact) in {
            each.fact for each in found
        }


def test_a_tail_that_was_cut_off_is_found_by_whoever_noted_the_head(league: League) -> None:
    noted = head_of(league)
    assert noted is not None
    last = link_with(league, noted.hash)
    assert last is not None
    gone = [fact for kind, fact in ChainLink.objects.get(pk=last.pk).facts if kind == "revision"]
    with behind_its_back() as does:
        does(f"DELETE FROM league_revision WHERE id IN ({', '.join(map(str, gone))})")
        does(f"DELETE FROM league_chainlink WHERE id = {last.pk}")
    assert faults(league) == []
    assert [fault.code for fault in check_chain(league, shortened(noted.hash))] == ["head"]


def test_a_chain_made_anew_is_found_by_whoever_noted_a_head(league: League) -> None:
    noted = league.chain.get(number=2).hash
    assert [fault.code for fault in check_chain(league, shortened(noted))] == []
    with behind_its_back() as does:
        does("DELETE FROM league_chainlink")
        does(f"UPDATE league_revision SET reason = 'y' WHERE id = {Revision.objects.earliest('pk').pk}")
        for kind in fact_kinds:
            for statement in kind.anew(postgresql=connection.vendor == "postgresql"):
                does(statement)
    chain_history(league.pk)
    assert faults(league) == []
    assert [fault.code for fault in check_chain(league, shortened(noted))] == ["head"]


def test_a_fact_that_was_gone_before_it_was_chained_is_told(league: League) -> None:
    play(make_session(league))
    with behind_its_back() as does:
        does(f"DELETE FROM league_revision WHERE id = {Revision.objects.latest('pk').pk}")
    chain_history(league.pk)
    assert {fault.code for fault in check_chain(league)} == {"gone"}


def test_what_was_stored_without_guards_is_chained_when_they_are_made(league: League) -> None:
    before = UnchainedFact.objects.count()
    chained = sum(len(link.facts) for link in league.chain.all())
    with behind_its_back() as does:
        does("DELETE FROM league_chainlink")
        play(make_session(league))
        assert UnchainedFact.objects.count() == before
        for kind in fact_kinds:
            for _ in range(2):
                for statement in kind.anew(postgresql=connection.vendor == "postgresql"):
                    does(statement)
    assert UnchainedFact.objects.count() > chained
    chain_history(league.pk)
    assert faults(league) == []
    assert not UnchainedFact.objects.exists()


def test_another_league_has_a_chain_of_its_own(league: League) -> None:
    other = make_league("other")
    play(make_session(other))
    head = head_of(league)
    chain_history(other.pk)
    assert head_of(league) == head
    assert faults(other) == []
    with behind_its_back() as does:
        does(f"UPDATE league_revision SET league_id = {league.pk} WHERE id = {Revision.objects.latest('pk').pk}")
    assert {fault.code for fault in check_chain(other)} == {"deleted"}
    assert {fault.code for fault in check_chain(league)} == {"inserted"}


def test_thousands_of_facts_are_chained_in_few_links_with_few_questions(
    league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [("revision", league.pk, number) for number in Revision.objects.values_list("pk", flat=True)]
    UnchainedFact.objects.bulk_create(
        UnchainedFact(league_id=league.pk, kind=kind, fact=fact) for _ in range(60) for kind, _, fact in names
    )
    waiting = UnchainedFact.objects.count()
    assert waiting > 2 * chain.TOGETHER
    with CaptureQueriesContext(connection) as queries:
        chain_history(league.pk)
    links = league.chain.count() - 4
    assert links == -(-waiting // chain.TOGETHER)
    assert sum("SAVEPOINT" not in query["sql"] for query in queries) <= 6 * links + 2
    assert faults(league) == []


def test_a_sweep_chains_what_waits(league: League) -> None:
    assert league.pk
    play(make_session(league))
    assert UnchainedFact.objects.exists()
    with CaptureQueriesContext(connection) as queries:
        sweep_chains()
    assert len(queries) == 1
    chain.chain_some(league.pk)
    assert not UnchainedFact.objects.exists()


def test_names_that_were_merged_and_separated_change_no_history(league: League) -> None:
    players = make_players(league, 5)
    session = make_session(league)
    play(session, players=players[:4])
    merge_players(source=players[0], target=players[4], by=SYSTEM, reason="the same person")
    play(session, players=(players[4], *players[1:4]))
    separate_players(source=players[0], by=SYSTEM, reason="not the same person")
    chain_history(league.pk)
    assert faults(league) == []


def test_much_that_waits_lets_other_work_go_in_between(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, number in (("TOGETHER", 3), ("TURN", 0)):
        monkeypatch.setattr(chain, name, number)
    sent: list[tuple[object, ...]] = []
    monkeypatch.setattr("league.background.send", lambda *message: sent.append(message))
    make_players(league, 5)
    chain.chain_some(league.pk)
    assert (league.chain.count(), UnchainedFact.objects.count()) == (5, 2)
    assert sent == [(chain.CHAIN_TASK, league.pk)]
    chain.chain_some(league.pk)
    assert len(sent) == 1
    assert faults(league) == []


def test_what_was_noted_earlier_and_committed_later_is_chained_too(
    league: League, monkeypatch: pytest.MonkeyPatch
) -> None:
    chain_history(league.pk)
    monkeypatch.setattr(chain, "TOGETHER", 2)
    make_players(league, 4)
    first, store = UnchainedFact.objects.earliest("pk"), chain._store

    def meanwhile(*given: Any) -> None:
        store(*given)
        monkeypatch.setattr(chain, "_store", store)
        UnchainedFact.objects.create(pk=first.pk - 1, league=league, kind=first.kind, fact=first.fact)

    monkeypatch.setattr(chain, "_store", meanwhile)
    chain_history(league.pk)
    assert not UnchainedFact.objects.exists()


@pytest.mark.long
def test_the_memory_of_a_check_does_not_grow_with_the_history(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(chain, "TOGETHER", 50)
    monkeypatch.setattr(chain_as_read, "LINKS_TOGETHER", 2)
    monkeypatch.setattr(chain_as_read, "ROWS_TOGETHER", 100)
    peaks = []
    for number, size in enumerate((400, 400, 1600)):
        league = make_league(f"league-{number}")
        Revision.objects.bulk_create(
            Revision(league=league, subject="league", subject_id=league.pk, action=Revision.Action.CHANGED)
            for _ in range(size)
        )
        chain_history(league.pk)
        peaks.append(peak(lambda: faults(league)))  # noqa: B023
    assert peaks[2] < 1.3 * peaks[1], peaks


# --- The command -------------------------------------------------------------------------------------------------------


def test_the_command_tells_of_all_leagues(league: League) -> None:
    said = run("check_chain")
    assert said == f"cinderella: 4 links, head {shortened(league.chain.get(number=4).hash)}, no faults.\n"
    noted = league.chain.get(number=2)
    said = run("check_chain", "cinderella", "--head", shortened(noted.hash).upper())
    assert f"the noted head is link 2 of {noted.at:%Y-%m-%d %H:%M} UTC." in said


def test_the_command_ends_with_an_error_where_something_is_wrong(league: League) -> None:
    with behind_its_back() as does:
        does(f"UPDATE league_revision SET reason = 'y' WHERE id = {newest('revision')}")
    with pytest.raises(SystemExit) as ended:
        run("check_chain", league.slug, "--head", "0123456789ab")
    assert ended.value.code == 1


@pytest.mark.parametrize("noted", ["\udcff", "0123", "ist es nicht", "é" * 12])
def test_the_command_says_what_is_no_head(league: League, noted: str) -> None:
    with pytest.raises(CommandError, match="A head has at least 12 characters"):
        run("check_chain", league.slug, "--head", noted)


def test_the_command_takes_a_head_as_it_was_noted(league: League) -> None:
    noted = shortened(league.chain.get(number=2).hash)
    assert "the noted head is link 2 of" in run(
        "check_chain", league.slug, "--head", f" {noted[:6]} {noted[6:]}… ".upper()
    )


def test_days_have_the_head_that_stood_last(league: League) -> None:
    newest_link = head_of(league)
    assert newest_link is not None
    assert heads_by_day(league, 5) == [newest_link]
