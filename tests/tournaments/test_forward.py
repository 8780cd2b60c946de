from collections import Counter
from collections.abc import Mapping
from math import exp, isclose, sqrt
from random import Random
from time import perf_counter

import pytest

from scoring.core import PlayerResult, load_card
from tournaments.core.facts import Advance, Draw, Entrant, Participant, TournamentFacts, Withdrawal
from tournaments.core.needs.case import Case
from tournaments.core.odds import Bank, typical_bank
from tournaments.core.reading import format_keys, load_format, read_format
from tournaments.core.resolution import resolve
from tournaments.estimates.forward import DrawnEndings, Outset, endings_of, title_of
from tournaments.estimates.odds import odds_of

RULES = load_card("cinderella").ruleset
BANK = typical_bank(RULES)
SIZES = {"elimination-4": 16, "classes": 20, "season": 8, "swiss": 9, "open-final-table": 16, "cinderella-2018": 24}

Played = dict[str, dict[Participant, list[PlayerResult]]]


def players_of(number: int) -> list[str]:
    return [f"p{each:02}" for each in range(1, number + 1)]


def outset(
    key: str, facts: TournamentFacts, strength: dict[Participant, float] | None = None, bank: Bank = BANK
) -> Outset:
    format_ = load_format(key, len(facts.entrants))
    banks = {stage.key: bank for stage in format_.stages}
    return Outset(resolve(format_, facts), facts, banks, strength=strength or {})


def cinderella(played: Played | None = None, **more: object) -> TournamentFacts:
    names = players_of(16)
    draw = Draw("qualifying", {"A": tuple(names[:8]), "B": tuple(names[8:])})
    return TournamentFacts(tuple(map(Entrant, names)), played=played or {}, draws=(draw,), **more)  # type: ignore[arg-type]


def hanchan(players: list[str], game: int, points: tuple[int, ...] = BANK[0]) -> dict[Participant, PlayerResult]:
    return {
        name: PlayerResult(won, place, None, game)
        for place, (name, won) in enumerate(zip(players, points, strict=True), 1)
    }


def test_equal_players_have_equal_chances() -> None:
    endings = endings_of(outset("cinderella", cinderella()), 20_000, 1)
    error = 4.5 * sqrt(0.25 / 20_000)
    final, on = endings.reaches("final"), endings.goes_on("qualifying")
    assert all(isclose(final[name], 4 / 16, abs_tol=error) for name in players_of(16))
    assert all(isclose(on[name], 10 / 16, abs_tol=error) for name in players_of(16))
    assert all(isclose(likely, 1 / 16, abs_tol=error) for likely in endings.reaches("champion").values())


def test_tied_players_share_chances() -> None:
    level, alike = ((0, 0, 0, 0),), 4.5 * sqrt(0.25 / 4000)
    on = endings_of(outset("cinderella", cinderella(), bank=level), 4000, 1).goes_on("qualifying")
    assert all(isclose(on[name], 10 / 16, abs_tol=alike) for name in players_of(16))
    facts, finalists = the_final(4)
    champion = endings_of(outset("cinderella", facts, bank=level), 4000, 1).reaches("champion")
    assert all(isclose(champion[name], 1 / 4, abs_tol=alike) for name in finalists)
    # The best of each rank across blocks.
    names = players_of(24)
    draw = Draw("qualifying", {key: tuple(names[8 * number :][:8]) for number, key in enumerate("ABC")})
    facts = TournamentFacts(tuple(map(Entrant, names)), draws=(draw,))
    on = endings_of(outset("cinderella-2018", facts, bank=level), 4000, 1).goes_on("qualifying")
    assert all(isclose(on[name], sum(on.values()) / 24, abs_tol=alike) for name in names)


@pytest.mark.parametrize("key", format_keys())
def test_every_format_is_simulated_to_its_end(key: str) -> None:
    number = SIZES.get(key) or load_format(key).entrants.least
    endings = endings_of(outset(key, TournamentFacts(tuple(map(Entrant, players_of(number))))), 200, 3)
    format_ = load_format(key, number)
    for stage in format_.stages:
        for to in format_.destinations_from(stage.key):
            likely = endings.reaches(to.key)
            assert isclose(sum(likely.values()), round(sum(likely.values())), abs_tol=1e-6)
            assert max(likely.values()) <= 1 + 1e-9, to.key
    title = title_of(format_)
    if title is not None:
        likely = endings.reaches(title[0]) if title[1] else endings.wins(title[0])
        assert isclose(sum(likely.values()), 1, abs_tol=1e-9)


