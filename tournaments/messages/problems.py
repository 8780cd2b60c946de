"""What is wrong with a format, in sentences that say how to mend it."""

from django.utils.translation import gettext as _

from tournaments.core.problems import FormatProblem

MAX_QUOTED_LENGTH = 80
"""Nobody reads a wrong value beyond this many characters."""


def format_problem_sentence(problem: FormatProblem) -> str:
    """Return what is wrong with a format and how to mend it, beginning with the place in the file."""
    sentences = _unreadable() | _unfitting() | _numbers()
    text = sentences[problem.code] % {name: _short(name, value) for name, value in problem.values.items()}
    if not problem.path:
        return text
    return _("%(path)s: %(problem)s") % {"path": problem.path, "problem": text}


def _short(name: str, value: object) -> str:
    text = str(value)
    return text if len(text) <= MAX_QUOTED_LENGTH or name == "choices" else f"{text[:MAX_QUOTED_LENGTH]}…"


def _unreadable() -> dict[str, str]:
    return {
        "not_toml": _("This is not TOML: %(what)s."),
        "too_long": _("The text is too long."),
        "too_many": _("%(count)s are too many; there may be %(most)s."),
        "unknown_key": _("There is no such entry. Use one of these: %(choices)s."),
        "incomplete": _("This is missing. Please add it."),
        "not_a_table": _("A table in braces is expected here."),
        "not_a_list": _("A list in square brackets is expected here."),
        "not_text": _("%(value)s is not a text of at most %(most)s characters."),
        "not_names": _("Write a name, or a table with ja and en."),
        "not_a_key": _("%(value)s is not a short name. Use letters, digits and hyphens."),
        "not_whole": _("%(value)s is not a whole number."),
        "out_of_range": _("%(value)s is not between %(low)s and %(high)s."),
        "not_points": _("%(value)s is not a number of points with at most three decimals."),
        "not_a_factor": _('%(value)s is not a fraction between 0 and 1. Write it like "1/2".'),
        "not_ranks": _('%(value)s is not a rank or a range. Write it like "3", "4-5" or "5-".'),
        "not_a_choice": _("%(value)s is not one of these: %(choices)s."),
        "not_entrants": _("Write a number of players, a list of numbers, or a table with min and max."),
        "not_blocks": _("Write a number of blocks, a list of their names, or a table of names with sizes."),
        "not_a_source": _(
            "Say where the places come from: entrants, seeds, stage with ranks, or stage with rank and best."
        ),
    }


def _numbers() -> dict[str, str]:
    return {
        "entrants_reversed": _("The least number, %(low)s, is above the most, %(high)s."),
        "wrong_entrants": _("%(number)s players cannot play this. It takes %(choices)s."),
        "stages_and_knockout": _("Give either stages or a knock-out, not both."),
        "open_knockout": _("A knock-out needs a number of players, or a list of numbers to choose from."),
        "no_knockout": _(
            "%(number)s players at tables of %(table)s, %(advance)s of each going on, do not come down to one table."
        ),
        "sizes": _("The blocks have room for %(room)s, but %(places)s come in. Make the two equal."),
        "uneven_blocks": _("%(places)s players cannot be split into %(blocks)s equal blocks. Give each block a size."),
        "two_rests": _("Only one block can take the rest. Give the others a number."),
        "too_few": _("%(size)s players do not fill a table of %(table)s."),
        "tables_not_full": _(
            "%(size)s players do not fill tables of %(table)s, and with the seating “%(seating)s” nobody sits out. "
            "Choose another size, or the seating “balanced”."
        ),
    }


def _unfitting() -> dict[str, str]:
    return {
        "twice": _("%(key)s is used twice. Give it another name."),
        "unknown_stage": _("There is no stage %(stage)s."),
        "later_stage": _("Places come only from stages that stand before this one. %(stage)s does not."),
        "unknown_block": _("The stage %(stage)s has no block %(block)s."),
        "rank_too_low": _("A block of the stage %(stage)s has %(size)s players, so there is no rank %(rank)s."),
        "places_used_twice": _("Rank %(rank)s of %(where)s goes to %(first)s already. It can go to one place only."),
        "seed_used_twice": _("Seed %(seed)s begins in %(first)s already. A seed can begin in one stage only."),
        "seed_unused": _("Seed %(seed)s plays nowhere. Give the seed a stage."),
        "seed_too_low": _("There are %(entrants)s players, so there is no seed %(seed)s."),
        "too_many_best": _("The best %(count)s cannot be taken from %(blocks)s blocks."),
        "not_an_ancestor": _("Nobody comes here from %(stage)s, so none of its points can be carried over."),
        "no_bracket": _(
            "A bracket takes its places by rank from one stage whose number of blocks is a multiple of %(blocks)s."
        ),
        "order_incomplete": _("The stage %(stage)s is missing in the order."),
    }
