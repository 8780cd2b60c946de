import json
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from league.interchange.writing import as_text
from league.models import League
from league.services.history import SYSTEM
from tests.budget import budget
from tests.tournaments.factories import make_cinderella_league, make_tournament, play_stage
from tournaments.core.reading import load_document, load_format
from tournaments.interchange.reading import read_file
from tournaments.interchange.storing import store_file
from tournaments.interchange.writing import write_file
from tournaments.models import Tournament
from tournaments.selectors.state import CurrentState, state_of

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

Document = dict[str, Any]

FORMATS = {"cinderella": 16, "cinderella-2018": 24, "cinderella-system": 8, "swiss": 8}
characters = st.characters(exclude_categories=("Cs", "Cc"))
lines = st.text(characters, max_size=20)
moments = st.datetimes(timezones=st.just(None)).map(lambda moment: f"{moment.replace(year=2025).isoformat()}+09:00")
PEOPLE = [f"p{number}" for number in range(1, 31)]
DECISION_KEYS = [
    "stage", "withdrawn", "substitutes", "advance", "to", "proposal", "order", "blocks", "seed", "method", "reason", "by",
]  # fmt: skip
SCORES = ([40000, 30000, 20000, 10000], [25000, 25000, 30000, 20000], [30000, 30000, 30000, 10000])


@st.composite
def files(draw: st.DrawFn) -> Document:
    """Draw a league whose last player is merged into the first, with one tournament in a random state."""
    sessions = [draw(session(number)) for number in range(draw(st.integers(0, 4)))]
    players: list[Document] = [{"key": key, "name": key} for key in PEOPLE]
    players[-1]["merged_into"] = PEOPLE[0]
    return {
        "schema": "tenbo/1",
        "league": {"slug": "thought-up", "name": "x", "time_zone": draw(st.sampled_from(["Asia/Tokyo", "UTC"]))},
        "rulesets": [{"key": "cinderella", "card": "cinderella"}],
        "players": players,
        "sessions": sessions,
        "tournaments": [draw(tournament(sessions))],
    }


@st.composite
def session(draw: st.DrawFn, number: int) -> Document:
    hanchan = []
    for each in range(draw(st.integers(0, 3))):
        four = draw(st.permutations(PEOPLE[:-1]))[:4]
        scores = draw(st.permutations(draw(st.sampled_from(SCORES))))
        seats = [{"player": key, "raw": raw} for key, raw in zip(four, scores, strict=True)]
        hanchan.append(
            {"key": f"h{number}-{each}", "seats": seats, "chombo": draw(st.sampled_from([[], [0, 1, 0, 0]]))}
        )
    return {"key": f"s{number}", "date": f"2025-11-{number + 1:02}", "hanchan": hanchan}


@st.composite
def tournament(draw: st.DrawFn, sessions: list[Document]) -> Document:
    key = draw(st.sampled_from(sorted(FORMATS)))
    stages = [(stage.key, stage.block_keys) for stage in load_format(key).stages]
    people = draw(st.permutations(PEOPLE))
    entered = people[: draw(st.sampled_from([FORMATS[key], FORMATS[key], 3]))]
    entries = [{"player": each, "substitute": draw(st.integers(0, 9)) == 0} for each in entered]
    for seed, entry in enumerate(entries[: draw(st.integers(0, 3))], start=1):
        entry["seed"] = seed
    found: Document = {
        "key": "t1",
        "name": "杯",
        "name_en": draw(lines),
        "format": key,
        "state": draw(st.sampled_from(["preparing", "running", "finished"])),
        "note": draw(lines),
        "entries": entries,
        "sessions": [draw(part(stages, each["key"])) for each in sessions],
    }
    if draw(st.booleans()):
        found["document"] = {**load_document(key), "name": "自前"}
    # All whom a decision can name: entrants and players.
    known = {
        *entered,
        *(seat["player"] for each in sessions for hanchan in each["hanchan"] for seat in hanchan["seats"]),
    }
    # The last name is merged into the first player, whom decisions name as entered.
    known.discard(PEOPLE[0] if PEOPLE[-1] in entered and PEOPLE[0] not in entered else PEOPLE[-1])
    found["decisions"] = draw(decisions(key, sorted(known)))
    return found


@st.composite
def part(draw: st.DrawFn, stages: list[tuple[str, tuple[str, ...]]], session_key: str) -> Document:
    stage, blocks = draw(st.sampled_from(stages))
    found: Document = {"stage": stage, "session": session_key, "number": draw(st.integers(1, 5))}
    block = draw(st.sampled_from(["", *blocks]))
    return found | ({"block": block} if block else {})


@st.composite
def decisions(draw: st.DrawFn, key: str, known: list[str]) -> list[Document]:
    found, decided = [], set()
    for _ in range(draw(st.integers(0, 6))):
        each = draw(decision(key, known))
        way = (each["stage"], each.get("to"))
        if "to" in each and "revoked" not in each:
            if way in decided:
                continue
            decided.add(way)
        found.append(each)
    return found


