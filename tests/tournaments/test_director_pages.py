import re
from datetime import date, time, timedelta
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone, translation

from league.models import Hanchan, League, Session
from league.selectors.inbox import inbox_of
from league.selectors.planning import plan_of
from league.services.results import TableAndTime
from tests.league.factories import correct, make_players, play
from tests.tournaments.factories import (
    approve_stage,
    by_entry,
    draw_and_plan,
    kinds,
    make_cinderella_league,
    make_tournament,
    play_planned,
    play_stage,
    play_table,
    to,
)
from tournaments import services
from tournaments.core.state import StageState
from tournaments.messages.errors import SENTENCES, tournament_error_sentence
from tournaments.models import Decision, Tournament
from tournaments.selectors.stage_views import stage_view
from tournaments.selectors.state import state_of
from tournaments.services.events import TournamentError
from tournaments.services.rounds import round_proposal
from tournaments.urls import urlpatterns

pytestmark = pytest.mark.django_db

TODAY = date(2026, 11, 21)


@pytest.fixture
def played(tournament: Tournament) -> Tournament:
    for each in draw_and_plan(tournament, "qualifying"):
        play_planned(each, by_entry(tournament))
    return tournament


def proposal(tournament: Tournament, stage: str, destination: str) -> list[int]:
    return [int(participant) for participant in state_of(tournament).state.stage(stage).path(destination).proposed]


def written(players: list[int]) -> str:
    return ",".join(map(str, players))


def overturn(tournament: Tournament) -> None:
    ranking = state_of(tournament).state.stage("qualifying").rankings[0]
    best = tournament.entries.get(pk=ranking.lines[0].participant).player
    hanchan = Hanchan.objects.filter(seats__player=best, seats__placement=1).order_by("played_at")[0]
    raw = [{1: -300_000, 2: 400_000}.get(seat.placement, 0) for seat in hanchan.seats.all()]
    correct(hanchan, raw, table_and_time=TableAndTime(table=hanchan.table))


@pytest.mark.long
def test_inbox_follows_the_tournament(organiser: Client, tournament: Tournament, league: League) -> None:
    assert kinds(tournament, TODAY) == ["draw"]
    first_column = organiser.get("/en" + to("inbox", tournament)).content.decode().partition('<div class="stack-l">')[0]
    assert "<h2>Stages</h2>" in first_column
    sessions = draw_and_plan(tournament, "qualifying")
    assert kinds(tournament, TODAY) == ["results"] * 4
    assert kinds(tournament, sessions[0].session.date - timedelta(days=1)) == ["coming"]
    page = organiser.get("/en" + to("inbox", tournament)).content.decode()
    assert "block A, round 1: 2 results" in organiser.get(f"/en/l/{league.slug}/t/t1/").content.decode()
    first_column, _, second = page.partition('<div class="stack-l">')
    assert reverse("league:enter_session", args=[league.slug, sessions[0].session_id]) in first_column
    assert "<h2>Stages</h2>" in second
    for each in sessions:
        play_planned(each, by_entry(tournament))
    assert "approve" in kinds(tournament, TODAY)
    assert "unconfirmed" not in kinds(tournament, TODAY)
    League.objects.update(confirmed_by=League.ConfirmedBy.ONE)
    assert "unconfirmed" in kinds(tournament, TODAY)
    hanchan = Hanchan.objects.all()[0]
    Hanchan.objects.filter(pk=hanchan.pk).update(state=Hanchan.State.DISPUTED)
    assert kinds(tournament, TODAY)[0] == "disputed"
    disputed = reverse("league:hanchan", args=[league.slug, hanchan.pk])
    assert disputed in organiser.get(to("inbox", tournament)).content.decode()
    Hanchan.objects.update(state=Hanchan.State.CONFIRMED)
    approve_stage(tournament, "qualifying")
    assert kinds(tournament, TODAY) == ["plan"]


