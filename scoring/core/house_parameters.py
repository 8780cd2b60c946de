"""The rules of a house read from and written to plain tables: what is not said is absent, so that nothing is guessed."""

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from scoring.core.house import (
    KINDS_OF_DRAW,
    LIABLE,
    ROUNDS,
    WINDS,
    AbortiveDraws,
    ChipRules,
    Extension,
    HouseRules,
    HouseText,
    LastDealer,
    Nagashi,
    Pao,
    Renchan,
    RoundWinds,
    Sanma,
)
from scoring.core.reading import (
    Reader,
    RulesetError,
    between,
    complete,
    fields_of,
    list_of,
    sticks,
    switch,
    text,
    whole,
    word,
    words,
)

MAX_HOUSE_TEXT_LENGTH = 4000
MAX_CHIP_LABEL_LENGTH = 40
MAX_OTHER_CHIPS = 20
MOST_CHIPS = 1_000_000
MOST_STICKS = 1_000_000

_COUNT = between(0, MOST_CHIPS)
_STICKS = sticks(0, MOST_STICKS)


def _table(kind: type, readers: Mapping[str, Reader]) -> Reader:
    """Return a reader of tables of this kind; None for one that says nothing."""

    def read(value: object, path: str) -> Any:
        found = kind(**fields_of(value, path, readers))
        return found if found != kind() else None

    return read


def _one_of(*numbers: int) -> Reader:
    def read(value: object, path: str) -> int:
        number = whole(value, path)
        if number not in numbers:
            choices = ", ".join(map(str, numbers))
            raise RulesetError("not_a_choice", path, value=min(number, MOST_STICKS), choices=choices)
        return number

    return read


def _other_chips(value: object, path: str) -> tuple[tuple[str, int], ...] | None:
    listed = list_of(value, path)
    if len(listed) > MAX_OTHER_CHIPS:
        raise RulesetError("out_of_range", path, value=len(listed), low=0, high=MAX_OTHER_CHIPS)
    readers = {"label": text(MAX_CHIP_LABEL_LENGTH), "count": _COUNT}
    read = (
        complete(fields_of(entry, place, readers), place, "label", "count")
        for place, entry in ((f"{path}[{number}]", entry) for number, entry in enumerate(listed))
    )
    return tuple((entry["label"], entry["count"]) for entry in read) or None


_LAST_DEALER = _table(
    LastDealer,
    {"who": word("none", "top", "second_or_better", "any"), "top": word("optional", "forced", "auto")},
)

HOUSE: dict[str, Reader] = {
    "rounds": word(*ROUNDS),
    "round_winds": _table(RoundWinds, {"east": words(*WINDS), "south": words(*WINDS)}),
    "extension": _table(
        Extension,
        {
            "next": word("none", "next_round", "return_east"),
            "if_top_below": _STICKS,
            "ends_at": _STICKS,
            "inclusive": switch,
            "sudden_death": switch,
            "last_round": word(*WINDS),
        },
    ),
    "cold_game": _STICKS,
    "agari_yame": _LAST_DEALER,
    "tenpai_yame": _LAST_DEALER,
    "renchan": _table(Renchan, {"east": word("win", "tenpai", "never"), "south": word("win", "tenpai", "never")}),
    "renchan_multi_ron": word("head", "any_dealer_winner"),
    "dealer_may_pass": switch,
    "honba_on_draw": switch,
    "honba_value": _STICKS,
    "honba_tsumo": word("divided", "each"),
    "noten_pool": _STICKS,
    "multi_ron": word("head_bump", "double", "triple"),
    "multi_ron_honba": word("first", "each"),
    "multi_ron_deposits": word("first", "own_back_rest_first"),
    "abortive": _table(
        AbortiveDraws,
        {
            "kinds": words(*KINDS_OF_DRAW),
            "dealer": word("stays", "passes"),
            "honba": switch,
            "last_hand": word("ends", "continues"),
        },
    ),
    "nagashi": _table(
        Nagashi,
        {
            "counts_as": word("none", "win", "draw"),
            "value": word("mangan", "yakuman"),
            "own_calls": switch,
            "own_riichi": switch,
            "honba_next": switch,
        },
    ),
    "kiriage": switch,
    "kazoe": _one_of(0, 13, 15),
    "sanbaiman_from": _one_of(11, 13),
    "yakuman_stacking": switch,
    "double_yakuman_forms": switch,
    "double_wind_pair_fu": _one_of(2, 4),
    "rinshan_tsumo_fu": switch,
    "open_no_fu_hand": _one_of(20, 30),
    "ippatsu": switch,
    "ura": switch,
    "kan_dora": switch,
    "red_fives": between(0, 16),
    "open_tanyao": switch,
    "swap_calling": switch,
    "min_riichi_points": _STICKS,
    "riichi_needs_draw": switch,
    "riichi_deposit": _STICKS,
    "open_riichi_deposit": _STICKS,
    "furiten_riichi": switch,
    "pao": _table(
        Pao,
        {
            "hands": words(*LIABLE),
            "ron": word("half", "discarder"),
            "honba_payer": word("discarder", "liable"),
            "scope": word("fixed_yakuman", "hand"),
        },
    ),
    "sanma": _table(Sanma, {"round_unit": _one_of(100, 1000), "tsumo_loss": switch, "north": word("dora", "guest")}),
    "chips": _table(
        ChipRules,
        {
            **dict.fromkeys(("red", "gold", "ippatsu", "ura", "yakuman_ron", "yakuman_tsumo_each"), _COUNT),
            "open_hands": switch,
            "kazoe_pays": switch,
            "others": _other_chips,
        },
    ),
    "text": _table(
        HouseText,
        {language: text(MAX_HOUSE_TEXT_LENGTH, of_lines=True) for language in ("ja", "en")},
    ),
}
"""Every rule of a house by its name, and how it is read."""


def read_house(value: object, path: str) -> HouseRules | None:
    """Return the rules of a house that a table describes, None where it says nothing. Raises RulesetError."""
    house = HouseRules(**fields_of(value, path, HOUSE))
    return house if house != HouseRules() else None


def write_house(house: HouseRules) -> dict[str, Any]:
    """Return the table of a house's rules; what is not said is absent, so that reading gives the same value back."""
    table: dict[str, Any] = _plain(house)
    return table


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        held = {field.name: getattr(value, field.name) for field in fields(value)}
        return {name: _plain(each) for name, each in held.items() if each is not None}
    if isinstance(value, tuple):
        return [{"label": each[0], "count": each[1]} if isinstance(each, tuple) else each for each in value]
    return value


def said(house: HouseRules) -> dict[str, Any]:
    """Return what a house says by path, such as `extension.ends_at`, in the order of a rule sheet."""
    return dict(_leaves(house, ""))


def _leaves(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    for field in fields(value):
        held, name = getattr(value, field.name), f"{path}{field.name}"
        if is_dataclass(held):
            yield from _leaves(held, f"{name}.")
        elif held is not None:
            yield name, held
