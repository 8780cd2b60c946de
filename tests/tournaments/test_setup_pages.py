import re
from datetime import date

import pytest
from django.db.models import Model
from django.test import Client
from django.urls import reverse

from league.models import League, PlannedSeat, Ruleset, Session
from league.services.history import SYSTEM
from league.services.people import PlayerFacts, add_players
from tests.league.factories import make_players, make_session, make_user
from tests.tournaments.factories import (
    by_entry,
    draw_and_plan,
    drawn_blocks,
    kinds,
    make_cinderella_league,
    make_tournament,
    play_planned,
    play_stage,
    to,
)
from tests.tournaments.registering import unentered
from tournaments.models import Decision, Entry, StageSession, Tournament
from tournaments.services.drawing import draw
from tournaments.services.setup import enter_players

pytestmark = pytest.mark.django_db

NEW = "/l/cinderella/tournaments/new/"
FACTS = {"format": "cinderella", "name": "春の大会", "name_en": "Spring Cup"}


def test_unknown_stage_is_not_found(organiser: Client, tournament: Tournament) -> None:
    for name in ("draw", "plan", "approve", "order", "reopen"):
        assert organiser.get(to(name, tournament, "nowhere")).status_code == 404
    for name in ("unlink", "postpone", "keep"):
        assert organiser.get(to(name, tournament, 10**18)).status_code == 404


def test_tournament_is_created_from_a_shipped_format(organiser: Client) -> None:
    assert "シンデレラリーグ 2020" in organiser.get(NEW).content.decode()
    answer = organiser.post(NEW, FACTS)
    tournament = Tournament.objects.get()
    assert (tournament.key, tournament.name, tournament.format_key) == ("spring-cup", "春の大会", "cinderella")
    assert answer.headers["Location"] == to("entries", tournament)
    organiser.post(NEW, FACTS)
    assert set(Tournament.objects.values_list("key", flat=True)) == {"spring-cup", "spring-cup-2"}


def test_rules_are_those_of_the_competition_or_else_the_leagues(organiser: Client, league: League) -> None:
    before = league.current_version
    assert before is not None
    assert organiser.post(NEW, {**FACTS, "format": "mleague"}).status_code == 302
    mleague = Tournament.objects.get(format_key="mleague").ruleset_version
    assert mleague.ruleset.card == "mleague"
    league.refresh_from_db()
    assert league.current_version == before
    assert organiser.post(NEW, {**FACTS, "format": "mleague"}).status_code == 302
    assert league.rulesets.filter(card="mleague").count() == 1
    assert organiser.post(NEW, {**FACTS, "format": "swiss"}).status_code == 302
    assert Tournament.objects.get(format_key="swiss").ruleset_version == before
    assert organiser.post(NEW, {**FACTS, "format": "swiss", "ruleset_version": mleague.pk}).status_code == 302
    assert Tournament.objects.filter(format_key="swiss", ruleset_version=mleague).exists()


def test_stage_is_played_under_its_own_rules(organiser: Client, league: League) -> None:
    document = OWN.replace('key = "last"', 'key = "last"\nruleset = "wrc"')
    organiser.post(reverse("tournaments:new", args=[league.slug]), {**FACTS, "format": "own", "document": document})
    tournament = Tournament.objects.get()
    assert {stage: own.ruleset.card for stage, own in tournament.rules_by_stage().items()} == {"last": "wrc"}
    enter_players(tournament=tournament, players=make_players(league, 8), by=SYSTEM)
    play_stage(tournament, "first")
    draw_and_plan(tournament, "last")
    played_by = {each.stage: each.session.ruleset_version.ruleset.card for each in tournament.sessions.all()}
    assert played_by == {"first": "cinderella", "last": "wrc"}
    own = reverse("league:rules_version", args=[league.slug, tournament.stage_rules["last"]])
    assert own in organiser.get(to("format", tournament)).content.decode()
    facts = {"name": "秋", "ruleset_version": Ruleset.objects.get(card="cinderella").versions.get().pk, "rules_1": ""}
    assert organiser.post(to("edit", tournament), facts).status_code == 302
    tournament.refresh_from_db()
    assert not tournament.stage_rules