@pytest.mark.merge
def test_bar_marks_tournaments_on_every_page_of_one(organiser: Client, tournament: Tournament, league: League) -> None:
    draw_and_plan(tournament, "qualifying")
    values = {"slug": league.slug, "key": tournament.key, "stage": "qualifying"}
    seen = set()
    for each in urlpatterns:
        route = str(each.pattern)
        names = re.findall(r"<\w+:(\w+)>", route)
        if "/t/<slug:key>/" in route and set(names) <= values.keys():
            page = organiser.get(reverse(f"tournaments:{each.name}", kwargs={name: values[name] for name in names}))
            if b'<nav class="bar"' in page.content:
                seen.add(each.name)
                bar = page.content.decode().split('<nav class="bar"')[1].split("</nav>")[0]
                assert re.findall(r'tournaments/"\s+aria-current="true"', bar), each.name
                assert bar.count("aria-current") == 1, each.name
    assert seen >= {"stage", "inbox", "entries", "plan", "remote", "withdraw"}


@pytest.mark.long
def test_all_proposals_are_approved_with_one_button(organiser: Client, played: Tournament) -> None:
    address = to("approve", played, "qualifying")
    page = organiser.get(address)
    assert page.context["all_ready"]
    assert page.content.decode().count(" checked") == 10
    sent = {"all": "1"} | {f"seen_{destination}": seen for destination, seen in page.context["seen_all"]}
    assert organiser.post(address, sent).status_code == 302
    assert state_of(played).state.stage("qualifying").state is StageState.DECIDED
    assert Decision.objects.valid().filter(kind="advance").count() == 4
    assert organiser.post(address, sent).status_code == 302
    assert Decision.objects.filter(kind="advance").count() == 4


@pytest.mark.long
def test_overriding_the_proposal_needs_a_reason(organiser: Client, played: Tournament) -> None:
    address = to("approve", played, "qualifying")
    seen = proposal(played, "qualifying", "po3")
    third = int(state_of(played).state.stage("qualifying").rankings[0].lines[2].participant)
    sent = {"to": "po3", "seen": written(seen), "players": [seen[0], third]}
    form = next(each["form"] for each in organiser.post(address, sent).context["sections"] if each["path"].to == "po3")
    assert form.errors["reason"]
    assert form.ticked == {str(seen[0]), str(third)}
    assert organiser.post(address, {**sent, "reason": "辞退のため"}).status_code == 302
    decision = Decision.objects.get(kind="advance")
    assert decision.is_override
    assert decision.proposal == seen
    assert "辞退のため" in organiser.get(address).content.decode()


@pytest.mark.long
def test_approving_an_outdated_proposal_shows_the_new_one(organiser: Client, played: Tournament) -> None:
    address = to("approve", played, "qualifying")
    seen = proposal(played, "qualifying", "final")
    overturn(played)
    fresh = proposal(played, "qualifying", "final")
    assert fresh != seen
    page = organiser.post(address, {"to": "final", "seen": written(seen), "players": seen, "reason": "メモ"})
    form = next(each["form"] for each in page.context["sections"] if each["path"].to == "final")
    assert form.non_field_errors()
    assert form["seen"].value() == written(fresh)
    assert form.ticked == set(map(str, fresh))
    assert "メモ" in page.content.decode()
    assert not Decision.objects.filter(kind="advance").exists()
    assert organiser.post(address, {"all": "1", "seen_final": written(seen)}).status_code == 200
    assert not Decision.objects.filter(kind="advance").exists()


def test_incomplete_stage_lists_missing_hanchan_and_refuses_approval(organiser: Client, tournament: Tournament) -> None:
    first, *_ = draw_and_plan(tournament, "qualifying")
    play_table(first, 1, 1, by_entry(tournament))
    page = organiser.get(to("approve", tournament, "qualifying"))
    assert not page.context["can_approve"]
    assert len(page.context["missing"]) == 16
    assert 'name="all"' not in page.content.decode()
    seen = proposal(tournament, "qualifying", "final")
    organiser.post(to("approve", tournament, "qualifying"), {"to": "final", "seen": written(seen), "players": seen})
    assert not Decision.objects.filter(kind="advance").exists()


