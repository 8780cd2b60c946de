import json
from collections.abc import Callable
from typing import Any

import pytest

from league.interchange.problems import InterchangeError
from league.interchange.text import text_of
from league.models import League, Revision
from league.services.history import SYSTEM
from league.services.ownership import CopyFacts, copy_league
from stats.models import OwnTitle
from stats.services.titles import TITLE_FIELDS, create_title, set_withdrawn
from tests.league.factories import make_league, make_session, make_user, play
from tournaments.interchange.reading import read_file
from tournaments.interchange.storing import store_file
from tournaments.interchange.writing import write_file

pytestmark = pytest.mark.django_db

MOST = {"name": "皆勤賞", "name_en": "Iron player", "metric": "hanchan", "better": "high", "minimum": "1/3"}
LAST = {"name": "粘り賞", "metric": "bust_rate", "better": "low", "minimum": "20", "in_months": False}


@pytest.fixture
def league() -> League:
    league = make_league(players=4)
    play(make_session(league))
    create_title(league=league, values=MOST, by=SYSTEM)
    set_withdrawn(title=create_title(league=league, values=LAST, by=SYSTEM), withdrawn=True, reason="enough", by=SYSTEM)
    return league


def as_file(league: League) -> Any:
    return json.loads("".join(text_of(write_file(league))))


def titles(league: League) -> list[tuple[Any, ...]]:
    return list(OwnTitle.objects.filter(league=league).values_list("key", "withdrawn", *TITLE_FIELDS))


def test_titles_survive_export_and_import(league: League) -> None:
    document = as_file(league)
    again = store_file(read_file(json.dumps(document).encode()), by=SYSTEM, slug="again")
    assert titles(again) == titles(league)
    assert [title[:2] for title in titles(again)] == [("own-1", False), ("own-2", True)]
    assert as_file(again)["titles"] == document["titles"]
    assert Revision.objects.filter(league=again, subject="owntitle", action="created").count() == 2
    assert "titles" not in as_file(make_league("bare"))


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        pytest.param(lambda title: title.update(metric="luck"), "$.titles[0].metric", id="unknown metric"),
        pytest.param(lambda title: title.update(minimum="many"), "$.titles[0].minimum", id="no minimum"),
        pytest.param(lambda title: title.update(key="overall"), "$.titles[0].key", id="a key that is shipped"),
        pytest.param(lambda title: title.update(given=[]), "$.titles[0].given", id="given for nothing"),
        pytest.param(lambda title: title.update(key="own-2"), "$.titles[1].key", id="twice"),
    ],
)
def test_file_with_an_invalid_title_is_refused(league: League, change: Callable[[Any], None], complaint: str) -> None:
    document = as_file(league)
    change(document["titles"][0])
    with pytest.raises(InterchangeError) as refused:
        read_file(json.dumps(document).encode())
    assert str(refused.value).startswith(complaint)


def test_copied_league_has_the_active_titles(league: League) -> None:
    facts = CopyFacts(name="Copy", slug="copy", players=())
    assert titles(copy_league(league=league, facts=facts, owner=make_user("owner"), by=SYSTEM)) == titles(league)[:1]
