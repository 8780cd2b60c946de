import json
import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from league.interchange.problems import InterchangeError
from league.models import League, PlannedSeat, Player, RulesetVersion, Session
from league.selectors.sessions import session_summaries
from league.services.history import SYSTEM, Actor
from league.services.rules import adopt_card
from stats.selectors.stories import evening_words
from tests.league.factories import as_text, make_players, planned_players, play
from tests.tournaments.factories import (
    by_entry,
    director,
    draw_and_plan,
    kinds,
    make_tournament,
    play_stage,
    play_table,
    to,
)
from tournaments.core.facts import Remedy
from tournaments.core.state import StageState
from tournaments.interchange.reading import read_file
from tournaments.interchange.storing import store_file
from tournaments.interchange.writing import write_file
from tournaments.models import Decision, Entry, StageSession, Tournament
from tournaments.selectors.decisions import unplayed_tables
from tournaments.selectors.state import state_of
from tournaments.services.decisions import withdraw
from tournaments.services.events import TournamentError
from tournaments.services.planning import postpone_table
from tournaments.services.short_tables import Settlement

pytestmark = pytest.mark.django_db

STAGE = "qualifying"


@pytest.fixture
def tournament(league: League) -> Tournament:
    """A qualifying of sixteen with four hanchan in each of two sessions; one table has played two."""
    tournament = make_tournament(league)
    first, *_ = draw_and_plan(tournament, STAGE)
    for number in (1, 2):
        play_table(first, 1, number, by_entry(tournament))
    return tournament


@pytest.fixture
def three(tournament: Tournament) -> RulesetVersion:
    return adopt_card(league=tournament.league, card_key="tenhou-3p", name="三麻", by=SYSTEM)


@pytest.fixture
def spare(tournament: Tournament) -> Player:
    return make_players(tournament.league, 1)[0]


def leaver_of(tournament: Tournament) -> Entry:
    session = tournament.sessions.order_by("pk")[0].session
    return tournament.entries.select_related("player").get(player=planned_players(session, 1, 1)[0])


def leave(organiser: Client, tournament: Tournament, **answers: object) -> Any:
    sent = {"entry": leaver_of(tournament).pk, "stage": STAGE, "reason": "急用"} | answers
    return organiser.post(to("withdraw", tournament), sent)


def play_the_rest(tournament: Tournament, stage: str = STAGE) -> None:
    """Play every planned hanchan without a result, at tables of four or three."""
    strength = dict.fromkeys(Player.objects.values_list("pk", flat=True), 30) | by_entry(tournament)
    for each in unplayed_tables(state_of(tournament), stage):
        if len(each.players) == 4:
            play_table(each.stage_session, each.table, each.round, strength)
        else:
            best = sorted(each.players, key=lambda player: strength[player.pk])
            raw = [(50000, 35000, 20000)[best.index(player)] for player in each.players]
            play(each.stage_session.session, raw, each.players, table=each.table, round=each.round)


def approve_by_page(organiser: Client, tournament: Tournament) -> None:
    address = to("approve", tournament, STAGE)
    page = organiser.get(address)
    sent = {"all": "1"} | {f"seen_{destination}": seen for destination, seen in page.context["seen_all"]}
    assert organiser.post(address, sent).status_code == 302


def newcomer(tournament: Tournament) -> Entry:
    settled = Decision.objects.valid().get(kind="withdrawn").body["short"][str(leaver_of(tournament).pk)]
    return tournament.entries.select_related("player").get(pk=settled["player"])


def planned_for(player: Player) -> int:
    return PlannedSeat.objects.filter(player=player, session__stage__stage=STAGE).count()


def test_withdrawal_page_offers_the_available_remedies(organiser: Client, tournament: Tournament) -> None:
    make_players(tournament.league, 1)
    gone = leaver_of(tournament)
    address = f"{to('withdraw', tournament)}?entry={gone.pk}&stage={STAGE}"
    page = organiser.get(address).content.decode()
    assert re.findall(r'name="remedy" value="([a-z]*)"', page) == ["", "substitute", "house", "nobody"]
    assert all(said in page for said in ("三人打ちのルールがリーグにありません", "選手17"))
    adopt_card(league=tournament.league, card_key="tenhou-3p", name="三麻", by=SYSTEM)
    page = organiser.get(address).content.decode()
    assert re.findall(r'name="remedy" value="([a-z]*)"', page) == ["", "substitute", "house", "three", "nobody"]
    assert "あと6半荘" in page
    page = organiser.get(f"/en{address}").content.decode()
    for told in ("starts at 0 points", "in Qualifying · Block A now.", "until this stage ends"):
        assert told in page, told
    first = state_of(tournament).state.stage(STAGE).rankings[0].lines[0].participant
    assert "moves up to Final" in organiser.get(f"/en{to('withdraw', tournament)}?entry={first}").content.decode()
    assert "From this stage on" not in page
    leave(organiser, tournament)
    page = organiser.get(address).content.decode()
    assert 'name="reason" value="急用"' in page
    assert gone.pk not in dict(organiser.get(to("withdraw", tournament)).context["player_form"].fields["entry"].choices)


