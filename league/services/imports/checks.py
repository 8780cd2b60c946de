"""Comparing a file's games with the league: added, already there, or in error; and the report for pages."""

from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from decimal import Decimal
from itertools import islice

from django.utils.translation import gettext as _

from league.core.imports.games import ImportedGame, ImportedSeat, ImportedTotal, ImportNote, SessionRef
from league.core.imports.scores import finished
from league.core.limits import MAX_SESSION_HANCHAN
from league.core.results import Likeness, most_like
from league.core.spreadsheets.cells import read_bust
from league.messages import plain_name
from league.models import Adjustment, Hanchan, ImportBatch, Player, Session, SessionPoints
from league.selectors.planning import plans_of
from league.services.imports import values
from league.services.imports.contents import FileContents, contents_of, today_of
from league.services.imports.people import FilePeople, people_of
from league.services.imports.sessions import SessionTarget, SessionTargets, StoredResults, renumbered, results_in
from scoring.core import FinishedGame, Ledger, Part, ScoredGame, ScoringError, ScoringRules, score, worked_out
from scoring.core.hanchan import STICK

COMPARED_TOGETHER = 500
"""Games compared with the league per chunk."""

A_DAY = timedelta(days=1)
"""Tolerance for dates in the future, because the file may come from another time zone."""

ABOUT_FILE = frozenset({"date_ambiguous", "date_missing", "number_unreadable"})
"""Errors that the answer to a question about the file removes."""

NAMED = 8
"""People to name in a note."""

Scores = frozenset[tuple[object, int]]
"""Players' identities with their scores."""

Above = tuple[Scores, tuple[int | None, ...] | None]

OnGame = Callable[[int, int], None]
"""Callback with the number of games done and the total."""


@dataclass(slots=True)
class CheckedGame:
    """The `number`th game of the file with its outcome.

    `identities`: of its players, None for one without a name; `worked_out`: its raw scores were derived from the points in
    the file. `why_as_is`: note for an accepted wrong total if the file has no note. `busted`: seats that are bust by a
    cause unknown to the file; `points` as scored; `beside`: points of chips that the points in the file do not contain.
    """

    game: ImportedGame
    number: int = 0
    status: str = "added"
    notes: list[ImportNote] = field(default_factory=list)
    finished: FinishedGame | None = None
    place: SessionTarget | None = None
    identities: list[Hashable] = field(default_factory=list)
    worked_out: bool = False
    why_as_is: str = ""
    busted: tuple[int, ...] = ()
    points: tuple[int, ...] = ()
    beside: tuple[int, ...] = ()

    def fail(self, *notes: ImportNote) -> None:
        if notes:
            self.status = "error"
            self.notes += notes

    @property
    def is_scoring_alone(self) -> bool:
        """Whether the rules reject the scores, and nothing else is wrong."""
        return all(note.code == "scoring" for note in self.notes)

    @property
    def is_asked(self) -> bool:
        return self.status == "added" and any(note.code in values.ASKED for note in self.notes)

    @property
    def label(self) -> str:
        day = self.game.session.day.isoformat() if self.game.session else ""
        return f"{day} {'・'.join(name for name in self.game.names if name)}".strip()


def differences(entry: ImportedSeat, scored: ScoredGame, seat: int, beside: int = 0) -> list[ImportNote]:
    if entry.points is None and entry.placement is None:
        return []
    found, result = [], scored.seats[seat]
    names = {"name": entry.written.name}
    if entry.points is not None:
        accounts = {result.points[ledger] for ledger in Ledger}
        if entry.points + beside not in accounts | {points + result.total_only for points in accounts}:
            ours = result.points[Ledger.RANKING]
            found.append(ImportNote("points_differ", {**names, "theirs": entry.points, "ours": ours}))
    if entry.placement is not None and entry.placement != result.placement:
        found.append(ImportNote("placement_differs", {**names, "theirs": entry.placement, "ours": result.placement}))
    return found


