import re
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone

from league.models import League, Player, Session
from tests.journeys.pages import Visitor
from tests.league.factories import PASSWORD, make_league, make_players, make_session, make_user, play, settle

pytestmark = pytest.mark.django_db

RAW = {"raw_0": "31700", "raw_1": "31300", "raw_2": "25500", "raw_3": "11500"}


@pytest.fixture
def league() -> League:
    league = make_league(name="金曜会", confirmed_by="one")
    play(make_session(league, league.day_of(timezone.now()) - timedelta(days=7)), players=make_players(league, 5)[:4])
    settle()
    return league


def logged_in(name: str, league: League, role: str) -> Visitor:
    make_user(name, league=league, role=role)
    return Visitor(Client()).opens("/").follows("ログイン").submits("ログイン", username=name, password=PASSWORD)


def at_home(visitor: Visitor) -> Visitor:
    return visitor.opens("/").follows("金曜会")


def seats(league: League) -> dict[str, str]:
    return {f"player_{seat}": str(player.pk) for seat, player in enumerate(league.players.order_by("pk")[:4])}


def test_forgotten_password_is_reset_by_mail(league: League, settings: Any) -> None:
    settings.EMAIL_HOST = "mail.example.org"
    make_user("ishida", league=league, role="player")
    visitor = Visitor(Client()).opens("/").follows("ログイン").follows("パスワードをお忘れですか")
    visitor.submits(within="password_reset", email="ishida@example.org")
    address = re.search(r"http://testserver(/\S+)", str(mail.outbox[0].body))
    assert address
    new = "mahjong-friday-25"
    visitor.scans(address[1]).submits(within="reset", new_password1=new, new_password2=new)
    visitor.follows("ログイン").submits("ログイン", username="ishida", password=new).follows("金曜会")


@pytest.mark.long
def test_organiser_plans_a_session_and_merges_players(league: League) -> None:
    visitor = logged_in("ishida", league, "organiser")
    at_home(visitor).follows("運営").follows("選手", to="/players/$").follows(to="/paste/$").submits(
        within="/paste/", text="大野,おおの\n大能,だいのう"
    )
    assert league.players.filter(name="大能").exists()
    at_home(visitor).follows("対局").follows(to="/sessions/new/$")
    visitor.submits(within="sessions/new", tables="2", venue="集会所")
    session = Session.objects.get(venue="集会所")
    visitor.follows(to="/edit/$").submits("保存", title="秋の会").reads("秋の会")
    visitor.follows(to="/seats/$")
    at_home(visitor).follows("対局").follows("秋の会").follows("卓のQRカードとリンク").submits("リンク").follows("QR")
    assert visitor.response is not None
    at_home(visitor).follows("対局").follows("秋の会").follows("記録用紙")
    at_home(visitor).follows("対局").follows("秋の会").submits("結果の受け付けを締め切る")
    session.refresh_from_db()
    assert session.state == Session.State.CLOSED
    at_home(visitor).follows("選手").follows("大能").follows("編集").follows("統合")
    visitor.submits("移るもの", into=str(league.players.get(name="大野").pk))
    visitor.submits("統合", reason="書き間違い").reads("大野")
    visitor.follows("編集").follows("大能").submits(within="separate", reason="別の人だった")
    assert Player.objects.get(name="大能").merged_into is None


@pytest.mark.long
def test_owner_starts_configures_and_ends_a_league(league: League) -> None:
    make_user("ueno")
    visitor = logged_in("aoki", league, "player")
    visitor.opens("/").follows("リーグを作る").submits("リーグを作る", name="土曜会", slug="saturday", card="camarade")
    own = League.objects.get(slug="saturday")
    visitor.follows("運営").follows("設定").follows(to="/members/$").submits(
        within="members/$", username="ueno", role="scorer"
    ).reads("ueno")
    visitor.opens("/").follows("土曜会").follows("ルール").follows("編集")
    visitor.submits("新しい版として保存", uma="20 10 -10 -20")
    own.refresh_from_db()
    assert own.current_version is not None
    assert own.current_version.number == 2
    visitor.opens("/").follows("土曜会").follows("運営").follows("選手", to="/players/$").follows(
        to="/paste/$"
    ).submits(within="/paste/", text="青木\n石田\n上野\n江口")
    visitor.opens("/").follows("土曜会").follows("結果を入力").submits("今日の節を始める").submits(
        "この点数で登録する", **seats(own), **RAW
    )
    visitor.opens("/").follows("土曜会").follows("運営").follows("設定").follows("終了・取り下げ")
    visitor.submits("リーグを終了する", reason="終わり").reads("このリーグは終了しています")
