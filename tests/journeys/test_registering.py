"""Tournament registration up to the draw, by links: waiting list, withdrawal, check-in, no-shows."""

import re
from typing import Any

import pytest
from django.test import Client

from tests.journeys.pages import Visitor
from tests.tournaments.factories import director
from tests.tournaments.registering import unentered
from tournaments.models import Tournament

pytestmark = pytest.mark.django_db

ADDRESS = re.compile(r"https?://[^/\"]+(/(register|check-in)/[^\"]+)")


def visitor_as(user: object) -> Visitor:
    client = Client()
    client.force_login(user)  # type: ignore[arg-type]
    return Visitor(client)


def offers(tournament: Tournament, **terms: Any) -> tuple[Visitor, dict[str, str]]:
    """Open registration as an organiser, starting at the home page; return the browser and the links to hand out."""
    organiser = visitor_as(director(tournament.league)).opens()
    organiser.follows(tournament.league.name).follows("大会").follows(tournament.name).follows("大会運営")
    organiser.follows("申し込み").follows("申し込みを受け付ける").submits("申し込みを受け付ける", **terms)
    found = {match[2]: match[1] for match in ADDRESS.finditer(organiser.content.decode())}
    return organiser, found


def guest(address: str, name: str) -> Visitor:
    return Visitor(Client()).scans(address).submits("申し込む", name=name)


@pytest.mark.long
def test_eighteen_register_for_sixteen_spots_and_sixteen_are_drawn() -> None:
    tournament = unentered()
    organiser, handed_out = offers(tournament, audience="anyone")
    phones = [guest(handed_out["register"], f"参加者{number:02}") for number in range(1, 19)]
    phones[15].reads("出場できます", "この大会への出場が決まっています。")
    phones[16].reads("キャンセル待ち:1番目")
    phones[17].reads("キャンセル待ち:2番目")

    phones[4].submits("出場できません").reads("辞退しました")
    phones[16].reloads().reads("この大会への出場が決まっています。")
    phones[17].reloads().reads("キャンセル待ち:1番目")
    anybody = Visitor(Client()).opens().follows("シンデレラ杯").follows("大会").follows(tournament.name)
    anybody.reads("残り0名").follows("申し込む").reads("満席です。")

    organiser.reloads().submits("当日受付を始める")
    for number, phone in enumerate(phones):
        if number not in {4, 7, 8, 17}:
            phone.reloads().submits("来ました").reads("受付済み")
    Visitor(Client()).scans(handed_out["check-in"]).submits("参加者18").reads("参加者18さんの受付をしました。")
    organiser.reloads().submits("来場 参加者09")
    organiser.submits("当日受付を終える").reads("まだ来ていない人").submits("枠を空ける").reads(
        "1名の枠を空けました。", "16名です。"
    )
    phones[7].reloads().reads("出場できません", "受付がありませんでした")
    phones[17].reloads().reads("この大会への出場が決まっています。")

    organiser.follows(to=r"/draw/qualifying/$")
    lots = next(form for form in organiser.page.forms if "shown" in form.controls)
    organiser.submits(lots.buttons[0].text, within="/draw/")
    tournament.refresh_from_db()
    assert tournament.state == Tournament.State.RUNNING
    playing = {entry.player.name for entry in tournament.entries.select_related("player")}
    assert playing == {f"参加者{number:02}" for number in range(1, 19)} - {"参加者05", "参加者08"}
    Visitor(Client()).scans(handed_out["register"]).reads("申し込みは締め切られています。")
