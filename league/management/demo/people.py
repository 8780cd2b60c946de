"""Invented players and demo accounts."""

from dataclasses import dataclass

from league.models import Membership
from league.selectors.demo_accounts import PASSWORD, demo_accounts
from league.services.people import PlayerFacts


@dataclass(frozen=True, slots=True)
class Character:
    """An invented player; `strength`: weight of winning a hand, 10 on average."""

    facts: PlayerFacts
    strength: int = 10


@dataclass(frozen=True, slots=True)
class DemoAccount:
    """A demo account; `player`: key of its player."""

    username: str
    role: Membership.Role
    player: str


def _member(name: str, kana: str, romanised: str, number: int, strength: int) -> Character:
    return Character(PlayerFacts(name, kana, romanised, f"{number:02d}"), strength)


def _guest(name: str, kana: str, romanised: str, strength: int = 10) -> Character:
    return Character(PlayerFacts(name, kana, romanised, is_guest=True), strength)


CAMARADE = {
    "aoki": Character(PlayerFacts("青木 ひなた", "あおき ひなた", "Hinata Aoki", "01", aliases=("ひなた",)), 12),
    "ishida": _member("石田 くるみ", "いしだ くるみ", "Kurumi Ishida", 2, 11),
    "ueno": _member("上野 つばさ", "うえの つばさ", "Tsubasa Ueno", 3, 10),
    "eguchi": _member("江口 まどか", "えぐち まどか", "Madoka Eguchi", 4, 9),
    "ono": _member("大野 いぶき", "おおの いぶき", "Ibuki Ono", 5, 13),
    "kashiwagi": _member("柏木 すぐる", "かしわぎ すぐる", "Suguru Kashiwagi", 6, 10),
    "kitagawa": Character(
        PlayerFacts("北川 みつる", "きたがわ みつる", "Mitsuru Kitagawa", "07", aliases=("きたさん",)), 9
    ),
    "kubota": _member("久保田 あさひ", "くぼた あさひ", "Asahi Kubota", 8, 11),
    "komatsu": _member("小松 なぎさ", "こまつ なぎさ", "Nagisa Komatsu", 9, 8),
    "saeki": _member("佐伯 るい", "さえき るい", "Rui Saeki", 10, 10),
    "shimura": Character(
        PlayerFacts("志村 ちはや", "しむら ちはや", "Chihaya Shimura", "11", visibility="members"), 10
    ),
    "sudo": _guest("須藤 げん", "すどう げん", "Gen Sudo", 9),
    "segawa": _guest("瀬川 ゆずる", "せがわ ゆずる", "Yuzuru Segawa", 11),
    "sonoda": _guest("園田 こはる", "そのだ こはる", "Koharu Sonoda", 7),
}

SECOND_NAME = _guest("きたがわ(ゲスト)", "きたがわ", "Kitagawa", 9)
"""A player entered a second time under another name; merged later."""

CINDERELLA = {
    "asagi": _member("浅葱 れいら", "あさぎ れいら", "Reira Asagi", 1, 12),
    "iroha": _member("色葉 このみ", "いろは このみ", "Konomi Iroha", 2, 10),
    "uguisu": _member("鶯谷 しおり", "うぐいすだに しおり", "Shiori Uguisudani", 3, 9),
    "enoki": _member("榎 あんず", "えのき あんず", "Anzu Enoki", 4, 10),
    "kaede": _member("楓原 すず", "かえではら すず", "Suzu Kaedehara", 5, 11),
    "kikyo": _member("桔梗 みれい", "ききょう みれい", "Mirei Kikyo", 6, 8),
    "kurenai": _member("紅林 えりか", "くればやし えりか", "Erika Kurebayashi", 7, 10),
    "koharu": _member("小春 ゆな", "こはる ゆな", "Yuna Koharu", 8, 10),
}

SANMA = {
    "aoki": _member("青木 ひなた", "あおき ひなた", "Hinata Aoki", 1, 11),
    "ishida": _member("石田 くるみ", "いしだ くるみ", "Kurumi Ishida", 2, 10),
    "ono": _member("大野 いぶき", "おおの いぶき", "Ibuki Ono", 3, 12),
    "saeki": _member("佐伯 るい", "さえき るい", "Rui Saeki", 4, 9),
    "sudo": _guest("須藤 げん", "すどう げん", "Gen Sudo", 10),
}

ACCOUNTS = (
    DemoAccount("aoki", Membership.Role.OWNER, "aoki"),
    DemoAccount("ishida", Membership.Role.ORGANISER, "ishida"),
    DemoAccount("ueno", Membership.Role.SCORER, "ueno"),
    DemoAccount("eguchi", Membership.Role.PLAYER, "eguchi"),
)


def demo_logins() -> list[dict[str, str]]:
    """Return user name, password and role of the demo accounts; empty if there are none. One query."""
    there = set(demo_accounts().values_list("username", flat=True))
    return [
        {"username": account.username, "password": PASSWORD, "role": str(account.role.label)}
        for account in ACCOUNTS
        if account.username in there
    ]
