import copy
import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from league.interchange.problems import InterchangeError
from league.models import League, Revision
from league.services.history import Actor
from tests.conftest import ROOT
from tests.league.factories import as_text, make_players, planned_players, play
from tests.league.interchange.test_interchange import example as league_example
from tests.league.interchange.test_interchange import read
from tests.tournaments import factories
from tournaments.core.reading import load_document
from tournaments.interchange.reading import read_file
from tournaments.interchange.storing import store_file
from tournaments.interchange.writing import write_file
from tournaments.models import Decision, Entry, StageSession, Tournament
from tournaments.selectors.state import CurrentState, state_of

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

Document = dict[str, Any]
IMPORT = Actor(None, "import")


@pytest.fixture
def document() -> Document:
    return league_example() | {
        "players": [{"key": f"p{number}", "name": f"選手{number}"} for number in range(1, 18)],
        "adjustments": [],
        "tournaments": [
            {
                "key": "t1",
                "name": "シンデレラ杯",
                "format": "cinderella",
                "entries": [{"player": "p1", "block": "A", "seed": 1}],
                "sessions": [{"stage": "qualifying", "block": "A", "session": "s1"}],
                "decisions": [
                    {"stage": "qualifying", "withdrawn": ["p2"], "reason": "schedule clash; keeps the rank won"},
                    {
                        "stage": "po2",
                        "advance": ["p5", "p6", "p7"],
                        "reason": "p2 withdrew: three go on",
                        "proposal": ["p5", "p6"],
                    },
                ],
            }
        ],
    }


def imported(document: object, slug: str | None = None) -> League:
    return store_file(read(document), by=IMPORT, slug=slug)


def exported(league: League) -> Document:
    document: Document = json.loads(as_text(write_file(League.objects.get(pk=league.pk))))
    return document


def only(league: League) -> Tournament:
    return Tournament.objects.get(league=league)


def names_of(current: CurrentState, entry_of_player: Any) -> list[str]:
    return [current.player(participant).key for participant in entry_of_player]


def test_tournament_is_imported_from_a_file(document: Document) -> None:
    tournament = only(imported(document))
    assert (tournament.key, tournament.format_key, tournament.state) == ("t1", "cinderella", "running")
    assert tournament.ruleset_version.ruleset.key == "camarade"
    assert tournament.entries.get(player__key="p1").seed == 1
    draw, withdrawal, advance = tournament.decisions.all()
    current = state_of(tournament)
    assert draw.body["blocks"]["A"] == [tournament.entries.get(player__key="p1").pk]
    assert names_of(current, withdrawal.body["entries"]) == ["p2"]
    assert (advance.stage, advance.to) == ("po2", "po3")
    assert names_of(current, advance.body["players"]) == ["p5", "p6", "p7"]
    assert names_of(current, advance.proposal) == ["p5", "p6"]
    assert advance.reason == "p2 withdrew: three go on"
    ranking = current.state.stage("qualifying").ranking("A")
    assert names_of(current, [line.participant for line in ranking.lines]) == ["p1", "p3", "p4", "p2"]
    assert ranking.lines[0].points == 21_700
    revision = Revision.objects.get(league=tournament.league, subject="tournament")
    assert revision.source == "import"
    assert revision.after is not None
    assert (revision.after["entries"], revision.after["decisions"]) == (7, 2)


def test_example_file_in_the_documentation_can_be_imported() -> None:
    file = (ROOT / "docs" / "interchange.md").read_text().partition("```json\n")[2].partition("```")[0]
    current = state_of(only(store_file(read_file(file.encode()), by=IMPORT)))
    second = current.state.stage("second")
    assert names_of(current, [place.participant for place in second.places]) == ["ishida", "ueno", "kato", "saeki"]
    assert names_of(current, second.path("through").proposed) == ["ueno", "ishida"]
    assert names_of(current, [place.participant for place in current.state.arrivals["through"]]) == ["aoki", "kubo"]
    assert not current.state.overtaken


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


