"""What the sheet says about a row that cannot be stored as it stands."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from league.forms.entry.sentences import result_sentence, sum_sentence
from league.services.grid.rows import SumError
from league.services.results import ResultError
from scoring.core import ScoringError
from scoring.messages import scoring_error_sentence


def row_sentence(error: ResultError | ScoringError, names: Sequence[str]) -> str:
    """Return why a row cannot be stored, and how to mend it; `names` from the first dealer on."""
    if isinstance(error, ScoringError):
        return scoring_error_sentence(error, names)
    if isinstance(error, SumError):
        return unit_sentence(error.unit) or sum_sentence(error.check)
    sentences = {
        "noted_people": _("More is noted about the players of this hanchan. Change who played on its own page."),
        "sticks_of_points": _(
            "Only the points of this hanchan are known. For sticks left, type the raw scores as well."
        ),
        "saved_already": _("The same players with the same scores are saved already. Is this another hanchan?"),
        "nearly_saved": _("The same players with nearly the same scores are saved already. Is this another hanchan?"),
        "place_taken": _(
            "The same players have a hanchan in this round at this table already. Is this another one? "
            "If not, somebody has saved it meanwhile: empty this row."
        ),
        "others_planned": _("Other people are planned for this round and table. Check who played."),
        "nearly_in_earlier_row": _(
            "The same players with nearly the same scores stand in an earlier row. Is this another hanchan?"
        ),
        "in_earlier_row": _("The same players with the same scores stand in an earlier row. Is this another hanchan?"),
    }
    return sentences.get(error.code) or result_sentence(error)


def unit_sentence(unit: str) -> str:
    """Return what seems to have been written instead of raw scores; "" where that is not known."""
    sentences = {
        "points": _("These look like points with uma. Here belongs what the sticks show, such as 317 for 31,700."),
        "units": _(
            "These scores do not seem to be in one unit. Write all of them in hundreds, such as 317 for 31,700."
        ),
    }
    return sentences.get(unit, "")
