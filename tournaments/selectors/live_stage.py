"""The tables of a stage at which the ticker runs, as its page shows them."""

from collections.abc import Mapping
from dataclasses import dataclass

from league.models import Player, Session
from tournaments.core.state import StageProgress
from tournaments.core.ticking import Situation
from tournaments.messages.hands import hand_line
from tournaments.selectors.last_hands import LastHandOfTable, TableNow, last_hands_of
from tournaments.selectors.live import LiveTable, live_tables
from tournaments.selectors.state import CurrentState


@dataclass(frozen=True, slots=True)
class TableUnderWay:
    """A table of the stage: the hand that is played, players with their raw scores by seat, and what a last hand means."""

    table: int
    line: str
    scores: tuple[tuple[Player, int], ...]
    last_hands: tuple[LastHandOfTable, ...]


def tables_under_way(
    current: CurrentState, progress: StageProgress, names: Mapping[str, str], language: str
) -> tuple[TableUnderWay, ...]:
    """Return the tables of a stage that were heard of in their hanchan. One query where there are none, else four.

    `names` of entries by primary key as text, as the reader may read them; players who play without an entry are left out.
    """
    sessions = [each.session_id for each in current.sessions if each.stage == progress.stage.key]
    live = live_tables(sessions) if sessions else {}
    if not live:
        return ()
    played = Session.objects.filter(pk__in={session for session, _ in live}).select_related("ruleset_version__ruleset")
    rules = {session.pk: session.ruleset_version.read() for session in played}
    players = {entry.player.pk: entry.player for entry in current.entries.values()}
    found = []
    for (session, table), now in sorted(live.items()):
        if all(pk in players for pk in now.players):
            seated = TableNow(rules[session], tuple(players[pk] for pk in now.players), _situation(now))
            told = last_hands_of(current, progress, seated, names, language)
            scores = tuple(zip(seated.players, now.scores, strict=True))
            found.append(TableUnderWay(table, hand_line(now.hand, now.honba, now.sticks), scores, told))
    return tuple(found)


def _situation(now: LiveTable) -> Situation:
    return Situation(now.scores, now.hand, now.honba, now.sticks, now.riichi)
