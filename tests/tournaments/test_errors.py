import pytest
from django.test import Client
from django.urls import reverse
from django.utils.translation import gettext, override

from league.models import Revision
from league.selectors.history import history_lines, register_subject, revisions_of, subject_choices
from league.selectors.history.subjects import HistorySubject, subject_of
from league.services.history import SYSTEM, Change, write_revision
from tests.conftest import ROOT
from tests.league.factories import make_user
from tests.tournaments.factories import make_tournament
from tournaments.messages.errors import tournament_error_sentence
from tournaments.services.events import TournamentError


@pytest.mark.parametrize("language", ["ja", "en"])
def test_error_sentence_names_the_button_of_the_page(language: str) -> None:
    with override(language):
        said = tournament_error_sentence(TournamentError("goes_elsewhere", name="青木", to="決勝"))
        assert gettext("Decide again") in said


pytestmark = pytest.mark.django_db


def test_history_describes_tournaments(client: Client) -> None:
    tournament = make_tournament(format_key="cinderella-system", players=8)
    league = tournament.league
    before, after = {"state": "preparing", "blocks": ["A"]}, {"state": "running", "blocks": ["A", "B"]}
    write_revision(league, tournament, Change(Revision.Action.CHANGED, before, after), SYSTEM)
    line = history_lines(league, revisions_of(league, subject="tournament"))[0]
    assert (line.what, line.link) == ("大会", "")
    changes = [(change.label, change.before, change.after) for change in line.changes]
    assert changes == [("状態", "受付中", "進行中"), ("ブロック", "A", "A・B")]
    client.force_login(make_user("owner", league=league, role="owner"))
    page = client.get(reverse("league:history", args=[league.slug]), {"subject": "tournament"}).content.decode()
    assert '<option value="tournament" selected>大会</option>' in page
    assert "受付中" in page


def test_history_subjects_are_registered_by_their_app() -> None:
    own = ["tournament", "entry", "director", "decision", "registration", "registrationterms", "stagesession"]
    assert [key for key, _titles in subject_choices() if key in own] == own
    assert subject_of("unknown") == HistorySubject("unknown", "unknown")
    register_subject(subject_of("entry"))
    assert [key for key, _titles in subject_choices()].count("entry") == 1
    for file in (ROOT / "league" / "selectors" / "history").glob("*.py"):
        assert "tournament" not in file.read_text(), file.name
