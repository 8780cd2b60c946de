"""Facts and state as plain values, for the command line and the examples in format files.

    {"players": ["aoki", {"player": "ishida", "seed": 2}],
     "draws": {"qualifying": {"A": ["aoki", …], "B": […]}},
     "played": {"qualifying": {"aoki": ["21.7", "-30 3 10000", "39.3/4", {"points": "-29", "placement": 4, "raw": 21000}]}},
     "withdrawals": [{"stage": "po2", "player": "aoki", "substitute": "ueno"}],
     "advances": [{"stage": "po1", "to": "po2", "players": ["ishida", "ueno"], "proposal": ["ishida", "ueno"]}],
     "orders": [{"stage": "qualifying", "players": ["ishida", "ueno"]}],
     "closings": [{"stage": "po2", "short": ["ishida"], "unranked": ["ishida"]}]}

A hanchan is given as points, as points, placement and raw score separated by spaces, or as an object. "39.3/4" is the
sum of four hanchan, "-40/0" a penalty.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from scoring.core import InputError, PlayerResult, format_points
from scoring.core.plain import as_list, as_table, read_names, read_points, read_whole
from scoring.core.points import shown
from tournaments.core.facts import (
    Advance,
    Closing,
    DecidedOrder,
    Draw,
    Entrant,
    OtherPoints,
    StageResult,
    TournamentFacts,
    Unranked,
    Withdrawal,
)
from tournaments.core.ranking import BlockRanking, RankingLine
from tournaments.core.state import AdvancementPath, FinalRank, StageProgress, TakenPlace, TournamentState

KEYS = ("players", "draws", "played", "withdrawals", "advances", "orders", "closings")

MOST = 10**9
_WHOLE = re.compile(r"-?[0-9]{1,9}")


def read_facts(value: object) -> TournamentFacts:
    table = as_table(value, "facts", *KEYS)
    draws = as_table(table.get("draws", {}), "draws")
    played = as_table(table.get("played", {}), "played")
    return TournamentFacts(
        entrants=tuple(_entrant(row, path) for path, row in _rows(table, "players")),
        played={stage: _results(rows, f"played.{stage}") for stage, rows in played.items()},
        withdrawals=tuple(_withdrawal(row, path) for path, row in _rows(table, "withdrawals")),
        advances=tuple(_advance(row, path) for path, row in _rows(table, "advances")),
        orders=tuple(_order(row, path) for path, row in _rows(table, "orders")),
        closings=tuple(_closing(row, path) for path, row in _rows(table, "closings")),
        draws=tuple(_draw(stage, blocks, f"draws.{stage}") for stage, blocks in draws.items()),
    )


def _entrant(row: object, path: str) -> Entrant:
    if isinstance(row, str):
        return Entrant(row)
    table = as_table(row, path, "player", "seed")
    return Entrant(_name(table.get("player"), f"{path}.player"), _whole(table.get("seed"), f"{path}.seed"))


def _results(rows: object, path: str) -> dict[int | str, Sequence[StageResult]]:
    return {
        player: [
            _stage_result(result, f"{path}.{player}[{number}]") for number, result in enumerate(as_list(results, path))
        ]
        for player, results in as_table(rows, path).items()
    }


def _stage_result(value: object, path: str) -> StageResult:
    if not isinstance(value, str):
        return _result(value, path)
    if "/" in value:
        points, hanchan = value.split("/", 1)
        return OtherPoints(read_points(points.strip(), path), _whole_text(hanchan, path))
    words = value.split()
    if len(words) not in {1, 3}:
        raise InputError(
            f"{path}: {shown(value)} is not a hanchan; write its points, or points, placement and raw score"
        )
    numbers = [_whole_text(word, path) for word in words[1:]]
    return PlayerResult(read_points(words[0], path), *(numbers or (0, 0)))


def _result(value: object, path: str) -> PlayerResult:
    if not isinstance(value, Mapping):
        return PlayerResult(read_points(value, path), 0, 0)
    table = as_table(value, path, "points", "placement", "raw", "game", "total_only")
    placement, raw = _whole(table.get("placement", 0), path), _whole(table.get("raw", 0), path)
    game = table.get("game")
    return PlayerResult(
        read_points(table.get("points"), f"{path}.points"),
        placement or 0,
        raw or 0,
        None if game is None else str(game),
        read_points(table.get("total_only", 0), f"{path}.total_only"),
    )


def _withdrawal(row: object, path: str) -> Withdrawal:
    table = as_table(row, path, "stage", "player", "substitute", "disqualified")
    substitute = table.get("substitute")
    return Withdrawal(
        _name(table.get("stage"), f"{path}.stage"),
        _name(table.get("player"), f"{path}.player"),
        None if substitute is None else _name(substitute, f"{path}.substitute"),
        disqualified=table.get("disqualified") is True,
    )


def _closing(row: object, path: str) -> Closing:
    table = as_table(row, path, "stage", "short", "unranked")
    short, unranked = (read_names(table.get(name, []), f"{path}.{name}") for name in ("short", "unranked"))
    return Closing(_name(table.get("stage"), f"{path}.stage"), short, unranked)


def _advance(row: object, path: str) -> Advance:
    table = as_table(row, path, "stage", "to", "players", "proposal")
    players = read_names(table.get("players"), f"{path}.players")
    proposal = read_names(table["proposal"], f"{path}.proposal") if "proposal" in table else players
    stage, to = _name(table.get("stage"), f"{path}.stage"), _name(table.get("to"), f"{path}.to")
    return Advance(stage, to, players, proposal)


def _order(row: object, path: str) -> DecidedOrder:
    table = as_table(row, path, "stage", "players")
    return DecidedOrder(_name(table.get("stage"), f"{path}.stage"), read_names(table.get("players"), f"{path}.players"))


def _draw(stage: str, blocks: object, path: str) -> Draw:
    table = as_table(blocks, path)
    return Draw(stage, {block: read_names(players, f"{path}.{block}") for block, players in table.items()})


def _rows(table: Mapping[str, Any], name: str) -> Iterator[tuple[str, Any]]:
    for number, row in enumerate(as_list(table.get(name, []), name)):
        yield f"{name}[{number}]", row


def _name(value: object, path: str) -> str:
    if not isinstance(value, str) or not value:
        raise InputError(f"{path}: a name is expected")
    return value


def _whole(value: object, path: str) -> int | None:
    return None if value is None else read_whole(value, path, -MOST, MOST)


def _whole_text(text: str, path: str) -> int:
    if not _WHOLE.fullmatch(text.strip()):
        raise InputError(f"{path}: {shown(text)} is not a whole number")
    return int(text)


def write_state(state: TournamentState) -> dict[str, Any]:
    return {
        "format": state.format.key,
        "over": state.is_over,
        "stages": [_stage(each) for each in state.stages],
        "arrivals": {key: [place.participant for place in places] for key, places in state.arrivals.items()},
        "placings": [_final_rank(each) for each in state.final_ranks],
    }


def _stage(progress: StageProgress) -> dict[str, Any]:
    return {
        "stage": progress.stage.key,
        "state": progress.state.value,
        "players": [_place(place) for place in progress.places],
        "undrawn": list(progress.undrawn),
        "vacancies": progress.vacancies,
        "blocks": [_ranking(ranking) for ranking in progress.rankings],
        "ways": [_path(path) for path in progress.paths],
    }


def _place(place: TakenPlace) -> dict[str, Any]:
    table = {"player": place.participant, "from": place.stage, "block": place.block, "rank": place.position}
    if place.bonus:
        table["bonus"] = format_points(place.bonus)
    if place.replaces is not None:
        table["replaces"] = place.replaces
    return table if place.approved else table | {"approved": False}


def _ranking(ranking: BlockRanking) -> dict[str, Any]:
    return {
        "block": ranking.block,
        "complete": ranking.complete,
        "ranking": [_line(line) for line in ranking.lines],
        "cuts": [{"after": cut.after, "above": cut.above, "below": cut.below} for cut in ranking.cuts],
    }


def _line(line: RankingLine) -> dict[str, Any]:
    table: dict[str, Any] = {
        "player": line.participant,
        "rank": line.rank,
        "points": format_points(line.points),
        "hanchan": line.played,
        "planned": line.planned,
        "decided_by": None if line.decided_by is None else str(line.decided_by),
        "goes_to": line.advances_to,
    }
    parts = {"carried": line.carried, "bonus": line.bonus, "chombo": line.chombo, "loose": line.other_points}
    table |= {name: format_points(points) for name, points in parts.items() if points}
    table |= {name: True for name in ("shared", "undecided", "withdrawn", "uninvited") if getattr(line, name)}
    return table | _unranked(line.unranked)


def _unranked(unranked: Unranked | None) -> dict[str, Any]:
    return {} if unranked is None else {"rank": None, "unranked": unranked.value}


def _path(path: AdvancementPath) -> dict[str, Any]:
    return {
        "to": path.to,
        "proposal": list(path.proposal.players),
        "proposed": list(path.proposed),
        "level": [list(group) for group in path.proposal.level],
        "ready": path.ready,
        "decision": None if path.decision is None else list(path.decision.players),
        "flagged": path.overtaken,
    }


def _final_rank(final_rank: FinalRank) -> dict[str, Any]:
    return {
        "player": final_rank.participant,
        "rank": final_rank.rank,
        "stage": final_rank.stage,
        "block": final_rank.block,
        **_unranked(final_rank.unranked),
    }