@pytest.mark.long
def test_foreign_players_and_destinations_are_refused(organiser: Client, played: Tournament) -> None:
    other = make_tournament(make_cinderella_league("other"))
    address = to("approve", played, "qualifying")
    seen = proposal(played, "qualifying", "final")
    sent = {"to": "final", "seen": written(seen), "players": [other.entries.all()[0].pk], "reason": "x"}
    assert organiser.post(address, sent).status_code == 200
    assert organiser.post(address, {**sent, "to": "nowhere"}).status_code == 404
    for value in ("9" * 30, "\x00", "-1", "1,2;3", "x"):
        assert organiser.post(address, {**sent, "seen": value, "players": value}).status_code == 200
        assert organiser.post(address, {"all": "1", "seen_final": value}).status_code in {200, 302}
    assert not Decision.objects.filter(kind="advance", to="final").exists()


@pytest.mark.long
def test_director_orders_tied_players(organiser: Client, tournament: Tournament) -> None:
    play_stage(tournament, "qualifying")
    (stage_session,) = draw_and_plan(tournament, "po1")
    places = state_of(tournament).state.stage("po1").places
    players = [tournament.entries.get(pk=seat.participant).player for seat in places]
    for number in range(1, 5):
        play(stage_session.session, (25000, 25000, 25000, 25000), players, round=number)
    assert "level" in kinds(tournament, TODAY)
    page = organiser.get(to("approve", tournament, "po1"))
    assert to("order", tournament, "po1") in page.content.decode()
    address = to("order", tournament, "po1")
    (group,) = organiser.get(address).context["groups"]
    assert group["on_line"]
    pks = [entry.pk for entry in group["group"]]
    sent: dict[str, object] = {"group": group["key"]} | {f"place_{pk}": "1" for pk in pks}
    page = organiser.post(address, {**sent, "reason": "抽選"})
    assert page.context["groups"][0]["form"].non_field_errors()
    assert "抽選" in page.content.decode()
    sent |= {f"place_{pk}": str(number) for number, pk in enumerate(reversed(pks), start=1)}
    assert organiser.post(address, sent).context["groups"][0]["form"].errors["reason"]
    assert organiser.post(address, {**sent, "reason": "抽選"}).status_code == 302
    assert proposal(tournament, "po1", "po2") == list(reversed(pks))[:2]
    assert "level" not in kinds(tournament, TODAY)
    assert organiser.post(address, {"group": "1,2"}).status_code == 200


@pytest.mark.long
def test_flagged_decision_can_be_kept_with_a_reason(organiser: Client, tournament: Tournament) -> None:
    play_stage(tournament, "qualifying")
    overturn(tournament)
    assert kinds(tournament, TODAY)[0] == "overtaken"
    decision = Decision.objects.valid().get(kind="advance", to="final")
    public = to("tournament", tournament)
    assert "訂正により、決定の根拠が変わりました" in Client().get(public).content.decode()
    assert to("inbox", tournament) not in Client().get(public).content.decode()
    assert "訂正により" in organiser.get(to("stage", tournament, "qualifying")).content.decode()
    address = to("keep", tournament, decision.pk)
    assert address in organiser.get(to("inbox", tournament)).content.decode()
    assert organiser.post(address, {"reason": " "}).context["form"].errors["reason"]
    assert organiser.post(address, {"reason": "発表済み"}).status_code == 302
    assert "final" not in {path.to for path in state_of(tournament).state.overtaken}
    assert not organiser.get(address).context["stands"]
    assert organiser.get(to("keep", tournament, Decision.objects.get(kind="draw").pk)).status_code == 404


