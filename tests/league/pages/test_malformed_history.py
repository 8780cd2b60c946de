from collections.abc import Callable
from functools import reduce
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from hypothesis import given, settings
from hypothesis import strategies as st

from accounts.selectors.notices import sources
from league.models import Hanchan, League, Revision
from league.selectors.confirming import people_seen
from league.selectors.history.changes import changes_of
from league.selectors.history.subjects import HistorySubject, subjects
from league.services.history import SYSTEM, Actor
from league.services.people import PeopleError, merge_players, separate_players
from league.services.proofs.facts import changed_facts
from tests.budget import budget
from tests.league.factories import RAW, correct, logged_in, make_players, make_session, make_user, play, run
from tests.tournaments.factories import make_tournament

KEYS = (
    "players", "sessions", "seats", "incidents", "plan", "name", "user", "tiebreak", "points", "raw", "chips", "date",
    "played_at", "created_at", "role", "state", "into", "reason", "start_time", "uma", "taken_off", "blocks", "session",
)  # fmt: skip
plain = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5)
    | st.sampled_from(["0001-01-01T00:00:00+00:00", "9999-12-31T23:59:59-12:00", "2026-02-30", "25:00", "owner", "1/²"])
)  # fmt: skip
names = st.sampled_from(KEYS) | st.text(max_size=3)
values = st.recursive(plain, lambda inner: st.lists(inner, max_size=5) | st.dictionaries(names, inner, max_size=5))
states = st.dictionaries(names, values, max_size=6) | values
seats = st.lists(st.dictionaries(st.sampled_from(["name", "player", "raw", "chips", "points"]), values), max_size=6)
with_seats = st.builds(
    lambda state, seats: {**state, "seats": seats}, st.dictionaries(names, values, max_size=2), seats
)


@pytest.mark.long
@settings(max_examples=budget(1500, least=150), deadline=None)
@given(
    st.sampled_from([*subjects.values(), HistorySubject("bygone", "bygone")]),
    st.sampled_from([*Revision.Action.values, "bygone"]),
    states | with_seats,
    states | with_seats,
)
def test_changes_of_any_revision_are_listed(subject: HistorySubject, action: str, before: Any, after: Any) -> None:
    revision = Revision(subject=subject.key, subject_id=1, action=action, before=before, after=after)
    for change in changes_of(revision, subject):
        assert f"{change.label}{change.before}{change.after}" is not None
        assert len(change.before) < 20_000
        assert len(change.after) < 20_000


DEEP = reduce(lambda value, _: [value], range(400), list[Any]())
ODD: tuple[Any, ...] = (
    {"players": 4, "sessions": 1, "no_such_field": "kept"},
    {"hanchan": [1, 2], "memberships": {"a": None}, "current_version": "x", "pk": 3, "tiebreak": [["points"], 7, None]},
    {"date": 20251121, "start_time": ["25:00", None], "created_at": "0001-01-01T00:00:00+00:00", "name": {"ja": "名"}},
    {"seats": 4, "plan": {"1/1": "南", "x": [[1]], "9" * 5000: 3}, "name": ["a"], "user": ["b"], "into": {}},
    {"seats": [{"name": 3, "raw": "many"}] * 7, "incidents": "none", "played_at": "yesterday"},
    {"taken_off": "nobody", "seats": [{"player": [1]}]},
    {"taken_off": 2**70, "seed": [1], "place": [2], "state": {}},
    {"note": "長" * 200_000, "deep": DEEP, "huge": 10**400, "reason": {"why": 1}},
    [1, 2, 3],
    "text",
    0,
    None,
)


def make_revision(
    league: League, subject: str, number: int, before: Any, after: Any, action: str = "changed"
) -> Revision:
    return Revision.objects.create(
        league=league, subject=subject, subject_id=number, action=action, by_id=987654, by_name="gone",
        source="somewhere", before=before, after=after,
    )  # fmt: skip


@pytest.fixture
def client(league: League) -> Client:
    return logged_in(league, "owner", "owner")


def page(client: Client, name: str, league: League, *args: object) -> str:
    response = client.get(reverse(f"league:{name}", args=[league.slug, *args]), follow=True)
    assert response.status_code == 200, (name, response.status_code)
    return response.content.decode()