def _busted(game: FinishedGame, rules: ScoringRules) -> tuple[int, ...]:
    """Return the seats that are bust by no known cause, if the rules need to know it."""
    named = {bust.seat for bust in game.busts} if rules.asks_busts else range(len(game.raw))
    return tuple(seat for seat, raw in enumerate(game.raw) if rules.is_bust(raw) and seat not in named)


@dataclass(slots=True)
class CheckedTotal:
    """Points outside hanchan with their outcome: "added", "same" or "error"."""

    total: ImportedTotal
    status: str = "added"
    notes: tuple[ImportNote, ...] = ()
    place: SessionTarget | None = None


@dataclass(slots=True)
class Check:
    """The games and totals of a file, compared with the league."""

    batch: ImportBatch
    contents: FileContents
    people: FilePeople
    places: SessionTargets
    today: date
    outcomes: list[CheckedGame] = field(default_factory=list)
    totals: list[CheckedTotal] = field(default_factory=list)
    # By session target and players: the league's results (None), and those above with their table and round.
    before: dict[tuple[int, frozenset[object]], list[Above]] = field(default_factory=dict)
    keys: set[str] = field(default_factory=set)
    totalled: set[object] = field(default_factory=set)
    plans: dict[tuple[int, int, int], tuple[Player, ...]] = field(default_factory=dict)
    payers: dict[tuple[int, int], str] = field(init=False)

    def __post_init__(self) -> None:
        self.payers = {(number, seat): cause for number, seat, cause in self.contents.reading.payers}

    @property
    def added(self) -> list[CheckedGame]:
        return [outcome for outcome in self.outcomes if outcome.status == "added"]

    @property
    def added_totals(self) -> list[CheckedTotal]:
        return [each for each in self.totals if each.status == "added"]

    def new_names(self, outcomes: Iterable[CheckedGame]) -> list[str]:
        """Names of the players that storing these games would create, first those in games."""
        written = dict.fromkeys(entry.written for outcome in outcomes for entry in outcome.game.entries)
        written |= dict.fromkeys(each.total.written for each in self.added_totals)
        matches = [self.people.names[each] for each in written]
        return list({match.identity: match.written for match in matches if match.meant in values.MADE}.values())

    def sessions(self, outcomes: Iterable[CheckedGame]) -> list[SessionTarget]:
        found = [*(each.place for each in outcomes), *(each.place for each in self.added_totals)]
        return list({id(place): place for place in found if place}.values())

    def compared(self) -> Iterator[CheckedGame]:
        begun = (self._begun(game, number) for number, game in enumerate(self.contents.games))
        while chunk := list(islice(begun, COMPARED_TOGETHER)):
            keys = {outcome.game.key for outcome in chunk} - {""}
            with_keys = Hanchan.objects.filter(league=self.batch.league, key__in=keys).prefetch_related("seats")
            existing = {hanchan.key: hanchan for hanchan in with_keys}
            sessions = {outcome.place.session.pk for outcome in chunk if outcome.place} - {None}
            stored = results_in(sessions)
            self.plans = plans_of(sessions)
            for outcome in chunk:
                hanchan = existing.get(outcome.game.key)
                if hanchan is not None and hanchan.is_voided:
                    # A voided hanchan keeps its key; the file brings the result as a new one.
                    hanchan, outcome.game.key = None, ""
                if hanchan is not None:
                    self._compare_with(outcome, hanchan)
                elif not outcome.game.key and (outcome.status != "error" or outcome.is_scoring_alone):
                    self._look_for_same(outcome, stored)
                yield outcome

    def of_total(self, total: ImportedTotal) -> CheckedTotal:
        place, problems = self._place(total.session)
        problems = [*total.problems, *problems]
        match = self.people.names[total.written]
        if (meant := match.meant) is None:
            problems.append(ImportNote("name_unknown", {"name": total.written.name}))
        who = (id(place), match.identity, bool(total.hanchan))
        if who in self.totalled:
            problems.append(ImportNote("player_twice", {"name": total.written.name}))
        self.totalled.add(who)
        if total.hanchan > MAX_SESSION_HANCHAN:
            facts = {"text": total.hanchan, "least": 1, "most": MAX_SESSION_HANCHAN}
            problems.append(ImportNote("out_of_range", {"column": "game", **facts}))
        if problems:
            return CheckedTotal(total, "error", tuple(problems), place)
        is_there = False
        if isinstance(meant, int) and place is not None:
            on, day = place.session.pk, place.session.date
            sums = SessionPoints.objects.filter(session=on, player=meant, withdrawn=False)
            fines = Adjustment.objects.filter(player=meant, day=day, points=total.points, withdrawn=False)
            is_there = sums.exists() if total.hanchan else fines.exists()
        return CheckedTotal(total, "same" if is_there else "added", (), place)

    def _place(self, ref: SessionRef | None) -> tuple[SessionTarget | None, list[ImportNote]]:
        if ref is None:
            return None, []
        late = ref.day > self.today + A_DAY
        place = self.places.place_of(ref)
        problems = [ImportNote("in_the_future", {"day": ref.day.isoformat()})] if late else []
        return place, [*problems, *([place.problem] if place.problem else [])]

    def _begun(self, game: ImportedGame, number: int) -> CheckedGame:
        """Return the outcome with the game's players, session and rules, and its score if it can be scored."""
        outcome = CheckedGame(game, number)
        outcome.fail(*game.problems)
        outcome.place, problems = self._place(game.session)
        outcome.fail(*problems)
        self._check_people(outcome)
        if game.key and game.key in self.keys:
            outcome.fail(ImportNote("key_twice", {"key": game.key}))
        self.keys.add(game.key)
        game_finished, problems = finished(game, self.contents.unit)
        outcome.fail(*problems)
        outcome.finished = game_finished
        if game_finished is not None and outcome.place is not None:
            self._score(outcome, game_finished, outcome.place.session.ruleset_version.read())
        elif game_finished is not None and self.contents.is_asking and (rules := self.contents.rules):
            # Busts are asked about together with the date, with today's rules.
            outcome.busted = _busted(game_finished, rules)
        return outcome

    def _check_people(self, outcome: CheckedGame) -> None:
        for entry in outcome.game.entries:
            match = self.people.names.get(entry.written)
            if match is not None and match.meant is None:
                outcome.fail(ImportNote("name_unknown", {"name": match.written}))
            if match is not None and match.identity in outcome.identities:
                outcome.fail(ImportNote("player_twice", {"name": match.written}))
            outcome.identities.append(match.identity if match is not None else None)

    def _score(self, outcome: CheckedGame, game: FinishedGame, rules: ScoringRules) -> None:
        try:
            if game.points and (found := self._worked_out(outcome, game, rules)) is not None:
                outcome.worked_out, outcome.finished = True, found
            if game.points:
                outcome.notes.append(ImportNote("raw_worked_out" if outcome.worked_out else "points_alone"))
            scored = self._scored(outcome, outcome.finished or game, rules)
        except ScoringError as error:
            facts = {"scoring": error.code, "seat": error.seat, "values": error.values, "names": outcome.game.names}
            if outcome.place is not None and outcome.place.session.pk:
                facts["under"] = outcome.place.session.ruleset_version_id
            outcome.fail(ImportNote("scoring", facts))
            return
        outcome.points = scored.ranking
        for seat, entry in enumerate(outcome.game.entries):
            outcome.notes += differences(entry, scored, seat, outcome.beside[seat] if outcome.beside else 0)

    def _worked_out(self, outcome: CheckedGame, given: FinishedGame, rules: ScoringRules) -> FinishedGame | None:
        """Return the game with these points. Points in a log are without those of chips, as in Tenhou's lobbies."""
        if not given.chips or rules.chips is None:
            return worked_out(given.points, rules, given.placements)
        amounts = [rules.chips * count for count in given.chips]
        bare = given.points
        if self.contents.reading.chips == values.INCLUDED:
            bare = tuple(points - amount for points, amount in zip(bare, amounts, strict=True))
        elif Part.CHIPS in dict(rules.accounts)[Ledger.RANKING].parts:
            outcome.beside = tuple(amounts)
        found = worked_out(bare, replace(rules, chips=None), given.placements)
        return replace(found, chips=given.chips) if found is not None else None

    def _scored(self, outcome: CheckedGame, game: FinishedGame, rules: ScoringRules) -> ScoredGame:
        """Score the game, accepting a wrong total or an unexplained bust if the user has chosen so. Raise ScoringError."""
        game = self._with_busts(outcome, game, rules)
        try:
            scored = score(game, rules)
        except ScoringError as error:
            off_by = error.values.get("difference")
            if error.code not in values.UNBALANCED or self.contents.reading.as_is not in {values.AS_IS, values.MISSING}:
                raise
            outcome.why_as_is = outcome.why_as_is or _("Import of %(file)s") % {"file": str(self.batch)}
            game = replace(game, as_is=True)
            scored = score(game, rules)
            outcome.notes.append(ImportNote("as_is", {"difference": off_by}))
        outcome.finished = game
        return scored

    def _with_busts(self, outcome: CheckedGame, game: FinishedGame, rules: ScoringRules) -> FinishedGame:
        """Return the game with the answers about busts by unknown causes; without a prize it is marked as accepted."""
        way = self.contents.reading.busts
        outcome.busted = busted = _busted(game, rules)
        causes = [self.payers.get((outcome.number, seat), "") if way == values.ASK else way for seat in busted]
        if not busted or not all(causes):
            return game
        told = [(seat, cause) for seat, cause in zip(busted, causes, strict=True) if cause != values.NO_PRIZE]
        known = [read_bust(cause, seat, outcome.game.names) for seat, cause in told]
        game, total = replace(game, busts=(*game.busts, *known)), len(game.raw) * (rules.start_points or 0)
        if values.NO_PRIZE not in causes or sum(game.raw) + STICK * game.sticks_left != total:
            return game
        outcome.why_as_is = _("It is not known who won the bust prize, so none was paid.")
        outcome.notes.append(ImportNote("no_prize"))
        return replace(game, as_is=True)

    def _compare_with(self, outcome: CheckedGame, hanchan: Hanchan) -> None:
        """Leave out a game whose key the league has; a different result is pointed out."""
        outcome.status, outcome.notes = "same", []
        raw = outcome.finished.raw if outcome.finished else ()
        stored = {(seat.player_id, seat.raw_score) for seat in hanchan.seats.all()}
        is_known = all(isinstance(each, int) for each in outcome.identities) and None not in {raw for _, raw in stored}
        if raw and is_known and stored != set(zip(outcome.identities, raw, strict=True)):
            outcome.notes.append(ImportNote("stored_differs"))

    def _look_for_same(self, outcome: CheckedGame, stored: StoredResults) -> None:
        place, game = outcome.place, outcome.finished
        if place is None or game is None:
            return
        scores = list(zip(outcome.identities, game.raw or game.points, strict=True))
        if all(isinstance(each, int) for each in outcome.identities):
            wanted = frozenset((each, raw) for each, raw in scores if isinstance(each, int))
            if place.session.pk in stored.get(wanted, ()):
                outcome.notes = [] if outcome.status == "error" else outcome.notes
                outcome.status, outcome.busted = "same", ()
                return
        if outcome.status == "error":
            return
        self._look_for_plan(outcome, place)
        self._look_above(outcome, place, frozenset(scores), stored)

    def _look_for_plan(self, outcome: CheckedGame, place: SessionTarget) -> None:
        planned = self.plans.get((place.session.pk, outcome.game.round or 0, outcome.game.table or 1), ())
        if planned and {player.pk for player in planned} != set(outcome.identities):
            names = " · ".join(plain_name(player) for player in planned)
            outcome.notes.append(ImportNote("others_planned", {"names": names}))

    def _look_above(self, outcome: CheckedGame, place: SessionTarget, scores: Scores, stored: StoredResults) -> None:
        """Point out a game that is equal, or almost equal, to another one in its session."""
        people = frozenset(identity for identity, _raw in scores)
        where = (outcome.game.table, outcome.game.round)
        before = self.before.setdefault((id(place), people), [])
        if not before:
            in_session = [said for said, found in stored.items() if place.session.pk in found]
            before += [(said, None) for said in in_session if {player for player, _raw in said} == people]
        if most_like(dict(scores), (dict(said) for said, _where in before)) == Likeness.NEAR:
            outcome.notes.append(ImportNote("similar_scores"))
        same = [there for said, there in before if said == scores and there is not None]
        if same and (where in same or outcome.game.round is None):
            outcome.status = "same"
            outcome.notes.append(ImportNote("twice_in_file"))
        elif same:
            outcome.notes.append(ImportNote("same_scores_twice"))
        before.append((scores, where))


