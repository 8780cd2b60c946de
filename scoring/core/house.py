"""House rules that do not affect points: game length, dealer repeats, payments, draws, hand values, chips.

They are part of the rule set and versioned with it. None: not defined; such keys are omitted when written.
"""

from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass
from typing import Annotated, Any

from scoring.core import reading
from scoring.core.reading import text

MAX_HOUSE_TEXT_LENGTH = 4000
MAX_CHIP_LABEL_LENGTH = 40
MAX_OTHER_CHIPS = 20
MOST = 1_000_000

ROUNDS = ("tonpuu", "tonnan", "full")
WINDS = ("east", "south", "west", "north")
KINDS_OF_DRAW = ("nine_terminals", "four_winds", "four_kans", "four_riichi", "triple_ron")
LIABLE = ("daisangen", "daisuushi", "suukantsu", "daiminkan")
"""What pao can apply to: three yakuman, and the open kan."""


def _number_of(*numbers: int) -> reading.Reader:
    def read(value: object, path: str) -> int:
        number = reading.whole(value, path)
        if number not in numbers:
            choices = ", ".join(map(str, numbers))
            raise reading.RulesetError("not_a_choice", path, value=min(number, MOST), choices=choices)
        return number

    return read


Switch = Annotated[bool | None, reading.switch]
Count = Annotated[int | None, reading.between(0, MOST)]
Sticks = Annotated[int | None, reading.sticks(0, MOST)]
Winds = Annotated[tuple[str, ...] | None, reading.words(*WINDS)]
Stays = Annotated[str | None, reading.one_of("win", "tenpai", "never")]
"""Field types with their reader functions."""


@dataclass(frozen=True)
class RoundWinds:
    """Which round winds are worth a han. Source: house rules of a parlour and of the Banchi group."""

    east: Winds = None
    south: Winds = None


@dataclass(frozen=True)
class Extension:
    """Extra rounds if the top has less than `if_top_below` (points of sticks).

    They end when a player reaches `ends_at` (`inclusive`): immediately with `sudden_death`, and in any case after
    `last_round`. Source: house rules of a parlour, "ゲームについて"; of the Banchi group, "返り東".
    """

    next: Annotated[str | None, reading.one_of("none", "next_round", "return_east")] = None
    if_top_below: Sticks = None
    ends_at: Sticks = None
    inclusive: Switch = None
    sudden_death: Switch = None
    last_round: Annotated[str | None, reading.one_of(*WINDS)] = None


@dataclass(frozen=True)
class LastDealer:
    """Which dealer of the last hand may end the game.

    `top`: whether a dealer in first place may end it, must end it, or it ends automatically. Source: rules of the Kyoto Jakuyukai.
    """

    who: Annotated[str | None, reading.one_of("none", "top", "second_or_better", "any")] = None
    top: Annotated[str | None, reading.one_of("optional", "forced", "auto")] = None


@dataclass(frozen=True)
class Renchan:
    """When the dealer repeats, by round. Source: rules of the Kyoto Jakuyukai."""

    east: Stays = None
    south: Stays = None


@dataclass(frozen=True)
class AbortiveDraws:
    """Which abortive draws exist and how play continues. Source: house rules of a parlour, "途中流局"."""

    kinds: Annotated[tuple[str, ...] | None, reading.words(*KINDS_OF_DRAW)] = None
    dealer: Annotated[str | None, reading.one_of("stays", "passes")] = None
    honba: Switch = None
    last_hand: Annotated[str | None, reading.one_of("ends", "continues")] = None


@dataclass(frozen=True)
class Nagashi:
    """Nagashi mangan. Source: Official rules of the Camarade League."""

    counts_as: Annotated[str | None, reading.one_of("none", "win", "draw")] = None
    value: Annotated[str | None, reading.one_of("mangan", "yakuman")] = None
    own_calls: Switch = None
    own_riichi: Switch = None
    honba_next: Switch = None


@dataclass(frozen=True)
class Pao:
    """Pao: liability for a hand that a player's discards completed.

    Source: Cinderella League 2020; house rules of the Banchi group.
    """

    hands: Annotated[tuple[str, ...] | None, reading.words(*LIABLE)] = None
    ron: Annotated[str | None, reading.one_of("half", "discarder")] = None
    honba_payer: Annotated[str | None, reading.one_of("discarder", "liable")] = None
    scope: Annotated[str | None, reading.one_of("fixed_yakuman", "hand")] = None


