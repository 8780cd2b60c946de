from collections.abc import Callable
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from league.background import unsent
from league.management.arguments import find_leagues, progress_line
from league.models import League
from league.models.triggers import make_triggers, missing_triggers
from league.services.boards import OnProgress, Progress, unwatched
from league.services.proofs.registry import proofs
from league.services.proofs.values import Proof, ProofTally

SHOWN = 100
"""Differences printed per proof; further ones are only counted."""


class Command(BaseCommand):
    help = (
        "Recalculate everything from the raw facts of these leagues, or of all, and compare it with what is "
        "stored. Exits with 1 if anything differs. --repair corrects derived values and never changes facts."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slugs", nargs="*", metavar="slug", help="leagues (default: all)")
        parser.add_argument("--repair", action="store_true", help="recalculate derived values that differ")
        parser.add_argument("--quiet", action="store_true", help="show no progress")

    def handle(self, *args: Any, **options: Any) -> None:
        self.shown = unwatched if options["quiet"] else progress_line("verify", self.stderr)
        with unsent():
            left = self._triggers(repairs=options["repair"])
            for league in find_leagues(options["slugs"]):
                self.stdout.write(league.slug)
                left += sum(self._proven(league, proof, repairs=options["repair"]) for proof in proofs)
        if left:
            raise CommandError(f"{left} differences.")

    def _triggers(self, *, repairs: bool) -> int:
        """Print missing triggers, and create them if `repairs`; return how many are still missing."""
        missing = missing_triggers()
        for name in missing:
            self.stdout.write(f"the trigger {name} is missing")
        if missing and repairs:
            make_triggers()
            missing = missing_triggers()
            self.stdout.write("triggers repaired")
        return len(missing)

    def _proven(self, league: League, proof: Proof, *, repairs: bool) -> int:
        """Print a proof's differences, and repair them if `repairs`; return how many remain."""
        found, derived = self._checked(league, proof)
        if derived and repairs and proof.repair is not None:
            proof.repair(league)
            self.stdout.write(f"  {proof.name}: {derived} repaired, checked again:")
            found, _ = self._checked(league, proof)
        return found

    def _checked(self, league: League, proof: Proof) -> tuple[int, int]:
        """Return the number of differences, and how many of them are in derived values."""
        tally = ProofTally(_counting(self.shown, league, proof))
        found = derived = 0
        for difference in proof.check(league, tally):
            found, derived = found + 1, derived + (not difference.is_fact)
            if found <= SHOWN:
                self.stdout.write(f"  {difference}")
        outcome = f"{found} differences" if found else "ok"
        self.stdout.write(f"  {proof.name}: {tally.count} {proof.counted}, digest {tally.digest}, {outcome}")
        return found, derived


def _counting(shown: OnProgress, league: League, proof: Proof) -> Callable[[int], None]:
    number = proofs.index(proof)

    def count(counted: int) -> None:
        shown(Progress(number, len(proofs), f"{league.slug} {proof.name} {counted}"))

    return count