def round_trip(document: Document) -> League:
    first = imported(document, "first")
    file = exported(first)
    second = imported(file, "second")
    assert {**exported(second), "league": 0} == {**file, "league": 0}
    mine, theirs = (state_of(Tournament.objects.get(league=league)) for league in (first, second))
    assert in_words(theirs) == in_words(mine)
    return second


def test_every_kind_of_decision_survives_export_and_import(document: Document) -> None:
    document["players"].append({"key": "p18", "name": "旧姓", "merged_into": "p17"})
    written = document["tournaments"][0]
    written["entries"] = [{"player": f"p{number}"} for number in range(1, 17)]
    written["entries"][15]["substitute"] = True
    then = "2025-12-02T10:00:00+09:00"
    written["decisions"] = [
        {"stage": "qualifying", "blocks": {"A": ["p1", "p2", "p3"], "B": ["p5", "p6"]}, "seed": 0, "method": "hand"},
        {"stage": "qualifying", "withdrawn": ["p2"], "substitutes": {"p2": "p16"}, "reason": "ill", "by": "石田"},
        {"stage": "qualifying", "withdrawn": ["p3"], "disqualified": True, "reason": "不正行為"},
        {"stage": "qualifying", "order": ["p5", "p4", "p6"], "reason": "抽選", "at": then},
        {"stage": "qualifying", "closed": ["p4", "p5"], "unranked": ["p5"], "reason": "時間切れ"},
        {"stage": "qualifying", "to": "final", "advance": ["p1", "p18"], "proposal": ["p1", "p4"], "reason": "推薦"},
        {"stage": "po1", "order": ["p4", "p6"], "revoked": {"at": then, "by": "青木", "reason": "入力ミス"}},
    ]
    again = exported(round_trip(document))["tournaments"][0]["decisions"]
    told = [{key: each.get(key) for key in said} for each, said in zip(again, written["decisions"], strict=True)]
    assert told == written["decisions"]


@pytest.mark.long
@pytest.mark.parametrize(
    ("key", "players"),
    [
        pytest.param("cinderella", 16, id="cinderella 2020"),
        pytest.param("cinderella-2018", 24, id="with a wild card"),
        pytest.param("cinderella-system", 8, id="by placement"),
        pytest.param("elimination-4", 16, id="knock-out"),
    ],
)
def test_finished_tournament_survives_export_and_import(key: str, players: int) -> None:
    tournament = factories.make_tournament(factories.make_cinderella_league(), key, players=players)
    for stage in tournament.format.stages:
        factories.play_stage(tournament, stage.key)
    tournament.stage_rules = {stage.key: tournament.ruleset_version_id}
    tournament.shows_chances, tournament.strict_entry = False, True
    tournament.save()
    tournament.league.sessions.update(strict_entry=True)
    document = exported(tournament.league)
    assert [own["stage"] for own in document["tournaments"][0]["stage_rules"]] == [stage.key]
    assert "document" not in document["tournaments"][0]
    again = only(round_trip(document))
    assert state_of(again).state.is_over
    assert list(again.stage_rules) == [stage.key]
    assert (again.shows_chances, again.strict_entry) == (False, True)
    assert set(again.league.sessions.values_list("strict_entry", flat=True)) == {True}


@pytest.mark.long
def test_player_without_entry_survives_export_and_import() -> None:
    tournament = factories.make_tournament(factories.make_cinderella_league())
    stranger = make_players(tournament.league, 1)[0]
    factories.play_stage(tournament, "qualifying")
    session = factories.draw_and_plan(tournament, "po1")[0]
    four = planned_players(session.session, 1, 1)
    for number in range(1, 5):
        play(session.session, players=[stranger, *four[1:]], round=number, even_if_others=True)
    factories.approve_stage(tournament, "po1")
    assert Decision.objects.get(stage="po1").body["players"][0] == -stranger.pk
    first = exported(tournament.league)
    copied = imported(first, "copy")
    assert exported(copied)["tournaments"] == first["tournaments"]
    assert not Entry.objects.filter(player__league=copied, player__key=stranger.key).exists()


