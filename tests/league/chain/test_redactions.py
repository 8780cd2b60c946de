"""Texts go from the history by one lawful way, which the chain tells from tampering."""

from collections.abc import Mapping
from typing import Any

import pytest
from django.db import DatabaseError, connection, transaction

from league.core.chain import digest_of, text_digest
from league.models import ChainLink, Confirmation, League, Redaction, Revision
from league.selectors.chain import check_chain, read_facts
from league.services.chain import chain_history
from league.services.confirming import NewStatement, say
from league.services.history import SYSTEM, Actor
from league.services.redacting import NewTexts, redact
from tests.league.chain.test_chain import behind_its_back
from tests.league.factories import make_league, make_session, make_user, play

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def league() -> League:
    """A result, what somebody said of it, and a chain that holds both."""
    league = make_league()
    hanchan = play(make_session(league), note="青木が親番で倍満")
    say(
        hanchan=hanchan,
        statement=NewStatement(Confirmation.Verdict.AGREES, 1, None),
        by=Actor(make_user("a-san"), "web"),
    )
    chain_history(league.pk)
    return league


def recorded(league: League) -> Any:
    return Revision.objects.get(league=league, subject="hanchan", action="recorded")


def without(name: str) -> NewTexts:
    """Return what puts a number in the place of a name."""

    def changed(value: object) -> Any:
        if isinstance(value, str):
            return value.replace(name, "選手 #1")
        if isinstance(value, Mapping):
            return {key: changed(each) for key, each in value.items()}
        return [changed(each) for each in value] if isinstance(value, list) else value

    return lambda _kind, _number, fact: changed(fact)


def erase(league: League, by: Actor = SYSTEM, name: str = "青木") -> int:
    revisions = list(Revision.objects.filter(league=league).values_list("pk", flat=True))
    return redact(league, {"revision": revisions}, without(name), by, "asked for")


def faults(league: League) -> list[str]:
    chain_history(league.pk)
    return [str(fault) for fault in check_chain(league)]


def test_a_text_goes_and_the_chain_holds_as_before(league: League) -> None:
    head = ChainLink.objects.latest("pk").hash
    before = recorded(league).after
    assert erase(league, Actor(make_user("owner"), "web")) > 1
    after = recorded(league).after
    assert "青木" not in str(after)
    assert after["seats"][0] == before["seats"][0] | {"name": "選手 #1"}
    assert after["seats"][1:] == before["seats"][1:]
    assert faults(league) == []
    assert ChainLink.objects.filter(hash=head).exists()
    told = {(each.kind, each.by_name, each.reason) for each in Redaction.objects.all()}
    assert told == {("revision", "owner", "asked for")}
    assert Redaction.objects.filter(closed_at=None).count() == 0


def test_what_is_left_tells_nobody_whose_name_it_was(league: League) -> None:
    """Whoever guesses the name cannot try it out: what its digest was made with is nowhere any more."""
    revision = recorded(league)
    fact, [link] = read_facts(league.pk, [("revision", revision.pk)])["revision", revision.pk], ChainLink.objects.all()
    place = link.facts.index(["revision", revision.pk])
    salt = bytes(link.salts)[place * 32 :][:32]
    assert digest_of(fact, salt) == bytes(link.digests)[place * 32 :][:32]
    erase(league)
    redaction = Redaction.objects.get(kind="revision", fact=revision.pk)
    path = "after/seats/0/name"
    assert redaction.texts[path] == text_digest("青木", path, salt)
    held = b"".join(bytes(each.salts) for each in ChainLink.objects.all())
    assert salt not in held
    for at in range(0, len(held), 32):
        assert text_digest("青木", path, held[at : at + 32]) != redaction.texts[path]


def test_erasing_twice_changes_nothing_more(league: League) -> None:
    erase(league)
    count = Redaction.objects.count()
    assert erase(league) == 0
    assert Redaction.objects.count() == count
    assert faults(league) == []


def test_another_name_goes_from_the_same_fact_later(league: League) -> None:
    erase(league)
    assert erase(league, name="石田")
    assert "石田" not in str(recorded(league).after)
    assert faults(league) == []


