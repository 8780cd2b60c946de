"""What was answered before a session goes along in the file of a league, and comes back as it was."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from league.interchange.problems import InterchangeError
from league.interchange.reading import read_league
from league.interchange.storing import store_league
from league.interchange.writing import as_text, write_league
from league.models import Attendance, League, Revision
from league.services.history import SYSTEM
from league.services.people import merge_players
from tests.league.factories import make_league, make_players, make_session

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def document() -> dict[str, Any]:
    """A league with a session that two have answered, one under a name that is another's by now."""
    league = make_league()
    players = make_players(league, 3)
    session = make_session(league)
    session.answers_until = datetime(2025, 11, 21, 3, 0, tzinfo=UTC)
    session.save()
    merge_players(source=players[2], target=players[1], by=SYSTEM, reason="one person")
    for player, answer, word in ((players[0], "coming", ""), (players[2], "absent", "出張")):
        Attendance.objects.create(session=session, player=player, answer=answer, word=word, given="self")
    written: dict[str, Any] = json.loads(as_text(write_league(league)))
    return written


def stored(document: dict[str, Any]) -> League:
    """Return the league of a file under another address."""
    document["league"]["slug"] = "copy"
    return store_league(read_league(json.dumps(document).encode()), by=SYSTEM)


def test_answers_come_back_as_they_were(document: dict[str, Any]) -> None:
    (session,) = document["sessions"]
    assert session["answers"] == [
        {"player": "p1", "answer": "coming"},
        {"player": "p3", "answer": "absent", "word": "出張"},
    ]
    assert session["answers_until"] == "2025-11-21T12:00:00+09:00"
    league = stored(document)
    assert json.loads(as_text(write_league(league)))["sessions"] == document["sessions"]
    told = Revision.objects.filter(league=league, subject="attendance").order_by("pk")
    assert [(each.after or {})["answer"] for each in told] == ["coming", "absent"]


def test_a_league_without_answers_has_no_word_of_them() -> None:
    league = make_league()
    make_session(league)
    (session,) = json.loads(as_text(write_league(league)))["sessions"]
    assert not {"answers", "answers_until"} & session.keys()


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        pytest.param(lambda a: a[0].update(player="p9"), "answers[0].player: is not the key of any", id="unknown"),
        pytest.param(lambda a: a[1].update(player="p1"), "answers[1].player: has answered already", id="twice"),
        pytest.param(lambda a: a[0].update(arrives_at="20:00"), 'is for those whose answer is "late"', id="not late"),
        pytest.param(lambda a: a[0].update(answer="perhaps"), "answers[0].answer", id="no such answer"),
    ],
)
def test_answers_that_cannot_be_are_refused(
    document: dict[str, Any], change: Callable[[Any], None], sentence: str
) -> None:
    change(document["sessions"][0]["answers"])
    with pytest.raises(InterchangeError) as refused:
        stored(document)
    assert sentence in str(refused.value)
