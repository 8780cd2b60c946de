"""A director's pending tasks: what is to be done, and why."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext_lazy

TASKS: Mapping[str, tuple[Promise, str | Promise]] = {
    "overtaken": (
        _("%(stage)s → %(to)s: the approval is outdated by a correction"),
        _("By current results: %(names)s. Nothing was changed automatically."),
    ),
    "level": (_("%(stage)s: tie on the cut line"), _("%(names)s are tied. Decide their order.")),
    "disputed": (_("Disputed result"), ""),
    "short_table": (
        _("%(session)s: a table is short of a player"),
        ngettext_lazy(
            "%(name)s will miss the remaining %(counter)s hanchan. Decide how the table should continue.",
            "%(name)s will miss the remaining %(counter)s hanchan. Decide how the tables should continue.",
            "counter",
        ),
    ),
    "redraw": (
        _("%(stage)s: the drawn tables are outdated"),
        ngettext_lazy(
            "%(names)s has a seat there but no longer plays in this stage.",
            "%(names)s have seats there but no longer play in this stage.",
            "counter",
        ),
    ),
    "too_few": (
        ngettext_lazy(
            "%(stage)s: only %(counter)s player is left", "%(stage)s: only %(counter)s players are left", "counter"
        ),
        _("A table needs %(size)s players. Add substitutes for players who left, or undo a withdrawal."),
    ),
    "vacancy": (
        ngettext_lazy("%(stage)s: %(counter)s spot is vacant", "%(stage)s: %(counter)s spots are vacant", "counter"),
        _("Withdrawn: %(names)s. Ways to fill a vacancy:"),
    ),
    "approve": (_("%(stage)s is finished"), "%(approval)s"),
    "results": (
        ngettext_lazy(
            "%(session)s: %(counter)s result to enter", "%(session)s: %(counter)s results to enter", "counter"
        ),
        "%(when)s",
    ),
    "round": (
        ngettext_lazy(
            "%(session)s, round %(round)s: %(counter)s result to enter",
            "%(session)s, round %(round)s: %(counter)s results to enter",
            "counter",
        ),
        "%(when)s",
    ),
    "registrations": (
        ngettext_lazy(
            "%(counter)s registration is waiting for approval",
            "%(counter)s registrations are waiting for approval",
            "counter",
        ),
        _("Until then, no spots or waiting list positions are assigned."),
    ),
    "entries": (
        _("Entries: %(most)s players are needed"),
        ngettext_lazy("%(counter)s has entered", "%(counter)s have entered", "counter"),
    ),
    "draw": (_("%(stage)s: make the draw"), _("All players are known.")),
    "only_block": (_("%(stage)s: close the entries"), _("Enough players have entered.")),
    "plan": (
        _("%(stage)s: choose dates and tables"),
        ngettext_lazy("%(counter)s session has no date yet", "%(counter)s sessions have no date yet", "counter"),
    ),
    "next_round": (_("%(stage)s: tables for round %(number)s"), "%(block)s"),
    "close": (
        _("%(stage)s: some players have fewer hanchan than planned"),
        _("%(names)s: make up the hanchan, or close the stage with the hanchan played."),
    ),
    "unconfirmed": (
        ngettext_lazy("%(counter)s result is not confirmed", "%(counter)s results are not confirmed", "counter"),
        _("Oldest: %(session)s"),
    ),
    "finish": (_("Everything is decided: close the tournament"), _("Its page becomes an archive.")),
    "coming": (_("Next: %(session)s"), "%(when)s"),
}
"""Title and text of each kind of task, also of a draw without blocks, and of one round's results."""