REMEDIES = pytest.mark.parametrize("remedy", ["substitute", "house", "three", "nobody"])

AT_THE_TABLE = ("stage", (STAGE,)), ("certificate", (STAGE,)), ("tournament", ()), ("seating", ()), ("results", ())


@pytest.mark.long
@REMEDIES
def test_short_table_waits_in_the_inbox_and_is_played_out(
    organiser: Client, tournament: Tournament, three: RulesetVersion, spare: Player, remedy: str
) -> None:
    gone = leaver_of(tournament)
    assert leave(organiser, tournament).status_code == 302
    assert "short_table" in kinds(tournament)
    page = organiser.get(to("inbox", tournament)).content.decode()
    assert f'href="{to("withdraw", tournament)}?entry={gone.pk}&amp;stage={STAGE}"' in page
    answers = {"remedy": remedy, "substitute": spare.pk, "version": three.pk}
    assert leave(organiser, tournament, **answers).status_code == 302
    assert leave(organiser, tournament, **answers).status_code == 302
    assert Decision.objects.valid().filter(kind="withdrawn").count() == 1
    assert "short_table" not in kinds(tournament)
    assert planned_for(gone.player) == 2
    if remedy in {"substitute", "house"}:
        assert planned_for(newcomer(tournament).player) == 6
    parts = StageSession.objects.filter(session__ruleset_version=three).order_by("pk")
    wanted = [(STAGE, "A", 1), (STAGE, "A", 2)] if remedy == "three" else []
    assert [(each.stage, each.block, each.number) for each in parts] == wanted
    play_the_rest(tournament)
    staying = [line for line in state_of(tournament).state.stage(STAGE).ranking("A").lines if not line.withdrawn]
    assert {line.left for line in staying} == {0}
    assert min(line.played for line in staying) == {"substitute": 6, "nobody": 2}.get(remedy, 8)
    if remedy == "house":
        house = newcomer(tournament)
        assert (house.player.name, house.player.is_guest) == ("ハウスプレイヤー", True)
        assert house.pk not in {line.participant for line in staying}
    approve_by_page(organiser, tournament)
    assert state_of(tournament).state.stage(STAGE).state is StageState.DECIDED
    pages = {name: organiser.get(to(name, tournament, *more)) for name, more in AT_THE_TABLE}
    assert {page.status_code for page in pages.values()} == {200}
    said = {"substitute": "選手17", "nobody": "残りの半荘は行いません。"}.get(remedy, "")
    assert said in pages["tournament"].content.decode()
    document = json.loads(as_text(write_file(tournament.league)))
    copy = store_file(read_file(json.dumps(document).encode()), by=Actor(None, "import"), slug="copy")
    assert json.loads(as_text(write_file(copy)))["tournaments"] == document["tournaments"]
    assert state_of(copy.tournaments.get()).state.stage(STAGE).ranking("A").complete
    if remedy == "substitute":
        assert "選手17" in leave(organiser, tournament, back="1", reason="戻れた").context["form"].non_field_errors()[0]


@pytest.mark.merge
def test_seats_of_who_left_are_marked_until_a_remedy_is_chosen(organiser: Client, tournament: Tournament) -> None:
    session = tournament.sessions.order_by("pk")[0].session
    tag, place = '<span class="tag warn">辞退</span>', (tournament.league.slug, session.pk)
    entry = f"{reverse('league:enter_session', args=place)}?table=1"
    said = {to("seating", tournament): tag, reverse("league:session", args=place): tag, entry: "さんは辞退しました。"}
    for answers, is_said in (({}, True), ({"remedy": "nobody"}, False)):
        leave(organiser, tournament, **answers)
        found = {address: word in organiser.get(address).content.decode() for address, word in said.items()}
        assert found == dict.fromkeys(said, is_said)


