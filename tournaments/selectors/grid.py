"""All hanchan of a stage: grid of players × hanchan, result of each session, and a text version for the press."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from league.messages import exact_name, full_day_text
from league.models import Player, Seat, SessionPoints
from scoring.core import format_points
from tournaments.core.facts import Participant
from tournaments.core.format import SeatingMethod
from tournaments.core.ranking import RankingLine
from tournaments.core.state import StageProgress
from tournaments.messages.titles import block_name, session_title, stage_name
from tournaments.models import Entry, StageSession
from tournaments.selectors.needs import BlockNeeds
from tournaments.selectors.stage_views import FinalRankingLine, final_ranking, sessions_of
from tournaments.selectors.state import CurrentState, mark_of, reader_name

Slot = tuple[int, int]
"""A hanchan of a stage, as session number and round."""


@dataclass(frozen=True, slots=True)
class BlockGridRow:
    """A player's hanchan by column; `sums` by session; `other`: points outside the grid."""

    entry: Entry
    cells: tuple[Seat | None, ...]
    other: int
    total: int


@dataclass(frozen=True, slots=True)
class BlockGrid:
    """A block. `sessions`: (number, columns); `columns`: round numbers; `sums`: of each column."""

    title: str
    sessions: tuple[tuple[int, int], ...]
    columns: tuple[int, ...]
    rows: tuple[BlockGridRow, ...]
    sums: tuple[int, ...]
    has_tables: bool
    has_other: bool


@dataclass(frozen=True, slots=True)
class SessionTableRow:
    """A player's result in a session. `hanchan`: 0 if only the sum is known."""

    rank: int
    player: Player
    points: int


@dataclass(frozen=True, slots=True)
class SessionTable:
    title: str
    table: int | None
    stage_session: StageSession
    hanchan: int
    rows: tuple[SessionTableRow, ...]


def seats_of_stages(current: CurrentState, stages: Iterable[str]) -> list[Seat]:
    wanted = set(stages)
    sessions = [each.session_id for each in current.sessions if each.stage in wanted]
    seats = Seat.objects.counted().filter(hanchan__session__in=sessions).select_related("hanchan")
    return sorted(seats, key=lambda seat: (seat.day, seat.played_at, seat.hanchan_id, seat.seat))


def grids_of(current: CurrentState, progress: StageProgress, seats: Sequence[Seat]) -> list[BlockGrid]:
    stage_sessions = {each.session_id: each for each in current.sessions}
    entry_of_player = {entry.player_id: pk for pk, entry in current.entries.items()}
    played: dict[Participant, dict[Slot, Seat]] = defaultdict(dict)
    for seat in seats:
        participant = entry_of_player.get(seat.player_id)
        stage_session = stage_sessions[seat.hanchan.session_id]
        if participant is not None and stage_session.stage == progress.stage.key:
            slot = (stage_session.number, seat.hanchan.round)
            while slot in played[participant]:
                slot = (slot[0], slot[1] + 1)
            played[participant][slot] = seat
    found = []
    for ranking in progress.rankings:
        limits = {line.participant: line.played for line in ranking.lines}
        shown = {participant: dict(list(played[participant].items())[:limit]) for participant, limit in limits.items()}
        slots = sorted({slot for cells in shown.values() for slot in cells})
        if slots:
            title = block_name(ranking.block) if len(progress.stage.blocks) > 1 else ""
            rows = tuple(_grid_row(current, line, shown[line.participant], slots) for line in ranking.as_listed.lines)
            found.append(_grid(title, slots, rows))
    return found


def _grid_row(
    current: CurrentState, line: RankingLine, cells: Mapping[Slot, Seat], slots: Sequence[Slot]
) -> BlockGridRow:
    other = line.points - sum(cell.points for cell in cells.values())
    entry = current.entries[int(line.participant)]
    return BlockGridRow(entry, tuple(cells.get(slot) for slot in slots), other, line.points)


