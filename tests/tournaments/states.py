from collections.abc import Mapping, Sequence
from typing import Any

from tournaments.core.facts import Participant, TournamentFacts
from tournaments.core.format import Format
from tournaments.core.plain_values import read_facts
from tournaments.core.reading import load_format, read_format
from tournaments.core.resolution import resolve
from tournaments.core.state import TournamentState

BLOCKS = {"A": [f"a{number}" for number in range(1, 9)], "B": [f"b{number}" for number in range(1, 9)]}
EVERYBODY = [*BLOCKS["A"], *BLOCKS["B"]]
TOTALS = (90, 60, 40, 20, -10, -40, -60, -100)
"""Points of a block's eight players, in order of name."""


def qualifying(**changes: str) -> dict[str, list[str]]:
    """Return a finished Cinderella League qualifying stage; `changes` replace totals."""
    totals = {
        participant: str(points) for block in BLOCKS.values() for participant, points in zip(block, TOTALS, strict=True)
    }
    return {participant: [f"{points}/8"] for participant, points in (totals | changes).items()}


def cinderella(played: Mapping[str, Mapping[str, Sequence[Any]]], **facts: Any) -> TournamentState:
    return resolve(load_format("cinderella"), cinderella_facts(played, **facts))


def cinderella_facts(played: Mapping[str, Mapping[str, Sequence[Any]]], **facts: Any) -> TournamentFacts:
    return read_facts({"players": EVERYBODY, "draws": {"qualifying": BLOCKS}, "played": played} | facts)


def advance(stage: str, to: str, players: str, proposal: str | None = None) -> dict[str, Any]:
    proposed = players if proposal is None else proposal
    return {"stage": stage, "to": to, "players": players.split(), "proposal": proposed.split()}


FROM_QUALIFYING = [
    advance("qualifying", "po1", "a4 a5 b4 b5"),
    advance("qualifying", "po2", "a3 b3"),
    advance("qualifying", "po3", "a2 b2"),
    advance("qualifying", "final", "a1 b1"),
]


def one_stage(**changes: Any) -> Format:
    stage = {"key": "s", "name": "S", "from": [{"entrants": "all"}], "hanchan": 4, "tiebreak": ["last_hanchan"]}
    return read_format("one", {"name": "One", "entrants": {"min": 2, "max": 300}, "stage": [stage | changes]})


def ranks(state: TournamentState, stage: str, block: str = "") -> list[tuple[Participant, int]]:
    return [(line.participant, line.rank) for line in state.stage(stage).ranking(block).lines]


def participants(state: TournamentState, stage: str) -> list[Participant]:
    return [place.participant for place in state.stage(stage).places]
