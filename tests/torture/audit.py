"""`python -m tests.torture.audit`: compare stored data with acknowledged results, in the site's environment.

Reads the paths of the ledgers and the leagues to check; prints the number of errors of each kind, and some examples.
"""

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import django

from tests.torture.phones import Line, lines_of

SHOWN = 8

Faults = Iterator[tuple[str, str]]
"""Descriptions of errors, by kind."""


def main() -> None:
    django.setup()
    asked = json.load(sys.stdin)
    lines = [line for path in asked["ledgers"] for line in lines_of(Path(path))]
    by_kind = defaultdict(list)
    for line in lines:
        by_kind[line["kind"]].append(line)
    faults: list[tuple[str, str]] = []
    for look, kind in LOOKS:
        faults += look(by_kind[kind], asked["slugs"])
    counts = Counter(kind for kind, _ in faults)
    states = Counter(f"{line['kind']} {line['state']}" for line in lines)
    json.dump({"counts": counts, "shown": [list(each) for each in faults[:SHOWN]], "states": states}, sys.stdout)


def _entries(lines: list[Line], slugs: list[str]) -> Faults:
    from league.models import Hanchan

    found = defaultdict(list)
    noted = Hanchan.objects.filter(league__slug__in=slugs).exclude(note="")
    for hanchan in noted.select_related("league").prefetch_related("seats"):
        found[hanchan.note].append(hanchan)
    for line in lines:
        yield from _entry(line, found.pop(line["note"], []))
    for note in found:
        yield "refused", f"hanchan {note} that nobody sent"


def _entry(line: Line, stored: list[Any]) -> Faults:
    if len(stored) > 1:
        yield "doubled", f"hanchan {[each.pk for each in stored]} are one result"
    if line["state"] == "sent" and not stored:
        yield "lost", f"hanchan {line['hanchan']} of {line['note']}"
    if line["state"] == "refused" and stored:
        yield "refused", f"hanchan {stored[0].pk} was refused"
    if line["state"] == "unsent":
        yield "unheard", f"{line['note']}, last answer {line['answered']}"
    for hanchan in stored:
        yield from _as_sent(line, hanchan)


def _as_sent(line: Line, hanchan: Any) -> Faults:
    seats = sorted(hanchan.seats.all(), key=lambda seat: seat.seat)
    if [seat.player_id for seat in seats] != line["players"]:
        yield "lost", f"hanchan {hanchan.pk} has other people"
    if hanchan.version == 1 and [seat.raw_score for seat in seats] != line["raw"]:
        yield "lost", f"hanchan {hanchan.pk} has other scores"
    if line["day"] and not str(_day_of(hanchan)) == str(hanchan.day) == line["day"]:
        yield "diverged", f"hanchan {hanchan.pk} is on {hanchan.day}, not on {line['day']}"


def _day_of(hanchan: Any) -> date:
    local = hanchan.played_at.astimezone(ZoneInfo(hanchan.league.time_zone)).replace(tzinfo=None)
    day: date = (local - timedelta(hours=6)).date()
    return day


def _numbers(_lines: list[Line], slugs: list[str]) -> Faults:
    from league.models import Hanchan

    standing = Hanchan.objects.valid().filter(league__slug__in=slugs)
    for place, count in Counter(standing.values_list("session", "table", "round")).items():
        if count > 1:
            yield "doubled", f"{count} hanchan have the number (session, table, round) {place}"


def _corrections(lines: list[Line], slugs: list[str]) -> Faults:
    from league.models import Revision

    told = Revision.objects.filter(league__slug__in=slugs, subject="hanchan", action=Revision.Action.CORRECTED)
    reasons = Counter(told.values_list("reason", flat=True))
    accepted = Counter((line["hanchan"], line["seen"]) for line in lines if line["state"] == "sent")
    for line in lines:
        count = reasons[line["reason"]]
        if line["state"] == "sent" and not count:
            yield "lost", f"correction of {line['hanchan']} as of {line['seen']}"
        if line["state"] == "refused" and count:
            yield "refused", f"correction of {line['hanchan']} as of {line['seen']} was refused"
        if count > 1:
            yield "doubled", f"correction of {line['hanchan']} is told {count} times"
    for (hanchan, seen), count in accepted.items():
        if count > 1:
            yield "lost", f"{count - 1} of {count} corrections of revision {seen} of hanchan {hanchan}"


def _confirmations(lines: list[Line], slugs: list[str]) -> Faults:
    from league.models import Confirmation

    kept = Confirmation.objects.filter(hanchan__league__slug__in=slugs, version=1)
    said = Counter(kept.values_list("hanchan", "player", "device"))
    for line in lines:
        count = said[line["of"], line["player"], line["device"]]
        if line["state"] == "sent" and not count:
            yield "lost", f"confirmation of {line['of']}"
        if count > 1:
            yield "doubled", f"confirmation of {line['of']} is there {count} times"


def _jobs(lines: list[Line], slugs: list[str]) -> Faults:
    from league.models import Job

    for line in lines:
        if line["state"] != "sent":
            yield "stuck", f"{line['what']} in {line['league']} never came to its end"
    for job in Job.objects.filter(league__slug__in=slugs, state__in=(Job.State.WAITING, Job.State.RUNNING)):
        yield "stuck", f"job {job.pk}, {job}, is {job.state}"


def _boards(_lines: list[Line], slugs: list[str]) -> Faults:
    from league.models import League, StalePeriod
    from league.services.boards import leagues_to_refresh

    for mark in StalePeriod.objects.filter(league__slug__in=slugs):
        yield "stale", f"board {mark.period} of league {mark.league_id}"
    waiting = set(leagues_to_refresh())
    for league in League.objects.filter(slug__in=slugs):
        if league.pk in waiting and not StalePeriod.objects.filter(league=league).exists():
            yield "stale", f"sums of sessions of {league}"


def _proofs(_lines: list[Line], slugs: list[str]) -> Faults:
    from league.models import League
    from league.services.proofs.boards import BOARDS
    from league.services.proofs.scores import SCORES
    from league.services.proofs.values import ProofTally

    for league in League.objects.filter(slug__in=slugs):
        for proof in (SCORES, BOARDS):
            yield from (("diverged", f"{league}, {found}") for found in proof.check(league, ProofTally()))


LOOKS: tuple[tuple[Any, str], ...] = (
    (_entries, "entry"),
    (_numbers, ""),
    (_corrections, "correct"),
    (_confirmations, "confirm"),
    (_jobs, "job"),
    (_boards, ""),
    (_proofs, ""),
)

if __name__ == "__main__":
    main()