@st.composite
def decision(draw: st.DrawFn, key: str, known: list[str]) -> Document:
    format_ = load_format(key)
    some = st.lists(st.sampled_from(known), unique=True, min_size=2, max_size=5)
    stage = draw(
        st.sampled_from([stage for stage in format_.stages if format_.destinations_from(stage.key)] or format_.stages)
    )
    ways = [way.key for way in format_.destinations_from(stage.key)]
    lot = {"seed": draw(st.integers(0, 2**31)), "method": draw(st.sampled_from(["lot", "hand"]))}
    drawn = {"blocks": draw(blocks(stage, known)), **lot}
    short = draw(some)
    kinds: list[Document] = [{"withdrawn": draw(some)}, {"order": draw(some)}, drawn]
    kinds += [
        {"withdrawn": draw(some), "disqualified": True},
        {"closed": short},
        {"closed": short, "unranked": short[:1]},
    ]
    if ways:
        kinds.append({"to": draw(st.sampled_from(ways)), "advance": draw(some), "proposal": draw(some)})
    found = draw(st.sampled_from(kinds)) | {"stage": stage.key, "reason": draw(lines), "by": draw(lines)}
    if "withdrawn" in found and draw(st.booleans()):
        # Always from earlier to later names, so that no one replaces themselves.
        leaver = found["withdrawn"][0]
        later = [other for other in known if other > leaver]
        found |= {"substitutes": {leaver: draw(st.sampled_from(later))}} if later else {}
    if draw(st.booleans()):
        found["at"] = draw(moments)
    if draw(st.integers(0, 3)) == 0:
        found["revoked"] = {"at": draw(moments), "by": draw(lines), "reason": draw(lines)}
    return found


@st.composite
def blocks(draw: st.DrawFn, stage: Any, known: list[str]) -> Document:
    order = draw(st.permutations(known))
    count = len(stage.block_keys)
    return {key: order[number::count] for number, key in enumerate(stage.block_keys)}


def through_a_file(document: Document, slug: str) -> League:
    league = store_file(read_file(json.dumps(document).encode()), by=SYSTEM, slug=slug)
    return League.objects.get(pk=league.pk)


def written(league: League) -> Document:
    document: Document = json.loads(as_text(write_file(league)))
    return document


def in_words(current: CurrentState) -> list[object]:
    def keys(entry_of_player: Any) -> list[str]:
        return [current.player(participant).key for participant in entry_of_player]

    return [
        [
            (str(stage.state), keys(place.participant for place in stage.places)),
            [
                (line.rank, *keys([line.participant]), line.points, str(line.decided_by))
                for ranking in stage.rankings
                for line in ranking.lines
            ],
            [(path.to, keys(path.proposed), path.overtaken) for path in stage.paths],
        ]
        for stage in current.state.stages
    ]


def check(document: Document, slug: str) -> None:
    """Import, export and import again, asserting that files and state are the same."""
    first = through_a_file(document, f"a{slug}")
    exported = written(first)
    second = through_a_file(exported, f"b{slug}")
    again = written(second)
    assert again["tournaments"] == exported["tournaments"]
    assert {**again, "league": 0} == {**exported, "league": 0}
    mine, theirs = (state_of(Tournament.objects.get(league=league)) for league in (first, second))
    assert in_words(theirs) == in_words(mine)


@pytest.mark.long
@settings(
    max_examples=budget(25, least=10),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(document=files())
def test_the_way_through_a_file_changes_nothing(document: Document) -> None:
    number = str(League.objects.count())
    check(document, number)
    exported = written(League.objects.get(slug=f"a{number}"))
    assert facts(exported["tournaments"][0], document) == facts(document["tournaments"][0], document)


def facts(tournament: Document, document: Document) -> list[object]:
    entered = {entry["player"] for entry in document["tournaments"][0]["entries"]}
    same = {PEOPLE[0]: PEOPLE[-1]} if PEOPLE[0] not in entered and PEOPLE[-1] in entered else {}

    def told_of(value: Any) -> Any:
        if isinstance(value, list):
            return [told_of(each) for each in value]
        return (
            {name: told_of(each) for name, each in value.items()} if isinstance(value, dict) else same.get(value, value)
        )

    listed = [entry for entry in tournament["entries"] if entry["player"] in entered]
    return [
        [tournament[name] for name in ("key", "name", "name_en", "format", "state", "note", "sessions")],
        tournament.get("document"),
        [(entry["player"], entry.get("seed"), entry.get("substitute", False)) for entry in listed],
        [[told_of(each.get(name) or None) for name in DECISION_KEYS] for each in tournament["decisions"]],
        [bool(each.get("revoked")) for each in tournament["decisions"]],
    ]


@pytest.mark.long
@pytest.mark.parametrize(
    ("key", "players"),
    [
        pytest.param("cinderella", 16, id="cinderella 2020"),
        pytest.param("cinderella-2018", 24, id="with a wild card"),
        pytest.param("cinderella-system", 8, id="by placement"),
        pytest.param("elimination-4", 16, id="knock-out"),
        pytest.param("classes", 24, id="classes"),
    ],
)
def test_whole_tournaments_survive(key: str, players: int) -> None:
    tournament = make_tournament(make_cinderella_league(), key, players=players)
    for stage in tournament.format.stages:
        play_stage(tournament, stage.key)
    tournament.stage_rules = {stage.key: tournament.ruleset_version_id}
    tournament.save()
    document = written(tournament.league)
    assert [own["stage"] for own in document["tournaments"][0]["stage_rules"]] == [stage.key]
    assert "document" not in document["tournaments"][0]
    check(document, "whole")
    copy = Tournament.objects.get(league__slug="bwhole")
    assert state_of(copy).state.is_over
    assert list(copy.stage_rules) == [stage.key]