@pytest.mark.long
def test_flagged_decision_can_be_approved_again(organiser: Client, tournament: Tournament) -> None:
    play_stage(tournament, "qualifying")
    overturn(tournament)
    fresh = proposal(tournament, "qualifying", "final")
    address = to("approve", tournament, "qualifying")
    page = organiser.get(address)
    form = next(each["form"] for each in page.context["sections"] if each["path"].to == "final")
    assert form.ticked == set(map(str, fresh))
    alone = organiser.post("/en" + address, {"to": "final", "seen": written(fresh), "players": fresh})
    form = next(each["form"] for each in alone.context["sections"] if each["path"].to == "final")
    assert re.search(r"advances to Playoff \d by a decision", form.non_field_errors()[0])
    sent = {"all": "1"} | {f"seen_{destination}": seen for destination, seen in page.context["seen_all"]}
    assert organiser.post(address, sent).status_code == 302
    assert {int(place.participant) for place in state_of(tournament).state.stage("final").places} == set(fresh)
    assert not state_of(tournament).state.overtaken


@pytest.mark.long
def test_reopening_a_stage_lists_what_it_revokes(organiser: Client, tournament: Tournament) -> None:
    play_stage(tournament, "qualifying")
    play_stage(tournament, "po1")
    address = to("reopen", tournament, "qualifying")
    page = organiser.get(address)
    assert len(page.context["decisions"]) >= 5
    assert [place.stage for place in page.context["sessions"]] == ["po1"]
    assert organiser.post(address, {"reason": ""}).context["form"].errors["reason"]
    assert organiser.post(address, {"reason": "1節抜けていた"}).status_code == 302
    assert state_of(tournament).state.stage("qualifying").state is StageState.PLAYED
    public = Client().get(to("tournament", tournament)).content.decode()
    assert all(said in public for said in ("<s>", "1節抜けていた"))
    assert organiser.post(address, {"reason": "もう一度"}).status_code == 200


@pytest.mark.long
def test_withdrawn_player_can_be_substituted_later_or_return(organiser: Client, league: League) -> None:
    tournament = make_tournament(league)
    address, remedy = to("withdraw", tournament), "A vacant spot can go to the next-ranked player"
    first = f"/en{address}?entry={tournament.entries.all()[0].pk}&stage=qualifying"
    assert remedy not in organiser.get(first).content.decode()
    play_stage(tournament, "qualifying")
    gone = int(state_of(tournament).state.stage("qualifying").rankings[0].lines[0].participant)
    new, own = make_players(league, 1)[0], tournament.entries.exclude(pk=gone)[0].player
    page = organiser.get(f"/en{address}?entry={gone}&stage=po1").content.decode()
    assert "Moves up: " in page
    assert "has no spot in Playoff 1. This is the withdrawal from Final on." in page
    sent: dict[str, str | int] = {"entry": gone, "stage": "final", "reason": "転居"}
    assert organiser.post(address, {**sent, "substitute": own.pk}).context["form"].errors["substitute"]
    organiser.post(address, sent)
    assert organiser.get(f"{address}?entry={gone}&stage=final").context["stage"].key == "final"
    onward = organiser.get(to("approve", tournament, "qualifying")).context["sections"]
    named = {each["path"].to: (each["form"].fields["reason"].required, bool(each["next"])) for each in onward}
    assert (named["final"], named["po1"]) == ((True, True), (False, False))
    inbox = organiser.get(to("inbox", tournament)).content.decode()
    assert [f"{to('approve', tournament, each)}#to-final" in inbox for each in ("qualifying", "po3")] == [True, False]
    assert organiser.post(address, sent).status_code == 302
    assert Decision.objects.filter(kind="withdrawn").count() == 1
    assert organiser.post(address, {**sent, "reason": "急用"}).context["form"].non_field_errors()
    assert organiser.post(address, {**sent, "change": "1"}).context["form"].errors["substitute"]
    changed = organiser.post(address, {**sent, "change": "1", "reason": "急用"}, follow=True).content.decode()
    assert "辞退の内容を変更しました" in changed
    assert "が変更: 新しい決定が有効です" in Client().get(to("tournament", tournament)).content.decode()
    assert organiser.post(address, {**sent, "substitute": new.pk}).status_code == 302
    places = state_of(tournament).state.stage("final").places
    assert [tournament.entries.get(pk=place.participant).player for place in places if place.replaces == gone] == [new]
    assert organiser.post(address, {**sent, "back": "1", "reason": "復帰"}).status_code == 302
    assert gone in {place.participant for place in state_of(tournament).state.stage("final").places}