def the_final(left: int) -> tuple[TournamentFacts, list[str]]:
    names = players_of(16)
    finalists = [names[0], names[8], names[1], names[9]]
    played: Played = {"final": {name: [] for name in finalists}}
    for game in range(4 - left):
        for name, result in hanchan(finalists[game:] + finalists[:game], game, BANK[game]).items():
            played["final"][name].append(result)
    ways = (
        Advance("qualifying", "final", (names[0], names[8]), (names[0], names[8])),
        Advance("po3", "final", (names[1], names[9]), (names[1], names[9])),
    )
    return cinderella(played, advances=ways), finalists


@pytest.mark.parametrize("left", [1, 2, 3])
def test_simulated_final_matches_calculated_odds(left: int) -> None:
    facts, finalists = the_final(left)
    strength: dict[Participant, float] = {finalists[1]: 0.6, finalists[3]: -0.3}
    place = outset("cinderella", facts, strength)
    lines = place.state.stage("final").rankings[0].lines
    case = Case(RULES, tuple(finalists), {str(line.participant): line.points for line in lines})
    expected = odds_of(case, left, strength={str(k): v for k, v in strength.items()}, bank=BANK, samples=100_000).chance
    found = endings_of(place, 40_000, 5).reaches("champion")
    for name, likely in expected.items():
        assert isclose(found.get(name, 0), likely, abs_tol=4.5 * sqrt(0.25 / 40_000) + 0.004), name


def slow(strength: Mapping[Participant, float], samples: int, seed: int) -> Counter[str]:
    """Simulate whole Cinderella leagues one by one, as a director would run them, and count the winners."""
    random = Random(seed)

    def ranked(players: list[str], sessions: int) -> list[str]:
        state = {name: [0, 0] for name in players}
        for _ in range(sessions):
            random.shuffle(players)
            for first in range(0, len(players), 4):
                for _ in range(4):
                    order = sorted(
                        players[first : first + 4], key=lambda name: random.expovariate(exp(strength.get(name, 0)))
                    )
                    for name, won in zip(order, random.choice(BANK), strict=True):
                        state[name] = [state[name][0] + won, won]
        return sorted(state, key=lambda name: (-state[name][0], -state[name][1]))

    def champion() -> str:
        one, two = ranked(players_of(16)[:8], 2), ranked(players_of(16)[8:], 2)
        first = ranked([*one[3:5], *two[3:5]], 1)[:2]
        second = ranked([one[2], two[2], *first], 1)[:2]
        third = ranked([one[1], two[1], *second], 1)[:2]
        return ranked([one[0], two[0], *third], 1)[0]

    return Counter(champion() for _ in range(samples))


@pytest.mark.long
def test_simulation_matches_an_independent_simulation() -> None:
    strength: dict[Participant, float] = {"p01": 0.8, "p02": 0.4, "p09": -0.8}
    quick, samples = endings_of(outset("cinderella", cinderella(), strength), 20_000, 2).reaches("champion"), 4000
    counted = slow(strength, samples, 3)
    for name in players_of(16):
        likely = counted[name] / samples
        error = sqrt(max(likely, 0.01) * (1 - likely) / samples) + 0.003
        assert isclose(quick.get(name, 0), likely, abs_tol=4.5 * error), name
    assert quick["p01"] > quick["p02"] > quick["p05"] > quick["p09"]


def test_seed_determines_the_simulation() -> None:
    place = outset("cinderella", cinderella())
    once, again, other = (endings_of(place, 5000, seed) for seed in (4, 4, 5))
    assert once == again
    assert once.ways != other.ways


def test_withdrawn_player_has_no_chance_and_the_substitute_plays() -> None:
    names = players_of(16)
    gone = cinderella(withdrawals=(Withdrawal("qualifying", names[0]),))
    assert names[0] not in endings_of(outset("cinderella", gone), 500, 1).goes_on("qualifying")
    facts, finalists = the_final(4)
    substituted = TournamentFacts(
        facts.entrants,
        draws=facts.draws,
        advances=facts.advances,
        withdrawals=(Withdrawal("po3", finalists[2], substitute="new"),),
    )
    likely = endings_of(outset("cinderella", substituted), 4000, 1).reaches("champion")
    assert set(likely) == {finalists[0], finalists[1], finalists[3], "new"}


