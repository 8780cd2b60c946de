"""The rules of a house as fields of a form, made from the sentences they are on a rule sheet."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from django.utils.functional import Promise, lazy
from django.utils.translation import gettext_lazy as _

from league.core.limits import MAX_CHIPS
from league.core.numbers import plain_number
from league.forms.points import PointsListField, SticksField, TypedField, plain
from scoring.core.house import MAX_CHIP_LABEL_LENGTH, MAX_HOUSE_TEXT_LENGTH, MAX_OTHER_CHIPS, HouseRules, said
from scoring.core.reading import is_unreadable
from scoring.messages import parameter_label
from scoring.messages.house import CLAUSES
from scoring.messages.house.clauses import Clause
from scoring.messages.house.hands import OTHERS

PREFIX = "house_"

NONE = "none_of_them"
"""Ticked to say that a rule explicitly has no kind."""

SWITCHES = {True: "yes", False: "no"}

COUNTED = ("red_fives", "chips.red", "chips.gold", "chips.ippatsu", "chips.ura", "chips.yakuman_ron", "chips.yakuman_tsumo_each")  # fmt: skip
"""Rules whose number counts things; the others with a number are points that sticks show."""

TEXTS = ("text.ja", "text.en")

NOT_SAID = ("", _("not said"))

PATHS: Mapping[str, str] = {f"{PREFIX}{path.replace('.', '_')}": path for path in (*CLAUSES, *TEXTS)}
"""Which rule each field asks for."""


class RowsField(TypedField):
    """Numbered rows of points, one per line: `1: 12 ▲1 ▲3 ▲8`; gives {1: (12000, …)}."""

    default_error_messages: ClassVar[dict[str, Any]] = {
        "unreadable": _("“%(text)s” is not understood. Write a number, a colon and the points."),
    }

    longest = 500

    def __init__(self, **options: Any) -> None:
        super().__init__(widget=forms.Textarea(attrs={"rows": 4, "autocomplete": "off"}), **options)

    def read(self, text: str) -> dict[str, tuple[int, ...]]:
        return dict(self._row(line) for line in text.splitlines() if line.strip())

    def _row(self, line: str) -> tuple[str, tuple[int, ...]]:
        match = re.fullmatch(r"\s*(\d{1,2})\s*[:=]\s*(.+)", plain(line))
        if not match:
            raise ValidationError(self.error_messages["unreadable"], "unreadable", {"text": line[:60]})
        return str(int(match[1])), PointsListField(required=False).clean(match[2])

    def prepare_value(self, value: object) -> object:
        """Return stored rows one per line."""
        if isinstance(value, Mapping):
            rows = sorted(value.items(), key=lambda row: int(row[0]))
            return "\n".join(f"{number}: {'  '.join(map(str, row))}" for number, row in rows)
        return value


class ChipCountField(TypedField):
    """How many of something: `3`, `５００`; gives a whole number that is not below zero."""

    default_error_messages: ClassVar[dict[str, Any]] = {
        "unreadable": _("“%(text)s” is not a whole number. Write for example 3."),
        "too_large": _("“%(text)s” is more than any table holds."),
    }

    def read(self, text: str) -> int:
        number = plain(plain_number(text)).removesuffix("枚")
        if not re.fullmatch(r"\d{1,9}", number):
            raise ValidationError(self.error_messages["unreadable"], "unreadable", {"text": text})
        if int(number) > MAX_CHIPS:
            raise ValidationError(self.error_messages["too_large"], "too_large", {"text": text})
        return int(number)


class ChipsField(TypedField):
    """Chips for special events, one per line: `four of a kind: 2`; returns tables with `label` and `count`."""

    default_error_messages: ClassVar[dict[str, Any]] = {
        "unreadable": _("“%(text)s” is not understood. Write what the chips are for, a colon and how many."),
        "too_many": _("There are more than %(most)s lines. Leave the rarest to the house’s own words."),
    }

    longest = MAX_OTHER_CHIPS * (MAX_CHIP_LABEL_LENGTH + 12)

    def __init__(self, **options: Any) -> None:
        super().__init__(widget=forms.Textarea(attrs={"rows": 3, "autocomplete": "off"}), **options)

    def read(self, text: str) -> list[dict[str, Any]]:
        rows = [self._row(line) for line in text.splitlines() if line.strip()]
        if len(rows) > MAX_OTHER_CHIPS:
            raise ValidationError(self.error_messages["too_many"], "too_many", {"most": MAX_OTHER_CHIPS})
        return rows

    def _row(self, line: str) -> dict[str, Any]:
        match = re.fullmatch(rf"\s*(.{{1,{MAX_CHIP_LABEL_LENGTH}}}?)\s*[:：=＝]\s*([^:：=＝]+)", line)
        if not match:
            raise ValidationError(self.error_messages["unreadable"], "unreadable", {"text": line[:60]})
        return {"label": match[1], "count": ChipCountField(required=False).clean(match[2])}

    def prepare_value(self, value: object) -> object:
        """Return stored rows one per line."""
        if isinstance(value, (list, tuple)):
            return "\n".join(f"{label}: {count}" for label, count in value)
        return value


class PlainTextField(forms.CharField):
    """Lines of plain text: what steers a machine and is not seen goes away, and every line ends in a line feed."""

    def to_python(self, value: Any) -> str:
        typed = super().to_python(value) or ""
        lines = (line.replace("\t", " ") for line in typed.splitlines())
        kept = ("".join(sign for sign in line if not is_unreadable(sign)).rstrip() for line in lines)
        return "\n".join(kept).strip()


class SomeField(forms.MultipleChoiceField):
    """Some of several kinds, none of them at all, or nothing said."""

    widget = forms.CheckboxSelectMultiple

    def clean(self, value: Any) -> list[str]:
        """Raise ValidationError for kinds together with "none of them"."""
        ticked: list[str] = super().clean(value)
        if NONE in ticked and len(ticked) > 1:
            raise ValidationError(_("Tick either some of them or “none of them”."))
        return ticked


def house_fields() -> Iterator[tuple[str, forms.Field]]:
    for name, path in PATHS.items():
        yield name, _field(path, {"label": _label(path), "help_text": HELPS[path], "required": False})


def _label(path: str) -> Any:
    """Return the name of a rule, looked up when a page is made: labels are older than the language of their reader."""
    return CLAUSES[path].label if path in CLAUSES else lazy(parameter_label, str)(f"house.{path}")


def _field(path: str, options: dict[str, Any]) -> forms.Field:
    if path in TEXTS:
        area = forms.Textarea(attrs={"rows": 6})
        return PlainTextField(max_length=MAX_HOUSE_TEXT_LENGTH, widget=area, **options)
    if path == OTHERS:
        return ChipsField(**options)
    clause = CLAUSES[path]
    if clause.members:
        return SomeField(choices=_kinds(clause), **options)
    if clause.options:
        return forms.ChoiceField(choices=_choices(clause), **options)
    return ChipCountField(**options) if path in COUNTED else SticksField(**options)


def _kinds(clause: Clause) -> list[tuple[str, Any]]:
    return [*clause.members.items(), (NONE, _("none of them"))]


def _choices(clause: Clause) -> list[tuple[str, Any]]:
    return [NOT_SAID, *((_key(value), sentence) for value, sentence in clause.options.items())]


def _key(value: object) -> str:
    return SWITCHES[value] if isinstance(value, bool) else str(value)


def house_from(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the house rules of the answers, without undecided ones."""
    table: dict[str, Any] = {}
    for name, path in PATHS.items():
        answer = _meant(values[name])
        if answer is None:
            continue
        *above, last = path.split(".")
        held = table.setdefault(above[0], {}) if above else table
        held[last] = answer
    return table