def test_format_with_incomplete_rules_is_refused(organiser: Client, league: League) -> None:
    document = "ruleset = 'parlour-placement'\n" + OWN
    sent = {**FACTS, "format": "own", "document": document}
    page = organiser.post(reverse("tournaments:new", args=[league.slug]), sent)
    assert "ルール" in page.context["form"].non_field_errors()[0]
    assert not Tournament.objects.exists()
    assert not league.rulesets.filter(card="parlour-placement").exists()


def test_taken_key_is_refused_and_keeps_the_input(organiser: Client, league: League) -> None:
    make_tournament(league, key="spring")
    page = organiser.post(reverse("tournaments:new", args=[league.slug]), {**FACTS, "key": "spring"})
    assert "spring" in page.context["form"].errors["key"][0]
    assert "Spring Cup" in page.content.decode()
    assert Tournament.objects.count() == 1


def test_knockout_requires_a_valid_number_of_players(organiser: Client) -> None:
    facts = {**FACTS, "format": "elimination-4"}
    field = "adjust_elimination-4"
    assert "16" in organiser.post(NEW, facts).context["form"].errors[field][0]
    assert organiser.post(NEW, {**facts, field: "17"}).context["form"].errors[field]
    assert organiser.post(NEW, {**facts, "entrants": "16"}).status_code == 302
    assert Tournament.objects.get().format.entrants.most == 16


OPEN = "open-final-table"


def test_length_of_a_swiss_and_of_total_points_can_be_chosen(organiser: Client) -> None:
    for key, number, planned in (
        ("swiss", "4", 4),
        ("season", "2", 8),
        ("swiss", "", 7),
        (OPEN, "2", 2),
        (OPEN, "12", 12),
    ):
        organiser.post(NEW, {**FACTS, "format": key, f"adjust_{key}": number})
        assert Tournament.objects.latest("pk").format.stages[0].planned == planned
    assert len(Tournament.objects.latest("pk").format.stages) == 3
    assert organiser.post(NEW, {**FACTS, "format": "swiss", "adjust_swiss": "0"}).context["form"].errors


@pytest.mark.parametrize(("sessions", "days"), [(2, [4, 4]), (3, [4, 11, 18])])
def test_one_day_is_proposed_if_it_suffices(organiser: Client, league: League, sessions: int, days: list[int]) -> None:
    tournament = make_tournament(league, "season", players=8, length=sessions)
    draw(tournament=tournament, stage="season", drawn=drawn_blocks(tournament, "season"), by=SYSTEM)
    page = organiser.get(to("plan", tournament, "season") + "?first=2026-12-04")
    assert 'class="actions stays"' in page.content.decode()
    assert [page.context["form"][f"date_{number}_all"].value().day for number in range(1, sessions + 1)] == days


def test_formats_that_suit_the_people_and_the_time_come_first(organiser: Client) -> None:
    asks = {"suit": "1", "name": "春", "entrants": "16", "time": "evening", "format": "swiss", "adjust_swiss": "7"}
    page = organiser.post(NEW, asks)
    assert [card.format.key for card, *_ in page.context["suiting"]] == ["swiss", "elimination-4", OPEN, "season"]
    form = page.context["form"]
    assert (form["name"].value(), form["format"].value(), form["adjust_swiss"].value()) == ("春", "swiss", 4)
    assert form["adjust_elimination-4"].value() == 16
    assert "約5時間" in page.content.decode()
    assert "8名からできます" in organiser.post(NEW, {**asks, "entrants": "5"}).content.decode()
    # A length that was typed stays, and the card says what it takes.
    for sent in ({**asks, "suit": "length", "adjust_swiss": "3"}, {**FACTS, "name": "", "adjust_swiss": "3"}):
        page = organiser.post(NEW, sent)
        (card,) = [card for card, *_ in page.context["suiting"] if card.format.key == "swiss"]
        assert (card.length.most, str(page.context["form"]["adjust_swiss"].value())) == (3, "3")
    assert "(最大)" not in page.content.decode()
    uneven = organiser.post(NEW, {**asks, "entrants": "11", "format": OPEN}).content.decode()
    assert "(最大)" in uneven
    assert "後のステージと合わせて4半荘です。" in uneven
    assert not form["strict_entry"].value()
    for people in ("abc", "0", "9" * 5000, "2"):
        assert organiser.post(NEW, {**asks, "entrants": people}).status_code == 200
    assert not Tournament.objects.exists()


