"""What a wild card takes, as sentences: the rank in the own block, and the total to beat, of whom, and whether they still play."""

from collections.abc import Iterable, Iterator

from tournaments.core.needs.by_places import counts_places
from tournaments.core.needs.proofs import Proofs
from tournaments.core.needs.wild_cards import Holder, WildCard
from tournaments.phrases.needs import Names, TableTeller, phrases_of

_ENDINGS = {1: "st", 2: "nd", 3: "rd"}


def sentences_of_wild_card(
    wild: WildCard, players: Iterable[str], proofs: Proofs, language: str, name: Names = str
) -> dict[str, tuple[str, ...]]:
    """Return what these players of a block need for a wild card; nothing for whoever has more than one hanchan left."""
    return {player: tuple(_told(wild, player, proofs, language, name)) for player in players}


def _told(wild: WildCard, player: str, proofs: Proofs, language: str, name: Names) -> Iterator[str]:
    speaker = TableTeller(wild.own.case_at((player,)), phrases_of(language), name, is_title=False)
    if player in proofs.secured or player in proofs.out:
        yield speaker.say("secured" if player in proofs.secured else "out")
        return
    if wild.own.left[player] > 1:
        return
    rank = str(speaker.phrases["rank"]).format(rank=_ordinal(wild.rank, language))
    if wild.is_for_all:
        yield speaker.say("wild_all", rank=rank)
        return
    rule = speaker.say("wild_rule", rank=rank, count=wild.count, blocks=len(wild.others) + 1)
    if counts_places(wild.own.rules):
        yield rule
        return
    # The total first, for where there is room for one sentence alone.
    yield from _compared(wild, player, rank, speaker)
    yield rule
    yield from (_holder(holder, rank, speaker) for holder in wild.holders)


def _compared(wild: WildCard, player: str, rank: str, speaker: TableTeller) -> Iterator[str]:
    """Yield what the total has to be: as it stays where the other blocks are over, else as they stand now."""
    target, total = wild.target, wild.own.totals[player]
    if target is None:
        return
    facts = {
        "rank": rank,
        "target": speaker.points(target, up=True, signed=True),
        "total": speaker.points(total, up=False, signed=True),
        "points": speaker.points(target - total, up=True, signed=True),
    }
    when = "settled" if wild.is_settled else "now"
    if wild.own.left[player]:
        yield speaker.say(f"wild_{when}_more", **facts)
    else:
        than = "above" if total > target else "level" if total == target else "below"
        yield speaker.say(f"wild_{when}_{than}", **facts)


def _holder(holder: Holder, rank: str, speaker: TableTeller) -> str:
    block = str(speaker.phrases["block"]).format(block=holder.block)
    phrase = "wild_holder_plays" if holder.left else "wild_holder_stays"
    points = speaker.points(holder.total, up=False, signed=True)
    return speaker.say(
        phrase, block=block, rank=rank, rival=speaker.name(holder.player), points=points, count=holder.left
    )


def _ordinal(number: int, language: str) -> str:
    """Return a rank as the language writes it: 5, or 5th."""
    if language == "ja":
        return str(number)
    last = number % 10 if number % 100 not in range(11, 14) else 0
    return f"{number}{_ENDINGS.get(last, 'th')}"
