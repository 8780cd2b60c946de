import pytest
from hypothesis import given
from hypothesis import strategies as st

from league.core.confirmation import Agreement, Policy, Recorder, ResultState, Statement, agreement_on

AOKI, ISHIDA, UENO, EGUCHI = TABLE = (1, 2, 3, 4)
PHONE = Recorder(device="p0")
"""The table's phone, used without log-in."""

ACCOUNT = Recorder(user=9, player=AOKI)
"""Aoki entered the result, logged in."""


def yes(player: int | None, device: str = "p0", user: int | None = None) -> Statement:
    return Statement(agrees=True, player=player, user=user, device=device)


def no(player: int | None) -> Statement:
    return Statement(agrees=False, player=player, device="p0")


ALL_OTHERS = (yes(ISHIDA, "p1"), yes(UENO, "p2"), yes(EGUCHI, "p3"))
"""All but Aoki, each on their own phone."""


@pytest.mark.parametrize(
    ("policy", "recorder", "words", "expected"),
    [
        pytest.param("none", PHONE, tuple(map(yes, TABLE)), "recorded", id="no confirmation needed"),
        pytest.param("none", PHONE, (yes(None),), "confirmed", id="organiser under any policy"),
        pytest.param("one", PHONE, (yes(AOKI),), "recorded", id="recording phone"),
        pytest.param("one", PHONE, tuple(map(yes, TABLE)), "recorded", id="all four on the recording phone"),
        pytest.param("one", PHONE, (yes(ISHIDA, "p1"),), "confirmed", id="another phone"),
        pytest.param("one", PHONE, (yes(ISHIDA, "p1"), yes(ISHIDA)), "confirmed", id="then the recording phone"),
        pytest.param("one", Recorder(), (yes(ISHIDA, "p1"),), "recorded", id="unknown recording phone"),
        pytest.param("one", Recorder(), (yes(ISHIDA, "p1"), yes(UENO, "p2")), "confirmed", id="two other phones"),
        pytest.param("one", Recorder(), (yes(ISHIDA, "p1"), yes(UENO, "p1")), "recorded", id="two on one phone"),
        pytest.param("one", PHONE, (yes(ISHIDA, ""),), "recorded", id="unknown confirming phone"),
        pytest.param("one", PHONE, (yes(ISHIDA, "", 7),), "confirmed", id="an account confirms"),
        pytest.param("one", PHONE, (yes(ISHIDA, "p0", 7),), "recorded", id="an account on the recording phone"),
        pytest.param("one", ACCOUNT, (yes(AOKI, "p5", 9),), "recorded", id="the recorder confirms"),
        pytest.param("one", ACCOUNT, (yes(AOKI, "p5"),), "recorded", id="the recorder on another phone"),
        pytest.param("one", ACCOUNT, (yes(UENO, "p0", 9),), "recorded", id="the recorder for another player"),
        pytest.param("one", Recorder(user=9), (yes(UENO, "", 9),), "recorded", id="a recorder who does not play"),
        pytest.param("one", Recorder(user=9), (yes(UENO),), "confirmed", id="a table link after a scorer"),
        pytest.param("all", PHONE, tuple(map(yes, TABLE)), "recorded", id="all on the recording phone"),
        pytest.param("all", PHONE, (yes(AOKI), *ALL_OTHERS), "confirmed", id="three other phones"),
        pytest.param("all", PHONE, ALL_OTHERS, "recorded", id="all but the recorder"),
        pytest.param("all", PHONE, tuple(yes(one, "p1") for one in TABLE), "recorded", id="all on one other phone"),
        pytest.param("all", PHONE, (yes(AOKI), *(yes(one, "p1") for one in TABLE[1:])), "recorded", id="two phones"),
        pytest.param("all", ACCOUNT, ALL_OTHERS, "confirmed", id="all but the recording account"),
        pytest.param("all", ACCOUNT, (*ALL_OTHERS[:2], yes(EGUCHI, "p1", 9)), "recorded", id="recorder for the last"),
        pytest.param("all", ACCOUNT, (yes(ISHIDA, "p1"), yes(UENO, "p1"), *ALL_OTHERS), "confirmed", id="shared phone"),
        pytest.param("all", PHONE, (yes(AOKI), yes(None)), "confirmed", id="an organiser confirms for all"),
        pytest.param("organiser", PHONE, tuple(map(yes, TABLE)), "recorded", id="players under organiser policy"),
        pytest.param("none", PHONE, (no(EGUCHI),), "disputed", id="a dispute without confirmation"),
        pytest.param("all", PHONE, (*map(yes, TABLE), no(EGUCHI)), "disputed", id="confirmed, then disputed"),
        pytest.param("all", PHONE, (no(EGUCHI), yes(AOKI), *ALL_OTHERS), "confirmed", id="disputed, then confirmed"),
        pytest.param("one", PHONE, (no(EGUCHI), yes(AOKI), yes(UENO)), "disputed", id="others do not outvote"),
        pytest.param("one", PHONE, (no(EGUCHI), no(UENO), yes(EGUCHI)), "disputed", id="one of two disputes is left"),
        pytest.param("one", PHONE, (no(EGUCHI), yes(None)), "confirmed", id="an organiser settles"),
        pytest.param("one", PHONE, (no(EGUCHI), yes(None), no(UENO)), "disputed", id="a new dispute after that"),
        pytest.param("one", PHONE, (yes(None), no(UENO), yes(UENO)), "confirmed", id="settled again"),
        pytest.param("one", PHONE, (yes(None), no(None)), "disputed", id="an organiser disputes"),
        pytest.param("one", PHONE, (no(None), yes(AOKI), yes(UENO)), "disputed", id="players do not settle that"),
        pytest.param("one", PHONE, (yes(99, "p1"),), "recorded", id="a stranger does not confirm"),
        pytest.param("one", PHONE, (no(99),), "disputed", id="a stranger may dispute"),
    ],
)
def test_statements_give_a_state(policy: str, recorder: Recorder, words: tuple[Statement, ...], expected: str) -> None:
    assert str(agreement_on(Policy(policy), TABLE, recorder, words).state) == expected