OWN = """
name = { ja = "二段", en = "Two steps" }
entrants = 8
[[stage]]
key = "first"
name = { ja = "一次", en = "First" }
blocks = { A = 4, B = 4 }
from = [{ entrants = "all" }]
hanchan = 1
seating = "fixed"
tiebreak = ["manual"]
[[stage]]
key = "last"
name = { ja = "決勝", en = "Final" }
from = [{ stage = "first", ranks = "1-2" }]
hanchan = 1
seating = "fixed"
tiebreak = ["manual"]
"""


def test_custom_format_is_accepted_or_all_faults_listed(organiser: Client) -> None:
    broken = OWN.replace('ranks = "1-2"', 'ranks = "1-9"').replace('key = "first"', 'key = "first"\nodd = 1')
    page = organiser.post(NEW, {**FACTS, "format": "own", "document": broken})
    faults = page.context["form"].errors["document"]
    assert len(faults) >= 2
    assert any("odd" in fault for fault in faults)
    assert "odd = 1" in page.content.decode()
    page = organiser.post(NEW, {**FACTS, "format": "own", "document": OWN + 'about = "x\n'})
    line = OWN.count("\n") + 1
    assert f"{line}行目がTOMLとして読めません。" in page.context["form"].errors["document"][0]
    assert organiser.post(NEW, {**FACTS, "format": "own"}).context["form"].errors["document"]
    assert organiser.post(NEW, {**FACTS, "format": "own", "document": OWN}).status_code == 302
    assert [stage.key for stage in Tournament.objects.get().format.stages] == ["first", "last"]


def test_tournament_settings_are_changed(organiser: Client, tournament: Tournament) -> None:
    page = organiser.post(to("edit", tournament), {"name": "", "note": "はじめまして"})
    assert page.context["form"].errors["name"]
    assert "はじめまして" in page.content.decode()
    facts = {"name": "秋の大会", "ruleset_version": tournament.ruleset_version_id}
    assert organiser.post(to("edit", tournament), facts).status_code == 302
    tournament.refresh_from_db()
    assert tournament.name == "秋の大会"


def test_players_enter_by_list_and_by_name(organiser: Client, league: League) -> None:
    tournament = unentered(league)
    players = make_players(league, 4)
    players[3].aliases.create(name="エグチさん")
    assert "青木" in organiser.get(to("entries", tournament)).content.decode()
    organiser.post(to("entries", tournament), {"players": [players[0].pk], "names": "いしだ\nエグチさん\nUENO\n青木"})
    assert set(tournament.entries.values_list("player", flat=True)) == {player.pk for player in players}


def test_unknown_names_are_added_and_only_look_alikes_are_asked_about(organiser: Client, league: League) -> None:
    tournament = unentered(league)
    (known,) = add_players(league=league, people=[PlayerFacts("髙橋 一", romanised="Hajime Takahashi")], by=SYSTEM)
    organiser.post(to("entries", tournament), {"names": "風来坊", "newcomers": "guests"})
    assert tournament.entries.get().player.is_guest
    sent = {"names": "新顔\n高橋 一\nTakahashi Hajime\n高橋\n渡辺\n渡邊"}
    page = organiser.post(to("entries", tournament), sent)
    asked = page.context["form"]["asked"].value()
    assert page.context["form"]["same"].value() == ["高橋 一", "Takahashi Hajime", "高橋", "渡邊"]
    assert "Takahashi Hajimeは髙橋 一" in page.content.decode()
    organiser.post(to("entries", tournament), {**sent, "asked": asked, "same": ["高橋 一", "Takahashi Hajime", "渡邊"]})
    entered = list(tournament.entries.order_by("number").values_list("player__name", flat=True))
    assert sorted(entered) == sorted(["風来坊", known.name, "新顔", "高橋", "渡辺"])


