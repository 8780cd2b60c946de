from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from scoring.core import RulesetError, ScoringError, parse_points
from scoring.messages.labels import parameter_label
from scoring.messages.numbers import joined, points_text, raw_text, seat_text

MAX_QUOTED_LENGTH = 80
"""Longest quoted wrong value."""


def scoring_error_sentence(error: ScoringError, names: Sequence[str] = ()) -> str:
    """Return the fault and its remedy. `names` from the first dealer; winds without."""
    if error.code in {"unbalanced", "unbalanced_sticks"}:
        return _unbalanced(error.values)
    facts = {name: _fact(name, value) for name, value in error.values.items()}
    if error.code == "points_unbalanced":
        facts = {name: points_text(parse_points(value)) for name, value in error.values.items()}
    return _game_sentences()[error.code] % {"who": seat_text(error.seat, names), **facts}


def _fact(name: str, value: object) -> str:
    if name in {"parameters", "parameter", "what"}:
        return joined(parameter_label(part.strip()) for part in str(value).split(","))
    return _short(raw_text(value) if isinstance(value, int) else value)


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= MAX_QUOTED_LENGTH else f"{text[:MAX_QUOTED_LENGTH]}…"


def _unbalanced(values: Mapping[str, Any]) -> str:
    difference, sticks = values["difference"], values["sticks"]
    facts = {
        "difference": raw_text(abs(difference)),
        "sticks": sticks,
        "sum": raw_text(values["sum"]),
        "expected": raw_text(values["expected"]),
    }
    if sticks:
        text = ngettext(
            "The scores and the sticks left make %(sum)s, %(difference)s short of %(expected)s. "
            "Is %(sticks)s riichi stick still on the table?",
            "The scores and the sticks left make %(sum)s, %(difference)s short of %(expected)s. "
            "Are %(sticks)s riichi sticks still on the table?",
            sticks,
        )
        return text % facts
    if difference < 0:
        text = _(
            "The scores and the sticks left make %(sum)s, %(difference)s short of %(expected)s. "
            "Please count the sticks again."
        )
        return text % facts
    text = _(
        "The scores and the sticks left make %(sum)s, %(difference)s more than %(expected)s. "
        "Please count the sticks again."
    )
    return text % facts


def _game_sentences() -> dict[str, str]:
    return {
        "ruleset_incomplete": _("These rules cannot score yet. An organiser sets this first: %(parameters)s."),
        "players": _("%(count)s scores are given, but these rules are for %(players)s players."),
        "too_large": _("%(who)s: %(value)s points are more than sticks can show. Please check the digits."),
        "not_hundreds": _("%(who)s: %(value)s is not a multiple of 100. Please count the 100-point sticks again."),
        "sticks": _("The number of sticks left on the table cannot be %(value)s. Please count them again."),
        "length": _("%(what)s: %(count)s values are given for %(players)s players. Give one for each seat."),
        "unset": _("The rules do not say this, and this hanchan needs it: %(parameter)s. An organiser sets it first."),
        "deposits": _("Sticks left go back to whoever put them down: say whose the %(sticks)s are."),
        "no_uma_row": _(
            "The rules have no uma for %(floaters)s players above the line. An organiser adds that row first."
        ),
        "bust_seat": _("A bust names seat %(value)s, which does not exist. Choose a player of this table."),
        "bust_cause": _("%(who)s: say whether the bust was by a win, a draw, an unpaid riichi or something else."),
        "bust_twice": _("%(who)s is entered as bust twice. Please remove one of the entries."),
        "not_bust": _("%(who)s is not bust with %(raw)s points under these rules. Please remove the bust."),
        "bust_unexplained": _("%(who)s is bust with %(raw)s points. Say who won the points, or that it was a draw."),
        "bust_winner": _("%(who)s was busted by a win: choose the winner among the others."),
        "bust_tenpai": _("%(who)s went bust by a draw: choose who of the others was tenpai, at least one."),
        "bust_noten": _(
            "%(who)s is bust by the same draw and so was not tenpai. Please take %(who)s off the tenpai players."
        ),
        "bust_riichi": _(
            "%(who)s: these rules know no end by a riichi that could not be paid. Choose another cause of the bust."
        ),
        "bust_shares": _(
            "%(who)s: the shares of the bust prize add up to %(total)s instead of %(prize)s. "
            "Share it among the other players."
        ),
        "bust_share": _(
            "%(who)s: the bust prize goes to other players of the table, in whole chips where chips are paid."
        ),
        "no_draw_shares": _(
            "%(who)s: the rules do not say how %(tenpai)s tenpai players share the bust prize. "
            "An organiser sets it first."
        ),
        "chombo_count": _("%(who)s: the number of chombo cannot be %(value)s. Please check it."),
        "chips_count": _("%(who)s: the number of chips cannot be %(value)s. Please check it."),
        "chips_unbalanced": _("The chips add up to %(total)s instead of 0. Please count them again."),
        "points_unbalanced": _(
            "The points add up to %(sum)s instead of %(expected)s, %(difference)s off. Please check every one of them."
        ),
        "points_too_large": _("%(who)s: %(value)s is more than any game brings. Please check the digits."),
        "points_alone": _("Where only points are known, nothing that needs scores can be noted. Please take it off."),
        "placements": _("The placements %(placements)s cannot be those of one game. Please correct them."),
    }


def ruleset_error_sentence(error: RulesetError) -> str:
    sentences = {
        "unknown_key": _("There is no such parameter."),
        "not_a_table": _("A table of parameters is expected here."),
        "not_a_list": _("A list is expected here."),
        "not_whole": _("%(value)s is not a whole number."),
        "not_points": _("%(value)s is not a number of points with at most three decimals."),
        "not_hundreds": _("%(value)s is not a multiple of 100."),
        "not_a_switch": _("%(value)s is neither true nor false."),
        "not_a_choice": _("%(value)s is not one of %(choices)s."),
        "out_of_range": _("%(value)s is not between %(low)s and %(high)s."),
        "wrong_length": _("%(count)s values are given, but %(players)s players need %(players)s."),
        "two_umas": _("Give either fixed or floating uma, not both."),
        "return_below_start": _("The return points %(value)s are below the start points %(start)s."),
        "shares": _("The shares add up to %(total)s, but the prize is %(prize)s."),
        "share_count": _("%(count)s shares are given for %(tenpai)s tenpai players."),
        "incomplete": _("This is missing."),
        "not_text": _("A text is expected here, without characters that steer a machine."),
        "too_long": _("The text has %(count)s characters; %(longest)s are the most."),
        "twice": _("%(value)s is named twice."),
    }
    facts = {name: _short(raw_text(value) if isinstance(value, int) else value) for name, value in error.values.items()}
    text = sentences[error.code] % facts
    return _("%(parameter)s: %(problem)s") % {"parameter": parameter_label(error.path), "problem": text}