def test_dispute_names_its_author() -> None:
    told = agreement_on(Policy.ALL, TABLE, ACCOUNT, [no(EGUCHI), no(None), no(AOKI)])
    assert told == Agreement(ResultState.DISPUTED, {}, (EGUCHI, None, AOKI), is_settled=False)


def test_all_players_of_a_table_of_three_are_needed() -> None:
    said = [yes(3), yes(1, "p1"), yes(2, "p2")]
    assert agreement_on(Policy.ALL, (1, 2, 3), PHONE, said).state == ResultState.CONFIRMED
    assert agreement_on(Policy.ALL, (1, 2, 3), PHONE, said[:2]).state == ResultState.RECORDED


words = st.builds(
    Statement,
    agrees=st.booleans(),
    player=st.sampled_from((*TABLE, None)),
    user=st.sampled_from((None, 7, 9)),
    device=st.sampled_from(("", "p0", "p1")),
)


@given(st.lists(words, max_size=12), st.sampled_from(Policy), st.sampled_from((PHONE, ACCOUNT, Recorder())))
def test_repeated_statement_changes_nothing(said: list[Statement], policy: Policy, recorder: Recorder) -> None:
    for last in said[-1:]:
        assert agreement_on(policy, TABLE, recorder, [*said, last]) == agreement_on(policy, TABLE, recorder, said)


@given(st.lists(words, max_size=12), st.sampled_from(Policy), st.sampled_from((PHONE, ACCOUNT, Recorder())))
def test_last_statement_of_each_player_counts(said: list[Statement], policy: Policy, recorder: Recorder) -> None:
    told = agreement_on(policy, TABLE, recorder, said)
    for player in TABLE:
        own = [word for word in said if word.player == player]
        if own and own[-1].agrees:
            assert player in told.agreed
            assert player not in told.disputed
        if player in told.agreed:
            assert not own or own[-1].agrees
    assert (told.state == ResultState.DISPUTED) is bool(told.disputed)
