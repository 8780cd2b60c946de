"""Scenes of the hall display, ready for their templates."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from django.http import Http404, HttpRequest
from django.utils import timezone
from django.utils.translation import gettext

from league.permissions import hide_names
from scoring.messages.numbers import in_language
from tournaments.core.state import StageProgress, StageState
from tournaments.http.pages import kept_state
from tournaments.messages.titles import block_name, cut_label, stage_name
from tournaments.models import HallDisplay, Tournament
from tournaments.selectors import projector as selector
from tournaments.selectors.hall import Hall, LiveTable
from tournaments.selectors.league_hooks import tournament_phases
from tournaments.selectors.needs import BlockNeeds, PlayerNeeds, has_last_hanchan, may_tell_needs, needs_as_read
from tournaments.selectors.outlook import Knowledge
from tournaments.selectors.picture import picture_of
from tournaments.selectors.projected_tables import (
    HandCards,
    ProjectedSeat,
    ProjectedTable,
    hand_cards,
    lines_of,
    projected_tables,
)
from tournaments.selectors.projector import bracket_screens
from tournaments.selectors.seating import PlayedPlaces, SessionSeating, played_places, session_seatings
from tournaments.selectors.stage_views import champions, final_ranking, onward_words
from tournaments.selectors.state import CurrentState, reader_name

Scene = HallDisplay.Scene

SAID = {"large": (24, 12), "big": (27, 14)}
"""Font sizes with full-width characters per line and lines per screen; longer texts use the smallest."""

WIDE = 34
"""Full-width characters per line at the smallest font size."""

MOST_LINES = 16
"""Lines per screen at the smallest font size; longer texts continue on the next screen."""

NAME_LINES = 4
"""Height of a two-line name with its chance, in lines."""

MOST_SCREENS, BRIEF_LINES = 2, 2
"""Conditions that take more screens are cut to the first sentence of each player, in this many lines."""


@dataclass(frozen=True, slots=True)
class AskedScreens:
    stage: str
    block: str
    show: tuple[str, ...]


Screen = dict[str, Any]

WHOLE = {Scene.BRACKET, Scene.TIMER, Scene.CHAMPION}
"""Scenes of the whole tournament, shown once whatever stages play."""


Live = Mapping[tuple[int, int], LiveTable]
"""Tables with live scores, by session and table number."""


def screens_of(
    request: HttpRequest, tournament: Tournament, asked: AskedScreens, hall: Hall, live: Live
) -> list[Screen]:
    """Return the requested screens. Raise Http404 if there is no such stage or block."""
    current = kept_state(tournament)
    played = played_places(current)
    seatings = session_seatings(current, played)
    try:
        stages = selector.stages_on_projector(current.state, asked.stage, seatings)
        if asked.block:
            stages = stages[:1]
            stages[0].ranking(asked.block)
    except KeyError as error:
        raise Http404 from error
    seated = [player for each in seatings for round_ in each.rounds for player in round_.players]
    hide_names(request.user, tournament.league, [*(each.player for each in current.entries.values()), *seated])
    makers = [_Maker(current, stage, asked.block or None, seatings, played, hall, live) for stage in stages]
    screens = [
        screen
        for maker in makers
        for screen in maker.shown([x for x in asked.show or maker.matters() if maker is makers[0] or x not in WHOLE])
    ]
    return _in_one_picture(screens) or [screen for maker in makers for screen in maker.instead(asked.show)]


def _in_one_picture(screens: list[Screen]) -> list[Screen]:
    """Show the seats of stages that sit down at the same time together, if their tables fit on a screen."""
    seats = [each for each in screens if each["kind"] == Scene.SEATING]
    tables = sum(each["tables"] for each in seats)
    is_alike = len({each["starts"] for each in seats}) == 1 < len({each["stage"] for each in seats}) == len(seats)
    if not is_alike or tables > selector.MAX_TABLES:
        return screens
    together = {**seats[0], "parts": [part for each in seats for part in each["parts"]], "tables": tables}
    together["em"] = max(each["em"] for each in seats)
    return [*(each for each in screens if each not in seats), together]


@dataclass
class _Maker:
    current: CurrentState
    progress: StageProgress
    block: str | None
    seatings: tuple[SessionSeating, ...]
    played: PlayedPlaces
    hall: Hall
    live: Live

    def shown(self, show: Collection[str]) -> list[Screen]:
        scenes: Mapping[str, Callable[[], list[Screen]]] = {
            Scene.STANDINGS: self.standings,
            Scene.SEATING: self.seating,
            Scene.TABLES: self.tables,
            Scene.CONDITIONS: self.conditions,
            Scene.BRACKET: self.bracket,
            Scene.TIMER: self.timer,
            Scene.CHAMPION: self.champion,
        }
        screens = [screen for name in show for screen in scenes[name]()]
        if Scene.TABLES in show and Scene.CONDITIONS not in show:
            screens += self._last_hands()
        facts: Screen = {"newest": self.played.newest, "stage": stage_name(self.progress.stage)}
        return [{**facts, **screen} for screen in screens]

    def instead(self, show: Collection[str]) -> list[Screen]:
        """Return the standings, with the hanchan left and what was asked for, if there is nothing of it."""
        left = max((line.left for each in self._rankings() for line in each.lines), default=0)
        idle = any(line.left and not line.rank for each in self._rankings() for line in each.as_listed.lines)
        asked = () if self.current.state.is_over else show
        return [{**each, "asked": asked, "left": left, "has_idle": idle} for each in self.shown({Scene.STANDINGS})]

    def matters(self) -> tuple[str, ...]:
        if self.current.state.is_over:
            return (Scene.CHAMPION,)
        show: tuple[str, ...] = (Scene.STANDINGS,)
        is_seated = selector.between_hanchan(self.progress, self.seatings)
        lines = [line for each in self._rankings() for line in each.lines]
        if is_seated and not any(line.played or line.points for line in lines):
            return (Scene.SEATING,)
        few = all(len(ranking.lines) <= self.current.tournament.format.table_size for ranking in self._rankings())
        is_last = has_last_hanchan(self.progress)
        if few and (may_tell_needs(self.progress) or self.live):
            show = (Scene.TABLES,)
        elif is_last or self.live:
            show = (Scene.STANDINGS, Scene.TABLES)
        if is_last:
            show = (*show, Scene.CONDITIONS)
        return (*show, Scene.SEATING) if is_seated else show

    def _rankings(self) -> list[Any]:
        return [each for each in self.progress.rankings if self.block in {None, each.block}]

    @cached_property
    def needs(self) -> tuple[BlockNeeds, ...]:
        if not may_tell_needs(self.progress):
            return ()
        found = needs_as_read(self.current, self.progress, Knowledge(self.current, self.seatings))
        return tuple(each for each in found if not each.has_idle)

    @cached_property
    def hands(self) -> list[HandCards]:
        return hand_cards(self.current, self.progress, self.live)

    def standings(self) -> list[Screen]:
        found = selector.standings_screens(self.current, self.progress, self.block)
        return [self._standings(screen) for screen in found]

    def _standings(self, screen: selector.StandingsScreen) -> Screen:
        panels: list[Screen] = [
            {
                "title": block_name(panel.block),
                "played": panel.played,
                "is_blank": panel.is_blank,
                "rows": [{"row": row, "label": self._label(row)} for row in panel.rows],
                "has_cuts": any(row.line.above is not None or row.line.below is not None for row in panel.rows),
            }
            for panel in screen.panels
        ]
        # Lists that go on side by side have their lines at the same height.
        together: list[Screen] = [] if screen.panels[0].block else panels
        labelled = {place for each in together for place, item in enumerate(each["rows"]) if item["label"]}
        most = max(len(panel.rows) for panel in screen.panels)
        for each in together:
            each["missing"] = range(most - len(each["rows"]))
            for place, item in enumerate(each["rows"]):
                item["has_line"] = place in labelled
        lines = most + max(sum(bool(item["label"]) for item in each["rows"]) for each in panels)
        told = {"note": onward_words(self.current, self.progress), "panels": panels, "lines": lines}
        told["is_decided"] = self.progress.state is StageState.DECIDED
        return {"kind": Scene.STANDINGS, "screen": screen, **told}

    def _label(self, row: selector.ProjectorRow) -> str:
        if row.cut is None:
            return ""
        above, below = row.cut
        format_ = self.current.state.format
        if above is not None:
            return gettext("Cut line: %(name)s") % {"name": in_language(format_.destination(above).name)}
        name = in_language(format_.destination(below).name) if below is not None else ""
        return gettext("Below: %(name)s") % {"name": name}

    def seating(self) -> list[Screen]:
        phases = tournament_phases(self.current, timezone.now())
        found = selector.seating_screens(self.progress, self.seatings, self.block)
        return [self._seating(screen) | {"phases": phases} for screen in found]

    def _seating(self, screen: selector.SeatingScreen) -> Screen:
        session = screen.session_seating.stage_session.session
        is_ready = self.hall.ready.get((session.pk, screen.round.number), frozenset())
        tables = [{"table": table, "is_ready": table.number in is_ready} for table in screen.round.tables]
        return {
            "kind": Scene.SEATING,
            "starts": (session.date, session.start_time),
            "parts": [{"screen": screen, "title": screen.session_seating.title, "tables": tables}],
            "tables": len(tables),
            "em": max(4, *(-(-selector.letters(reader_name(each)) // 100) for each in screen.round.players)),
        }

    def timer(self) -> list[Screen]:
        extra = self.hall.timer.extra if self.hall.timer else {}
        titles: dict[int, str] = {}
        if len({session for session, _ in extra}) > 1:
            titles = {each.stage_session.session_id: each.title for each in self.seatings}
        given = [
            {"title": titles.get(session, ""), "table": table, "minutes": seconds // 60}
            for (session, table), seconds in sorted(extra.items())
        ]
        rounds = selector.seatings_now(self.current.state, self.seatings)
        return [{"kind": Scene.TIMER, "given": given, "rounds": rounds}]

    def tables(self) -> list[Screen]:
        ahead = selector.seatings_ahead({self.progress.stage.key}, self.seatings, self.block)
        found = projected_tables(self.progress, self.current, ahead, self.live, self.needs)
        return [self._table(each) for each in found]

    def _table(self, table: ProjectedTable) -> Screen:
        cuts = [cut for ranking in self._rankings() for cut in ranking.cuts if len(self.progress.rankings) == 1]
        return {
            "kind": Scene.TABLES,
            "table": table,
            "block": block_name(table.block),
            "line": cut_label(cuts[0], self.current.state.format) if cuts and table.needs is not None else "",
            "seats": self._seats(table),
            "is_scored": any(seat.gained is not None for seat in table.seats),
        }

    def _seats(self, table: ProjectedTable) -> list[tuple[ProjectedSeat, tuple[str, ...]]]:
        here = [each for each in self.hands if each.live is table.live][:1]
        said = {card.player.pk: card.in_one_line for each in here for card in each.cards}
        return [(seat, said.get(seat.player.pk, ())) for seat in table.seats]

    def conditions(self) -> list[Screen]:
        told = [{card.player.pk for card in each.cards} for each in self.hands]
        needs = [
            each
            for each in self.needs
            if any(player.sentences for player in each.players)
            and {player.entry.player.pk for player in each.players} not in told
        ]
        return [*self._last_hands(), *(screen for each in needs for screen in _conditions(each))]

    def _last_hands(self) -> list[Screen]:
        return [{"kind": "hand", "hands": each, "has_tables": len(self.hands) > 1} for each in self.hands]

    def bracket(self) -> list[Screen]:
        found = bracket_screens(self.current, picture_of(self.current))
        return [{"kind": Scene.BRACKET, "bracket": each} for each in found]

    def champion(self) -> list[Screen]:
        best = champions(self.current)
        if not best:
            return []
        others = [each for each in final_ranking(self.current) if each.rank > 1][:3]
        return [{"kind": Scene.CHAMPION, "champions": best, "others": others}]


def _conditions(needs: BlockNeeds) -> list[Screen]:
    told = (
        needs.players if len(needs.players) <= MOST_LINES // NAME_LINES else [x for x in needs.players if x.sentences]
    )
    screens, smallest = _packed(told, NAME_LINES), "small"
    if len(screens) > MOST_SCREENS:
        screens = _packed([replace(each, sentences=each.sentences[:1]) for each in told], BRIEF_LINES)
        smallest = "brief"
    name_lines = 3 if any(x.secured or x.out or x.chance is not None for x in told) else 2
    return [
        {
            "kind": Scene.CONDITIONS,
            "needs": needs,
            "players": players,
            "size": next((x for x, fit in SAID.items() if _height(players, name_lines, fit[0]) <= fit[1]), smallest),
            "number": number,
            "screens": len(screens),
        }
        for number, players in enumerate(screens, start=1)
    ]


def _packed(told: Sequence[PlayerNeeds], least: int) -> list[Sequence[PlayerNeeds]]:
    """Return the players of each screen, evenly, on as few screens as hold them."""
    for number in range(1, len(told) + 1):
        size = -(-len(told) // number)
        screens = [told[start : start + size] for start in range(0, len(told), size)]
        if all(_height(each, least) <= MOST_LINES for each in screens):
            break
    return screens


def _height(players: Sequence[PlayerNeeds], least: int, wide: int = WIDE) -> int:
    return sum(max(least, lines_of(player.sentences, wide)) for player in players)