def check(batch: ImportBatch, on_game: OnGame | None = None) -> Check:
    contents = contents_of(batch)
    people = people_of(batch, contents.people, contents.reading.unknown, contents.games)
    places = SessionTargets(batch.league, contents.chosen, is_apart=contents.reading.as_is == values.APART)
    found = Check(batch, contents, people, places, today_of(batch))
    if contents.problems:
        return found
    for outcome in found.compared():
        if contents.reading.asked == values.SKIP and outcome.is_asked:
            outcome.status = "left_out"
        found.outcomes.append(outcome)
        if on_game is not None:
            on_game(len(found.outcomes), len(contents.games))
    found.totals += [found.of_total(total) for total in contents.totals]
    return found


def report_on(found: Check) -> values.ImportReport:
    contents, reading = found.contents, found.contents.reading
    answers = ABOUT_FILE if contents.is_asking else frozenset()
    rows = [_row(outcome, contents, answers) for outcome in found.outcomes]
    status = Counter(row.status for row in rows)
    totalled = [_row_of_total(each, contents, answers) for each in found.totals]
    wrong = [row for row in totalled if row.status == "error"]
    waits = [row.waits for row in (*rows, *wrong)]
    coming = [game for game, waiting in zip(found.outcomes, waits, strict=False) if game.status == "added" or waiting]
    places = found.sessions(coming)
    sessions = [place for place in places if place.session.pk is None]
    joined = [place.session for place in places if place.session.pk]
    told = [each.total for each, row in zip(found.totals, totalled, strict=True) if each.status == "added" or row.waits]
    good = [each.game for each, row in zip(found.outcomes, rows, strict=True) if not row.is_bad]
    needed = {entry.written for game in good for entry in game.entries} | {each.total.written for each in found.totals}
    listed = _listed([*wrong, *rows])
    report = values.ImportReport(
        games=len(rows),
        added=status["added"],
        same=status["same"] + sum(each.status == "same" for each in found.totals),
        errors=status["error"] + len(wrong),
        warnings=sum(row.is_warned for row in rows),
        asked=sum(row.is_asked for row in rows),
        unbalanced=sum(row.is_unbalanced for row in rows),
        as_is=sum(row.is_as_it_is for row in rows),
        busts=sum(bool(row.busted) for row in rows),
        waiting=sum(waits),
        is_asking=contents.is_asking,
        leaves_out_errors=reading.leaves_out,
        is_asked_decided=bool(reading.asked),
        people=tuple(found.new_names(coming)),
        totals=tuple((each.written.name, each.points, each.hanchan) for each in told),
        unneeded=tuple(written.id for written in contents.people if written not in needed),
        sessions=tuple(sorted((place.ref.day, place.ref.label) for place in sessions)),
        beside=tuple(
            (each.date, each.number, each.title)
            for day in sorted({place.ref.day for place in sessions})
            for each in found.places.by_day.get(day, ())
        ),
        versions=tuple(sorted({place.session.ruleset_version_id for place in sessions} - {None})),
        joined=tuple(sorted((each.date, each.number, each.title) for each in joined)),
        days=tuple(sorted(place.ref.day for place in places)),
        rows=tuple(replace(row, status="left_out") if reading.leaves_out and row.is_wrong else row for row in listed),
        problems=tuple(contents.problems),
        notes=(*contents.notes, *(_on_totals(found) if len(status) > status["error"] or any(waits) or told else ())),
    )
    if report.same_total and not (reading.rules or reading.as_is):
        # Sessions are also needed for the hanchan that other rules may explain.
        apart = {each.game.session for each, row in zip(found.outcomes, rows, strict=True) if row.is_unbalanced}
        for ref in filter(None, apart - {place.ref for place in sessions}):
            sessions.append(SessionTarget(ref, Session(league=found.batch.league, date=ref.day, tables=1)))
    moved = renumbered(found.batch.league, sessions, found.today) if sessions else []
    return replace(report, renumbered=tuple((each.date, each.number or 0, number) for each, number in moved))


