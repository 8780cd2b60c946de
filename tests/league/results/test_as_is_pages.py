from datetime import UTC, datetime

import pytest
from django.test import Client

from league.models import League, Revision
from league.services.history import Actor
from league.services.results import void_hanchan
from tests.league.entry_contexts import typed
from tests.league.factories import correct, make_league, make_session, make_user, play, settle

pytestmark = [pytest.mark.django_db]

SHORT = (40_000, 30_000, 20_000, 2_300)
LINE = (45_000, 9_000, -20_000, -34_000)
NOTE = "Only the total is wrong in the book"
ODD, ALONE = "accepted as entered", "points only"


@pytest.fixture
def league() -> League:
    return make_league(card="cinderella")


def text(client: Client, path: str) -> str:
    answer = client.get(path, follow=True)
    assert answer.status_code == 200, path
    return " ".join(answer.content.decode().split())


@pytest.mark.long
def test_pages_mark_wrong_totals_and_points_only_hanchan(client: Client, league: League) -> None:
    session = make_session(league)
    odd, lone = play(session, SHORT, note=NOTE, as_is=True), play(session, points=LINE)
    settle()
    client.force_login(make_user("eguchi", league=league, role="organiser"))
    player = odd.seats.order_by("seat")[0].player_id
    for hanchan, says in ((odd, ODD), (lone, ALONE)):
        for page in (f"g/{hanchan.pk}/", f"g/{hanchan.pk}/done/"):
            assert says in text(client, f"/en/l/camarade/{page}"), page
    assert NOTE in text(client, f"/en/l/camarade/g/{odd.pk}/")
    assert "Raw scores unknown" in text(client, f"/en/l/camarade/g/{lone.pk}/")
    sheet = text(client, f"/en/l/camarade/sessions/{session.pk}/")
    assert ODD in sheet
    assert ALONE in sheet
    assert NOTE in sheet
    own = text(client, f"/en/l/camarade/p/{player}/")
    assert ODD in own
    assert ALONE in own
    assert "Without raw scores" in own


def test_score_table_marks_uncounted_hanchan(client: Client) -> None:
    league = make_league(card="cinderella", unbalanced_count=False)
    session = make_session(league)
    play(session, SHORT, note=NOTE, as_is=True)
    assert "not counted" in text(client, f"/en/l/camarade/sessions/{session.pk}/")


@pytest.mark.long
def test_every_page_opens_with_points_only_hanchan(client: Client, league: League) -> None:
    session = make_session(league)
    lone, undone = play(session, points=LINE), play(session, points=(10_000, 10_000, -10_000, -10_000))
    owner = make_user("eguchi", league=league, role="owner")
    void_hanchan(hanchan=undone, by=Actor(owner, "owner"), reason="twice")
    settle()
    client.force_login(owner)
    game, evening, player = f"g/{lone.pk}", f"sessions/{session.pk}", lone.seats.order_by("seat")[0].player_id
    paths = [f"{game}/{page}" for page in ("", "done/", "confirm/", "undo/", "correct/", "void/")]
    paths += [
        f"{evening}/{page}/" for page in ("seats", "links", "print/cards", "print/seats", "print/sheets", "points")
    ]
    paths += [f"{evening}/{page}" for page in ("", "grid/", f"enter/?again={undone.pk}", "enter/state/")]
    paths += [f"manage/{page}" for page in ("", "history/", "adjustments/", "export/", "rules/")]
    paths += ["", "standings/", "standings/2025-11/", f"p/{player}/", f"g/{undone.pk}/", "players/", "live/"]
    for path in [*paths, f"live/session-{session.pk}.csv"]:
        answer = client.get(f"/en/l/camarade/{path}", follow=True)
        assert answer.status_code in {200, 405}, path
    again = client.post(f"/en/l/camarade/{game}/correct/preview/", {"player_0": player})
    assert again.status_code == 200


@pytest.mark.long
def test_raw_scores_replace_points_only_and_are_reverted(client: Client, league: League) -> None:
    session = make_session(league)
    noon = datetime(2025, 11, 21, 3, tzinfo=UTC)
    lone = play(session, points=LINE, played_at=noon)
    settle()
    client.force_login(make_user("eguchi", league=league, role="owner"))
    enter, own = f"/en/l/camarade/sessions/{session.pk}/enter/", f"/en/l/camarade/g/{lone.pk}/"
    body = typed(league, "450", "290", "200", "60")
    said = {"for_round": "1", "begun_at": noon.isoformat(), "played_at": "2025-11-21T12:00"}
    for headers in ({}, {"accept": "application/json"}):
        asked = client.post(enter, body | said, headers=headers)
        assert asked.status_code in {200, 409}
        assert client.post(f"{enter}preview/", body, headers=headers).status_code == 200
    assert client.post(f"{own}correct/preview/", body).status_code == 200
    correct(lone, note="the list has only points")
    stale = client.post(f"{own}correct/", body | {"reason": "seen", "seen_version": "1"})
    assert "the list has only points" in stale.content.decode()
    assert client.post(f"{own}correct/", body | {"reason": "seen", "seen_version": "2"}).status_code == 302
    lone.refresh_from_db()
    assert lone.has_raw_scores
    first = Revision.objects.filter(subject="hanchan", subject_id=lone.pk).earliest("pk")
    again = f"{own}again/?revision={first.pk}"
    back = text(client, again)
    for says in ("+45.0", "Known data", "Points only", "Raw scores", "placement"):
        assert says in back, says
    assert "45000" not in back
    assert client.post(again, {"reason": "it was right", "seen_version": "3"}).status_code == 302
    assert client.post(f"{own}void/", {"reason": "twice", "seen_version": "4"}).status_code == 302
    lone.refresh_from_db()
    assert (lone.has_raw_scores, lone.is_voided) == (False, True)
    assert client.post(f"{own}restore/", {"reason": "not twice"}).status_code == 302
    assert client.post(f"{own}confirm/", {"say": "dispute", "reason": "no"}).status_code < 500