@pytest.mark.long
def test_withdrawal_before_the_draw_is_refused(organiser: Client, tournament: Tournament) -> None:
    sent = {"entry": tournament.entries.all()[0].pk, "stage": "qualifying", "reason": "x"}
    assert organiser.post(to("withdraw", tournament), sent).context["form"].non_field_errors()
    for value in ("0", "9" * 30, "-5", "x", "\x00"):
        assert organiser.post(to("withdraw", tournament), {**sent, "entry": value}).status_code == 200
        assert organiser.post(to("withdraw", tournament), {**sent, "substitute": value}).status_code == 200


@pytest.mark.long
def test_table_is_postponed_to_a_session_of_its_own(organiser: Client, tournament: Tournament) -> None:
    stage_session, *_ = draw_and_plan(tournament, "qualifying")
    address = to("postpone", tournament, stage_session.pk)
    assert organiser.get(address, {"table": "2"}).context["form"]["table"].value() == "2"
    page = organiser.post(address, {"table": "2", "to": "2026-12-25", "reason": ""})
    assert page.context["form"].errors["reason"]
    assert "2026-12-25" in page.content.decode()
    assert organiser.post(address, {"table": "9", "to": "2026-12-25", "reason": "x"}).context["form"].errors["table"]
    for number in range(1, 5):
        assert f'href="{address}?table=1"' in organiser.get(to("plan", tournament, "qualifying")).content.decode()
        play_table(stage_session, 1, number, by_entry(tournament))
    offered = organiser.get(to("plan", tournament, "qualifying")).content.decode()
    assert [f'href="{address}?table={table}"' in offered for table in (1, 2)] == [False, True]
    page = organiser.post(address, {"table": "1", "to": "2026-12-25", "reason": "大雪"})
    assert page.context["form"].non_field_errors()
    page = organiser.post(address, {"table": "2", "to": "2026-12-25", "start_time": "25:00", "reason": "大雪"})
    assert page.context["form"].errors["start_time"]
    answers = {"table": "2", "to": "2026-12-25", "start_time": "18:30", "reason": "大雪"}
    answer = organiser.post(address, answers, follow=True)
    assert "2卓は2026/12/25(金) 18:30に行います。" in answer.content.decode()
    assert "(2025/04/04(金)から延期)" in answer.content.decode()
    moved = tournament.sessions.get(session__date=date(2026, 12, 25))
    assert (moved.stage, moved.block, moved.number) == (stage_session.stage, stage_session.block, stage_session.number)
    assert (moved.session.start_time, moved.session.postponed_from) == (time(18, 30), stage_session.session)


def test_next_round_explains_why_it_cannot_be_drawn(organiser: Client, tournament: Tournament) -> None:
    page = organiser.post("/en" + to("next_round", tournament, "qualifying"), {"block": "A", "seen": "x"}, follow=True)
    assert "do not depend on the standings" in page.content.decode()
    assert organiser.post(to("next_round", tournament, "qualifying"), {"block": "Z", "seen": "x"}).status_code == 404
    assert organiser.get(to("next_round", tournament, "qualifying")).status_code == 405


