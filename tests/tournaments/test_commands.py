import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError

from league.management.arguments import content_of
from league.models import League, StalePeriod, Standing
from league.services.calendar import adjust
from league.services.history import SYSTEM
from scoring.core import format_points
from tests.league import factories
from tests.tournaments.factories import draw_and_plan, make_cinderella_league, make_tournament, play_stage
from tournaments.models import Tournament
from tournaments.selectors.state import state_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def league() -> League:
    session = factories.make_session(factories.make_league())
    factories.play(session)
    factories.play(session, (20000, 26000, 24000, 30000))
    return session.league


def standings_of(*args: str) -> list[dict[str, Any]]:
    ranking: list[dict[str, Any]] = json.loads(factories.run("standings", *args))["ranking"]
    return ranking


def test_standings_command_prints_a_month(league: League) -> None:
    factories.make_players(league, 1)
    adjust(player=league.players.get(key="p5"), day=factories.DAY, points=-5_500, reason="late", by=SYSTEM)
    found = json.loads(factories.run("standings", league.slug, "--month", "2025-11"))
    assert (found["league"], found["period"]) == ("camarade", "2025-11")
    assert [(line["rank"], line["player"], line["points"], line["games"]) for line in found["ranking"]] == [
        (1, "p1", "11.7", 2),
        (2, "p4", "1.5", 2),
        (3, "p2", "-2.7", 2),
        (4, "p3", "-10.5", 2),
        (None, "p5", "-5.5", 0),
    ]
    assert found["ranking"][0]["name"] == "青木"


@pytest.mark.parametrize(
    ("arguments", "games"),
    [
        pytest.param(["--year", "2025"], 2, id="year"),
        pytest.param(["--all"], 2, id="all time"),
        pytest.param(["--from", "2025-11-21", "--to", "2025-11-21"], 2, id="one day"),
        pytest.param(["--month", "2025-10"], None, id="month without play"),
    ],
)
def test_standings_command_prints_other_periods(league: League, arguments: list[str], games: int | None) -> None:
    assert [line["games"] for line in standings_of(league.slug, *arguments)] == ([games] * 4 if games else [])


def test_standings_command_names_the_tie_break() -> None:
    session = factories.make_session(factories.make_league())
    factories.play(session, (30000, 20000, 26000, 24000))
    factories.play(session, (20000, 30000, 26000, 24000))
    first, second = standings_of("camarade", "--all")[:2]
    assert (first["player"], second["player"], first["points"]) == ("p2", "p1", second["points"])
    assert first["decided_by"] == "hanchan 2: 20.0 > -10.0"
    assert second["decided_by"] is None


def test_standings_command_recalculates_outdated_standings(league: League) -> None:
    factories.settle()
    factories.play(league.sessions.get(), (50000, 20000, 20000, 10000))
    assert StalePeriod.objects.exists()
    assert standings_of(league.slug, "--month", "2025-11")[0]["games"] == 3
    assert Standing.objects.filter(period="2025-11").first().hanchan == 2  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        pytest.param(["nowhere", "--all"], "There is no league 'nowhere'. Known leagues: camarade.", id="league"),
        pytest.param(["camarade"], "Choose a ranking", id="no period"),
        pytest.param(["camarade", "--month", "2025-13"], "2025-13 is not a period", id="month"),
        pytest.param(["camarade", "--month", "2025"], "2025 is not valid", id="year for month"),
        pytest.param(["camarade", "--from", "2025-11-01"], "A range needs both", id="half a range"),
        pytest.param(["camarade", "--from", "2025-11-02", "--to", "2025-11-01"], "is not a period", id="backwards"),
        pytest.param(["camarade", "--all", "--year", "2025"], "not allowed with", id="two"),
        pytest.param(["camarade", "--all", "--stage", "po1"], "--stage needs --tournament", id="stage"),
        pytest.param(["camarade", "--tournament", "t9"], "no tournament 't9' in camarade. Known .*: none", id="none"),
        pytest.param(["camarade", "--tournament", "a\udce3"], "There is no tournament", id="no text"),
    ],
)
def test_standings_command_refuses_invalid_arguments(league: League, arguments: list[str], complaint: str) -> None:
    assert league.slug == "camarade"
    with pytest.raises(CommandError, match=complaint.replace("(", r"\(")):
        factories.run("standings", *arguments)


def of_stage(tournament: Tournament, *args: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        factories.run("standings", tournament.league.slug, "--tournament", tournament.key, *args)
    )
    return found