def test_vacancy_is_simulated_with_a_house_player() -> None:
    names = players_of(16)
    gone = cinderella(
        withdrawals=(Withdrawal("qualifying", names[1]), Withdrawal("final", names[8], substitute="new")),
        advances=(
            Advance("qualifying", "final", (names[0], names[8]), (names[0], names[8])),
            Advance("qualifying", "po3", (names[1], names[9]), (names[1], names[9])),
        ),
    )
    endings = endings_of(outset("cinderella", gone), 500, 1)
    assert sum(endings.ways["po2", "po3"].values()) == 2 * 500
    assert endings.reaches("final")[names[9]] > 0.6
    assert names[1] not in endings.reaches("final")
    assert endings.ways["qualifying", "final"] == {names[0]: 500, "new": 500}
    assert sum(endings.reaches("champion").values()) == pytest.approx(1)


def test_carried_points_count_in_the_simulation() -> None:
    format_ = load_format("mleague", load_format("mleague").entrants.least)
    assert [stage for stage in format_.stages if stage.carry]
    names = players_of(format_.entrants.least)
    first = format_.stages[0].key
    played: Played = {first: {name: [PlayerResult(0, 2, None, 1)] for name in names}}
    played[first][names[0]] = [PlayerResult(4_000_000, 1, None, 1)]
    facts = TournamentFacts(tuple(map(Entrant, names)), played=played)
    title = title_of(format_)
    assert title is not None
    endings = endings_of(outset("mleague", facts), 2000, 1)
    likely = endings.reaches(title[0]) if title[1] else endings.wins(title[0])
    assert likely[names[0]] > 0.9


def test_simulation_uses_the_planned_tables() -> None:
    names = players_of(8)
    format_ = load_format("elimination-4", 16)
    facts = TournamentFacts(
        tuple(map(Entrant, players_of(16))),
        draws=(Draw(format_.stages[0].key, {str(n + 1): tuple(players_of(16)[4 * n : 4 * n + 4]) for n in range(4)}),),
    )
    place = outset("elimination-4", facts)
    seated = Outset(place.state, facts, place.banks, {format_.stages[0].key: [names[:4]]})
    on = endings_of(seated, 3000, 1).goes_on(format_.stages[0].key)
    assert isclose(sum(on[name] for name in names[:4]), 2, abs_tol=1e-9)


@pytest.mark.timing
def test_simulation_of_a_league_is_fast() -> None:
    place = outset("cinderella", cinderella())
    begun = perf_counter()
    endings: DrawnEndings = endings_of(place, 20_000, 1)
    assert endings.samples == 20_000
    assert perf_counter() - begun < 1.5


def open_of_eight(last: tuple[int, int], *left: str) -> TournamentFacts:
    names = players_of(8)
    points = (60, 50, 40, *last, -30, -50, -70)
    played: Played = {
        "open": {name: [PlayerResult(1000 * own, 1, None, name)] for name, own in zip(names, points, strict=True)}
    }
    gone = tuple(Withdrawal("open", name) for name in left)
    return TournamentFacts(tuple(map(Entrant, names)), played=played, withdrawals=gone)


OPEN = {
    "name": "Open",
    "entrants": 8,
    "stage": [
        {"key": "open", "name": "Open", "hanchan": 1, "tiebreak": ["last_hanchan"], "from": [{"entrants": "all"}]},
        {"key": "final", "name": "Final", "hanchan": 1, "from": [{"stage": "open", "ranks": "1-4"}]},
    ],
}  # fmt: skip


def test_simulated_completed_stage_advances_its_proposal_and_splits_ties() -> None:
    format_ = read_format("open", OPEN)

    def goes_on(facts: TournamentFacts) -> dict[Participant, float]:
        endings = endings_of(Outset(resolve(format_, facts), facts, {"open": BANK, "final": BANK}), 4000, 1)
        return endings.goes_on("open")

    assert goes_on(open_of_eight((20, 10))) == dict.fromkeys(players_of(4), 1.0)
    vacant = open_of_eight((20, 10), "p02")
    assert resolve(format_, vacant).stage("open").path("final").vacant == 1
    assert goes_on(vacant) == {"p01": 1.0, "p03": 1.0, "p04": 1.0}
    level = goes_on(open_of_eight((10, 10)))
    assert isclose(sum(level.values()), 4)
    assert isclose(level["p04"], 0.5, abs_tol=0.04)
    assert isclose(level["p05"], 0.5, abs_tol=0.04)