def bare(tournament: Tournament) -> Document:
    document = exported(tournament.league)
    written = document["tournaments"][0]
    for name in ("state", "ruleset", "ruleset_version", "name_en", "note"):
        del written[name]
    block_of = {key: block for block, keys in written["decisions"][0]["blocks"].items() for key in keys}
    for each in written["entries"]:
        each["block"] = block_of[each["player"]]
    for each in written["sessions"]:
        del each["number"]
    written["decisions"] = []
    return document


@pytest.mark.long
def test_file_without_destinations_follows_ranks_and_proposals() -> None:
    tournament = factories.make_tournament(factories.make_cinderella_league())
    for stage in tournament.format.stages:
        factories.play_stage(tournament, stage.key)
    document, mine = bare(tournament), state_of(tournament)
    copied = only(imported(document, "copy"))
    assert [each.kind for each in copied.decisions.all()] == ["draw"]
    assert copied.ruleset_version.ruleset.key == tournament.ruleset_version.ruleset.key
    theirs = state_of(copied)
    for stage in tournament.format.stages:
        assert names_of(theirs, [place.participant for place in theirs.state.stage(stage.key).places]) == names_of(
            mine, [place.participant for place in mine.state.stage(stage.key).places]
        )
    numbers = StageSession.objects.filter(tournament=copied, stage="qualifying", block="B").values_list("number")
    assert sorted(number for (number,) in numbers) == [1, 2]

    ways = {path.to: names_of(mine, path.proposed) for path in mine.state.stage("qualifying").paths}
    advance = {"stage": "qualifying", "advance": [key for keys in ways.values() for key in keys]}
    document["tournaments"][0]["decisions"] = [advance]
    copied = only(imported(document, "ranked"))
    theirs = state_of(copied)
    decided = {each.to: each for each in copied.decisions.filter(kind="advance")}
    assert {to: names_of(theirs, each.body["players"]) for to, each in decided.items()} == ways
    assert {to: names_of(theirs, each.proposal) for to, each in decided.items()} == ways
    assert not theirs.state.overtaken

    last = mine.state.stage("qualifying").rankings[0].lines[-1].participant
    advance["advance"] = [ways["po1"][0], *names_of(mine, [last])]
    complaint = (
        r'\$\.tournaments\[0\]\.decisions\[0\]\.advance\[1\]: cannot be assigned by rank.* "to": po1, po2, po3, final'
    )
    with pytest.raises(InterchangeError, match=complaint):
        imported(document, "refused")


@pytest.mark.long
def test_substitute_without_entry_is_entered_on_import() -> None:
    tournament = factories.make_tournament(factories.make_cinderella_league())
    make_players(tournament.league, 1)
    factories.play_stage(tournament, "qualifying")
    document = exported(tournament.league)
    key = names_of(state_of(tournament), [state_of(tournament).state.stage("po1").places[0].participant])[0]
    document["tournaments"][0]["decisions"].append(
        {"stage": "qualifying", "withdrawn": [key], "substitutes": {key: "p17"}, "reason": "ill"}
    )
    copied = only(imported(document, "copy"))
    assert copied.entries.get(player__key="p17").is_substitute
    current = state_of(copied)
    assert "p17" in names_of(current, [place.participant for place in current.state.stage("po1").places])


def test_missing_entries_are_added_from_hanchan_on_import(document: Document) -> None:
    document["tournaments"][0]["entries"] = []
    document["tournaments"][0]["decisions"] = []
    tournament = only(imported(document))
    assert list(tournament.entries.values_list("player__key", flat=True)) == ["p1", "p2", "p3", "p4"]
    assert not tournament.entries.filter(is_substitute=True).exists()


