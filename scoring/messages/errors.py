from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from scoring.core import RulesetError, ScoringError, parse_points
from scoring.messages.labels import parameter_label
from scoring.messages.numbers import joined, points_text, raw_text, seat_text

MAX_QUOTED_LENGTH = 80
"""Maximum length of a quoted invalid value."""


def scoring_error_sentence(error: ScoringError, names: Sequence[str] = ()) -> str:
    """Return the error and how to correct it. `names` in seat order from the first dealer; by default winds."""
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
            "The scores and leftover sticks add up to %(sum)s, %(difference)s short of %(expected)s. Is "
            "%(sticks)s riichi stick still on the table?",
            "The scores and leftover sticks add up to %(sum)s, %(difference)s short of %(expected)s. Are "
            "%(sticks)s riichi sticks still on the table?",
            sticks,
        )
        return text % facts
    if difference < 0:
        text = _(
            "The scores and leftover sticks add up to %(sum)s, %(difference)s short of %(expected)s. Count the "
            "sticks again."
        )
        return text % facts
    text = _(
        "The scores and leftover sticks add up to %(sum)s, %(difference)s more than %(expected)s. Count the "
        "sticks again."
    )
    return text % facts


def _game_sentences() -> dict[str, str]:
    return {
        "ruleset_incomplete": _("These rules are incomplete. An organiser has to set: %(parameters)s."),
        "players": _("There are %(count)s scores, but these rules are for %(players)s players."),
        "too_large": _("%(who)s: a score of %(value)s is too high. Check the digits."),
        "not_hundreds": _("%(who)s: %(value)s is not a multiple of 100. Count the 100-point sticks again."),
        "sticks": _("There cannot be %(value)s leftover sticks. Count them again."),
        "length": _("%(what)s: there are %(count)s values for %(players)s players. Enter one for each seat."),
        "unset": _(
            "To score this hanchan, the rules need a value that is not set: %(parameter)s. An organiser has to set it."
        ),
        "deposits": _(
            "Leftover riichi sticks go back to the players who placed them. Enter who placed them (%(sticks)s in "
            "total)."
        ),
        "no_uma_row": _("The rules have no uma for %(floaters)s floating players. An organiser has to add it."),
        "bust_seat": _("The bust names seat %(value)s, which does not exist. Choose a player at this table."),
        "bust_cause": _(
            "%(who)s: choose whether the bust came from a win, a draw, a riichi without enough points or "
            "something else."
        ),
        "bust_twice": _("%(who)s is entered as bust twice. Remove one entry."),
        "not_bust": _("%(who)s is not bust with %(raw)s points under these rules. Remove the bust."),
        "bust_unexplained": _(
            "%(who)s is bust with %(raw)s points. Choose who won the hand, or that it ended in a draw."
        ),
        "bust_winner": _("%(who)s was busted by a win. Choose the winner."),
        "bust_tenpai": _("%(who)s went bust on an exhaustive draw. Choose at least one player who was tenpai."),
        "bust_noten": _(
            "%(who)s went bust on the same draw, so was not tenpai. Remove %(who)s from the tenpai players."
        ),
        "bust_riichi": _(
            "%(who)s: under these rules, a riichi without enough points does not end the game. Choose "
            "another cause of the bust."
        ),
        "bust_shares": _(
            "%(who)s: the shares of the bust prize add up to %(total)s instead of %(prize)s. Split it among the "
            "other players."
        ),
        "bust_share": _("%(who)s: the bust prize goes to other players at the table, in whole chips if paid in chips."),
        "no_draw_shares": _(
            "%(who)s: the rules do not say how %(tenpai)s tenpai players share the bust prize. An organiser has "
            "to set it."
        ),
        "chombo_count": _("%(who)s: %(value)s is not a valid number of chombo."),
        "chips_count": _("%(who)s: %(value)s is not a valid number of chips."),
        "chips_unbalanced": _("The chips add up to %(total)s instead of 0. Count them again."),
        "points_unbalanced": _(
            "The points add up to %(sum)s instead of %(expected)s, off by %(difference)s. Check each of them."
        ),
        "points_too_large": _("%(who)s: %(value)s is too much for one hanchan. Check the digits."),
        "points_alone": _("If only points are known, sticks, busts, chombo and chips cannot be entered. Remove them."),
        "placements": _("The placements %(placements)s are not possible in one game. Correct them."),
    }


def ruleset_error_sentence(error: RulesetError) -> str:
    label = parameter_label(error.path)
    return _("%(parameter)s: %(problem)s") % {"parameter": label, "problem": ruleset_problem(error)}


def ruleset_problem(error: RulesetError) -> str:
    sentences = {
        "unknown_key": _("This parameter does not exist."),
        "not_a_table": _("Enter a table of parameters here."),
        "not_a_list": _("Enter a list here."),
        "not_whole": _("%(value)s is not a whole number."),
        "not_points": _("%(value)s is not a number of points with at most three decimals."),
        "not_hundreds": _("%(value)s is not a multiple of 100."),
        "not_a_switch": _("%(value)s is neither true nor false."),
        "not_a_choice": _("%(value)s is not one of %(choices)s."),
        "out_of_range": _("%(value)s is not between %(low)s and %(high)s."),
        "wrong_length": _("Enter %(players)s values for %(players)s players, not %(count)s."),
        "two_umas": _("Use either fixed or floating uma, not both."),
        "return_below_start": _("The return points %(value)s are below the start points %(start)s."),
        "shares": _("The shares add up to %(total)s, but the prize is %(prize)s."),
        "share_count": _("There are %(count)s shares for %(tenpai)s tenpai players."),
        "incomplete": _("This is missing."),
        "not_text": _("Enter text without control characters."),
        "too_long": _("The text has %(count)s characters. Use at most %(longest)s."),
        "twice": _("%(value)s is listed twice."),
    }
    facts = {name: _short(raw_text(value) if isinstance(value, int) else value) for name, value in error.values.items()}
    return sentences[error.code] % facts