@pytest.mark.long
def test_standings_command_prints_a_stage() -> None:
    tournament = make_tournament(make_cinderella_league())
    play_stage(tournament, "qualifying")
    found = of_stage(tournament, "--stage", "qualifying", "--block", "B")
    where = [found[name] for name in ("league", "tournament", "stage", "block")]
    assert where == ["cinderella", "t1", "qualifying", "B"]
    ranking = state_of(tournament).state.stage("qualifying").ranking("B")
    assert [line["rank"] for line in found["ranking"]] == list(range(1, 9))
    assert [line["goes_to"] for line in found["ranking"]] == ["final", "po3", "po2", "po1", "po1", None, None, None]
    assert {line["games"] for line in found["ranking"]} == {8}
    assert [line["points"] for line in found["ranking"]] == [format_points(line.points) for line in ranking.lines]
    assert set(found["ranking"][0]) == {"rank", "player", "name", "points", "games", "decided_by", "goes_to"}
    all_blocks = of_stage(tournament, "--stage", "qualifying", "--after-hanchan", "3")
    assert all_blocks["after_hanchan"] == 3
    assert "block" not in all_blocks
    assert [(line["block"], line["games"]) for line in all_blocks["ranking"]] == [("A", 3)] * 8 + [("B", 3)] * 8
    # Without hanchan all have zero and share a rank.
    lines = of_stage(tournament, "--stage", "po1")["ranking"]
    assert [(line["rank"], line["points"], line["games"], line["shared"]) for line in lines] == [(1, "0", 0, True)] * 4
    nobody_yet = of_stage(tournament, "--stage", "qualifying", "--block", "A", "--after-hanchan", "0")["ranking"]
    assert {(line["rank"], line["games"]) for line in nobody_yet} == {(1, 0)}


def test_standings_command_names_the_deciding_hanchan_of_a_stage() -> None:
    tournament = make_tournament(make_cinderella_league())
    session = draw_and_plan(tournament, "qualifying")[0].session
    first, second, third, fourth = factories.planned_players(session, 1, 1)
    factories.play(session, (40000, 30000, 20000, 10000), (first, second, third, fourth), round=1)
    factories.play(session, (40000, 30000, 20000, 10000), (second, first, fourth, third), round=2)
    ranking = of_stage(tournament, "--stage", "qualifying", "--block", "A")["ranking"]
    top = [line for line in ranking if line["games"]][:2]
    assert [line["player"] for line in top] == [second.key, first.key]
    assert top[0]["decided_by"] == "hanchan 2: 50.0 > 10.0"
    assert top[1]["decided_by"] is None
    before = of_stage(tournament, "--stage", "qualifying", "--block", "A", "--after-hanchan", "1")["ranking"]
    assert before[0]["player"] == first.key


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        pytest.param([], "Choose a stage with --stage: qualifying, po1, po2, po3, final.", id="no stage"),
        pytest.param(
            ["--stage", "po9"], "no stage 'po9' in t1. Known stages: qualifying, po1, po2, po3, final.", id="stage"
        ),
        pytest.param(
            ["--stage", "qualifying", "--block", "C"],
            "There is no block 'C' in qualifying. Known blocks: A, B.",
            id="block",
        ),
        pytest.param(
            ["--stage", "po1", "--block", "C"], "This stage has only one block; leave --block out.", id="one block"
        ),
        pytest.param(["--stage", "po1", "--after-hanchan", "-1"], "needs a number of hanchan", id="negative"),
        pytest.param(["--stage", "po1", "--to", "2025-11-01"], "--to needs --from.", id="half a range"),
    ],
)
def test_standings_command_refuses_invalid_stages(arguments: list[str], complaint: str) -> None:
    tournament = make_tournament(make_cinderella_league())
    with pytest.raises(CommandError, match=complaint):
        of_stage(tournament, *arguments)


def test_league_survives_export_and_import_commands(league: League, tmp_path: Path) -> None:
    file = tmp_path / "league.json"
    file.write_text(factories.run("export_league", league.slug))
    answer = factories.run("import_league", str(file), slug="copy", by=factories.make_user("ueno").username)
    assert answer == "Imported copy: 4 players, 1 sessions, 2 hanchan.\n"
    copied = json.loads(factories.run("export_league", "copy"))
    original = json.loads(file.read_text())
    assert copied["league"].pop("slug") == "copy"
    del original["league"]["slug"]
    assert copied == original
    assert standings_of("copy", "--all") == standings_of(league.slug, "--all")
    assert not StalePeriod.objects.filter(league__slug="copy").exists()
    assert Standing.objects.filter(league__slug="copy", period="2025").count() == 4


def test_import_command_reads_only_the_allowed_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "large.json"
    file.write_bytes(b" " * 5000)
    assert len(content_of(str(file), 1000)) == 1001
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b" " * 5000)))
    assert len(content_of("-", 1000)) == 1001


def test_import_command_explains_errors(league: League, tmp_path: Path) -> None:
    document = json.loads(factories.run("export_league", league.slug))
    document["sessions"][0]["hanchan"][1]["seats"][2]["raw"] += 1000
    file = tmp_path / "bad.json"
    file.write_text(json.dumps(document))
    with pytest.raises(CommandError, match=r"Nothing was imported\.\n\$\.sessions\[0\]\.hanchan\[1\]: .* off by 1,000"):
        factories.run("import_league", str(file), slug="copy")
    with pytest.raises(CommandError, match="--slug may contain only"):
        factories.run("import_league", str(file), slug="a/b")
    with pytest.raises(CommandError, match=r"no-such-file cannot be read: No such file"):
        factories.run("import_league", "no-such-file")
    with pytest.raises(CommandError, match="There is no user 'nobody'"):
        factories.run("import_league", str(file), by="nobody")
    assert League.objects.count() == 1
