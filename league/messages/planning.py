"""Why a plan of tables cannot be, in a sentence that says how to mend it."""

from collections.abc import Mapping

from django.utils.translation import gettext_lazy as _

SENTENCES = {
    "table_size": _("Table %(table)s needs %(size)s players."),
    "too_many_wait": _("At table %(table)s more than %(most)s would sit out. Open another table."),
    "not_in_league": _("%(name)s is not in this league's list of players any more. Choose somebody else."),
    "player_twice": _("%(name)s would sit twice in the same round."),
    "by_round": _("The tables of this session are planned round by round. Change them where they were made."),
}


def planning_sentence(code: str, values: Mapping[str, object]) -> str:
    """Return why these tables cannot be planned, and what to do about it."""
    return str(SENTENCES[code]) % values