def test_page_says_who_is_new_and_who_sits_out(organiser: Client, league: League) -> None:
    tournament = unentered(league, "swiss")
    make_players(league, 4)
    names = "\n".join(["青木", *(f"新顔{number}" for number in range(8))])
    page = organiser.post(to("entries", tournament), {"names": names}, follow=True)
    (message,) = map(str, page.context["messages"])
    assert "9" in message
    assert "8" in message
    assert "新顔7" in message
    assert "9名では半荘ごとに1名が抜け番" in page.content.decode()
    assert 'name="seed_' not in page.content.decode()
    assert "&lt;" not in organiser.get(f"/en{to('entries', tournament)}").content.decode()
    page = organiser.post(to("entries", tournament), {"names": "石田"}, follow=True)
    assert "石田" not in str(*page.context["messages"])


def test_ambiguous_name_is_refused_with_both_players(organiser: Client, league: League) -> None:
    tournament = unentered(league)
    first, second = make_players(league, 2)
    for player in (first, second):
        player.aliases.create(name="あだ名")
    page = organiser.post(to("entries", tournament), {"names": "あだ名"})
    assert second.name in page.context["form"].errors["names"][0]


@pytest.mark.both_databases
def test_invalid_player_id_is_refused(organiser: Client, league: League) -> None:
    page = organiser.post(to("entries", make_tournament(league)), {"players": "9" * 20})
    assert page.status_code == 200
    assert page.context["form"].errors["players"]


def test_too_many_entries_are_refused_without_adding_any(organiser: Client, league: League) -> None:
    page = organiser.post(to("entries", make_tournament(league)), {"names": "風来坊", "newcomers": "guests"})
    assert "16" in page.context["form"].non_field_errors()[0]
    assert not league.players.filter(name="風来坊").exists()


def test_duplicate_seeds_are_refused(organiser: Client, tournament: Tournament) -> None:
    first, second = tournament.entries.order_by("number")[:2]
    sent = {"seeds": "1", f"seed_{first.pk}": "1", f"seed_{second.pk}": "1"}
    assert organiser.post(to("entries", tournament), sent).context["seeding"].non_field_errors()
    organiser.post(to("entries", tournament), {**sent, f"seed_{second.pk}": "2"})
    assert list(tournament.entries.filter(seed__isnull=False).values_list("seed", flat=True)) == [1, 2]


def test_each_step_to_the_first_table_has_one_main_button(organiser: Client, league: League) -> None:
    tournament = make_tournament(league, "swiss", players=8)
    make_players(league, 1)
    page = organiser.get(to("entries", unentered(league, key="t2"))).content.decode()
    assert page.index('name="players"') < page.index('name="names"')
    page = organiser.get("/en" + to("entries", tournament)).content.decode()
    assert re.findall('class="button(| tall)"', page) == [""]
    enter_players(tournament=tournament, players=make_players(league, 3), by=SYSTEM)
    page = organiser.get("/en" + to("entries", tournament)).content.decode()
    assert re.findall('class="button(| tall)"[^>]*>\\s*([^<]*?)\\s*<', page) == [("", "Close the entries")]
    assert page.index('name="names"') < page.index('name="players"')
    page = organiser.get("/en" + to("draw", tournament, "swiss")).content.decode()
    assert "3 sit out in each hanchan and get 0 points for it" in page
    assert page[page.index('class="crumbs"') : page.index("<h1>")].count("Close the entries") == 1
    names = [entry.player.romanised for entry in tournament.entries.order_by("number")]
    numbered = [f"<span>{number}. <b>{name}</b></span>" for number, name in enumerate(names, start=1)]
    # The list is in the form, so its button stays in sight.
    form = page[page.index('<form method="post" class="stack"') : page.index('class="actions stays"')]
    assert re.findall("<span>.*?</b></span>", form) == numbered
    draw(tournament=tournament, stage="swiss", drawn=drawn_blocks(tournament, "swiss"), by=SYSTEM)
    page = organiser.get("/en" + to("plan", tournament, "swiss")).content.decode()
    assert "Fill in the dates by a pattern" not in page
    assert "How the seats are drawn" in page
    assert re.search(r'class="actions stays">\s*<button[^>]*>Plan these sessions', page)
    assert re.search('<span class="sr">[^<]*</span>Start', page)


