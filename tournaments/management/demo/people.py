"""More invented people: with those of the Cinderella league they fill two blocks of eight."""

from league.management.demo.people import Character
from league.services.people import PlayerFacts


def _player(name: str, kana: str, romanised: str, number: int, strength: int = 10) -> Character:
    return Character(PlayerFacts(name, kana, romanised, f"{number:02d}"), strength)


NEWCOMERS = {
    "shirafuji": _player("白藤 ことね", "しらふじ ことね", "Kotone Shirafuji", 9, 11),
    "suzukake": _player("鈴懸 りんね", "すずかけ りんね", "Rinne Suzukake", 10, 9),
    "tachibana": _player("橘花 みやび", "たちばな みやび", "Miyabi Tachibana", 11, 10),
    "tsubaki": _player("椿本 あかね", "つばきもと あかね", "Akane Tsubakimoto", 12, 12),
    "nanakusa": _player("七草 ちよ", "ななくさ ちよ", "Chiyo Nanakusa", 13, 10),
    "hagino": _player("萩乃 ゆい", "はぎの ゆい", "Yui Hagino", 14, 9),
    "fujibakama": _player("藤袴 るり", "ふじばかま るり", "Ruri Fujibakama", 15, 11),
    "mikage": _player("御影 しずく", "みかげ しずく", "Shizuku Mikage", 16, 10),
    "yamabuki": _player("山吹 ほのか", "やまぶき ほのか", "Honoka Yamabuki", 17, 10),
}

ABSENT_LAST_YEAR = "koharu"
ABSENT_THIS_YEAR = "yamabuki"