def test_directing_page_and_receipt_begin_with_the_table_to_enter(organiser: Client, league: League) -> None:
    tournament = make_tournament(league, "swiss", players=12)
    (session,) = draw_and_plan(tournament, "swiss")
    hanchan = play_table(session, 1, 1, by_entry(tournament))
    page = organiser.get("/en" + to("inbox", tournament)).content.decode()
    order = (
        "Enter table 2",
        "Table 1",
        "tables for round 2 wait for 2 results",
        "no result yet",
        "Draw round 2 without these results",
        "Sessions</h2>",
    )
    places = [page.index(text) for text in order]
    assert places == sorted(places)
    cards = reverse("league:print_cards", args=[league.slug, session.session_id])
    assert f'<form method="post" action="/en{cards}">' in page
    assert "QRコードが入りません" not in organiser.post(cards, follow=True).content.decode()
    assert not re.search("What to do next|result to enter|<details[^>]* open[^>]*>.{0,200}wait for 2", page)
    assert page.count(f"{reverse('league:enter_session', args=[league.slug, session.session_id])}?table=2") == 2
    # Only the first of seven rounds is drawn; the others are expected to have as many tables.
    assert re.search(r'class="tag ">\s*1/21<span', page)
    page = organiser.get("/en" + reverse("league:receipt", args=[league.slug, hanchan.pk])).content.decode()
    said = "This table is entered. The next round is not drawn yet."
    places = [page.index(text) for text in (said, "Next: table 2", "block-table", "Swiss: standings and all hanchan")]
    assert places == sorted(places)
    assert page.count('class="block-rank"') == 4
    others = Client().get("/en" + reverse("league:session", args=[league.slug, session.session_id])).content.decode()
    assert re.search("Follow Swiss.*>See Spring tournament</a>", others, re.DOTALL)


@pytest.mark.merge
def test_second_session_of_a_day_is_folded_until_the_first_is_played(organiser: Client, league: League) -> None:
    tournament = make_tournament(league, "open-final-table")
    first, second = draw_and_plan(tournament, "open")
    Session.objects.filter(pk=second.session_id).update(date=first.session.date)
    page = organiser.get("/en" + to("inbox", tournament)).content.decode()
    assert page.index("Enter table 2") < page.index('<details class="fold card">') < page.rindex("Enter table 1")
    assert [each["session"] for each in organiser.get(to("remote", tournament)).context["places"]] == [first.session_id]
    assert kinds(tournament) == ["results"]
    page = organiser.get(reverse("league:enter_session", args=[league.slug, first.session_id])).content.decode()
    assert page.count('<span class="tag">結果はまだありません</span>') == 4
    play_planned(first, by_entry(tournament))
    assert '<details class="fold card">' not in organiser.get(to("inbox", tournament)).content.decode()


@pytest.mark.long
def test_next_round_is_drawn_from_the_shown_tables(organiser: Client, league: League) -> None:
    tournament = make_tournament(league, "swiss", players=8)
    (session,) = draw_and_plan(tournament, "swiss")
    assert not organiser.get(to("inbox", tournament)).context["rounds"]
    play_planned(session, by_entry(tournament))
    answer = organiser.get(to("inbox", tournament))
    (panel,) = answer.context["rounds"]
    assert re.search('<form class="stack".*tables-proposed.*class="actions stays"', answer.content.decode(), re.DOTALL)
    assert (panel["proposal"].rounds.number, len(panel["tables"])) == (2, 2)
    assert len(panel["repeats"]) >= 4  # eight players at two tables cannot all meet new people
    sent = {"block": "", "seen": panel["proposal"].mark}
    # Other standings may lead to the same tables occasionally, but hardly twice.
    for hanchan in Hanchan.objects.order_by("pk"):
        if round_proposal(state_of(tournament), "swiss", "").mark == panel["proposal"].mark:
            raws = [seat.raw_score or 0 for seat in hanchan.seats.order_by("seat")]
            upside_down = dict(zip(sorted(raws), sorted(raws, reverse=True), strict=True))
            correct(hanchan, [upside_down[raw] for raw in raws], table_and_time=TableAndTime(table=hanchan.table))
    page = organiser.post(to("next_round", tournament, "swiss"), sent, follow=True)
    assert "順位が変わりました" in page.content.decode()
    assert {number for number, _, _ in plan_of(session.session)} == {1}
    (panel,) = organiser.get(to("inbox", tournament)).context["rounds"]
    organiser.post(to("next_round", tournament, "swiss"), {"block": "", "seen": panel["proposal"].mark})
    tables = {frozenset(p.pk for p in players) for number, _, players in plan_of(session.session) if number == 2}
    assert tables == {frozenset(entry.player_id for entry in table) for table in panel["tables"]}
    assert not organiser.get(to("inbox", tournament)).context["rounds"]


