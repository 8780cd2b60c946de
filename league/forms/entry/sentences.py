from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from league.core.entry import RawScoreError, SumCheck
from league.services.grid.saving import SumError
from league.services.results import ResultError
from scoring.core import ScoringError
from scoring.messages import scoring_error_sentence


def score_sentence(error: RawScoreError, who: str) -> str:
    sentences = {
        "unreadable": _("%(who)s: “%(text)s” is not a score. Write the hundreds, such as 317 for 31,700."),
        "not_hundreds": _("%(who)s: “%(text)s” does not end in hundreds. Please recount the 100-point sticks."),
        "too_large": _("%(who)s: “%(text)s” is more than sticks can show. 317 means 31,700."),
    }
    return sentences[error.code] % {"who": who, "text": error.text}


def count_sentence(error: RawScoreError, what: str, most: int) -> str:
    sentence = _("%(what)s: “%(text)s” is not a whole number from 0 to %(most)s.")
    return sentence % {"what": what, "text": error.text, "most": most}


def sum_sentence(check: SumCheck) -> str:
    size = f"{abs(check.difference):,}"
    if check.missing_sticks:
        text = ngettext(
            "The total is %(size)s short. Is one riichi stick still on the table?",
            "The total is %(size)s short. Are %(sticks)s riichi sticks still on the table?",
            check.missing_sticks,
        )
        return text % {"size": size, "sticks": check.missing_sticks}
    if check.difference < 0:
        text = _("The total is %(size)s short. Please recount the sticks, or look for a slip in a score.")
    else:
        text = _("The total is %(size)s over. Please recount the sticks, or look for a slip in a score.")
    return text % {"size": size}


def result_sentence(error: ResultError) -> str:
    sentences = {
        "player_twice": _("%(name)s is in two seats. Choose somebody else for one of them."),
        "not_in_league": _("%(name)s does not play in this league any more. Choose another player."),
        "reason_missing": _("Write why you change the result; everybody can read it in the history."),
        "client_key_taken": _("This page was used in another league. Open the entry page again."),
        "same_result": _("The same result was saved a moment ago."),
        "similar_result": _("Nearly the same result was saved a moment ago. Is this another hanchan?"),
        "round_taken": _(
            "Round %(round)s of this table was saved on another phone meanwhile. Is this another hanchan?"
        ),
        "other_people": _(
            "Other people are planned for round %(round)s at table %(table)s. Check who played before you save."
        ),
        "not_this_evening": _(
            "Through the link of a table only this evening's hanchan are entered. Leave the time empty."
        ),
        "link_full": _("Very many results came through this link. Please ask the organiser for a new one."),
        "link_guests": _(
            "Through the link of this table at most %(most)s new guests can be entered. Choose names from the list, or ask "
            "the organiser to allow more guests."
        ),
        "as_is_refused": _("Only organisers take a result that does not add up as it is. Please ask one of them."),
        "as_is_unexplained": _("Write in the note why the result is taken as it is; everybody can read it."),
        "note_too_long": _("At most %(most)s characters together."),
        "saved_otherwise": _("This row was saved before, with other scores. Open the sheet anew to correct it."),
        "changed_meanwhile": _("Somebody changed this result after you opened it."),
        "no_such_version": _("This version cannot be read any more."),
    }
    return sentences.get(error.code, _("The result could not be saved.")) % error.values


def row_sentence(error: ResultError | ScoringError, names: Sequence[str]) -> str:
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
    sentences = {
        "points": _("These look like points with uma. Here belongs what the sticks show, such as 317 for 31,700."),
        "units": _(
            "These scores do not seem to be in one unit. Write all of them in hundreds, such as 317 for 31,700."
        ),
    }
    return sentences.get(unit, "")
