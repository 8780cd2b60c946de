"""Template tags for tournaments: labels of states and places, and the tournaments on a league's home page."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from django import template
from django.contrib.auth.models import AnonymousUser
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext

from league.messages import exact_name, joined
from league.models import Hanchan, League, Player, Session
from league.permissions import Person, hide_names
from league.templatetags.tenbo.numbers import points_text
from scoring.messages.numbers import in_language
from tournaments.core.format import Format, Outcome, Stage
from tournaments.core.state import StageProgress, StageState
from tournaments.messages import titles
from tournaments.messages.chances import band_text, calibration_text, percent, surprise_sentences
from tournaments.models import Entry, StageSession, Tournament
from tournaments.permissions import DIRECT
from tournaments.selectors.chances import how_it_was_drawn
from tournaments.selectors.hall import stage_session_of
from tournaments.selectors.inbox import InboxItem, inbox_items, task_title
from tournaments.selectors.needs import may_tell_needs, needs_as_read
from tournaments.selectors.needs_told import OwnNeed, own_needs
from tournaments.selectors.outlook import Surprise
from tournaments.selectors.picture import PictureBox, PictureRow
from tournaments.selectors.seating import session_seatings
from tournaments.selectors.stage_views import (
    SEEN_AT_ONCE,
    BlockStandings,
    FinalRankingLine,
    StageView,
    champions,
    sessions_of,
    stage_view,
    tournaments_of_late,
)
from tournaments.selectors.state import CurrentState, reader_name, state_of

register = template.Library()

register.filter("in_percent", percent)
register.filter("how_it_was_drawn", how_it_was_drawn)
register.filter(titles.session_title)
register.filter("calibration_sentence", calibration_text)
register.filter("band_label", band_text)


@register.filter
def surprise_sentence(surprise: Surprise) -> str:
    name = reader_name(surprise.entry.player)
    return surprise_sentences(name, surprise.looks, is_title=surprise.is_title, to=surprise.to)


@register.filter
def hundredth(likely: float) -> str:
    return f"{100 * likely:.1f}"


@register.filter
def named(thing: Stage | Outcome | Format) -> str:
    return in_language(thing.name)


@register.filter
def block_of(block: str, stage: Stage) -> str:
    return titles.block_name(block) if len(stage.blocks) > 1 else ""


@register.filter
def entry_names(entries: Iterable[Entry]) -> str:
    return joined(reader_name(entry.player) for entry in entries)


register.filter("hand_name", titles.hand_name)
register.filter("named_in", titles.destination_label)
register.filter("short_words", titles.short_state)
register.filter("state_words", titles.stage_state)
register.filter("tournament_name", exact_name)
register.filter("line_mark", titles.line_mark)
register.filter("reader_name", reader_name)
register.filter("stage_name", titles.stage_name)
register.filter("svg_points", points_text)


def _row_words(row: PictureRow) -> str:
    aside, mark = row.aside and f"({row.aside})", row.mark and f"– {mark_words(row.mark)}"
    points = "" if row.points is None else points_text(row.points)
    return " ".join(filter(None, (row.name, points, aside, mark)))


@register.filter
def box_words(box: PictureBox) -> str:
    head = box.title
    if box.is_stage:
        state = titles.stage_state(StageState(box.state))
        head += f": {state} ({box.played}/{box.planned})" if box.played else f": {state}"
    rows = (row if box.is_stage else replace(row, mark="") for row in box.rows if row.name)
    return "; ".join([head, *map(_row_words, rows)])


@register.filter
def approval_words(stage: Stage, tournament: Tournament) -> str:
    return titles.approval_label(stage, tournament.format)


def mark_words(mark: str) -> str:
    return {
        "on": gettext("has advanced"),
        "up": gettext("moved up"),
        "if": gettext("would advance if it ended now"),
        "left": gettext("withdrew"),
        "out": gettext("out"),
    }[mark]


@register.filter
def chance_error(likely: float) -> str:
    return percent(likely, decimals=1)


@register.filter
def minutes(left: int) -> str:
    """Return milliseconds as minutes and seconds, rounded up: 4:05; 0:00 when the time is over."""
    seconds = max(0, -(-left // 1000))
    return f"{seconds // 60}:{seconds % 60:02}"


@register.filter
def in_lines(sentence: str) -> list[str]:
    """Return a requirement of several clauses as its beginning and a line for each, any other in one line."""
    head, _, rest = sentence.rpartition(": ")
    clauses = re.split("; | / |、(?=かつ|または)", rest)
    return [f"{head}:", *clauses] if head and len(clauses) > 1 else [sentence]


@register.simple_tag
def at_home(league: League, reader: Person) -> list[tuple[Tournament, list[FinalRankingLine]]]:
    """Return the tournaments that go on, and the one that ended last with its champions."""
    late = tournaments_of_late(league, league.day_of(timezone.now()))
    ended = [each for each in late if each.state == Tournament.State.FINISHED][:1]
    found: list[tuple[Tournament, list[FinalRankingLine]]] = []
    for tournament in late:
        tournament.league = league
        if tournament in ended:
            found.append((tournament, champions(_current({}, tournament, reader))))
        elif tournament.state != Tournament.State.FINISHED:
            found.append((tournament, []))
    return found


@dataclass(frozen=True, slots=True)
class StageNeeds:
    tournament: Tournament
    stage: str
    needs: tuple[OwnNeed, ...]


@dataclass(frozen=True, slots=True)
class AfterHanchan:
    """A stage after one of its hanchan, with the blocks of its players and what they need next."""

    stage: StageView
    needs: StageNeeds | None


@register.simple_tag(takes_context=True)
def stage_after(context: dict[str, Any], hanchan: Hanchan) -> AfterHanchan | None:
    stage_session = stage_session_of(hanchan.session_id)
    if stage_session is None or hanchan.is_voided:
        return None
    current = _current(context, stage_session.tournament)
    progress = current.state.stage(stage_session.stage)
    players = {seat.player_id for seat in hanchan.seats.all()}
    view = stage_view(current, progress)
    blocks = [_at_table(block, players) for block in view.blocks]
    blocks = [block for block in blocks if block.rows]
    return AfterHanchan(replace(view, blocks=tuple(blocks)), _told(current, [progress], players))


def _at_table(block: BlockStandings, players: set[int]) -> BlockStandings:
    """Return the standings with only these players, or as they are if short enough to be seen at once."""
    rows = tuple(row for row in block.rows if row.entry.player_id in players)
    if len(block.rows) <= SEEN_AT_ONCE and rows:
        return block
    rows = tuple(replace(row, cut="", reason_number=None) for row in rows)
    return replace(block, rows=rows, reasons=(), notes=())


@register.simple_tag
def draws_later(session: Session) -> bool:
    """Return whether the tables of the session's next hanchan depend on results."""
    stage_session: StageSession | None = getattr(session, "stage", None)
    if stage_session is None:
        return False
    stage = stage_session.tournament.format.stage(stage_session.stage)
    if not stage.is_by_standing:
        return False
    return session.planned_seats.values("round").distinct().count() < stage.hanchan


