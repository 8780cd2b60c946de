"""Requirements outside the tournament's pages: a line per player, press lines, JSON."""

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from django.utils.translation import override

from scoring.core import format_points
from tournaments.core.needs.margins import plain_margins
from tournaments.core.needs.proofs import WildCard
from tournaments.messages.needs import LANGUAGES
from tournaments.selectors.needs import BlockNeeds, PlayerNeeds, said_in
from tournaments.selectors.state import CurrentState, reader_name

OwnNeed = tuple[BlockNeeds, PlayerNeeds]
"""A player's requirement, with its line."""


def own_needs(blocks: Iterable[BlockNeeds], players: Collection[int]) -> list[OwnNeed]:
    """Return the requirements of players (by primary key), each for the nearest line still open.

    Players without any are left out.
    """
    found: dict[int, list[OwnNeed]] = {}
    for block in blocks:
        for each in block.players:
            if each.entry.player.pk in players and each.sentences:
                found.setdefault(each.entry.player.pk, []).append((block, each))
    return [_nearest(lines) for lines in found.values()]


def _nearest(lines: Sequence[OwnNeed]) -> OwnNeed:
    open_ = [line for line in lines if not (line[1].secured or line[1].out)]
    if open_:
        return min(open_, key=lambda line: abs(line[1].gap))
    return next((line for line in lines if line[1].secured), lines[-1])


def plain_needs(current: CurrentState, block: BlockNeeds) -> dict[str, Any]:
    """Return a block as JSON, players by primary key of their entry; margins in the command line's format."""
    tables, proofs = block.tables, block.proofs
    told = [str(each.entry.pk) for each in block.players if each.sentences]
    players = [*tables.players, *(each.player for each in (block.wild.holders if block.wild else ()))]
    names = {language: _names(current, players, language) for language in LANGUAGES}
    tables_of = {player: tables.table_of(player) for player in told if player not in {*proofs.secured, *proofs.out}}
    return {
        "block": block.block,
        "line": block.line,
        "goal": block.goal,
        "hanchan_left": dict(tables.left),
        "players": {player: {language: names[language][player] for language in LANGUAGES} for player in players},
        "totals": {player: format_points(total, decimals=1) for player, total in tables.totals.items()},
        "tables": [list(table) for table in tables.together],
        "hanchan": {
            player: plain_margins(tables.case_at(table), player) for player, table in tables_of.items() if table
        },
        "apart": {player: found for player in tables_of if (found := _apart(block, player))},
        "secured": list(proofs.secured),
        "out": list(proofs.out),
        "sentences": {
            language: {
                player: list(sentences)
                for player, sentences in said_in(block, told, language, names[language].__getitem__).items()
            }
            for language in LANGUAGES
        },
        **({"ranked_by": "placement"} if block.by_places else {}),
        **({"wild_card": _plain_wild_card(block.wild)} if block.wild else {}),
    }


def _plain_wild_card(wild: WildCard) -> dict[str, Any]:
    return {
        "rank": wild.rank,
        "count": wild.count,
        "target": None if wild.target is None else format_points(wild.target, decimals=1),
        "holders": [
            {
                "block": each.block,
                "player": each.player,
                "total": format_points(each.total, decimals=1),
                "hanchan_left": each.left,
            }
            for each in wild.holders
        ],
    }


def _apart(block: BlockNeeds, player: str) -> dict[str, Any]:
    found = next(each.apart for each in block.players if str(each.entry.pk) == player)
    return {
        str(each.rival.pk): {
            "min_points": format_points(each.apart.least, decimals=1),
            "level": each.apart.level_is_enough,
        }
        for each in found
    }


def _names(current: CurrentState, players: Iterable[str], language: str) -> dict[str, str]:
    with override(language):
        return {player: reader_name(current.player(player)) for player in players}
