from contextlib import suppress
from datetime import date
from random import Random

import pytest

from league.models import Player
from league.services.history import SYSTEM
from tests.budget import budget
from tests.league.factories import make_players, play
from tests.tournaments.factories import approve_stage, by_entry, draw_and_plan, make_tournament, plan, play_table
from tournaments.core.reading import format_keys, load_format
from tournaments.core.state import StageState
from tournaments.models import Tournament
from tournaments.selectors.decisions import UnplayedTable, can_be_closed, short_of_hanchan, unplayed_tables
from tournaments.selectors.inbox import InboxItem, inbox_items
from tournaments.selectors.state import state_of
from tournaments.services.decisions import AdvancementChoice, approve, close_stage, finish, put_in_order, withdraw
from tournaments.services.events import TournamentError
from tournaments.services.rounds import plan_next_round

pytestmark = [pytest.mark.django_db, pytest.mark.long]

LATE = date(2030, 1, 1)
"""A date after every session."""

MOST_STEPS = 400

SIZES = {"elimination-4": 16, "classes": 20, "open-final-table": 16, "cinderella-2018": 24}


class Director:
    def __init__(self, key: str, seed: int) -> None:
        size = SIZES.get(key) or load_format(key).entrants.least
        self.random = Random(f"{key} {seed}")
        self.tournament: Tournament = make_tournament(format_key=key, players=size)
        self.outsiders = make_players(self.tournament.league, size + 4)[size:]
        self.strength = by_entry(self.tournament) | {each.pk: 99 for each in self.outsiders}
        self.acts: list[str] = []

    def plays_to_the_end(self) -> None:
        for stage in self.tournament.format.stages[:1]:
            draw_and_plan(self.tournament, stage.key, seed=1)
        for _ in range(MOST_STEPS):
            self.tournament.refresh_from_db()
            if self.tournament.state == Tournament.State.FINISHED:
                return
            items = inbox_items(state_of(self.tournament), LATE)
            assert items, f"Nothing waits, and it is not over, after {self.acts[-12:]}"
            for item in items:
                if self.does(item):
                    self.acts.append(item.kind)
                    break
            else:
                pytest.fail(f"Nothing of {[each.kind for each in items]} can be done, after {self.acts[-12:]}")
        pytest.fail(f"No end, after {self.acts[-30:]}")

    def does(self, item: InboxItem) -> bool:
        """Do the next pending task; return whether there was one."""
        return bool(getattr(self, f"does_{item.kind}")(item))

    def does_results(self, item: InboxItem) -> bool:
        assert item.stage_session is not None
        stage = item.stage_session.stage
        left = unplayed_tables(state_of(self.tournament), stage)
        if left and self.random.random() < 0.1 and self.closes(stage):
            return True
        if left:
            return self.plays(left[0])
        return self.plays_freely(stage)

    def plays(self, table: UnplayedTable) -> bool:
        luck, session = self.random.random(), table.stage_session.session
        seated = list(table.players)
        if luck < 0.1 and self.expels(table):
            return True
        if luck < 0.25:
            others = [player for player in self.outsiders if player not in seated]
            seated[self.random.randrange(len(seated))] = self.random.choice(others)
            raw = sorted(
                (session.ruleset_version.read().start_points or 25000) + each for each in (9000, 1000, -2000, -8000)
            )
            play(session, raw, seated, table=table.table, round=table.round, even_if_others=True)
        else:
            play_table(table.stage_session, table.table, table.round, self.strength)
        return True

    def expels(self, table: UnplayedTable) -> bool:
        found = self.tournament.entries.filter(player=table.players[0], is_substitute=False).first()
        if found is None:
            return False
        with suppress(TournamentError):
            withdraw(
                stage=table.stage_session.stage,
                entry=found,
                reason="退場",
                by=SYSTEM,
                disqualified=True,
            )
            return True
        return False

    def plays_freely(self, stage: str) -> bool:
        current = state_of(self.tournament)
        progress = current.state.stage(stage)
        for ranking in progress.rankings:
            lines = sorted((line for line in ranking.lines if not line.withdrawn), key=lambda line: line.played)[
                : self.tournament.format.table_size
            ]
            if lines and lines[0].left and len(lines) == self.tournament.format.table_size:
                session = next(each.session for each in current.sessions if each.stage == stage)
                play(session, (40000, 30000, 20000, 10000), [current.player(line.participant) for line in lines])
                return True
        return self.closes(stage)

    def closes(self, stage: str) -> bool:
        current = state_of(self.tournament)
        progress = current.state.stage(stage)
        if not can_be_closed(current, progress):
            return False
        short = short_of_hanchan(progress)
        with suppress(TournamentError):
            close_stage(
                tournament=self.tournament, stage=stage, short=short, unranked=short[:1], reason="時間切れ", by=SYSTEM
            )
            return True
        return False

    def does_close(self, item: InboxItem) -> bool:
        assert item.stage is not None
        return self.closes(item.stage.key)

    does_too_few = does_close

    def does_short_table(self, item: InboxItem) -> bool:
        return self.does_close(item)

    def does_next_round(self, item: InboxItem) -> bool:
        assert item.stage is not None
        with suppress(TournamentError):
            plan_next_round(
                tournament=self.tournament, stage=item.stage.key, block=item.block, reason="続行", by=SYSTEM
            )
            return True
        return False

    def does_level(self, item: InboxItem) -> bool:
        assert item.stage is not None
        pks = [each.pk for each in item.names]
        put_in_order(tournament=self.tournament, stage=item.stage.key, players=pks, reason="抽選", by=SYSTEM)
        return True

    def does_approve(self, item: InboxItem) -> bool:
        assert item.stage is not None
        with suppress(TournamentError):
            approve_stage(self.tournament, item.stage.key)
            return True
        return False

    def does_vacancy(self, item: InboxItem) -> bool:
        assert item.stage is not None
        current = state_of(self.tournament)
        for path in current.state.paths_into(item.stage.key):
            progress = current.state.stage(path.stage)
            going = path.decision.players if path.decision else path.proposed
            for line in (line for ranking in progress.rankings for line in ranking.lines):
                if line.participant in going or line.withdrawn:
                    continue
                chosen = tuple(int(each) for each in (*going, line.participant))
                choice = AdvancementChoice(chosen, tuple(int(each) for each in path.proposed), "繰り上げ")
                with suppress(TournamentError):
                    approve(tournament=self.tournament, stage=path.stage, to=item.stage.key, choice=choice, by=SYSTEM)
                    return True
        return False

    def does_overtaken(self, item: InboxItem) -> bool:
        assert item.stage is not None
        with suppress(TournamentError):
            path = state_of(self.tournament).state.stage(item.stage.key).path(item.to)
            seen = tuple(int(each) for each in path.proposed)
            approve(
                tournament=self.tournament,
                stage=item.stage.key,
                to=item.to,
                choice=AdvancementChoice(seen, seen),
                by=SYSTEM,
            )
            return True
        return False

    def does_draw(self, item: InboxItem) -> bool:
        assert item.stage is not None
        draw_and_plan(self.tournament, item.stage.key, seed=1)
        return True

    def does_plan(self, item: InboxItem) -> bool:
        assert item.stage is not None
        plan(self.tournament, item.stage.key)
        return True

    def does_finish(self, item: InboxItem) -> bool:
        del item
        finish(tournament=self.tournament, by=SYSTEM)
        return True

    def does_unconfirmed(self, item: InboxItem) -> bool:
        del item
        return False

    does_coming = does_disputed = does_unconfirmed


@pytest.mark.parametrize("seed", range(budget(10, least=2)))
@pytest.mark.parametrize("key", format_keys())
def test_every_format_reaches_its_end_through_the_inbox(key: str, seed: int) -> None:
    director = Director(key, seed)
    director.plays_to_the_end()
    state = state_of(director.tournament).state
    assert all(each.state is StageState.DECIDED for each in state.stages)
    assert state.final_ranks
    assert Player.objects.filter(pk__in=[each.pk for each in director.outsiders]).count() == 4