@register.simple_tag(takes_context=True)
def seats_open_in(context: dict[str, Any], session: Session) -> dict[str, Any]:
    """Return who sits out in each round of a tournament's session, and who has withdrawn from tables still to play."""
    stage_session: StageSession | None = getattr(session, "stage", None)
    current = stage_session and _current(context, stage_session.tournament)
    seatings = session_seatings(current) if current else ()
    here = next((each.rounds for each in seatings if each.stage_session == stage_session), ())
    return {
        "resting": {each.number: each.resting for each in here if each.resting},
        "left": {player for each in here for table in each.tables for player in table.left},
    }


@register.simple_tag(takes_context=True)
def stage_of_session(context: dict[str, Any], session: Session) -> tuple[StageView, bool] | None:
    """Return a session's stage, and whether it was decided in that session.

    None without a tournament, and while the session goes on, unless points are carried over to the stage.
    """
    stage_session: StageSession | None = getattr(session, "stage", None)
    if stage_session is None:
        return None
    stage = stage_session.tournament.format.stage(stage_session.stage)
    if not context.get("is_over") and stage.carry is None:
        return None
    current = _current(context, stage_session.tournament)
    progress = current.state.stage(stage.key)
    is_decided = progress.state is StageState.DECIDED and sessions_of(current, stage.key)[-1] == stage_session
    return stage_view(current, progress), is_decided


@register.simple_tag(takes_context=True)
def step_after(context: dict[str, Any], session: Session) -> tuple[str, str] | None:
    """Return the URL and label of the page that leads on in a session's tournament."""
    stage_session: StageSession | None = getattr(session, "stage", None)
    if stage_session is None:
        return None
    tournament = stage_session.tournament
    name, label = "tournaments:tournament", gettext("See %(tournament)s") % {"tournament": exact_name(tournament)}
    if tournament.state == Tournament.State.RUNNING and context["request"].user.has_perm(DIRECT, tournament):
        current, today = state_of(tournament), session.league.day_of(timezone.now())
        found = [each for each in inbox_items(current, today) if each.kind not in {"results", "coming"}]
        here = [
            each for each in found if each.kind == "approve" and each.stage and each.stage.key == stage_session.stage
        ]
        if item := next(iter(here + found), None):
            name, label = "tournaments:inbox", _task_label(item, tournament.format)
    return reverse(name, args=[session.league.slug, tournament.key]), label


def _task_label(item: InboxItem, format_: Format) -> str:
    if item.stage and item.kind == "approve":
        return titles.approval_label(item.stage, format_)
    if item.kind == "short_table":
        return gettext("Decide how it continues")
    if item.kind == "finish":
        return gettext("Close the tournament")
    return task_title(item, format_)


@register.simple_tag(takes_context=True)
def needs_of_player(context: dict[str, Any], player: Player) -> list[StageNeeds]:
    running = Tournament.objects.filter(entries__player=player, state=Tournament.State.RUNNING)
    told = []
    for tournament in running.select_related("league", "ruleset_version__ruleset").distinct():
        current = _current(context, tournament)
        found = _told(current, current.state.stages, {player.pk})
        if found is not None:
            told.append(found)
    return told


def _current(context: dict[str, Any], tournament: Tournament, reader: Person | None = None) -> CurrentState:
    current = state_of(tournament)
    request = context.get("request")
    reader = reader or (request.user if request is not None else AnonymousUser())
    hide_names(reader, tournament.league, [entry.player for entry in current.entries.values()])
    return current


def _told(current: CurrentState, stages: Iterable[StageProgress], players: set[int]) -> StageNeeds | None:
    for progress in stages:
        if may_tell_needs(progress):
            needs = own_needs([each for each in needs_as_read(current, progress) if not each.has_idle], players)
            if needs:
                return StageNeeds(current.tournament, progress.stage.key, tuple(needs))
    return None