@pytest.mark.long
def test_stage_is_approved_and_the_next_planned_in_one_step(organiser: Client, league: League) -> None:
    tournament = make_tournament(league, "elimination-4", players=16)
    planned = draw_and_plan(tournament, "round-1")
    for each in tournament.sessions.all():
        play_planned(each, by_entry(tournament))
    (panel,) = organiser.get(to("inbox", tournament)).context["steps"]
    assert panel["form"]["day"].value() == planned[-1].session.date
    address = to("step", tournament, "round-1")
    sent = {"seen": panel["step"].mark, "day": "2026-12-04", "start": "13:30"}
    html = organiser.get(to("inbox", tournament)).content.decode()
    assert html.index("tables-proposed") < html.index('class="button tall"')
    assert re.search('<form.*<dl class="moves">.*class="actions stays".*</form>', html, re.DOTALL)
    refused = organiser.post(address, {**sent, "seen": "earlier"})
    assert refused.content.decode().index('id="errors"') < refused.content.decode().index('class="card step"')
    (again,) = refused.context["steps"]
    assert again["form"].non_field_errors()
    assert again["form"]["start"].value() == "13:30"
    assert again["form"]["seen"].value() == panel["step"].mark
    assert organiser.post(address, {**sent, "day": ""}).context["steps"][0]["form"].errors["day"]
    assert organiser.post(address, sent).status_code == 302
    session = tournament.sessions.get(stage="semi-final").session
    assert (session.date, session.start_time) == (date(2026, 12, 4), time(13, 30))
    shown = [{entry.player_id for entry in table} for table in panel["follows"][0]["tables"]]
    assert [{player.pk for player in players} for _, _, players in plan_of(session)] == shown
    assert "順位が変わりました" in organiser.post(address, sent).content.decode()
    assert tournament.sessions.filter(stage="semi-final").count() == 1
    assert organiser.post(address, sent).status_code == 200  # a second press finds that it is done
    assert Decision.objects.filter(kind="advance").count() == 1
    Session.objects.update(date=league.day_of(timezone.now()))
    assert organiser.get(to("tournament", tournament)).context["coming"].session == session


@pytest.mark.long
def test_tournament_is_finished_and_reopened(organiser: Client, tournament: Tournament) -> None:
    address = to("finish", tournament)
    assert organiser.post(address).status_code == 200
    for stage in ("qualifying", "po1", "po2", "po3", "final"):
        play_stage(tournament, stage)
    Hanchan.objects.update(state=Hanchan.State.CONFIRMED)
    assert kinds(tournament, TODAY) == ["finish"]
    assert "青木" in organiser.get(address).content.decode()
    assert organiser.post(address).status_code == 302
    html = organiser.get("/en" + to("inbox", tournament)).content.decode()
    assert re.search("Champion: <b>.*See and share the final ranking</a>.*Results as text</a>", html, re.DOTALL)
    for said in ("Nothing to do.", "A player withdraws", "Registration</b>", "Add an existing session"):
        assert said not in html
    assert "<h2>Everything has been played.</h2>" in organiser.get("/en" + to("seating", tournament)).content.decode()
    tournament.refresh_from_db()
    assert tournament.state == Tournament.State.FINISHED
    assert organiser.post(address, {"reason": ""}).context["form"].errors["reason"]
    assert organiser.post(address, {"reason": "訂正"}).status_code == 302
    tournament.refresh_from_db()
    assert tournament.state == Tournament.State.RUNNING


