"""What a house plays by beside what makes points: length and end, deal, payments of hands, draws, values, chips, words.

Nothing here touches the points of a hanchan; it stands in the rule set, is read strictly and is versioned with it, so that
tables, rule sheets and records of single hands can go by it. None: the rules do not say it.
"""

from dataclasses import dataclass

ROUNDS = ("tonpuu", "tonnan", "full")
WINDS = ("east", "south", "west", "north")
KINDS_OF_DRAW = ("nine_terminals", "four_winds", "four_kans", "four_riichi", "triple_ron")
LIABLE = ("daisangen", "daisuushi", "suukantsu", "daiminkan")
"""What somebody can be made to pay for who dealt the last piece: three yakuman, and the open kan."""


@dataclass(frozen=True)
class RoundWinds:
    """Which winds are worth a han as the wind of the round. Source: house rules of a parlour and of the Banchi group."""

    east: tuple[str, ...] | None = None
    south: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Extension:
    """What comes after the last hand while the top is below `if_top_below` points of sticks.

    It ends when somebody has `ends_at` (`inclusive`: exactly that is enough), at once with `sudden_death`, and at the latest
    after `last_round`. Source: house rules of a parlour, "ゲームについて"; of the Banchi group, "返り東".
    """

    next: str | None = None
    if_top_below: int | None = None
    ends_at: int | None = None
    inclusive: bool | None = None
    sudden_death: bool | None = None
    last_round: str | None = None


@dataclass(frozen=True)
class LastDealer:
    """Who may stop as the dealer of the last hand, and whether the top has to. Source: rules of the Kyoto Jakuyukai."""

    who: str | None = None
    top: str | None = None


@dataclass(frozen=True)
class Renchan:
    """With what the dealer stays, round by round. Source: rules of the Kyoto Jakuyukai."""

    east: str | None = None
    south: str | None = None


@dataclass(frozen=True)
class AbortiveDraws:
    """Which hands are broken off, and how play goes on. Source: house rules of a parlour, "途中流局"."""

    kinds: tuple[str, ...] | None = None
    dealer: str | None = None
    honba: bool | None = None
    last_hand: str | None = None


@dataclass(frozen=True)
class Nagashi:
    """What a draw with nothing but discarded terminals and honours is. Source: Official rules of the Camarade League."""

    counts_as: str | None = None
    value: str | None = None
    own_calls: bool | None = None
    own_riichi: bool | None = None
    honba_next: bool | None = None


@dataclass(frozen=True)
class Pao:
    """Who made a hand certain pays for it. Source: Cinderella League 2020; house rules of the Banchi group."""

    hands: tuple[str, ...] | None = None
    ron: str | None = None
    honba_payer: str | None = None
    scope: str | None = None


@dataclass(frozen=True)
class Sanma:
    """What only three players need. Source: house rules of the Banchi group, three players."""

    round_unit: int | None = None
    tsumo_loss: bool | None = None
    north: str | None = None


@dataclass(frozen=True)
class ChipRules:
    """How many chips are paid for what: for each tile, by the discarder of a yakuman, by each at a drawn one.

    Source: house rules of the Banchi group, "ご祝儀".
    """

    red: int | None = None
    gold: int | None = None
    ippatsu: int | None = None
    ura: int | None = None
    open_hands: bool | None = None
    yakuman_ron: int | None = None
    yakuman_tsumo_each: int | None = None
    kazoe_pays: bool | None = None
    others: tuple[tuple[str, int], ...] | None = None


@dataclass(frozen=True)
class HouseText:
    """What a house says in its own words, by language; plain text."""

    ja: str | None = None
    en: str | None = None


@dataclass(frozen=True)
class HouseRules:
    """What a table plays by beside the points. Sticks in points; where a rule can be absent, 0 or no kind says so."""

    rounds: str | None = None
    round_winds: RoundWinds | None = None
    extension: Extension | None = None
    cold_game: int | None = None
    agari_yame: LastDealer | None = None
    tenpai_yame: LastDealer | None = None
    renchan: Renchan | None = None
    renchan_multi_ron: str | None = None
    dealer_may_pass: bool | None = None
    honba_on_draw: bool | None = None
    honba_value: int | None = None
    honba_tsumo: str | None = None
    noten_pool: int | None = None
    multi_ron: str | None = None
    multi_ron_honba: str | None = None
    multi_ron_deposits: str | None = None
    abortive: AbortiveDraws | None = None
    nagashi: Nagashi | None = None
    kiriage: bool | None = None
    kazoe: int | None = None
    sanbaiman_from: int | None = None
    yakuman_stacking: bool | None = None
    double_yakuman_forms: bool | None = None
    double_wind_pair_fu: int | None = None
    rinshan_tsumo_fu: bool | None = None
    open_no_fu_hand: int | None = None
    ippatsu: bool | None = None
    ura: bool | None = None
    kan_dora: bool | None = None
    red_fives: int | None = None
    open_tanyao: bool | None = None
    swap_calling: bool | None = None
    min_riichi_points: int | None = None
    riichi_needs_draw: bool | None = None
    riichi_deposit: int | None = None
    open_riichi_deposit: int | None = None
    furiten_riichi: bool | None = None
    pao: Pao | None = None
    sanma: Sanma | None = None
    chips: ChipRules | None = None
    text: HouseText | None = None