def _meant(answer: Any) -> Any:
    """Return a parameter value, None if undecided."""
    if isinstance(answer, list) and answer and not isinstance(answer[0], dict):
        return [kind for kind in answer if kind != NONE]
    switches = {key: value for value, key in SWITCHES.items()}
    if isinstance(answer, str) and answer in switches:
        return switches[answer]
    return None if answer in ("", None, []) else answer


def house_answers(house: HouseRules | None) -> dict[str, Any]:
    values = said(house) if house else {}
    return {name: _answer(values[path]) for name, path in PATHS.items() if path in values}


def _answer(value: Any) -> Any:
    if isinstance(value, tuple) and value and isinstance(value[0], tuple):
        return value
    if isinstance(value, tuple):
        return list(value) or [NONE]
    return SWITCHES[value] if isinstance(value, bool) else value


HELPS: Mapping[str, Promise] = {
    "rounds": _("How many rounds a game has before anything is added to it."),
    "extension.next": _(
        "Whether more is played when the top has too few points: West (or South) entered, or East again."
    ),
    "extension.if_top_below": _("The top needs this many points for the game to end with the last hand."),
    "extension.ends_at": _("The points that end the added hands."),
    "extension.inclusive": _("Whether exactly those points end it."),
    "extension.sudden_death": _("Whether one hand is enough to end the added round."),
    "extension.last_round": _("The round after which the game is over in any case."),
    "cold_game": _("Points that end a game at once; 0: there is none."),
    "agari_yame.who": _("Whether the dealer of the last hand can end the game by winning."),
    "agari_yame.top": _("Whether stopping is a choice for the top."),
    "tenpai_yame.who": _("The same after a draw in which that dealer was tenpai."),
    "tenpai_yame.top": _("Whether stopping is a choice for the top."),
    "renchan.east": _("With what the dealer keeps the deal in the East round."),
    "renchan.south": _("The same in the South round; some houses differ there."),
    "renchan_multi_ron": _("Who keeps the deal when several win on one tile."),
    "dealer_may_pass": _("Whether a dealer who would stay may pass the deal on."),
    "honba_on_draw": _("What becomes of the honba when a hand is drawn and the deal moves."),
    "round_winds.east": _("Winds whose triplets are worth a han in the East round."),
    "round_winds.south": _("The same in the South round."),
    "honba_value": _("What one honba adds to a win, such as 300 or 1,500; 0: nothing."),
    "honba_tsumo": _("Who pays the honba when the winner draws the tile."),
    "noten_pool": _("All that changes hands at a draw, such as 3,000; 0: nothing."),
    "multi_ron": _("What counts when several players call ron on one tile."),
    "multi_ron_honba": _("Who gets the honba then."),
    "multi_ron_deposits": _("Who gets the riichi sticks then."),
    "abortive.kinds": _("What ends a hand without a winner before the wall is used up."),
    "abortive.dealer": _("Who deals after a hand that was broken off."),
    "abortive.honba": _("Whether a hand that was broken off adds a honba."),
    "abortive.last_hand": _("What a hand broken off at the very end means."),
    "nagashi.counts_as": _("What discarding only terminals and honours until the draw is."),
    "nagashi.value": _("What is paid for it."),
    "nagashi.own_calls": _("Whether it counts for a player who called a tile."),
    "nagashi.own_riichi": _("Whether it counts for a player who declared riichi."),
    "nagashi.honba_next": _("Whether the next hand has one honba more."),
    "ippatsu": _("A han for winning within one turn of riichi."),
    "ura": _("Dora under the indicators for those who declared riichi."),
    "kan_dora": _("New indicators after each kan."),
    "red_fives": _("How many red fives the set has; 0: none."),
    "open_tanyao": _("Whether a hand of simples may be called."),
    "swap_calling": _("Calling a tile and discarding one that would have done as well."),
    "min_riichi_points": _("How many points a player must have for it; 0: any."),
    "riichi_needs_draw": _("Whether a draw must be left in the wall."),
    "riichi_deposit": _("What riichi puts on the table, 1,000 as a rule."),
    "open_riichi_deposit": _("What an open riichi puts on the table; 0: there is no open riichi."),
    "furiten_riichi": _("Whether a player who cannot win by ron may declare riichi."),
    "kiriage": _("Whether 7,700 becomes 8,000."),
    "kazoe": _("How many han make a yakuman without one."),
    "sanbaiman_from": _("From how many han on it is one."),
    "yakuman_stacking": _("Whether two yakuman in a hand count twice."),
    "double_yakuman_forms": _("Such as a kokushi waiting for thirteen tiles."),
    "double_wind_pair_fu": _("Fu for a pair that is both the round's and one's own wind."),
    "rinshan_tsumo_fu": _("Whether the tile after a kan counts as drawn."),
    "open_no_fu_hand": _("What a called hand of plain runs is counted as."),
    "pao.hands": _("What somebody is made to pay for who dealt the deciding tile."),
    "pao.ron": _("Who pays when a third player deals in."),
    "pao.honba_payer": _("Who pays the honba of such a hand."),
    "pao.scope": _("Whether other yakuman in the hand are included."),
    "sanma.round_unit": _("To what wins are rounded up with three players."),
    "sanma.tsumo_loss": _("Whether a drawn win is worth less than with four."),
    "sanma.north": _("What the north tile is for."),
    "chips.red": _("Chips for each red five in a win."),
    "chips.gold": _("Chips for each gold five in a win."),
    "chips.ippatsu": _("Chips for an ippatsu."),
    "chips.ura": _("Chips for each ura-dora."),
    "chips.open_hands": _("Whether chips are paid for hands with calls."),
    "chips.yakuman_ron": _("Chips that the discarder pays."),
    "chips.yakuman_tsumo_each": _("Chips that each of the others pays."),
    "chips.kazoe_pays": _("Whether it pays like a yakuman."),
    "chips.others": _("Further chips, one line each, for example four of a kind: 2."),
    "text.ja": _("Everything else that the table plays by, in Japanese; empty: the English text stands for both."),
    "text.en": _("Everything else that the table plays by, in English; empty: the Japanese text stands for both."),
}
"""Help texts by path of the rule."""
