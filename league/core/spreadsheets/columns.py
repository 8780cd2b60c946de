"""Columns of result files: keys, headers in both languages, and layouts.

docs/spreadsheets.md describes their cells. Numbers are plain (`-12.3`), raw scores are in points (`31700`).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class RowShape(StrEnum):
    LONG = "long"
    WIDE = "wide"


class CellKind(StrEnum):
    TEXT = "text"
    DATE = "date"
    WHOLE = "whole"
    POINTS = "points"


@dataclass(frozen=True, slots=True)
class FileColumn:
    """A column; its key is also the English header.

    `per_seat`: about one player's result. `exact`: only in exports of everything. `foreign`: only in files of other
    programs. `aliases`: other headers. `seldom`: only written if some cell needs it. `unread`: imports ignore it.
    """

    key: str
    ja: str
    kind: CellKind = CellKind.TEXT
    per_seat: bool = False
    exact: bool = False
    foreign: bool = False
    aliases: tuple[str, ...] = ()
    seldom: bool = False

    @property
    def unread(self) -> bool:
        return self.seldom or (self.exact and self.key not in {"key", "state", "number", "yakuman"})

    def header(self, language: str, number: int | None = None) -> str:
        """Return the header in "ja" or "en", with a seat number (1 to 4) in wide files."""
        name = self.ja if language == "ja" else self.key
        return name if number is None else f"{name}{number}"


_WHOLE, _POINTS, _DATE = CellKind.WHOLE, CellKind.POINTS, CellKind.DATE


def _column(key: str, ja: str, aliases: str = "", kind: CellKind = CellKind.TEXT, **marks: bool) -> FileColumn:
    return FileColumn(key, ja, kind, aliases=tuple(filter(None, aliases.split("|"))), **marks)


STICKS = (
    "残り供託|供託の残り|残り|供託棒|供託本数|供託点|残りリーチ棒|リーチ棒"
    "|sticks left|leftover sticks|riichi sticks|riichi sticks left|leftover riichi sticks"
)

COLUMNS = (
    _column(
        "date",
        "日付",
        "年月日|開催日|対局日|対戦日|実施日|日程|日時|日|day|game date|date played|play date|played on",
        _DATE,
    ),
    _column("session", "節", "例会|開催|開催回|セッション|大会|第何節|節名|session name|event"),
    _column("table", "卓", "卓番|卓番号|卓no|テーブル|table no|table number", _WHOLE),
    _column("game", "回戦", "半荘|半荘番号|半荘数|回|局|戦|試合|ゲーム|対局|no|番号|round|hanchan|game no", _WHOLE),
    _column("seat", "席", "家|風|座席|座順|席順|起家順|開始席|wind|position", per_seat=True),
    _column(
        "player",
        "選手",
        "名前|氏名|選手名|プレイヤー|プレーヤー|プレイヤー名|対局者|参加者|メンバー|雀士|お名前|ニックネーム|name|player name|member"
        "|nickname",
        per_seat=True,
    ),
    _column(
        "raw",
        "素点",
        "得点|点数|点|持ち点|持点|最終持ち点|最終得点|終了時点数|点棒|スコア|score|raw score|final score|points held",
        _WHOLE,
        per_seat=True,
    ),
    _column("placement", "着順", "順位|着|順|rank|place|standing", _WHOLE, per_seat=True),
    _column(
        "points", "ポイント", "pt|pts|point|得失点|成績|最終ポイント|獲得ポイント|トータル", _POINTS, per_seat=True
    ),
    _column("chips", "チップ", "チップ枚数|祝儀|ご祝儀|枚数|chip", _WHOLE, per_seat=True),
    _column("chombo", "チョンボ", "チョンボ数|チョンボ回数|chombos", _WHOLE, per_seat=True),
    _column("bust", "トビ", "飛び|とび|飛ばした人|トバし|箱下", per_seat=True),
    _column("sticks", "供託", STICKS, _WHOLE),
    _column("memo", "メモ", "備考|コメント|摘要|note|notes|comment|comments|remarks"),
    _column("dealer", "起家", "起親|first dealer|starting dealer|starting east", foreign=True),
    _column("stamp", "入力日時", "timestamp|タイムスタンプ|送信日時|回答日時|submitted at", foreign=True),
    _column("played_at", "対局日時", exact=True),
    _column("deposits", "供託内訳", kind=_WHOLE, per_seat=True, exact=True),
    _column("yakuman", "役満", per_seat=True, exact=True),
    _column("end", "終了理由", "終わり方|end reason", exact=True),
    _column("state", "状態", exact=True),
    _column("given", "分かっていたもの", seldom=True),
    _column("as_is", "合計不一致", kind=_WHOLE, seldom=True),
    _column("venue", "会場", "場所|開催場所|店|place of play", exact=True),
    _column("rules", "ルール", "rule|ruleset|rule set", exact=True),
    _column("key", "半荘キー", "hanchan key|game key", exact=True),
    _column("session_key", "節キー", exact=True),
    _column("session_number", "節番号", kind=_WHOLE, exact=True),
    _column("session_title", "節タイトル", exact=True),
    _column("session_state", "節の状態", exact=True),
    _column("session_rules", "節のルール", exact=True),
    _column("tables", "卓数", kind=_WHOLE, exact=True),
    _column("player_key", "選手キー", per_seat=True, exact=True),
    _column("kana", "ふりがな", "フリガナ|よみ|読み|かな|カナ|reading", per_seat=True, exact=True),
    _column("romanised", "ローマ字", "romanized|romaji", per_seat=True, exact=True),
    _column("number", "会員番号", "選手番号|member number|member no", per_seat=True, exact=True),
    _column("club", "所属", "所属クラブ|クラブ|affiliation", per_seat=True, exact=True),
    _column("guest", "ゲスト", kind=_WHOLE, per_seat=True, exact=True),
    _column("visibility", "名前の公開", per_seat=True, exact=True),
    _column("active", "活動中", kind=_WHOLE, per_seat=True, exact=True),
    _column("aliases", "別名", per_seat=True, exact=True),
)

BY_KEY: Mapping[str, FileColumn] = {column.key: column for column in COLUMNS}

_USUAL = tuple(column for column in COLUMNS if not column.foreign and not column.seldom)
"""The columns of exported files."""

READ = tuple(column for column in COLUMNS if not column.unread)
"""The columns that imports read."""

PER_GAME = tuple(column.key for column in READ if not column.per_seat)
PER_SEAT = tuple(column.key for column in READ if column.per_seat)

SEATS = ("E", "S", "W", "N")
SEATS_JA = ("東", "南", "西", "北")

Words = Mapping[str, str]
"""The Japanese words for stored codes in exported files."""

END: Words = {
    "": "通常",
    "bust": "トビ",
    "agari_yame": "アガリやめ",
    "tenpai_yame": "テンパイやめ",
    "cold": "コールド",
    "extension": "延長",
    "riichi_bust": "リーチトビ",
    "chombo": "チョンボ",
    "time": "時間切れ",
}
STATE: Words = {"recorded": "登録済み", "confirmed": "確定", "disputed": "異議", "voided": "取り消し"}
GIVEN: Words = {"raw": "素点", "worked_out": "ポイントから算出した素点", "points": "ポイントのみ"}
SESSION_STATE: Words = {"open": "受付中", "closed": "終了", "withdrawn": "取り下げ"}
VISIBILITY: Words = {"public": "公開", "members": "会員のみ", "nobody": "非公開"}


def long_columns(*, exact: bool) -> tuple[tuple[FileColumn, int | None], ...]:
    return tuple((column, None) for column in _USUAL if exact or not column.exact)


def wide_columns(players: int, *, exact: bool) -> tuple[tuple[FileColumn, int | None], ...]:
    """Return the columns of a wide file with their seat numbers from 1.

    The game comes first, then each seat, then notes and the rest.
    """
    chosen = [column for column in _USUAL if (exact or not column.exact) and column.key != "seat"]
    first = [column for column in chosen if column.key in {"date", "session", "table", "game"}]
    rest = [column for column in chosen if not column.per_seat and column not in first]
    seats = [(column, seat) for seat in range(1, players + 1) for column in chosen if column.per_seat]
    return (*((column, None) for column in first), *seats, *((column, None) for column in rest))
