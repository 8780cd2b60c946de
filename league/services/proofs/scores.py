"""Proof of scores: each seat's points follow from its raw score and the rules, and its copied columns from the hanchan."""

from collections.abc import Callable, Iterator
from functools import cache, partial

from django.db import transaction
from django.db.models import F, Q

from league.core.results import COLUMNS
from league.engine import update_columns
from league.models import Hanchan, League, RulesetVersion, Seat
from league.models.play import HanchanQuerySet, SeatQuerySet
from league.selectors.played import StoredHanchan, in_chunks, played
from league.services.boards import mark_stale, refresh_league, unwatched
from league.services.days import move_to_new_days
from league.services.locking import persevering
from league.services.proofs.facts import changed_facts
from league.services.proofs.values import Difference, Proof, ProofTally
from league.services.rescoring import rescored
from scoring.core import ScoringRules

COPIES = ("day", "played_at", "league_id")
"""Columns of a seat that repeat those of its hanchan."""


Rules = Callable[[int], ScoringRules]


def _rules_of(version: int) -> ScoringRules:
    return RulesetVersion.objects.get(pk=version).read()


def check_scores(league: League, tally: ProofTally) -> Iterator[Difference]:
    """Yield seats whose points do not follow from raw scores and rules, or whose copied columns are wrong."""
    rules = cache(_rules_of)
    for _, chunk in in_chunks(Hanchan.objects.filter(league=league)):
        for hanchan in played(chunk):
            yield from _of_hanchan(league, hanchan, rules, tally)
    for seat in _strayed(league):
        yield from _of_copies(league, seat)


def _of_hanchan(league: League, hanchan: StoredHanchan, rules: Rules, tally: ProofTally) -> Iterator[Difference]:
    row = f"hanchan {hanchan.row.pk}"
    [outcome] = rescored([hanchan], rules(hanchan.row.ruleset_version_id))
    tally.add(hanchan.row.pk, outcome.after)
    if outcome.error is not None:
        raw = [seat[3] for seat in hanchan.seats]
        why = f"which its rules cannot score: {outcome.error}"
        yield Difference(row, "raw scores", raw, None, is_fact=True, why=why)
        return
    day = league.day_of(hanchan.row.played_at)
    if hanchan.row.day != day:
        yield Difference(row, "day", hanchan.row.day.isoformat(), day.isoformat())
    for place, (before, after) in enumerate(zip(outcome.before, outcome.after, strict=True)):
        for name, old, new in zip(COLUMNS, before, after, strict=True):
            if old != new:
                yield Difference(f"{row} seat {place}", name, old, new)


def _strayed(league: League) -> SeatQuerySet:
    differs = Q()
    for name in COPIES:
        differs |= ~Q(**{name: F(f"hanchan__{name}")})
    counts = ~Q(hanchan__state=Hanchan.State.VOIDED)
    if not league.disputed_count:
        counts &= ~Q(hanchan__state=Hanchan.State.DISPUTED)
    if not league.unbalanced_count:
        counts &= ~Q(hanchan__as_is=True)
    seats = Seat.objects.filter(hanchan__league=league).select_related("hanchan__league")
    return seats.filter(differs | (Q(counted=True) & ~counts) | (Q(counted=False) & counts)).order_by("pk")


def _of_copies(league: League, seat: Seat) -> Iterator[Difference]:
    row = f"hanchan {seat.hanchan_id} seat {seat.seat}"
    for name in COPIES:
        stored, expected = getattr(seat, name), getattr(seat.hanchan, name)
        if stored != expected:
            yield Difference(row, name, str(stored), str(expected))
    seat.hanchan.league = league
    if seat.counted != seat.hanchan.counts:
        yield Difference(row, "counted", seat.counted, seat.hanchan.counts)


def repair_scores(league: League) -> None:
    """Recalculate the points of seats; hanchan whose facts differ from their history are skipped."""
    move_to_new_days(league, unwatched)
    rules = cache(_rules_of)
    for _, chunk in in_chunks(Hanchan.objects.filter(league=league)):
        persevering(partial(_repair_chunk, league, chunk, rules))
    with transaction.atomic():
        _repair_copies(league)
    refresh_league(league.pk)


@transaction.atomic
def _repair_chunk(league: League, chunk: HanchanQuerySet, rules: Rules) -> None:
    days = set()
    wrong = [
        outcome
        for each in played(chunk.select_for_update(of=("self",)))
        for outcome in rescored([each], rules(each.row.ruleset_version_id))
        if outcome.differs
    ]
    doubted = changed_facts(league, [outcome.hanchan.row.pk for outcome in wrong]) if wrong else set()
    for outcome in wrong:
        if f"hanchan {outcome.hanchan.row.pk}" not in doubted:
            columns = zip(COLUMNS, zip(*outcome.after, strict=True), strict=True)
            update_columns(Seat, [seat[1] for seat in outcome.hanchan.seats], dict(columns))
            days.add(outcome.hanchan.row.day)
    mark_stale(league, days)


def _repair_copies(league: League) -> None:
    days = set()
    for seat in _strayed(league).select_for_update(of=("self",)):
        days |= {seat.day, seat.hanchan.day}
        for name in COPIES:
            setattr(seat, name, getattr(seat.hanchan, name))
        seat.hanchan.league = league
        seat.counted = seat.hanchan.counts
        seat.save(update_fields=[*COPIES, "counted"])
    mark_stale(league, days)


SCORES = Proof("scores", "hanchan", check_scores, repair_scores)