@dataclass(frozen=True)
class Sanma:
    """Rules for three-player games only. Source: house rules of the Banchi group, three players."""

    round_unit: Annotated[int | None, _number_of(100, 1000)] = None
    tsumo_loss: Switch = None
    north: Annotated[str | None, reading.one_of("dora", "guest")] = None


@dataclass(frozen=True)
class OtherChips:
    label: Annotated[str, text(MAX_CHIP_LABEL_LENGTH)]
    count: Annotated[int, reading.between(0, MOST)]


def _other_chips(value: object, path: str) -> tuple[OtherChips, ...] | None:
    listed, read = reading.list_of(value, path), reading.table_reader(OtherChips)
    if len(listed) > MAX_OTHER_CHIPS:
        raise reading.RulesetError("out_of_range", path, value=len(listed), low=0, high=MAX_OTHER_CHIPS)
    return tuple(read(entry, f"{path}[{number}]") for number, entry in enumerate(listed)) or None


@dataclass(frozen=True)
class ChipRules:
    """Number of chips per tile, for a yakuman by ron (from the discarder) and by tsumo (from each player).

    Source: house rules of the Banchi group, "ご祝儀".
    """

    red: Count = None
    gold: Count = None
    ippatsu: Count = None
    ura: Count = None
    open_hands: Switch = None
    yakuman_ron: Count = None
    yakuman_tsumo_each: Count = None
    kazoe_pays: Switch = None
    others: Annotated[tuple[OtherChips, ...] | None, _other_chips] = None


@dataclass(frozen=True)
class HouseText:
    """Free text of the house, by language."""

    ja: Annotated[str | None, text(MAX_HOUSE_TEXT_LENGTH, of_lines=True)] = None
    en: Annotated[str | None, text(MAX_HOUSE_TEXT_LENGTH, of_lines=True)] = None


@dataclass(frozen=True)
class HouseRules:
    """House rules that do not affect points.

    Amounts in points of sticks; 0 or an empty value means that the rule does not exist.
    """

    rounds: Annotated[str | None, reading.one_of(*ROUNDS)] = None
    round_winds: RoundWinds | None = None
    extension: Extension | None = None
    cold_game: Sticks = None
    agari_yame: LastDealer | None = None
    tenpai_yame: LastDealer | None = None
    renchan: Renchan | None = None
    renchan_multi_ron: Annotated[str | None, reading.one_of("head", "any_dealer_winner")] = None
    dealer_may_pass: Switch = None
    honba_on_draw: Switch = None
    honba_value: Sticks = None
    honba_tsumo: Annotated[str | None, reading.one_of("divided", "each")] = None
    noten_pool: Sticks = None
    multi_ron: Annotated[str | None, reading.one_of("head_bump", "double", "triple")] = None
    multi_ron_honba: Annotated[str | None, reading.one_of("first", "each")] = None
    multi_ron_deposits: Annotated[str | None, reading.one_of("first", "own_back_rest_first")] = None
    abortive: AbortiveDraws | None = None
    nagashi: Nagashi | None = None
    kiriage: Switch = None
    kazoe: Annotated[int | None, _number_of(0, 13, 15)] = None
    sanbaiman_from: Annotated[int | None, _number_of(11, 13)] = None
    yakuman_stacking: Switch = None
    double_yakuman_forms: Switch = None
    double_wind_pair_fu: Annotated[int | None, _number_of(2, 4)] = None
    rinshan_tsumo_fu: Switch = None
    open_no_fu_hand: Annotated[int | None, _number_of(20, 30)] = None
    ippatsu: Switch = None
    ura: Switch = None
    kan_dora: Switch = None
    red_fives: Annotated[int | None, reading.between(0, 16)] = None
    open_tanyao: Switch = None
    swap_calling: Switch = None
    min_riichi_points: Sticks = None
    riichi_needs_draw: Switch = None
    riichi_deposit: Sticks = None
    open_riichi_deposit: Sticks = None
    furiten_riichi: Switch = None
    pao: Pao | None = None
    sanma: Sanma | None = None
    chips: ChipRules | None = None
    text: HouseText | None = None


def said(house: HouseRules) -> dict[str, Any]:
    """Return the defined rules by path, such as `extension.ends_at`, in the order of a rule sheet."""
    return dict(_leaves(house, ""))


def _leaves(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    for field in fields(value):
        held, name = getattr(value, field.name), f"{path}{field.name}"
        if is_dataclass(held):
            yield from _leaves(held, f"{name}.")
        elif held is not None:
            yield name, held
