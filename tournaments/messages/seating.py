"""Seating in sentences: places, certificates, methods."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext, pgettext
from django.utils.translation import gettext_lazy as _

from tournaments.core.format import Stage
from tournaments.core.seating.certificate import Certificate
from tournaments.messages.titles import stage_name

METHODS: Mapping[str, Promise] = {
    "fixed": _("The same players stay together for a session; the sessions are dealt evenly."),
    "balanced": _("Worked out beforehand for all hanchan, so that everybody meets evenly."),
    "swiss": _("Drawn after every hanchan: neighbours in the ranking, who have not met if possible."),
    "standing": _("Drawn after every hanchan, strictly by the ranking."),
    "manual": _("Set by hand."),
    "given": _("Given, not worked out here."),
    "one_table": _("There is only one table."),
    "difference_matrix": _("A design from algebra in which nobody meets twice."),
    "repeated_cycles": _("A design in which every pair meets equally often, played over again."),
    "extended_design": _("A design from algebra for a few players less; the others take turns in it."),
    "design_without_one": _("A design for one player more, with one left out."),
    "catalogue": _("The best seating that is known for so many players and hanchan."),
    "annealing": _("A search that swaps players for as long as that makes the meetings more even."),
}

BOUNDS: Mapping[str, Promise] = {
    "pairs": _("There are so many meetings and so many pairs that it cannot be more even."),
    "rows": _("Nobody's meetings can be spread more evenly over the other players."),
    "overlap": _("With so few tables some players must stay together from round to round."),
    "parity": _("Whole numbers do not allow anything between this and the bound."),
    "proved": _("For this size every better seating was ruled out by a complete search or a theorem."),
    "history": _("What has been met before cannot be taken back."),
}


def session_seating_title(stage: Stage, number: int, block: str) -> str:
    """Return a session's title on its tournament page: "Qualifying, session 2, block B"."""
    facts = {"stage": stage_name(stage), "number": number, "block": block}
    several = stage.sessions > 1
    if several and block:
        return gettext("%(stage)s, session %(number)s, block %(block)s") % facts
    if several:
        return gettext("%(stage)s, session %(number)s") % facts
    if block and len(stage.blocks) > 1:
        return gettext("%(stage)s, block %(block)s") % facts
    return stage_name(stage)


def seat_sentence(name: str, where: Mapping[str, object]) -> str:
    """`where`: table, wind, round, title and day."""
    facts = {"name": name, **where}
    return gettext("%(name)s: table %(table)s, %(wind)s seat. Hanchan %(round)s, %(title)s, %(day)s.") % facts


def nobody_sentence(text: str) -> str:
    return gettext("Nobody called “%(text)s” sits at a table that is still to be played.") % {"text": text}


def meetings_sentence(found: Certificate, *, by_session: bool) -> str:
    least, most = found.meetings
    facts = {"least": least, "most": most, "sum": found.sum_of_squares, "bound": found.bound}
    if by_session:
        return _by_session(found) % facts
    if not found.is_optimal:
        return (
            gettext(
                "Every pair meets %(least)s to %(most)s times. The sum of squares is %(sum)s; no seating gets below %(bound)s."
            )
            % facts
        )
    if most == 1 and least == 0:
        return gettext("Every pair meets at most once: proved best possible.")
    if least == most:
        return ngettext(
            "Every pair meets exactly once: proved best possible.",
            "Every pair meets exactly %(most)s times: proved best possible.",
            most,
        ) % facts  # fmt: skip
    return gettext("Every pair meets %(least)s to %(most)s times: proved best possible.") % facts


def _by_session(found: Certificate) -> str:
    if found.is_optimal:
        return gettext(
            "Every pair shares a table in %(least)s to %(most)s sessions: proved best possible for tables that stay together."
        )
    return gettext(
        "Every pair shares a table in %(least)s to %(most)s sessions. The sum of squares is %(sum)s; no seating gets below %(bound)s."
    )


def bound_sentence(found: Certificate) -> str:
    return str(BOUNDS.get(found.bound_name, ""))


def method_sentence(code: str) -> str:
    return " ".join(str(METHODS.get(part, part)) for part in code.split("+"))


def times_label(count: int) -> str:
    return ngettext("%(count)s time", "%(count)s times", count) % {"count": count}


def player_number(number: int) -> str:
    return pgettext("player without a name", "No. %(number)s") % {"number": number}