def test_session_with_total_points_only_counts_in_its_stage(document: Document) -> None:
    written = document["tournaments"][0]
    written |= {"entries": [], "decisions": []}
    session = document["sessions"][0]
    session["hanchan"] = []
    points = (("p1", "107.4"), ("p2", "-68.6"), ("p3", "0"), ("p4", "-38.8"))
    session["points"] = [{"player": key, "points": each, "hanchan": 4} for key, each in points]
    document["adjustments"] = [
        {"player": "p2", "date": "2025-11-21", "points": "-40", "reason": "chombo", "session": "s1"}
    ]
    league = imported(document)
    first = exported(league)
    assert exported(imported(first, "copy"))["tournaments"] == first["tournaments"]
    for each in (league, League.objects.get(slug="copy")):
        current = state_of(only(each))
        lines = {
            current.player(line.participant).key: (line.points, line.played)
            for line in current.state.stage("qualifying").ranking("A").lines
        }
        assert lines == {"p1": (107_400, 4), "p2": (-108_600, 4), "p3": (0, 4), "p4": (-38_800, 4)}


def test_decision_times_and_names_survive_import(document: Document) -> None:
    decision = document["tournaments"][0]["decisions"][0]
    decision |= {"at": "2025-12-01T10:00:00.5+01:00", "by": "石田"}
    decision["revoked"] = {"at": "2025-12-02T10:00:00+09:00", "by": "青木", "reason": "back again"}
    league = imported(document)
    stored = Decision.objects.get(kind="withdrawn")
    assert stored.at == datetime(2025, 12, 1, 9, 0, 0, 500_000, tzinfo=UTC)
    assert stored.revoked_by_name == "青木"
    written = exported(league)["tournaments"][0]["decisions"][1]
    assert written["at"] == "2025-12-01T18:00:00.500000+09:00"
    assert written["revoked"] == {"at": "2025-12-02T10:00:00+09:00", "by": "青木", "reason": "back again"}


Damage = Callable[[Document], object]
HERE = "$.tournaments[0]"


def decision(number: int, **changes: object) -> Damage:
    return lambda t: t["decisions"][number].update(changes)


def add(**decision: object) -> Damage:
    return lambda t: t["decisions"].append(decision)


FULL = [{"player": f"p{number}"} for number in range(1, 17)]