def _grid(title: str, slots: Sequence[Slot], rows: tuple[BlockGridRow, ...]) -> BlockGrid:
    numbers = [number for number, _ in slots]
    cells = [cell for row in rows for cell in row.cells if cell]
    return BlockGrid(
        title=title,
        sessions=tuple((number, numbers.count(number)) for number in dict.fromkeys(numbers)),
        columns=tuple(round_ for _, round_ in slots),
        rows=rows,
        sums=tuple(sum(cell.points for row in rows if (cell := row.cells[place])) for place in range(len(slots))),
        has_tables=len({cell.hanchan.table for cell in cells}) > 1,
        has_other=any(row.other for row in rows),
    )


def session_tables(current: CurrentState, progress: StageProgress, seats: Sequence[Seat]) -> list[SessionTable]:
    found = []
    stage = progress.stage
    by_session: dict[int, list[Seat]] = defaultdict(list)
    ranked = {line.participant for ranking in progress.rankings for line in ranking.lines}
    house = {current.entries[int(each)].player_id for each in current.facts.house.get(stage.key, frozenset()) - ranked}
    for seat in seats:
        if seat.player_id not in house:
            by_session[seat.hanchan.session_id].append(seat)
    stage_sessions = sessions_of(current, stage.key)
    without_hanchan = _without_hanchan(stage_sessions)
    for stage_session in reversed(stage_sessions):
        title = session_title(stage, stage_session)
        for table, group in _tables(stage.seating, by_session[stage_session.session_id]):
            hanchan = len({seat.hanchan_id for seat in group})
            found.append(SessionTable(title, table, stage_session, hanchan, _lines(current, group)))
        if sums := without_hanchan.get(stage_session.session_id):
            found.append(SessionTable(title, None, stage_session, 0, _ranked(current, sums)))
    return found


def _without_hanchan(stage_sessions: Iterable[StageSession]) -> dict[int, dict[int, int]]:
    sums: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    ids = [stage_session.session_id for stage_session in stage_sessions]
    for row in SessionPoints.objects.filter(session__in=ids, withdrawn=False):
        sums[row.session_id][row.player_id] += row.points
    return sums


def _tables(seating: SeatingMethod, seats: Sequence[Seat]) -> Iterator[tuple[int | None, list[Seat]]]:
    if seating is not SeatingMethod.FIXED and seats:
        yield None, list(seats)
        return
    by_table: dict[int, list[Seat]] = defaultdict(list)
    for seat in seats:
        by_table[seat.hanchan.table].append(seat)
    for table in sorted(by_table):
        yield (table if len(by_table) > 1 else None), by_table[table]


def _lines(current: CurrentState, seats: Iterable[Seat]) -> tuple[SessionTableRow, ...]:
    sums: dict[int, int] = defaultdict(int)
    for seat in seats:
        sums[seat.player_id] += seat.points + seat.total_only
    return _ranked(current, sums)


def _ranked(current: CurrentState, sums: Mapping[int, int]) -> tuple[SessionTableRow, ...]:
    players = {entry.player_id: entry.player for entry in current.entries.values()}
    order = sorted((player for player in sums if player in players), key=lambda player: -sums[player])
    points = [sums[player] for player in order]
    return tuple(SessionTableRow(points.index(sums[player]) + 1, players[player], sums[player]) for player in order)


def press_points(points: int) -> str:
    """Return points in the style of the press: +107.4, ▲68.6, ±0."""
    if not points:
        return "±0"
    sign = "+" if points > 0 else pgettext("negative sign", "−")
    return f"{sign}{format_points(abs(points), decimals=1)}"


def press_standing(current: CurrentState, line: RankingLine) -> str:
    """Return a line of standings: "3位 名前 +39.3(4/12)", with withdrawals and substitutes marked."""
    name = reader_name(current.player(line.participant))
    facts = {"rank": line.rank, "name": name, "points": press_points(line.points)}
    facts |= {"played": line.played, "planned": line.planned}
    told = pgettext("line of standings", "%(rank)s. %(name)s %(points)s (%(played)s/%(planned)s)") % facts
    if not line.rank:
        told = pgettext("line of standings", "– %(name)s %(points)s (%(played)s/%(planned)s)") % facts
    return f"{told} {mark_of(current, line)}".rstrip()


