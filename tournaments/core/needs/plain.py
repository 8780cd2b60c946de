"""Margins as JSON writes them: on the command line, and for whoever prints them."""

from typing import Any

from tournaments.core.needs.case import Case
from tournaments.core.needs.margins import Margin, margins_of


def plain_margins(case: Case, player: str) -> dict[str, Any]:
    """Return a player's margins by own place, rival and the rival's place: "always", "never" or {"min_diff": raw score}."""
    return {
        str(own): {
            rival: {str(place): _margin(margin) for place, margin in sorted(found.items())}
            for rival, found in rivals.items()
        }
        for own, rivals in sorted(margins_of(case, player).items())
    }


def _margin(margin: Margin) -> Any:
    if margin.always:
        return "always"
    return "never" if margin.least is None else {"min_diff": margin.least}