DAMAGES = [
    (lambda t: t.update(key="A b"), f"{HERE}.key: may contain only"),
    (lambda t: t.update(state="gone"), f"{HERE}.state: must be"),
    (lambda t: t.update(format="chess"), f"{HERE}.format: is not a format of this version of Tenbo"),
    (lambda t: t.update(document={"name": "x"}), f"{HERE}.document.entrants: "),
    (lambda t: t.update(ruleset="x"), f"{HERE}.ruleset: is not the key"),
    (lambda t: t.update(ruleset_version=1), f'{HERE}.ruleset_version: name the "ruleset"'),
    (lambda t: t["entries"].append({"player": "p1"}), f"{HERE}.entries[1].player: appears twice"),
    (lambda t: t["entries"].append({"player": "p2", "seed": 1}), f"{HERE}.entries[1].seed: appears twice"),
    (lambda t: t["entries"].append({"player": "p99"}), f"{HERE}.entries[1].player: is not the key"),
    (lambda t: t["entries"][0].update(block="C"), f"{HERE}.entries[0].block: is not a block of an entry stage"),
    (lambda t: t["sessions"][0].update(stage="po9"), f"{HERE}.sessions[0].stage: is not a stage of the format"),
    (
        lambda t: t["sessions"][0].update(block="C"),
        f"{HERE}.sessions[0].block: is not a block of this stage; known ones are A, B",
    ),
    (
        lambda t: t["sessions"][0].update(stage="po1"),
        f"{HERE}.sessions[0].block: is not a block of this stage; the stage has only one block, without a name",
    ),
    (lambda t: t["sessions"][0].update(session="s9"), f"{HERE}.sessions[0].session: is not the key"),
    (
        lambda t: t["sessions"].append({"stage": "po1", "session": "s1"}),
        f"{HERE}.sessions[1].session: already counts in a stage",
    ),
    (decision(0, stage="x"), f"{HERE}.decisions[0].stage: is not a stage"),
    (decision(0, withdrawn=[]), f"{HERE}.decisions[0].withdrawn: is too short"),
    (decision(0, withdrawn=["p99"]), f"{HERE}.decisions[0].withdrawn[0]: is not the key"),
    (decision(0, withdrawn=["p2", "p2"]), f"{HERE}.decisions[0].withdrawn[1]: appears twice"),
    (decision(0, advance=["p1"]), f"{HERE}.decisions[0]: must contain exactly one of withdrawn, advance,"),
    (decision(0, to="po3"), f'{HERE}.decisions[0].to: is only allowed with "advance"'),
    (decision(1, seed=1), f'{HERE}.decisions[1].seed: is only allowed with "blocks"'),
    (decision(0, substitutes={"p3": "p4"}), f'{HERE}.decisions[0].substitutes.p3: is not among "withdrawn"'),
    (decision(0, substitutes={"p2": "p99"}), f"{HERE}.decisions[0].substitutes.p2: is not the key"),
    (
        lambda t: (
            decision(0, substitutes={"p2": "p17"})(t),
            add(stage="po1", withdrawn=["p17"], substitutes={"p17": "p2"})(t),
        ),
        f"{HERE}.decisions[2].substitutes.p17: forms a circle",
    ),
    (decision(1, to="final"), f"{HERE}.decisions[1].to: is not a destination of this stage; known ones are po3"),
    (add(stage="po2", advance=["p5"]), f"{HERE}.decisions[2]: who goes from po2 to po3 is already decided"),
    (
        lambda t: (t.update(entries=FULL), decision(1, advance=["p17"])(t)),
        f"{HERE}.decisions[1].advance[0]: has not entered the tournament",
    ),
    (add(stage="qualifying", blocks={"C": ["p1"]}), f"{HERE}.decisions[2].blocks.C: is not a block"),
    (add(stage="qualifying", blocks={"A": ["p1"], "B": ["p1"]}), f"{HERE}.decisions[2].blocks.B[0]: is in two blocks"),
    (add(stage="po1", order=["p1"]), f"{HERE}.decisions[2].order: is too short"),
    (decision(0, at="2025-01-01"), f"{HERE}.decisions[0].at: must be a time with"),
    (decision(0, revoked={"why": 1}), f"{HERE}.decisions[0].revoked.why: unknown key"),
]


@pytest.mark.parametrize(("damage", "complaint"), DAMAGES)
def test_invalid_file_names_the_faulty_key_and_changes_nothing(
    document: Document, damage: Damage, complaint: str
) -> None:
    document = copy.deepcopy(document)
    damage(document["tournaments"][0])
    with pytest.raises(InterchangeError) as refused:
        imported(document)
    assert str(refused.value).startswith(complaint)
    assert not League.objects.exists()


def test_two_tournaments_cannot_share_a_key(document: Document) -> None:
    document["tournaments"].append({"key": "t1", "name": "x", "format": "cinderella"})
    with pytest.raises(InterchangeError, match=r"\$\.tournaments\[1\]\.key: appears twice"):
        imported(document)


def test_advance_from_the_last_stage_is_refused(document: Document) -> None:
    shipped = load_document("cinderella")
    del shipped["outcome"]
    document["tournaments"][0] |= {"document": shipped, "decisions": [{"stage": "final", "advance": ["p1"]}]}
    with pytest.raises(InterchangeError, match=r"decisions\[0\]\.stage: is a stage from which no one advances"):
        imported(document)


def test_tournament_without_rules_is_refused(document: Document) -> None:
    document |= {"rulesets": [], "sessions": []}
    document["tournaments"][0] |= {"sessions": [], "decisions": []}
    with pytest.raises(InterchangeError, match=r"\$\.tournaments\[0\]\.ruleset: is missing"):
        imported(document)
