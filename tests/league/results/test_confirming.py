import pytest

from league.models import Confirmation, Hanchan, League, Player, Revision, Seat, Standing
from league.selectors.confirming import confirming_of
from league.services.calendar import change_settings
from league.services.confirming import NewStatement, StatementOutcome, say
from league.services.history import SYSTEM, Actor
from league.services.people import link_user, merge_players
from league.services.rescoring import rescore
from league.services.results import (
    ResultError,
    restore_hanchan,
    void_hanchan,
)
from league.services.rules import save_version
from tests.league import factories
from tests.league.factories import correct, make_league, make_players, make_session, make_user, play

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

OTHER_RAW = (31000, 32000, 25500, 11500)

AGREES, DISPUTES = Confirmation.Verdict.AGREES, Confirmation.Verdict.DISPUTES


def phone(name: str) -> Actor:
    return Actor(None, "table link", device=name)


def people(hanchan: Hanchan) -> list[Player]:
    return [seat.player for seat in hanchan.seats.select_related("player").order_by("seat")]


def tap(
    hanchan: Hanchan,
    seat: int | None,
    verdict: Confirmation.Verdict = AGREES,
    by: Actor | None = None,
    *,
    version: int | None = None,
    note: str = "",
) -> StatementOutcome:
    player = None if seat is None else people(hanchan)[seat]
    by = by or phone(f"own-{seat}")
    return say(hanchan=hanchan, statement=NewStatement(verdict, version or hanchan.version, player, note), by=by)


def state(hanchan: Hanchan) -> str:
    return Hanchan.objects.get(pk=hanchan.pk).state


def actions(hanchan: Hanchan) -> list[str]:
    revisions = Revision.objects.filter(subject="hanchan", subject_id=hanchan.pk)
    return list(revisions.order_by("pk").values_list("action", flat=True))


@pytest.fixture
def league() -> League:
    return make_league(confirmed_by="one")


def recorded(league: League, device: str = "table", by: Actor = SYSTEM) -> Hanchan:
    hanchan = play(make_session(league), by=by)
    Hanchan.objects.filter(pk=hanchan.pk).update(device=device)
    return Hanchan.objects.get(pk=hanchan.pk)


def test_scorer_who_plays_does_not_confirm_their_own_entry(league: League) -> None:
    players = make_players(league, 4)
    scorer = make_user("aoki", league=league, role="scorer")
    link_user(player=players[0], user=scorer, by=SYSTEM)
    actor = Actor(scorer, "web")
    hanchan = play(make_session(league), players=players, by=actor)
    assert confirming_of(hanchan).agreed == 1
    assert tap(hanchan, 0, by=actor).hanchan.state == "recorded"
    assert tap(hanchan, 1, by=actor).hanchan.state == "recorded"
    assert tap(hanchan, 1).hanchan.state == "confirmed"


def test_repeated_taps_are_one_confirmation(league: League) -> None:
    hanchan = recorded(league)
    for _ in range(3):
        tap(hanchan, 1)
    assert hanchan.confirmations.count() == 1
    assert actions(hanchan) == ["recorded", "confirmed"]
    assert restore_hanchan(hanchan=hanchan, by=SYSTEM, reason="stands already").state == "confirmed"
    # Another phone or a note makes it a new response.
    tap(hanchan, 1, by=phone("another"))
    for note in ("", "12,500", ""):
        tap(hanchan, 3, DISPUTES, note=note)
    assert list(hanchan.confirmations.values_list("note", flat=True)) == ["", "", "", "12,500"]


def test_confirmation_of_a_merged_player_still_counts(league: League) -> None:
    league.confirmed_by = "all"
    league.save()
    hanchan = recorded(league)
    for seat in range(3):
        tap(hanchan, seat)
    (newcomer,) = make_players(league, 1)
    merge_players(source=people(hanchan)[2], target=newcomer, by=SYSTEM, reason="one person")
    assert confirming_of(Hanchan.objects.get(pk=hanchan.pk)).agreed == 3
    assert tap(hanchan, 3).hanchan.state == "confirmed"


def test_setting_decides_whether_disputed_results_count() -> None:
    league = make_league(disputed_count=False)
    hanchan = recorded(league)
    factories.settle()
    assert Standing.objects.filter(league=league, period="2025-11").count() == 4
    tap(hanchan, 3, DISPUTES)
    factories.settle()
    assert not Standing.objects.filter(league=league).exists()
    assert not Hanchan.objects.counted().exists()
    assert Hanchan.objects.valid().count() == 1
    assert not Seat.objects.counted().exists()
    for counts in (True, False):
        change_settings(league=League.objects.get(pk=league.pk), settings={"disputed_count": counts}, by=SYSTEM)
        factories.settle()
        assert Seat.objects.counted().count() == Standing.objects.filter(period="all").count() == 4 * counts
    tap(hanchan, 3)
    factories.settle()
    assert state(hanchan) == "recorded"
    assert Standing.objects.filter(league=league, period="2025-11").count() == 4


