"""What sessions came to and how many hanchan stand under each version of rules is what the hanchan say."""

from collections.abc import Iterator
from dataclasses import asdict

from django.db import connection, transaction
from django.db.models import Count, Q

from league.models import Hanchan, League, RulesetVersion, RuleUse, RuleUseChange
from league.models.edition_scopes import RuleUses
from league.selectors.session_totals import all_sessions, kept_sums, summed
from league.services.proofs.values import Difference, Proof, ProofTally
from league.services.session_totals import TOGETHER, add_up_sessions

_COLUMNS = ("hanchan", "standing")


def check_sessions(league: League, tally: ProofTally) -> Iterator[Difference]:
    """Yield what is kept of sessions as they are now and is not what their seats add up to. What is late is not wrong."""
    sessions = all_sessions(league.pk)
    for start in range(0, len(sessions), TOGETHER):
        some = sessions[start : start + TOGETHER]
        with transaction.atomic():
            kept, right = kept_sums(some), summed(some)
        for session, expected in right.items():
            tally.add(session, sorted(asdict(expected).items(), key=lambda item: item[0]))
            for name, value in asdict(expected).items():
                stored = asdict(kept[session])[name] if session in kept else value
                if stored != value:
                    yield Difference(f"session {session}", name, stored, value)


def check_rule_uses(league: League, tally: ProofTally) -> Iterator[Difference]:
    """Yield where the number of hanchan under a version of rules is another one."""
    with transaction.atomic():
        expected, stored = _counted(league), _kept(league)
    for version in RulesetVersion.objects.filter(ruleset__league=league).order_by("pk").values_list("pk", flat=True):
        right, kept = expected.get(version, (0, 0)), stored.get(version, (0, 0))
        tally.add(version, right)
        for name, is_, should in zip(_COLUMNS, kept, right, strict=True):
            if is_ != should:
                yield Difference(f"rules version {version}", name, is_, should)


def _counted(league: League) -> dict[int, tuple[int, int]]:
    hanchan = Hanchan.objects.filter(ruleset_version__ruleset__league=league).order_by().values_list("ruleset_version")
    standing = Count("pk", filter=~Q(state=Hanchan.State.VOIDED))
    return {version: (count, stand) for version, count, stand in hanchan.annotate(Count("pk"), stand=standing)}


def _kept(league: League) -> dict[int, tuple[int, int]]:
    found: dict[int, tuple[int, int]] = {}
    for model in (RuleUse, RuleUseChange):
        rows = model.objects.filter(ruleset_version__ruleset__league=league)
        for version, *numbers in rows.values_list("ruleset_version", *_COLUMNS):
            had = found.get(version, (0, 0))
            found[version] = (had[0] + numbers[0], had[1] + numbers[1])
    return found


def repair_sessions(league: League) -> None:
    add_up_sessions(league.pk, anew=True)


def repair_rule_uses(league: League) -> None:
    """Count the hanchan under all rules anew, as after a time without triggers."""
    del league
    with transaction.atomic(), connection.cursor() as cursor:
        for statement in RuleUses().anew(postgresql=connection.vendor == "postgresql"):
            cursor.execute(statement)


SESSIONS = Proof("sessions", "sessions", check_sessions, repair_sessions)
RULE_USES = Proof("rules", "versions", check_rule_uses, repair_rule_uses)