@pytest.mark.django_db
@pytest.mark.both_databases
@pytest.mark.merge
def test_history_page_shows_malformed_revisions(client: Client, league: League) -> None:
    keys = [subject.key for subject in subjects.values()]
    for number, key in enumerate((*keys, "bygone")):
        before, after = ODD[number % len(ODD)], ODD[(number * 3 + 1) % len(ODD)]
        make_revision(league, key, -1 if number % 2 else 2**62, before, after, "merged" if number % 3 else "changed")
    for after in ODD:
        make_revision(league, "league", league.pk, None, after, "created")
        make_revision(league, "hanchan", 5, after, ODD[4])
    assert "no_such_field" in page(client, "history", league)
    assert page(client, "manage", league)
    assert client.get(reverse("league:history", args=[league.slug]), {"page": 2}).status_code == 200


@pytest.mark.django_db
def test_history_names_deleted_objects_without_links(client: Client, league: League) -> None:
    for subject in ("session", "player", "hanchan"):
        make_revision(league, subject, 2**60, None, {"name": "bygone thing"}, "created")
    told = page(client, "history", league)
    assert told.count("bygone thing") >= 3
    assert str(2**60) not in told


SPOILED: dict[str, Callable[[dict[str, Any]], Any]] = {
    "nothing in it": lambda _state: {},
    "a list": lambda _state: [1],
    "a moment that is none": lambda state: dict(state, played_at="yesterday"),
    "the end of time": lambda state: dict(state, played_at="9999-12-31T23:00:00-10:00"),
    "seats that are none": lambda state: dict(state, seats=4),
    "a seat without player": lambda state: dict(state, seats=[{"raw": 1}]),
    "an endless number": lambda state: dict(state, ruleset_version=10**30),
    "an incident nowhere": lambda state: dict(state, incidents=[{"seat": 9, "kind": "bust"}]),
    "a bust by magic": lambda state: dict(state, incidents=[{"seat": 0, "kind": "bust", "detail": {"by": [1]}}]),
    "older than notes": lambda state: {key: each for key, each in state.items() if key not in {"note", "incidents"}},
}


@pytest.mark.django_db
@pytest.mark.merge
@pytest.mark.parametrize("kind", SPOILED)
def test_pages_of_a_hanchan_with_malformed_history_open(client: Client, league: League, kind: str) -> None:
    hanchan = play(make_session(league))
    correct(hanchan, (30000, 31300, 25500, 13200), by=Actor(make_user("ueno"), "web"))
    first = league.revisions.get(subject="hanchan", action="recorded")
    assert first.after is not None
    odd = SPOILED[kind](first.after)
    # History cannot be changed, so add the odd entry.
    sides = ((odd, first.after), (first.after, odd))
    rows = [make_revision(league, "hanchan", hanchan.pk, before, after, "corrected") for before, after in sides]
    Hanchan.objects.filter(pk=hanchan.pk).update(version=4)
    hanchan.refresh_from_db()
    assert page(client, "hanchan", league, hanchan.pk)
    for revision in rows:
        again = reverse("league:hanchan_again", args=[league.slug, hanchan.pk])
        assert client.get(again, {"revision": revision.pk}).status_code in {200, 302}
    typed: dict[str, object] = {f"player_{seat.seat}": seat.player_id for seat in hanchan.seats.all()}
    typed |= {f"raw_{seat}": raw for seat, raw in enumerate(RAW)}
    typed |= {"table": 1, "round": 1, "sticks_left": 0, "reason": "misread"}
    for seen in (1, 2, 3):
        answer = client.post(reverse("league:correct", args=[league.slug, hanchan.pk]), {**typed, "seen_version": seen})
        assert answer.status_code in {200, 409}
    assert people_seen(hanchan) == {seat.player_id for seat in hanchan.seats.all()}
    assert isinstance(changed_facts(league, [hanchan.pk]), set)


@pytest.mark.django_db
@pytest.mark.merge
def test_notices_skip_malformed_revisions() -> None:
    league = make_tournament(players=8, format_key="cinderella-system").league
    hanchan = play(make_session(league))
    numbers = [hanchan.pk, league.tournaments.get().pk]
    for odd in ODD:
        for source in sources.values():
            for number in numbers:
                assert (
                    source.is_touched(make_revision(league, source.subject, number, odd, odd, "corrected")) is not None
                )
            list(source.present(league, numbers, hanchan.played_at))


@pytest.mark.django_db
def test_merge_with_malformed_history_is_exported_but_not_undone(client: Client, league: League) -> None:
    source, target = make_players(league, 2)
    merge_players(source=source, target=target, by=SYSTEM, reason="one person")
    for odd in (*ODD, {"seats": 4}):
        make_revision(league, "player", source.pk, odd, odd, "merged")
    assert page(client, "history", league)
    assert page(client, "player_edit", league, target.pk)
    assert run("export_league", league.slug)
    with pytest.raises(PeopleError, match="not_merged"):
        separate_players(source=source, by=SYSTEM, reason="two people")