def press_block(title: str, lines: Iterable[str]) -> str:
    return "\n".join((pgettext("title of a result", "[%(title)s]") % {"title": title}, *lines))


def press_release(
    current: CurrentState,
    progress: StageProgress,
    seats: Sequence[Seat],
    block: str | None = None,
    needs: Sequence[BlockNeeds] = (),
) -> str:
    parts = [text for key, text in (*_standings(current, progress), *press_needs(needs)) if block in {None, key}]
    tables = session_tables(current, progress, seats)
    if progress.stage.sessions == 1:
        # The session usually has the same lines as the standings.
        lines = [[line for line in ranking.lines if line.played] for ranking in progress.rankings]
        told = [{(current.player(line.participant), line.points) for line in block} for block in lines]
        tables = [each for each in tables if {(row.player, row.points) for row in each.rows} not in told]
    carries = progress.stage.sessions == 1 and any(line.carried for each in progress.rankings for line in each.lines)
    parts += [
        _session(each, carries=carries) for each in tables if block is None or each.stage_session.block in {"", block}
    ]
    firsts = {each.stage for each in current.state.final_ranks if each.rank == 1}
    if current.state.is_over and progress.stage.key in firsts and block is None and len(current.state.stages) > 1:
        parts.insert(0, press_block(_("Final ranking"), _ranks(final_ranking(current))))
    if seats and parts:
        parts.insert(0, f"{exact_name(current.tournament)} {full_day_text(seats[-1].day)}")
    return "\n\n".join(parts) + "\n" if parts else ""


def _ranks(lines: Iterable[FinalRankingLine]) -> Iterator[str]:
    line = pgettext("line of a result", "%(rank)s. %(name)s %(points)s")
    for where, group in groupby(lines, key=attrgetter("where")):
        yield where
        for each in group:
            facts = {"rank": each.rank, "name": reader_name(each.entry.player), "points": press_points(each.points)}
            title = _("Champion") if each.rank == 1 else ""
            yield " ".join(filter(None, (line % facts if each.rank else str(facts["name"]), title, each.mark)))


def _standings(current: CurrentState, progress: StageProgress) -> list[tuple[str, str]]:
    found = []
    for ranking in progress.rankings:
        if ranking.lines:
            parts = [stage_name(progress.stage), block_name(ranking.block) if len(progress.stage.blocks) > 1 else ""]
            is_blank = not ranking.started and not any(line.points for line in ranking.lines)
            title = _("%(title)s, not started") if is_blank else _("%(title)s, standings")
            title %= {"title": " ".join(part for part in parts if part)}
            names = (reader_name(current.player(line.participant)) for line in ranking.as_listed.lines)
            lines = list(names) if is_blank else [press_standing(current, line) for line in ranking.as_listed.lines]
            found.append((ranking.block, press_block(title, lines)))
    return found


def _session(each: SessionTable, *, carries: bool) -> str:
    facts = {"title": each.title, "table": each.table}
    title = _("%(title)s, table %(table)s") % facts if each.table is not None else each.title
    title = _("%(title)s, points of this session (nothing carried over)") % {"title": title} if carries else title
    lines = (
        pgettext("line of a result", "%(rank)s. %(name)s %(points)s")
        % {"rank": line.rank, "name": reader_name(line.player), "points": press_points(line.points)}
        for line in each.rows
    )
    return press_block(title, lines)


def press_needs(blocks: Iterable[BlockNeeds]) -> Iterator[tuple[str, str]]:
    for block in blocks:
        # The first sentence alone: all conditions are too long for a post.
        lines = [f"{reader_name(each.entry.player)}: {each.sentences[0]}" for each in block.players if each.sentences]
        if lines:
            title = (
                _("What is needed: %(line)s") % {"line": block.line}
                if block.line
                else _("What is needed for the title")
            )
            yield block.block, press_block(" ".join(part for part in (block.title, title) if part), lines)