@pytest.mark.merge
def test_last_session_leads_to_the_champion(organiser: Client, league: League) -> None:
    League.objects.update(confirmed_by=League.ConfirmedBy.ONE)
    tournament = make_tournament(league, "elimination-4", players=8)
    play_stage(tournament, "semi-final")
    (final,) = draw_and_plan(tournament, "final")
    session = final.session
    last = play_planned(final, by_entry(tournament))[-1]
    leads_on = f'href="/en{to("inbox", tournament)}">Confirm the champion</a>'
    for name, pk in (("session", session.pk), ("receipt", last.pk)):
        page = organiser.get("/en" + reverse(f"league:{name}", args=[tournament.league.slug, pk]))
        assert leads_on in page.content.decode(), name
    current = state_of(tournament)
    (block,) = stage_view(current, current.state.stage("final")).blocks
    assert [row.advances_to for row in block.rows] == ["優勝", "2位", "3位", "4位"]
    assert [each.stage for each in current.sessions_in_order()] == ["semi-final", "semi-final", "final"]
    (panel,) = organiser.get(to("inbox", tournament)).context["steps"]
    assert panel["moves"][0][1] == [(block.rows[0].entry, block.rows[0].line.points)]
    page = organiser.post("/en" + to("step", tournament, "final"), {"seen": panel["step"].mark}, follow=True)
    assert f"{block.rows[0].entry.player.romanised} is the champion of Spring tournament." in page.content.decode()
    html = organiser.get("/en" + to("tournament", tournament)).content.decode()
    assert f'class="button quiet" href="/en{to("inbox", tournament)}"' in html
    ranking = html[html.index("Final ranking</h2>") :]
    groups = re.findall('<tr class="group"><th[^>]*>([^<]*)', ranking)
    assert (groups, ranking.count('class="num main"')) == (["Final", "Semi-final"], 8)
    over = organiser.get(reverse("league:session", args=[tournament.league.slug, session.pk]))
    assert (over.context["session"].state, "data-share" in over.content.decode()) == (session.State.CLOSED, True)
    html = over.content.decode()
    assert re.search(r'<dt>\s*→ 優勝\s*</dt>.*stage/final/">決勝</a>', html, re.DOTALL)
    assert "年間累計" not in html.partition("session-ranking")[2].partition("</summary>")[0]
    # Closing the tournament settles what no one has confirmed.
    for state, said in (("running", "確認待ち"), ("finished", "確認なしで終了")):
        Tournament.objects.update(state=state)
        html = organiser.get(reverse("league:session", args=[tournament.league.slug, session.pk])).content.decode()
        shown = re.findall('<span class="tag warn">(.*?)</span>', html.partition('id="score-table"')[2])
        assert shown[0] == shown[-1] == said
        assert bool(inbox_of(league, timezone.now()).unconfirmed.count) == (state == "running")


def test_every_tournament_error_code_has_a_sentence() -> None:
    texts = [path.read_text("utf-8") for path in Path(services.__file__).parent.glob("*.py")]
    codes = {code for text in texts for code in re.findall(r'TournamentError\(\s*"(\w+)"', text)}
    assert len(codes) > 20
    assert codes <= set(SENTENCES)


@pytest.mark.parametrize("code", sorted(SENTENCES))
def test_error_sentences_are_complete_in_both_languages(code: str) -> None:
    values = dict.fromkeys(
        ("key", "name", "number", "most", "least", "seed", "block", "size", "session", "table", "to", "rules"), "4"
    )
    error = TournamentError(code, **values, names=["青木", "石田"])
    for language in ("ja", "en"):
        with translation.override(language):
            text = tournament_error_sentence(error)
        assert text
        assert "%" not in text
