"""Hanchan scored again under another version of the rules: first as a preview, then for real."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction

from league.core.periods import Period
from league.models import Hanchan, League, Revision, RulesetVersion, Seat
from league.models.play import HanchanQuerySet
from league.selectors.games import seats_of, snapshot_of
from league.selectors.what_if import CountedSeat, counted_seat, ranks_before_and_after
from league.services.boards import OnProgress, Progress, mark_stale
from league.services.history import Actor, Change, revision_of
from league.services.results import derived_seats, result_of
from scoring.core import ScoringError, ScoringRules

CHUNK = 200
"""Hanchan per transaction: a cancelled job leaves whole chunks, each consistent in itself."""

SHOWN_REFUSALS = 20
"""How many hanchan that cannot be scored are named one by one."""

DERIVED = (
    "placement",
    "sharing",
    "is_bust",
    "points",
    "settlement",
    "base",
    "oka",
    "uma",
    "bust",
    "chip_points",
    "other",
    "total_only",
)


@dataclass(frozen=True, slots=True)
class RescoredHanchan:
    """A hanchan and the seats it would have under other rules; `error` when these cannot score it."""

    hanchan: Hanchan
    seats: tuple[Seat, ...]
    error: ScoringError | None = None

    @property
    def differs(self) -> bool:
        """Whether any seat would carry other points or another placement."""
        return any(
            getattr(old, name) != getattr(new, name)
            for old, new in zip(seats_of(self.hanchan), self.seats, strict=False)
            for name in DERIVED
        )


def _scored_otherwise(league: League, version: RulesetVersion) -> HanchanQuerySet:
    """Return the hanchan that stand under another version of the same rule set; what was taken back keeps its own."""
    standing = Hanchan.objects.valid().filter(league=league, ruleset_version__ruleset=version.ruleset)
    return standing.exclude(ruleset_version=version)


def affected_hanchan(league: League, version: RulesetVersion) -> Iterator[Hanchan]:
    """Yield the league's hanchan that were scored by another version of the same rule set, oldest first."""
    hanchan = _scored_otherwise(league, version).in_order_of_play()
    yield from hanchan.prefetch_related("seats__player", "incidents").iterator(chunk_size=CHUNK)


def count_affected(league: League, version: RulesetVersion) -> int:
    """Return how many hanchan were scored by another version of the same rule set."""
    return _scored_otherwise(league, version).count()


def rescored(hanchan: Hanchan, rules: ScoringRules) -> RescoredHanchan:
    """Return what the hanchan would be under these rules, without storing anything."""
    try:
        seats = derived_seats(result_of(hanchan), rules)
    except ScoringError as error:
        return RescoredHanchan(hanchan, (), error)
    for seat in seats:
        seat.hanchan = hanchan
    return RescoredHanchan(hanchan, tuple(seats))


def preview_impact(league: League, version_id: int, on_progress: OnProgress) -> dict[str, Any]:
    """Return what a rescoring would change: hanchan, boards, players whose rank moves, hanchan that cannot be scored."""
    version = RulesetVersion.objects.select_related("ruleset").get(pk=version_id, ruleset__league=league)
    rules, total = version.read(), count_affected(league, version)
    replaced: dict[tuple[int, int], CountedSeat | None] = {}
    periods: dict[str, Period] = {}
    changed, refused = 0, []
    for number, hanchan in enumerate(affected_hanchan(league, version), start=1):
        outcome = rescored(hanchan, rules)
        on_progress(Progress(number, total, str(hanchan.day)))
        if outcome.error:
            refused.append({"hanchan": hanchan.pk} | _reason(outcome.error))
        elif outcome.differs and hanchan.counts:
            changed += 1
            periods |= {period.key: period for period in league.periods_of(hanchan.day)}
            replaced |= {(hanchan.pk, seat.player_id): counted_seat(league, seat) for seat in outcome.seats}
    moved = {key: moves for key, period in sorted(periods.items()) if (moves := _moves(league, period, replaced))}
    return {
        "hanchan": total,
        "changed": changed,
        "boards": len(periods),
        "moved": moved,
        "players": len({move["player"] for moves in moved.values() for move in moves}),
        "refused": refused[:SHOWN_REFUSALS],
        "refused_count": len(refused),
    }


def _reason(error: ScoringError) -> dict[str, Any]:
    values = {name: value if isinstance(value, int) else str(value) for name, value in error.values.items()}
    return {"code": error.code, "seat": error.seat, "values": values}


def _moves(
    league: League, period: Period, replaced: Mapping[tuple[int, int], CountedSeat | None]
) -> list[dict[str, Any]]:
    before, after = ranks_before_and_after(league, period, replaced)
    return [
        {"player": player, "from": rank, "to": after[player]}
        for player, rank in before.items()
        if rank != after[player]
    ]


def rescore(league: League, version_id: int, by: Actor, on_progress: OnProgress) -> dict[str, Any]:
    """Score the affected hanchan by the version, chunk by chunk; return how many changed and how many were refused."""
    version = RulesetVersion.objects.select_related("ruleset").get(pk=version_id, ruleset__league=league)
    total, done, changed, refused = count_affected(league, version), 0, 0, 0
    after = 0
    while ids := _next_ids(league, version, after):
        outcome = _rescore_chunk(league, version, ids, by)
        changed, refused = changed + outcome[0], refused + outcome[1]
        done, after = done + len(ids), ids[-1]
        on_progress(Progress(done, total, str(done)))
    return {"hanchan": total, "changed": changed, "refused_count": refused}


def _next_ids(league: League, version: RulesetVersion, after: int) -> list[int]:
    hanchan = _scored_otherwise(league, version).filter(pk__gt=after)
    return list(hanchan.order_by("pk").values_list("pk", flat=True)[:CHUNK])


@transaction.atomic
def _rescore_chunk(league: League, version: RulesetVersion, ids: list[int], by: Actor) -> tuple[int, int]:
    rules = version.read()
    locked = Hanchan.objects.valid().select_for_update(of=("self",)).filter(pk__in=ids).order_by("pk")
    outcomes = [rescored(hanchan, rules) for hanchan in locked.prefetch_related("seats__player", "incidents")]
    scored = [outcome for outcome in outcomes if outcome.error is None]
    revisions: list[Revision] = []
    seats: list[Seat] = []
    changed = 0
    for outcome in scored:
        changed += outcome.differs
        before = snapshot_of(outcome.hanchan)
        seats += _take_over(outcome)
        outcome.hanchan.ruleset_version = version
        outcome.hanchan.version += 1
        change = Change(Revision.Action.RESCORED, before, snapshot_of(outcome.hanchan), str(version))
        revisions.append(revision_of(league, outcome.hanchan, change, by))
    Seat.objects.bulk_update(seats, DERIVED)
    Hanchan.objects.bulk_update([outcome.hanchan for outcome in scored], ["ruleset_version", "version"])
    Revision.objects.bulk_create(revisions)
    if scored:
        mark_stale(league, {outcome.hanchan.day for outcome in scored})
    return changed, len(outcomes) - len(scored)


def _take_over(outcome: RescoredHanchan) -> Iterator[Seat]:
    for old, new in zip(seats_of(outcome.hanchan), outcome.seats, strict=True):
        for name in DERIVED:
            setattr(old, name, getattr(new, name))
        yield old
