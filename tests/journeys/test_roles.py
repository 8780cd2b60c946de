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


@pytest.fixture
def league() -> League:
    league = make_league(name="金曜会", confirmed_by="one")
    players = make_players(league, 5)
    session = make_session(league, league.day_of(timezone.now()) - timedelta(days=7))
    play(session, players=players[:4])
    settle()
    return league


def logged_in(name: str, league: League, role: str) -> Visitor:
    make_user(name, league=league, role=role)
    visitor = Visitor(Client()).opens("/").follows("ログイン")
    return visitor.submits("ログイン", username=name, password=PASSWORD)


def at_home(visitor: Visitor) -> Visitor:
    return visitor.opens("/").follows("金曜会")


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