REFUSED = {
    "without a redaction": "UPDATE league_revision SET reason = 'x' WHERE id = {revision}",
    "a salt without a redaction": "UPDATE league_chainlink SET salts = digests",
    "a redaction that is opened again": "UPDATE league_redaction SET closed_at = NULL",
    "a redaction that says something else": "UPDATE league_redaction SET reason = 'x'",
    "a redaction that is gone": "DELETE FROM league_redaction",
}


@pytest.mark.parametrize("statement", REFUSED.values(), ids=REFUSED)
def test_nothing_else_gets_past_the_guards(league: League, statement: str) -> None:
    erase(league)
    asked = statement.format(revision=recorded(league).pk)
    with pytest.raises(DatabaseError, match="only grows"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(asked)


def test_an_open_redaction_lets_texts_of_its_own_row_through_and_nothing_else(league: League) -> None:
    revision = recorded(league)
    other = Revision.objects.filter(league=league).exclude(pk=revision.pk).earliest("pk")
    Redaction.objects.create(league=league, kind="revision", fact=revision.pk, texts={}, digest="0" * 64)
    Redaction.objects.create(league=league, kind="confirmation", fact=other.pk, texts={}, digest="0" * 64)
    for statement in (
        f"UPDATE league_revision SET reason = 'x' WHERE id = {other.pk}",
        f"UPDATE league_revision SET subject_id = 999 WHERE id = {revision.pk}",
        f"UPDATE league_revision SET by_id = 1, reason = 'x' WHERE id = {revision.pk}",
        f"DELETE FROM league_revision WHERE id = {revision.pk}",
        "UPDATE league_chainlink SET digests = salts",
        "UPDATE league_chainlink SET hash = 'x'",
    ):
        with pytest.raises(DatabaseError, match="only grows"), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(statement)
    with connection.cursor() as cursor:
        cursor.execute(f"UPDATE league_revision SET reason = 'x' WHERE id = {revision.pk}")
    assert [fault.split(",")[0] for fault in faults(league)] == [f"revision {revision.pk}"]


TAMPERED = {
    "the redacted row says something else": "UPDATE league_revision SET reason = 'x' WHERE id = {revision}",
    "its figures are others": "UPDATE league_revision SET subject_id = 9 WHERE id = {revision}",
    "another row": "UPDATE league_revision SET reason = 'x' WHERE id = {other}",
    "the redaction itself": "UPDATE league_redaction SET reason = 'x' WHERE fact = {revision}",
    "the salt": "UPDATE league_chainlink SET salts = digests",
    "the redaction is gone": "DELETE FROM league_redaction WHERE fact = {revision}",
}


@pytest.mark.parametrize("statement", TAMPERED.values(), ids=TAMPERED)
def test_an_unlawful_rewrite_is_found_beside_lawful_ones(league: League, statement: str) -> None:
    erase(league)
    assert faults(league) == []
    other = Revision.objects.filter(league=league).earliest("pk")
    with behind_its_back() as does:
        does(statement.format(revision=recorded(league).pk, other=other.pk))
    assert faults(league) != []


def test_a_lawful_redaction_afterwards_does_not_wash_a_rewrite_away(league: League) -> None:
    for _ in range(2):
        with behind_its_back() as does:
            does(f"UPDATE league_revision SET reason = '青木 x' WHERE id = {recorded(league).pk}")
        erase(league)
        assert [fault for fault in faults(league) if fault.startswith(f"revision {recorded(league).pk},")]


def test_a_forged_redaction_is_found(league: League) -> None:
    """Put in past the guards, with digests that fit: it is in the table, and neither chained nor waiting to be."""
    erase(league)
    revision = Revision.objects.filter(league=league).earliest("pk")
    with behind_its_back() as does:
        does(
            "INSERT INTO league_redaction (league_id, kind, fact, at, by_name, reason, texts, digest)"
            f" VALUES ({league.pk}, 'revision', {revision.pk}, '2025-11-21 00:00:00', '', '', '{{}}', '')"
        )
    assert any("redaction" in fault for fault in faults(league))