def test_house_player_from_the_league_has_no_rank(organiser: Client, tournament: Tournament, spare: Player) -> None:
    first = tournament.sessions.select_related("session").order_by("pk")[0]
    gone = tournament.entries.get(player=planned_players(first.session, 2, 1)[0])
    leave(organiser, tournament, entry=gone.pk, remedy="house", house=spare.pk)
    assert planned_for(spare) == 8
    entries = organiser.get(to("entries", tournament)).content.decode().partition("エントリー済みの選手 (16)")[2]
    assert re.findall(r"(\d*)\.? *<b>([^<]+)</b>\s*<span class=\"tag\">([^<]+)<", entries) == [
        (str(gone.number), gone.player.name, "辞退"), ("", spare.name, "ハウスプレイヤー"),
    ]  # fmt: skip
    hall = organiser.get(f"{to('projector', tournament)}?view=tables").content.decode()
    assert "ハウスプレイヤー" in hall.partition(spare.name)[2].partition("</tr>")[0]
    play_table(first, 2, 1, {**by_entry(tournament), spare.pk: -1})
    page = organiser.get(f"/l/{tournament.league.slug}/sessions/{first.session_id}/")
    *others, last = page.context["columns"]
    assert (last.player, last.rank, others[0].rank, others[-1].rank) == (spare, 0, 1, len(others))
    assert spare.name not in "".join(evening_words(first.session, page.context["sheet"]))
    assert spare not in session_summaries(tournament.league, [first.session])[0].winners


@pytest.mark.long
@REMEDIES
def test_undone_withdrawal_restores_seats(
    organiser: Client, tournament: Tournament, three: RulesetVersion, spare: Player, remedy: str
) -> None:
    before = plan_as_stored()
    answers = {"remedy": remedy, "substitute": spare.pk, "version": three.pk}
    assert leave(organiser, tournament, **answers).status_code == 302
    assert plan_as_stored() != before
    assert leave(organiser, tournament, back="1", reason="戻れた").status_code == 302
    assert plan_as_stored() == before
    assert not Session.objects.kept().filter(ruleset_version=three).exists()
    assert leave(organiser, tournament, remedy="house").status_code == 302
    play_the_rest(tournament)
    assert state_of(tournament).state.stage(STAGE).ranking("A").complete


@pytest.mark.long
def test_remedy_can_be_changed_for_the_remaining_hanchan(organiser: Client, tournament: Tournament) -> None:
    leave(organiser, tournament, remedy="house")
    house = newcomer(tournament).player
    play_table(tournament.sessions.order_by("pk")[0], 1, 3, by_entry(tournament) | {house.pk: 30})
    page = organiser.get(f"/en{to('withdraw', tournament)}?entry={leaver_of(tournament).pk}").content.decode()
    assert re.search('5 hanchan have not been played yet.* value="house"[^>]* checked', page, re.DOTALL)
    assert leave(organiser, tournament, remedy="nobody", reason="代打も帰った").status_code == 302
    assert planned_for(house) == 1
    play_the_rest(tournament)
    lines = state_of(tournament).state.stage(STAGE).ranking("A").lines
    assert {line.left for line in lines if not line.withdrawn} == {0}


@pytest.mark.long
def test_returning_player_plays_the_rest(organiser: Client, tournament: Tournament) -> None:
    leave(organiser, tournament, remedy="house")
    play_table(tournament.sessions.order_by("pk")[0], 1, 3, by_entry(tournament) | {newcomer(tournament).player_id: 30})
    assert leave(organiser, tournament, back="1", reason="戻れた").status_code == 302
    assert planned_for(leaver_of(tournament).player) == 7
    play_the_rest(tournament)
    approve_by_page(organiser, tournament)
    assert state_of(tournament).state.stage(STAGE).state is StageState.DECIDED


def plan_as_stored() -> set[tuple[int, ...]]:
    return set(PlannedSeat.objects.values_list("session", "round", "table", "seat", "player"))


@pytest.mark.long
def test_eliminated_player_may_substitute(client: Client) -> None:
    tournament = make_tournament()
    play_stage(tournament, STAGE)
    (session,) = draw_and_plan(tournament, "po1")
    play_table(session, 1, 1, by_entry(tournament))
    client.force_login(director(tournament.league))
    gone = tournament.entries.get(player=planned_players(session.session, 1, 1)[0])
    address = f"{to('withdraw', tournament)}?entry={gone.pk}&stage=po1"
    first = re.search(r'<optgroup label="[^"]*">\s*<option value="(\d+)">', client.get(address).content.decode())
    assert first is not None
    waiting = tournament.entries.get(player=int(first[1]))
    rankings = state_of(tournament).state.stage(STAGE).rankings
    positions = {line.participant: line.position for ranking in rankings for line in ranking.lines}
    assert positions[waiting.pk] == 6
    sent = {"entry": gone.pk, "stage": "po1", "reason": "急用", "remedy": "substitute", "substitute": first[1]}
    assert client.post(to("withdraw", tournament), sent).status_code == 302
    play_the_rest(tournament, "po1")
    progress = state_of(tournament).state.stage("po1")
    assert progress.ranking("").complete
    assert waiting.pk in {line.participant for line in progress.ranking("").lines}