def test_entry_can_be_removed_until_the_draw(organiser: Client, league: League) -> None:
    tournament = make_tournament(league, players=16)
    first = tournament.entries.order_by("number")[0]
    assert organiser.get(to("entry_remove", tournament, first.pk)).status_code == 405
    organiser.post(to("entry_remove", tournament, first.pk))
    assert tournament.entries.count() == 15
    assert kinds(tournament) == ["entries"]
    organiser.post(to("entries", tournament), {"players": [first.player_id]})
    draw_and_plan(tournament, "qualifying")
    organiser.post(to("entry_remove", tournament, tournament.entries.order_by("number")[1].pk))
    assert tournament.entries.count() == 16


def test_random_draw_stores_the_shown_blocks(organiser: Client, tournament: Tournament) -> None:
    page = organiser.get(to("draw", tournament, "qualifying"), {"seed": "20251121"})
    shown = page.context["shown"]
    assert len(page.context["preview"]) == 2
    assert "代役だけです" in page.content.decode()
    other = organiser.get(to("draw", tournament, "qualifying"), {"seed": "7"}).context["shown"]
    assert other != shown
    sent = {"method": "lot", "seed": "20251121", "shown": shown}
    refused = organiser.post(to("draw", tournament, "qualifying"), {**sent, "shown": other})
    assert refused.context["lot"].non_field_errors()
    assert organiser.post(to("draw", tournament, "qualifying"), sent).status_code == 302
    decision = Decision.objects.get()
    assert decision.body["seed"] == 20251121
    assert ";".join(f"{key}:{','.join(map(str, pks))}" for key, pks in sorted(decision.body["blocks"].items())) == shown
    assert "20251121" in organiser.get(to("draw", tournament, "qualifying")).content.decode()


def test_redraw_requires_a_reason_and_is_refused_after_the_first_hanchan(organiser: Client, league: League) -> None:
    tournament = make_tournament(league)
    session, *_ = draw_and_plan(tournament, "qualifying")
    address = to("draw", tournament, "qualifying")
    sent = {"method": "lot", "seed": "5", "shown": organiser.get(address, {"seed": "5"}).context["shown"]}
    assert organiser.post(address, sent).context["lot"].errors["reason"]
    assert organiser.post(address, {**sent, "reason": "名前の間違い"}).status_code == 302
    assert Decision.objects.valid().get(kind="draw").body["seed"] == 5
    play_planned(session, by_entry(tournament))
    organiser.post(address, {**sent, "seed": "6", "reason": "x"})
    assert Decision.objects.valid().get(kind="draw").body["seed"] == 5


def test_invalid_manual_draw_keeps_the_chosen_blocks(organiser: Client, tournament: Tournament) -> None:
    entries = list(tournament.entries.order_by("number"))
    address = to("draw", tournament, "qualifying")
    sent = {"method": "hand"} | {f"block_{entry.pk}": "AB"[entry.number > 8] for entry in entries}
    page = organiser.post(address, {**sent, f"block_{entries[0].pk}": ""})
    assert page.context["hand"].errors
    assert page.content.decode().count("selected") >= 15
    page = organiser.post(address, {**sent, f"block_{entries[0].pk}": "B"})
    assert page.context["hand"].non_field_errors()
    assert organiser.post(address, sent).status_code == 302
    assert Decision.objects.get().body["method"] == "hand"


@pytest.mark.parametrize(("key", "stage", "players"), [("elimination-4", "round-1", 16), ("classes", "classes", 20)])
def test_draw_fills_brackets_and_classes(key: str, stage: str, players: int, organiser: Client, league: League) -> None:
    tournament = make_tournament(league, key, players=players)
    address = to("draw", tournament, stage)
    page = organiser.get(address)
    assert page.context["draw_page"].by_lot
    chosen = page.context["lot"]["seed"].value()
    assert organiser.get(address).context["lot"]["seed"].value() == chosen  # viewing again does not redraw
    shown = page.context["shown"]
    assert organiser.get(address, {"way": "lot", "seed": str(chosen + 1)}).context["shown"] != shown
    assert organiser.get(address, {"way": "format"}).context["shown"] not in {shown, ""}
    sent = {"method": "lot", "seed": str(chosen), "shown": shown}
    assert organiser.post(address, sent).headers["Location"] == to("plan", tournament, stage)
    body = Decision.objects.get().body
    assert (body["method"], body["seed"]) == ("lot", chosen)
    assert str(chosen) in organiser.get(address).content.decode()