def _on_totals(found: Check) -> Iterator[ImportNote]:
    """Compare the totals in the file with the scores above them, and with the points that the rules give."""
    points = {
        (outcome.number, name): scored
        for outcome in found.outcomes
        for name, scored in zip(outcome.game.names, outcome.points, strict=False)
    }
    recognised = found.contents.recognised
    totals = recognised.said if recognised else []
    differing = {}
    for each in totals:
        ours = sum(points.get((number, each.name), 0) for number in each.games)
        if each.said not in {each.summed, Decimal(ours) / 1000}:
            differing[each.name] = each.name, f"{each.said:f}", f"{each.summed:f}"
    if agreeing := {each.name for each in totals if points or each.said == each.summed} - differing.keys():
        yield ImportNote("totals_agree", {"count": len(agreeing)})
    if differing:
        yield ImportNote("totals_differ", {"names": [*differing.values()][:NAMED]})


def _left(notes: Iterable[ImportNote], answers: Collection[str]) -> tuple[ImportNote, ...]:
    """Return the notes without the errors that answers about the file remove."""
    return tuple(note for note in notes if note.code not in answers)


def _row_of_total(each: CheckedTotal, contents: FileContents, answers: Collection[str]) -> values.RowStatus:
    sheet, lines = contents.where([each.total.line])
    return values.RowStatus(lines, each.status, each.total.written.name, _left(each.notes, answers), sheet=sheet)


