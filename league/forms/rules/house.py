"""House rules as form fields, built from the clauses of the rule sheet."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from django.utils.functional import Promise, lazy
from django.utils.translation import gettext_lazy as _

from league.core.limits import MAX_CHIPS
from league.forms.points import PointsListField, SticksField, TimesField, TypedField, plain
from scoring.core.house import MAX_CHIP_LABEL_LENGTH, MAX_HOUSE_TEXT_LENGTH, MAX_OTHER_CHIPS
from scoring.core.reading import is_unreadable
from scoring.messages import parameter_label
from scoring.messages.house import CLAUSES
from scoring.messages.house.hands import OTHERS

PREFIX = "house_"

NONE = "none_of_them"
"""Choice that explicitly says "none of them"."""

SWITCHES = {True: "yes", False: "no"}

COUNTED = ("red_fives", "chips.red", "chips.gold", "chips.ippatsu", "chips.ura", "chips.yakuman_ron", "chips.yakuman_tsumo_each")  # fmt: skip
"""Clauses whose number is a count; other numbers are points."""

TEXTS = ("text.ja", "text.en")

PATHS: Mapping[str, str] = {f"{PREFIX}{path.replace('.', '_')}": path for path in (*CLAUSES, *TEXTS)}
"""Clause path by form field."""


class RowsField(TypedField):
    """Numbered rows of points, one per line: `1: 12 ▲1 ▲3 ▲8`; the value is {"1": (12000, …)}."""

    default_error_messages: ClassVar[dict[str, Any]] = {
        "unreadable": _("“%(text)s” cannot be read. Enter a number, a colon and the points."),
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
        """Format stored rows, one per line."""
        if isinstance(value, Mapping):
            rows = sorted(value.items(), key=lambda row: int(row[0]))
            return "\n".join(f"{number}: {'  '.join(map(str, row))}" for number, row in rows)
        return value


class ChipsField(TypedField):
    """Chips for special events, one per line: `four of a kind: 2`.

    The value is a list of dicts with `label` and `count`.
    """

    default_error_messages: ClassVar[dict[str, Any]] = {
        "unreadable": _("“%(text)s” cannot be read. Enter what the chips are for, a colon and the number."),
        "too_many": _("Use at most %(most)s lines. Put rare cases into the free text."),
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
        return {"label": match[1], "count": TimesField(most=MAX_CHIPS, required=False).clean(match[2])}

    def prepare_value(self, value: object) -> object:
        """Format stored rows, one per line."""
        if isinstance(value, (list, tuple)):
            return "\n".join(f"{row['label']}: {row['count']}" for row in value)
        return value


class PlainTextField(forms.CharField):
    """Multi-line plain text without control characters, with LF line ends."""

    def to_python(self, value: Any) -> str:
        typed = super().to_python(value) or ""
        lines = (line.replace("\t", " ") for line in typed.splitlines())
        kept = ("".join(sign for sign in line if not is_unreadable(sign)).rstrip() for line in lines)
        return "\n".join(kept).strip()


class SomeField(forms.MultipleChoiceField):
    """A multiple choice that can also be explicitly none, or undecided."""

    widget = forms.CheckboxSelectMultiple

    def clean(self, value: Any) -> list[str]:
        """Raise ValidationError if "none of them" is ticked together with others."""
        ticked: list[str] = super().clean(value)
        if NONE in ticked and len(ticked) > 1:
            raise ValidationError(_("Choose some of them, or “none of them”."))
        return ticked


def house_fields() -> Iterator[tuple[str, forms.Field]]:
    for name, path in PATHS.items():
        yield name, _field(path, {"label": _label(path), "help_text": HELPS[path], "required": False})


def _label(path: str) -> Any:
    """Return the label of a clause, translated lazily."""
    return CLAUSES[path].label if path in CLAUSES else lazy(parameter_label, str)(f"house.{path}")


def _field(path: str, options: dict[str, Any]) -> forms.Field:
    if path in TEXTS:
        area = forms.Textarea(attrs={"rows": 6})
        return PlainTextField(max_length=MAX_HOUSE_TEXT_LENGTH, widget=area, **options)
    if path == OTHERS:
        return ChipsField(**options)
    clause = CLAUSES[path]
    if clause.members:
        return SomeField(choices=[*clause.members.items(), (NONE, _("none of them"))], **options)
    if clause.options:
        choices = (
            (SWITCHES[value] if isinstance(value, bool) else str(value), text) for value, text in clause.options.items()
        )
        return forms.ChoiceField(choices=[("", _("not decided")), *choices], **options)
    return TimesField(most=MAX_CHIPS, **options) if path in COUNTED else SticksField(**options)


HELPS: Mapping[str, Promise] = {
    "rounds": _("The length of a game without an extension."),
    "extension.next": _(
        "Whether the game continues into West (or South), or back to East, if 1st place has too few points."
    ),
    "extension.if_top_below": _("The score that 1st place needs for the game to end after the last hand."),
    "extension.ends_at": _("The score that ends the extension."),
    "extension.inclusive": _("Whether reaching exactly that score ends it."),
    "extension.sudden_death": _("Whether the game ends as soon as a player reaches that score."),
    "extension.last_round": _("The round after which the game always ends."),
    "cold_game": _("A score that ends the game at once (mercy rule). 0 means none."),
    "agari_yame.who": _("Whether the last dealer may end the game after a win (agari-yame)."),
    "agari_yame.top": _("Whether 1st place may choose to continue."),
    "tenpai_yame.who": _("Whether the last dealer may end the game when tenpai on a draw (tenpai-yame)."),
    "tenpai_yame.top": _("Whether 1st place may choose to continue."),
    "renchan.east": _("When the dealer keeps the deal in the East round."),
    "renchan.south": _(
        "When the dealer keeps the deal in the South round. Some rule sets differ from the East round here."
    ),
    "renchan_multi_ron": _("Who keeps the deal if several players win on one tile."),
    "dealer_may_pass": _("Whether a dealer may give up a deal they could keep."),
    "honba_on_draw": _("What happens to the honba if the deal passes after a draw."),
    "round_winds.east": _("Winds whose triplets are worth a han in the East round."),
    "round_winds.south": _("Winds whose triplets are worth a han in the South round."),
    "honba_value": _("What one honba adds to a win, such as 300 or 1,500. 0 means nothing."),
    "honba_tsumo": _("Who pays the honba on a tsumo."),
    "noten_pool": _("The total noten payment, such as 3,000. 0 means none."),
    "multi_ron": _("What happens if several players call ron on one tile."),
    "multi_ron_honba": _("Who gets the honba in that case."),
    "multi_ron_deposits": _("Who gets the riichi sticks in that case."),
    "abortive.kinds": _("Abortive draws in use."),
    "abortive.dealer": _("Who deals after an abortive draw."),
    "abortive.honba": _("Whether an abortive draw adds a honba."),
    "abortive.last_hand": _("What happens after an abortive draw in the last hand."),
    "nagashi.counts_as": _("How discarding only terminals and honours (nagashi mangan) is scored."),
    "nagashi.value": _("How much nagashi mangan pays."),
    "nagashi.own_calls": _("Whether nagashi mangan counts for a player who has called a tile."),
    "nagashi.own_riichi": _("Whether nagashi mangan counts for a player in riichi."),
    "nagashi.honba_next": _("Whether nagashi mangan adds a honba to the next hand."),
    "ippatsu": _("One han for winning within one turn of riichi."),
    "ura": _("Ura-dora for players in riichi."),
    "kan_dora": _("New dora indicators after each kan."),
    "red_fives": _("Number of red fives. 0 means none."),
    "open_tanyao": _("Whether tanyao counts with called tiles."),
    "swap_calling": _("Whether a called tile may be swapped for an equivalent discard (kuikae)."),
    "min_riichi_points": _("The points a player needs to declare riichi. 0 means no minimum."),
    "riichi_needs_draw": _("Whether a player must have a draw left to declare riichi."),
    "riichi_deposit": _("The riichi deposit, usually 1,000."),
    "open_riichi_deposit": _("The deposit for an open riichi. 0 means there is none."),
    "furiten_riichi": _("Whether a player in furiten may declare riichi."),
    "kiriage": _("Whether 7,700 is rounded up to 8,000 (kiriage mangan)."),
    "kazoe": _("The number of han that counts as yakuman (kazoe yakuman)."),
    "sanbaiman_from": _("The number of han from which a hand counts as a sanbaiman."),
    "yakuman_stacking": _("Whether two yakuman in one hand add up."),
    "double_yakuman_forms": _("Whether waits such as thirteen-sided kokushi count double."),
    "double_wind_pair_fu": _("Fu for a pair that is both round and seat wind."),
    "rinshan_tsumo_fu": _("Whether a rinshan win gets the fu for tsumo."),
    "open_no_fu_hand": _("Fu of an open pinfu-shaped hand."),
    "pao.hands": _("Hands for which the player who discarded the deciding tile pays (pao)."),
    "pao.ron": _("Who pays if another player deals in."),
    "pao.honba_payer": _("Who pays the honba when pao applies."),
    "pao.scope": _("Whether pao also covers other yakuman in the hand."),
    "sanma.round_unit": _("The score unit in three-player games."),
    "sanma.tsumo_loss": _("Whether a tsumo pays less than with four players (tsumo loss)."),
    "sanma.north": _("How north tiles are used."),
    "chips.red": _("Chips for each red five in a winning hand."),
    "chips.gold": _("Chips for each gold five in a winning hand."),
    "chips.ippatsu": _("Chips for ippatsu."),
    "chips.ura": _("Chips for each ura-dora."),
    "chips.open_hands": _("Whether open hands earn chips."),
    "chips.yakuman_ron": _("Chips paid by the discarder."),
    "chips.yakuman_tsumo_each": _("Chips paid by each other player."),
    "chips.kazoe_pays": _("Whether a kazoe yakuman earns yakuman chips."),
    "chips.others": _("Other chips, one per line, for example: four of a kind: 2."),
    "text.ja": _("Any other rules, in Japanese. If blank, the English text is shown."),
    "text.en": _("Any other rules, in English. If blank, the Japanese text is shown."),
}
"""Help text by clause path."""
