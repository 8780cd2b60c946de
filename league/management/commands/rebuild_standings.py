import json
import sys
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from league.management.arguments import find_leagues, progress_line, silent
from league.services.boards import OnProgress, Progress, rebuild_boards

INTERRUPTED = 130
"""Exit code after Ctrl-C."""


class Command(BaseCommand):
    help = "Recalculate the stored standings of these leagues, or of all. Safe at any time."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slugs", nargs="*", metavar="slug", help="leagues (default: all)")
        parser.add_argument("--quiet", action="store_true", help="show no progress")
        parser.add_argument("--json", action="store_true", help="print the outcome as JSON")

    def handle(self, *args: Any, **options: Any) -> None:
        outcome: dict[str, dict[str, int]] = {}
        last: Progress | None = None
        for league in find_leagues(options["slugs"]):
            shown = silent if options["quiet"] else progress_line(league.slug, self.stderr)

            def on_progress(progress: Progress, shown: OnProgress = shown) -> None:
                nonlocal last
                last = progress
                shown(progress)

            last = None
            try:
                changed = rebuild_boards(league, on_progress)
            except KeyboardInterrupt:
                self._tell_interrupted(league.slug, last)
                sys.exit(INTERRUPTED)
            outcome[league.slug] = {"boards": last.total if last else 0, "changed": changed}
        self._tell(outcome, as_json=options["json"], quiet=options["quiet"])

    def _tell(self, outcome: dict[str, dict[str, int]], *, as_json: bool, quiet: bool) -> None:
        if as_json:
            self.stdout.write(json.dumps(outcome, indent=1))
        elif not quiet:
            for slug, counts in outcome.items():
                self.stdout.write(f"{slug}: {counts['boards']} standings rebuilt, {counts['changed']} changed.")

    def _tell_interrupted(self, slug: str, last: Progress | None) -> None:
        done = f"{last.done} of {last.total}" if last else "none"
        self.stderr.write(
            f"\nStopped: {done} leaderboards of {slug} were rebuilt and are right, the others are as they were. "
            f"Run the command again to finish."
        )