def test_withdrawn_dispute_restores_the_confirmation_of_an_import() -> None:
    hanchan = recorded(make_league(confirmed_by="all", disputed_count=False))
    Hanchan.objects.filter(pk=hanchan.pk).update(state="confirmed")  # as imported: without confirmations
    for seat in (3, 1):
        assert tap(hanchan, seat, DISPUTES).hanchan.state == "disputed"
    assert tap(hanchan, 3).hanchan.state == "disputed"
    assert tap(hanchan, 1).hanchan.state == "confirmed"
    assert Seat.objects.counted().count() == 4
    assert actions(hanchan) == ["recorded", "disputed", "disputed", "settled"]
    correct(hanchan, OTHER_RAW)
    tap(hanchan, 3, DISPUTES, version=2)
    assert tap(hanchan, 3, version=2).hanchan.state == "recorded"


def test_correction_ends_disputes_and_needs_new_confirmations() -> None:
    hanchan = recorded(make_league(confirmed_by="one", disputed_count=False))
    tap(hanchan, 1)
    tap(hanchan, 3, DISPUTES)
    assert correct(hanchan, OTHER_RAW).state == "recorded"
    assert Seat.objects.counted().count() == 4
    page = confirming_of(Hanchan.objects.get(pk=hanchan.pk))
    assert (page.agreed, len(page.outdated)) == (0, 2)


def test_replaced_player_may_still_dispute_the_old_version(league: League) -> None:
    hanchan = recorded(league)
    before = people(hanchan)
    (other,) = make_players(league, 1)
    correct(hanchan, players=(*before[:3], other))
    assert not say(hanchan=hanchan, statement=NewStatement(DISPUTES, 1, before[3]), by=SYSTEM).is_current
    with pytest.raises(ResultError, match="not_at_table"):
        say(hanchan=hanchan, statement=NewStatement(AGREES, 2, before[3]), by=SYSTEM)


@pytest.mark.parametrize("version", [0, 7, 2**31])
def test_confirmation_of_an_unknown_version_is_ignored(league: League, version: int) -> None:
    hanchan = recorded(league)
    assert not tap(hanchan, 1, version=version or -5).is_current
    assert state(hanchan) == "recorded"


def test_confirmation_of_a_voided_result_is_ignored(league: League) -> None:
    hanchan = recorded(league)
    void_hanchan(hanchan=hanchan, by=SYSTEM, reason="mistake")
    said = tap(hanchan, 1, version=1)
    assert (said.is_current, said.hanchan.state) == (False, "voided")
    assert hanchan.confirmations.count() == 1
    restored = restore_hanchan(hanchan=hanchan, by=SYSTEM, reason="no mistake")
    assert (restored.state, confirming_of(restored).agreed) == ("recorded", 0)


def test_rescoring_keeps_confirmations() -> None:
    league = make_league(confirmed_by="all")
    hanchan = recorded(league)
    for seat in range(3):
        tap(hanchan, seat)
    version = league.current_version
    assert version is not None
    parameters = {**version.parameters, "uma": [20, 10, -10, -20]}
    newer = save_version(ruleset=version.ruleset, parameters=parameters, note="uma", by=SYSTEM)
    rescore(league, newer.pk, SYSTEM, lambda progress: None)
    rescored = Hanchan.objects.get(pk=hanchan.pk)
    assert (rescored.version, confirming_of(rescored).agreed) == (2, 3)
    assert tap(hanchan, 3, version=1).hanchan.state == "confirmed"


def test_hanchan_before_the_setting_need_no_confirmation() -> None:
    league = make_league()
    hanchan = recorded(league)
    changed = change_settings(league=league, settings={"confirmed_by": "one"}, by=SYSTEM)
    assert changed.confirmed_since is not None
    assert not Hanchan.objects.get(pk=hanchan.pk).is_awaiting
    assert not Hanchan.objects.awaiting().exists()
    League.objects.update(confirmed_since=None)
    assert Hanchan.objects.get(pk=hanchan.pk).is_awaiting
    assert Hanchan.objects.awaiting().count() == 1


def test_relaxed_policy_confirms_results_with_enough_confirmations() -> None:
    league = make_league(confirmed_by="all")
    hanchan, other = recorded(league), recorded(league)
    tap(hanchan, 1)
    change_settings(league=league, settings={"confirmed_by": "one"}, by=SYSTEM)
    assert (state(hanchan), state(other)) == ("confirmed", "recorded")
    change_settings(league=league, settings={"confirmed_by": "all"}, by=SYSTEM)
    assert state(hanchan) == "confirmed"
    assert tap(hanchan, 2).hanchan.state == "confirmed"


def test_entry_by_an_organiser_needs_no_confirmation() -> None:
    league = make_league(confirmed_by="organiser")
    organiser = Actor(make_user("ono", league=league, role="organiser"), "web")
    scorer = Actor(make_user("kato", league=league, role="scorer"), "web")
    mine, theirs = recorded(league, by=organiser), recorded(league, by=scorer)
    assert (mine.state, theirs.state) == ("confirmed", "recorded")
    assert tap(mine, 3, DISPUTES).hanchan.state == "disputed"
    assert tap(mine, 3).hanchan.state == "confirmed"
    assert correct(theirs, OTHER_RAW, by=organiser).state == "confirmed"
    assert correct(mine, OTHER_RAW, by=scorer).state == "recorded"
    assert tap(mine, None, version=2, by=organiser).hanchan.state == "confirmed"
