from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext, pgettext
from django.utils.translation import gettext_lazy as _

from tournaments.core.seating.certificate import Certificate

METHODS: Mapping[str, Promise] = {
    "fixed": _("The same players stay together for a session; sessions are balanced."),
    "balanced": _("Calculated in advance for all hanchan, so that everyone meets as evenly as possible."),
    "swiss": _(
        "Drawn after each hanchan: players close to each other in the ranking, without repeat meetings if possible."
    ),
    "standing": _("Drawn after each hanchan, strictly by the ranking."),
    "manual": _("Set manually."),
    "given": _("Entered manually, not calculated by Tenbo."),
    "one_table": _("There is only one table."),
    "difference_matrix": _("An algebraic design in which no pair meets twice."),
    "repeated_cycles": _("A repeated design in which every pair meets equally often."),
    "extended_design": _("An algebraic design for slightly fewer players, in which the others take turns."),
    "design_without_one": _("A design for one more player, with one left out."),
    "catalogue": _("The best known seating for this number of players and hanchan."),
    "annealing": _("A search that keeps swapping players as long as this makes meetings more even."),
}

BOUNDS: Mapping[str, Promise] = {
    "pairs": _("With this many meetings and pairs, seating cannot be more even."),
    "rows": _("Each player's opponents are already spread as evenly as possible."),
    "overlap": _("With so few tables, some players have to stay together from round to round."),
    "parity": _("Meetings are whole numbers, so there is no value between this and the bound."),
    "proved": _("For this size, a complete search or a theorem rules out any better seating."),
    "history": _("Meetings already played cannot be changed."),
}


def seat_sentence(name: str, where: Mapping[str, object]) -> str:
    """Return where a player sits. `where`: table, wind, round, title and day."""
    facts = {"name": name, **where}
    return gettext("%(name)s: table %(table)s, %(wind)s seat. Round %(round)s, %(title)s, %(day)s.") % facts


def meetings_sentence(found: Certificate, *, by_session: bool) -> str:
    least, most = found.meetings
    facts = {"least": least, "most": most}
    if by_session:
        return _by_session(found) % facts
    if not found.is_optimal:
        return gettext("Every pair meets %(least)s to %(most)s times. No more even seating was found.") % facts
    if most == 1 and least == 0:
        return gettext("Every pair meets at most once, which is proven to be optimal.")
    if least == most:
        return ngettext(
            "Every pair meets exactly once, which is proven to be optimal.",
            "Every pair meets exactly %(most)s times, which is proven to be optimal.",
            most,
        ) % facts  # fmt: skip
    return gettext("Every pair meets %(least)s to %(most)s times, which is proven to be optimal.") % facts


def _by_session(found: Certificate) -> str:
    least, most = found.meetings
    if found.is_optimal and least == most:
        return ngettext(
            "Every pair shares a table in exactly one session, which is proven to be optimal.",
            "Every pair shares a table in exactly %(most)s sessions, which is proven to be optimal.",
            most,
        )
    if found.is_optimal:
        return gettext(
            "Every pair shares a table in %(least)s to %(most)s sessions, which is proven to be optimal for "
            "tables that stay together."
        )
    return gettext("Every pair shares a table in %(least)s to %(most)s sessions. No more even seating was found.")


def bound_sentence(found: Certificate) -> str:
    return str(BOUNDS.get(found.bound_name, ""))


def method_sentence(code: str) -> str:
    return " ".join(str(METHODS.get(part, part)) for part in code.split("+"))


def times_label(count: int) -> str:
    return ngettext("%(count)s time", "%(count)s times", count) % {"count": count}


def player_number(number: int) -> str:
    return pgettext("player without a name", "No. %(number)s") % {"number": number}
