from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from scoring.core import RulesetError, ScoringError, parse_points
from scoring.core.hanchan import MESSAGES as GAME_MESSAGES
from scoring.core.reading import MESSAGES as RULESET_MESSAGES
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
    return _(GAME_MESSAGES[error.code]) % {"who": seat_text(error.seat, names), **facts}


def _fact(name: str, value: object) -> str:
    if name in {"parameters", "parameter", "what"}:
        return joined(parameter_label(part.strip()) for part in str(value).split(","))
    return quoted(raw_text(value) if isinstance(value, int) else value)


def quoted(value: object) -> str:
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


def ruleset_error_sentence(error: RulesetError) -> str:
    label = parameter_label(error.path)
    return _("%(parameter)s: %(problem)s") % {"parameter": label, "problem": ruleset_problem(error)}


def ruleset_problem(error: RulesetError) -> str:
    facts = {name: quoted(raw_text(value) if isinstance(value, int) else value) for name, value in error.values.items()}
    return _(RULESET_MESSAGES[error.code]) % facts