def _row(outcome: CheckedGame, contents: FileContents, answers: Collection[str]) -> values.RowStatus:
    raw = outcome.finished.raw if outcome.finished and not outcome.worked_out else ()
    points, names = outcome.points or (outcome.finished.points if outcome.finished else ()), outcome.game.names
    seats = tuple(
        (name, raw[seat] if raw else None, points[seat] if points else None) for seat, name in enumerate(names)
    )
    sheet, lines = contents.where(outcome.game.lines)
    return values.RowStatus(
        lines=lines,
        sheet=sheet,
        status=outcome.status,
        label=" · ".join(filter(None, names)),
        notes=_left(outcome.notes, answers),
        day=outcome.game.session.day if outcome.game.session else None,
        number=outcome.number,
        seats=seats,
        busted=outcome.busted,
        table=outcome.game.table or 0,
        round=outcome.game.round or 0,
    )


def _listed(rows: Iterable[values.RowStatus]) -> Iterator[values.RowStatus]:
    """Yield the first rows of each kind: errors first, then rows with notes, then the others."""
    counts: Counter[tuple[str, bool, bool]] = Counter()
    for row in sorted(rows, key=lambda row: (row.status != "error", not row.notes)):
        kind = row.status, row.is_warned, bool(row.busted)
        counts[kind] += 1
        if counts[kind] <= values.LISTED_OF_A_KIND:
            yield row
