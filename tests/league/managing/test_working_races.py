from collections.abc import Callable
from typing import Any

import pytest

from league.core.spreadsheets.tables import ImportFileError
from league.models import Hanchan, ImportBatch, League, Player, Revision, RulesetVersion, Seat, Session
from league.selectors.games import game_of
from league.services import rescoring
from league.services.boards import OnProgress, Progress, unwatched
from league.services.history import SYSTEM
from league.services.imports.people import NEW
from league.services.imports.running import run_import
from league.services.imports.sessions import numbering_of
from league.services.imports.steps import decide_names
from league.services.people import PeopleError
from league.services.rescoring import rescore
from league.services.rules import make_current
from tests.conftest import needs_postgresql
from tests.league.boards.test_worker import in_thread
from tests.league.factories import make_league, make_players, make_session, next_version, play
from tests.league.imports.files import batch_of, file_of, game
from tests.league.managing.test_rescoring import rows_of
from tests.league.people.test_merging_races import left_behind, merging
from tests.league.races import PATIENCE, at_once
from tests.league.results.test_parts import as_explained

pytestmark = [pytest.mark.django_db(transaction=True)]

ATTEMPTS = 4

RAW = ((31700, 31300, 25500, 11500), (40000, 30000, 20000, 10000), (50000, 26000, 14000, 10000))


@pytest.fixture
def league() -> League:
    league = make_league()
    make_players(league, 6)
    return league


def upload(league: League, players: list[Player]) -> ImportBatch:
    names = [player.name for player in players]
    batch = batch_of(league, file_of(*(game(number=number, names=names, raw=raw) for number, raw in enumerate(RAW, 1))))
    decide_names(batch, {}, unknown=NEW)
    return batch


def once_meanwhile(act: Callable[[], object]) -> OnProgress:
    """Return an `on_progress` that runs the action at its first call, before an import reads its rows."""
    acts = [act]

    def happens(_progress: Progress) -> None:
        if acts:
            acts.pop()()

    return happens


@pytest.mark.both_databases
@pytest.mark.parametrize("attempt", range(ATTEMPTS))
def test_import_and_merge_never_seat_a_player_twice(league: League, attempt: int) -> None:
    *others, source, target = league.players.order_by("pk")[:4]
    batch = upload(league, [*others, source, target])
    imported, merged = at_once(lambda: run_import(batch.pk, SYSTEM, unwatched), merging(source, target))
    assert left_behind() == 0
    if merged is None:
        assert isinstance(imported, ImportFileError), (attempt, imported)
        assert (imported.code, Hanchan.objects.count()) == ("not_ready", 0)
        assert ImportBatch.objects.get().state == ImportBatch.State.DRAFT
    else:
        assert isinstance(merged, PeopleError), (attempt, merged)
        assert (merged.code, imported["added"]) == ("met", 3)


@pytest.mark.both_databases
def test_import_sees_a_merge_just_before_it_starts(league: League) -> None:
    *others, source, target = league.players.order_by("pk")[:5]
    batch = upload(league, [*others, source])
    run_import(batch.pk, SYSTEM, once_meanwhile(merging(source, target)))
    assert left_behind() == 0
    assert Seat.objects.filter(player=target).count() == len(RAW)


@needs_postgresql
def test_import_starts_again_after_a_merge_while_storing(league: League, monkeypatch: pytest.MonkeyPatch) -> None:
    *others, source, target = league.players.order_by("pk")[:5]
    batch = upload(league, [*others, source])
    merge = merging(source, target)

    def then_merged(places: Any) -> Any:
        if Player.objects.get(pk=source.pk).merged_into_id is None:
            in_thread(merge).join(PATIENCE)
        return numbering_of(places)

    monkeypatch.setattr("league.services.imports.running.numbering_of", then_merged)
    assert run_import(batch.pk, SYSTEM, unwatched)["added"] == len(RAW)
    assert (left_behind(), Seat.objects.filter(player=target).count()) == (0, len(RAW))
    assert ImportBatch.objects.get().state == ImportBatch.State.DONE


def is_under(version: RulesetVersion) -> bool:
    """Return whether all hanchan are scored under exactly this version."""
    found = Hanchan.objects.all()
    explained = all(rows_of(each) == as_explained(game_of(each), version.read()) for each in found)
    return explained and {each.ruleset_version_id for each in found} == {version.pk}


@pytest.mark.both_databases
@pytest.mark.parametrize("attempt", range(ATTEMPTS))
def test_import_during_a_rule_change_uses_one_version(league: League, attempt: int) -> None:
    old, new = league.current_version, next_version(league, oka="0")
    assert old is not None
    batch = upload(league, list(league.players.order_by("pk")[:4]))
    imported, changed = at_once(
        lambda: run_import(batch.pk, SYSTEM, unwatched),
        lambda: make_current(league=League.objects.get(pk=league.pk), version=new, by=SYSTEM),
    )
    assert (imported["added"], changed) == (3, None), attempt
    told = Revision.objects.filter(league=league)
    recorded, decided = told.filter(subject="hanchan").earliest("pk"), told.filter(subject="league").latest("pk")
    assert is_under(old if recorded.pk < decided.pk else new), attempt


@pytest.mark.both_databases
def test_import_uses_rules_changed_just_before_it_starts(league: League) -> None:
    new = next_version(league, oka="0")
    batch = upload(league, list(league.players.order_by("pk")[:4]))
    run_import(batch.pk, SYSTEM, once_meanwhile(lambda: make_current(league=league, version=new, by=SYSTEM)))
    assert is_under(new)


@pytest.fixture
def played(league: League) -> Session:
    session = make_session(league)
    for number, raw in enumerate(RAW * 2, 1):
        play(session, raw, list(league.players.order_by("pk")[:4]), round=number)
    return session


def assert_told_in_order(source: Player, target: Player) -> None:
    merged = Revision.objects.get(action=Revision.Action.MERGED)
    for told in Revision.objects.filter(action=Revision.Action.RESCORED):
        assert told.after is not None
        named = {seat["player"] for seat in told.after["seats"]}
        assert named & {source.pk, target.pk} == {target.pk if told.pk > merged.pk else source.pk}


@pytest.mark.both_databases
@pytest.mark.parametrize("attempt", range(ATTEMPTS))
def test_merge_while_rescoring_is_recorded_in_order(
    played: Session, monkeypatch: pytest.MonkeyPatch, attempt: int
) -> None:
    monkeypatch.setattr(rescoring, "CHUNK", 2)
    source, target = played.league.players.order_by("pk")[3:5]
    version = next_version(played.league, oka="0")
    found, merged = at_once(lambda: rescore(played.league, version.pk, SYSTEM, unwatched), merging(source, target))
    assert (merged, found) == (None, {"hanchan": 6, "changed": 6, "refused_count": 0}), attempt
    assert left_behind() == 0
    assert Seat.objects.filter(player=target).count() == 6
    assert is_under(version)
    assert_told_in_order(source, target)