@pytest.mark.long
def test_sessions_are_planned_by_block(organiser: Client, tournament: Tournament) -> None:
    address = to("draw", tournament, "qualifying")
    shown = organiser.get(address, {"seed": "3"}).context["shown"]
    organiser.post(address, {"method": "lot", "seed": "3", "shown": shown})
    address = to("plan", tournament, "qualifying")
    page = organiser.get(address)
    assert page.context["form"]["seed"].value() == 3
    wanted = [(each.number, each.block, each.date.weekday()) for each in page.context["form"].sessions.values()]
    assert [each[:2] for each in wanted] == [(1, "A"), (1, "B"), (2, "A"), (2, "B")]
    assert len({day for *_, day in wanted}) == 1
    page = organiser.post(address, {"seed": "3", "venue": "雀荘"})
    assert page.context["form"].non_field_errors()
    assert "雀荘" in page.content.decode()
    page = organiser.post(address, {"seed": "3", "date_1_0": "0001-01-01"})
    assert page.context["form"].errors["date_1_0"]
    organiser.post(address, {"seed": "3", "venue": "雀荘", "date_1_0": "2026-12-04", "date_1_1": "2026-12-11"})
    assert [(each.number, each.block) for each in tournament.sessions.all()] == [(1, "A"), (1, "B")]
    assert PlannedSeat.objects.filter(session__date=date(2026, 12, 4)).values("table").distinct().count() == 2
    page = organiser.get(address)
    assert {(each.number, each.block) for each in page.context["form"].sessions.values()} == {(2, "A"), (2, "B")}
    assert "12/04" in page.content.decode() or "12/4" in page.content.decode()


def test_existing_session_can_be_linked_and_unlinked(organiser: Client, tournament: Tournament, league: League) -> None:
    session = make_session(league)
    foreign = make_session(make_cinderella_league("other"))
    sent = {"session": session.pk, "where": "qualifying/A", "number": "1"}
    assert organiser.post(to("link", tournament), {**sent, "session": foreign.pk}).context["form"].errors["session"]
    assert organiser.post(to("link", tournament), {**sent, "where": "qualifying/Z"}).context["form"].errors["where"]
    organiser.post(to("link", tournament), sent)
    stage_session = tournament.sessions.get()
    assert (stage_session.stage, stage_session.block, stage_session.number) == ("qualifying", "A", 1)
    assert organiser.post(to("unlink", tournament, stage_session.pk), {"reason": ""}).context["form"].errors["reason"]
    organiser.post(to("unlink", tournament, stage_session.pk), {"reason": "別の大会"})
    assert not tournament.sessions.exists()
    assert Session.objects.kept().filter(pk=session.pk).exists()
    # An empty session leaves the league's list too, if wished.
    organiser.post(to("link", tournament), sent)
    address = to("unlink", tournament, tournament.sessions.get().pk)
    assert 'name="cancels" id="cancels" checked' in organiser.get(address).content.decode()
    organiser.post(address, {"reason": "組み直し", "cancels": "on"})
    assert not Session.objects.kept().filter(pk=session.pk).exists()


@pytest.mark.parametrize("model", [Tournament, Entry, Decision, StageSession])
def test_admin_is_read_only(model: type[Model], client: Client, league: League) -> None:
    draw_and_plan(make_tournament(league), "qualifying")
    client.force_login(make_user("root", is_staff=True, is_superuser=True))
    name = f"admin:tournaments_{model._meta.model_name}"
    thing = model._default_manager.all()[0]
    assert client.get(reverse(f"{name}_changelist"), {"q": "x"}).status_code == 200
    assert client.get(reverse(f"{name}_change", args=[thing.pk])).status_code == 200
    assert client.get(reverse(f"{name}_add")).status_code == 403
    assert client.post(reverse(f"{name}_delete", args=[thing.pk]), {"post": "yes"}).status_code == 403
