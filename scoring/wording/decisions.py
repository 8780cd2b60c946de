"""Why one player stands above another, on a board and at a table."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from scoring.core import Decision, Ledger, Part, ScoredGame
from scoring.core.ruleset import TieAnswer
from scoring.wording.numbers import count_text, points_text, raw_text, seat_text, seats_text, sentences

_AS_TEXT: Mapping[str, Callable[[int], str]] = {
    "points": points_text,
    "raw": raw_text,
    "best_raw": raw_text,
    "head_to_head": count_text,
}


def decision_sentence(decision: Decision | Mapping[str, Any] | None, name: str = "", other: str = "") -> str:
    """Return why a player stands above the next one with the same total; empty when nothing had to be decided.

    `decision` may be its stored form. With both names the sentence begins with them.
    """
    if not decision:
        return ""
    reason = _reason(decision if isinstance(decision, Decision) else Decision(**decision))
    if not name or not other:
        return reason
    return _("%(name)s is ahead of %(other)s. %(reason)s") % {"name": name, "other": other, "reason": reason}


def _reason(decision: Decision) -> str:
    as_text = _AS_TEXT.get(decision.rule, str)
    facts: dict[str, object] = {
        "hanchan": decision.hanchan,
        "better": as_text(decision.better),
        "worse": as_text(decision.worse),
    }
    if decision.rule.startswith("placements_"):
        facts["place"] = decision.rule.removeprefix("placements_")
        return _("Level on points; times in place %(place)s: %(better)s against %(worse)s.") % facts
    sentence = {
        "points": _("Level on points; in hanchan %(hanchan)s %(better)s beats %(worse)s."),
        "placement": _("Level on points; in hanchan %(hanchan)s place %(better)s beats place %(worse)s."),
        "raw": _("Level on points; in hanchan %(hanchan)s a raw score of %(better)s beats %(worse)s."),
        "best_raw": _("Level on points; the best raw score of %(better)s beats %(worse)s."),
        "head_to_head": _("Level on points; placed above less placed below each other: %(better)s against %(worse)s."),
        "manual": _("Level on points; an organiser put them in order."),
    }.get(decision.rule, "")
    return sentence % facts


def tie_sentence(scored: ScoredGame, names: Sequence[str] = ()) -> list[str]:
    """Return, for each group of equal raw scores, who is placed how and what becomes of uma and oka."""
    return [_group(scored, group, names) for group in scored.order.groups]


def _group(scored: ScoredGame, group: tuple[int, int], names: Sequence[str]) -> str:
    seats, first = scored.order.tied(group), group[0] + 1
    facts: dict[str, object] = {
        "tied": seats_text(seats, names),
        "raw": raw_text(scored.game.raw[seats[0]]),
        "first": first,
        "last": first + len(seats) - 1,
        "nearest": seat_text(seats[0], names),
    }
    if scored.seats[seats[0]].sharing > 1:
        placed = _("%(tied)s are level on %(raw)s and share place %(first)s.")
    else:
        placed = _(
            "%(tied)s are level on %(raw)s: the seat nearer the first dealer is placed higher, so they take places "
            "%(first)s to %(last)s in this order."
        )
    return sentences(placed % facts, _uma(scored, seats, facts), _oka(scored, seats, facts))


def _held(scored: ScoredGame, part: Part) -> tuple[int, ...]:
    """Return the amounts of a part in the first ledger that holds it."""
    accounts = scored.accounts
    return next((accounts[ledger].parts[part] for ledger in Ledger if part in accounts[ledger].parts), ())


def _uma(scored: ScoredGame, seats: tuple[int, ...], facts: Mapping[str, object]) -> str:
    uma, tie = _held(scored, Part.UMA), scored.rules.tie
    if not uma or tie is None:
        return ""
    if tie.uma is TieAnswer.SEAT:
        return _("The uma goes by the seats in the same way.")
    row = scored.scene.row[int(str(facts["first"])) - 1 : int(str(facts["last"]))]
    if tuple(uma[seat] for seat in seats) == row and len(set(row)) > 1:
        return _("The uma does not divide evenly, so it goes by the seats as well.")
    return _("They share the uma of places %(first)s to %(last)s.") % facts


def _oka(scored: ScoredGame, seats: tuple[int, ...], facts: Mapping[str, object]) -> str:
    oka = _held(scored, Part.OKA)
    if not oka or facts["first"] != 1:
        return ""
    if oka[seats[0]] == sum(oka):
        return _("The oka goes to %(nearest)s, who sits nearest the first dealer.") % facts
    return _("They share the oka.")