@pytest.mark.parametrize(
    ("answers", "field"),
    [
        pytest.param({"remedy": "substitute"}, "substitute", id="nobody named"),
        pytest.param({"remedy": "substitute", "substitute": "x"}, "substitute", id="no number"),
        pytest.param({"remedy": "house", "house": "999999"}, "house", id="unknown"),
        pytest.param({"remedy": "three"}, "remedy", id="no rules for three"),
        pytest.param({"remedy": "\x00"}, "remedy", id="no such way"),
        pytest.param({"remedy": "house", "reason": ""}, "reason", id="no reason"),
    ],
)
def test_invalid_remedy_is_refused_and_changes_nothing(
    organiser: Client, tournament: Tournament, answers: dict[str, object], field: str
) -> None:
    page = leave(organiser, tournament, **answers)
    assert page.status_code == 200
    assert page.context["form"].errors[field]
    assert not Decision.objects.filter(kind="withdrawn").exists()


def test_each_table_gets_its_own_house_player(tournament: Tournament) -> None:
    session = tournament.sessions.order_by("pk")[0].session
    for table in (1, 2):
        entry = tournament.entries.get(player=planned_players(session, table, 3)[0])
        withdraw(stage=STAGE, entry=entry, reason="ill", by=SYSTEM, settlement=Settlement(Remedy.HOUSE))
    guests = Player.objects.filter(is_guest=True).order_by("name")
    assert [each.name for each in guests] == ["ハウスプレイヤー", "ハウスプレイヤー2"]


def test_remedies_that_do_not_fit_the_table_are_refused(tournament: Tournament) -> None:
    session = tournament.sessions.order_by("pk")[0].session
    one, other = (tournament.entries.get(player=player) for player in planned_players(session, 1, 3)[:2])

    def settle(entry: Entry, remedy: Remedy, version: RulesetVersion | None = None) -> None:
        withdraw(stage=STAGE, entry=entry, reason="ill", by=SYSTEM, settlement=Settlement(remedy, version=version))

    with pytest.raises(TournamentError, match="no_rules_for_three"):
        settle(one, Remedy.THREE)
    version = adopt_card(league=tournament.league, card_key="tenhou-3p", name="三麻", by=SYSTEM)
    settle(one, Remedy.THREE, version)
    with pytest.raises(TournamentError, match="three_needed"):
        settle(other, Remedy.THREE, version)
    with pytest.raises(TournamentError, match="no_substitute"):
        settle(other, Remedy.SUBSTITUTE)
    last = tournament.entries.select_related("player").order_by("-number")[0]
    PlannedSeat.objects.filter(player=last.player).delete()
    with pytest.raises(TournamentError, match="nothing_short"):
        settle(last, Remedy.NOBODY)


def test_remedy_applies_to_postponed_tables(organiser: Client, tournament: Tournament) -> None:
    second = tournament.sessions.filter(block="A").order_by("pk")[1]
    table = PlannedSeat.objects.filter(session=second.session, player=leaver_of(tournament).player)[0].table
    postpone_table(stage_session=second, table=table, to=second.session.date, reason="hall", by=SYSTEM)
    assert leave(organiser, tournament, remedy="house").status_code == 302
    assert planned_for(newcomer(tournament).player) == 6


@pytest.mark.long
def test_file_with_an_invalid_remedy_is_refused(organiser: Client, tournament: Tournament) -> None:
    leave(organiser, tournament, remedy="house")
    written = as_text(write_file(tournament.league))
    key = leaver_of(tournament).player.key
    for place, value, complaint in (
        (("short", key, "player"), "nobody", f"short.{key}.player: is not the key"),
        (("short", key, "remedy"), "wait", "remedy: "),
        (("short", key, "seats", 0, "session"), "s99", "seats[0].session: is not a session of this tournament"),
        (("short", key, "seats", 0, "players", 1), "nobody", "seats[0].players[1]: is not the key"),
        (("short", "p2"), {"remedy": "nobody"}, 'short.p2: is not among "withdrawn"'),
        (("short", key), {"remedy": "house"}, f'short.{key}: needs a "player"'),
    ):
        document = json.loads(written)
        at = document["tournaments"][0]["decisions"][-1]
        for step in place[:-1]:
            at = at[step]
        at[place[-1]] = value
        with pytest.raises(InterchangeError) as refused:
            store_file(read_file(json.dumps(document).encode()), by=Actor(None, "import"), slug="copy")
        assert complaint in str(refused.value)
