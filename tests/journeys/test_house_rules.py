"""A club writes down what it plays by: from the choice of a system to the page that tells what changed."""

from typing import Any

import pytest
from django.test import Client

from league.models import Hanchan, League
from tests.journeys.pages import Visitor
from tests.league.factories import make_league, make_players, make_user

pytestmark = pytest.mark.django_db

RAW = {"raw_0": "60000", "raw_1": "25000", "raw_2": "16000", "raw_3": "-1000"}

ANSWERS: dict[str, Any] = {
    "tie_rank": "shared",
    "rounding_mode": "half_down",
    "lend_below_zero": "10000",
    "bust_prize": "3",
    "bust_prize_in": "chips",
    "bust_draw": "equal_split",
    "chombo_kind": "total",
    "chombo_amount": "▲20",
    "chombo_hand": "ends_game",
    "fine_amount": "1000",
    "fees_game": "0.5",
    "settlement_parts": ["base", "oka", "uma"],
    "house_rounds": "tonpuu",
    "house_extension_next": "return_east",
    "house_extension_if_top_below": "30000",
    "house_renchan_east": "win",
    "house_honba_value": "1500",
    "house_noten_pool": "3000",
    "house_kiriage": "yes",
    "house_red_fives": "3",
    "house_pao_hands": ["none_of_them"],
    "house_chips_others": "四枚使い: 2",
    "house_text_ja": "飲み物は卓の外に置きます。\n見学は一声かけてください。",
    "house_text_en": "Drinks stay off the table.",
}
"""Something in every section."""

TOLD = (
    "東風戦で行います。", "東場に戻ります(返り東)。", "東場はアガリ連荘です。", "1本場は1,500点です。", "切り上げ満貫です。",
    "赤ドラは3枚です。", "パオはありません。", "四枚使い: 2", "飲み物は卓の外に置きます。", "見学は一声かけてください。",
)  # fmt: skip


@pytest.mark.long
def test_club_writes_its_house_down_plays_by_it_and_changes_it(client: Client) -> None:
    league = make_league(card=None, name="金曜会", name_en="Friday Club")
    people = make_players(league, 4)
    client.force_login(make_user("ishida", league=league, role="organiser"))
    visitor = Visitor(client).opens("/").follows("金曜会").follows("ルール").follows("ルールを選ぶ")
    visitor.follows("カマラード").submits("このルールを取り入れる").follows("編集").submits(
        "次の版として保存", **ANSWERS
    )
    visitor.reads(*TOLD, "第2版として保存しました").submits("これから使う")
    Visitor(Client()).opens("/").follows("金曜会").follows("ルール").reads(*TOLD)
    Visitor(Client()).opens("/en/").follows("Friday Club").follows("Rules").reads("Drinks stay off the table.")
    visitor.opens("/").follows("金曜会").follows("結果を入力").submits("今日の節を始める")
    seats = {f"player_{seat}": str(player.pk) for seat, player in enumerate(people)}
    visitor.submits("合っています・登録する", **seats, **RAW, bust_3_by="0")
    assert Hanchan.objects.get().ruleset_version == League.objects.get().current_version
    visitor.opens("/").follows("金曜会").follows("ルール").follows("編集")
    visitor.submits("次の版として保存", house_noten_pool="2000", house_text_ja="")
    visitor.reads("第2版との違い", "3,000点を支払います。", "2,000点を支払います。", "ポイントは変わりません。").misses(
        "計算し直す"
    )
    visitor.follows("編集").submits("次の版として保存", uma="20 10 -10 -20").reads("第3版との違い").misses(
        "ポイントは変わりません。"
    )
    assert visitor.has_button("計算し直す")
