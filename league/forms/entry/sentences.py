from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from league.core.entry import RawScoreError, SumCheck
from league.services.results import ResultError
from scoring.core import ScoringError
from scoring.messages import scoring_error_sentence


def score_sentence(error: RawScoreError, who: str) -> str:
    sentences = {
        "unreadable": _("%(who)s: “%(text)s” is not a score. Enter hundreds, such as 317 for 31,700."),
        "not_hundreds": _("%(who)s: “%(text)s” is not a multiple of 100. Count the 100-point sticks again."),
        "too_large": _("%(who)s: “%(text)s” is too high. 317 means 31,700."),
    }
    return sentences[error.code] % {"who": who, "text": error.text}


def count_sentence(error: RawScoreError, what: str, most: int) -> str:
    sentence = _("%(what)s: “%(text)s” is not a whole number from 0 to %(most)s.")
    return sentence % {"what": what, "text": error.text, "most": most}


def sum_sentence(check: SumCheck) -> str:
    size = f"{abs(check.difference):,}"
    if check.missing_sticks:
        text = ngettext(
            "The total is %(size)s short. Is a riichi stick still on the table?",
            "The total is %(size)s short. Are %(sticks)s riichi sticks still on the table?",
            check.missing_sticks,
        )
        return text % {"size": size, "sticks": check.missing_sticks}
    if check.difference < 0:
        text = _("The total is %(size)s short. Count the sticks again, or check the scores for typing errors.")
    else:
        text = _("The total is %(size)s over. Count the sticks again, or check the scores for typing errors.")
    return text % {"size": size}


def result_sentence(error: ResultError) -> str:
    sentences = {
        "player_twice": _("%(name)s is in two seats. Choose another player for one of them."),
        "not_in_league": _("%(name)s is no longer a player in this league. Choose another player."),
        "reason_missing": _("Enter a reason for the correction. It is public."),
        "client_key_taken": _("This page has since been used for another league. Open the entry page again."),
        "same_result": _("The same result was saved a moment ago."),
        "similar_result": _("A nearly identical result was saved a moment ago. Is this another hanchan?"),
        "round_taken": _("Round %(round)s at this table was saved on another phone. Is this another hanchan?"),
        "other_people": _(
            "Different players are planned for round %(round)s at table %(table)s. Check who played before you save."
        ),
        "not_this_evening": _("This table's link accepts only hanchan of this session. Leave the time blank."),
        "link_full": _("Too many results were sent through this link. Ask the organiser for a new one."),
        "link_guests": _(
            "This table's link can add at most %(most)s new guests. Choose names from the list, or ask the "
            "organiser to allow more guests."
        ),
        "as_is_refused": _("Only organisers can accept a wrong total. Ask one of them."),
        "as_is_unexplained": _("In the note, explain why the wrong total is accepted. The note is public."),
        "note_too_long": _("Use at most %(most)s characters in total."),
        "saved_otherwise": _("This row was already saved with other scores. To correct it, reload the sheet."),
        "changed_meanwhile": _("Someone changed this result after you opened it."),
        "no_such_version": _("This version can no longer be read."),
    }
    return sentences.get(error.code, _("The result could not be saved.")) % error.values


def row_sentence(error: ResultError | ScoringError, names: Sequence[str]) -> str:
    if isinstance(error, ScoringError):
        return scoring_error_sentence(error, names)
    sentences = {
        "saved_already": _("The same players already have a result with the same scores. Is this another hanchan?"),
        "nearly_saved": _(
            "The same players already have a result with nearly the same scores. Is this another hanchan?"
        ),
        "place_taken": _(
            "The same players already have a hanchan in this round at this table. Is this another one? If not, "
            "someone else has saved it: clear this row."
        ),
        "others_planned": _("Different players are planned for this round and table. Check who played."),
        "nearly_in_earlier_row": _(
            "An earlier row has the same players with nearly the same scores. Is this another hanchan?"
        ),
        "in_earlier_row": _("An earlier row has the same players with the same scores. Is this another hanchan?"),
    }
    return sentences.get(error.code) or result_sentence(error)


def unit_sentence(unit: str) -> str:
    sentences = {
        "points": _(
            "These look like points with uma. Enter the raw scores shown by the sticks, such as 317 for 31,700."
        ),
        "units": _("These scores seem to mix units. Enter all of them in hundreds, such as 317 for 31,700."),
    }
    return sentences.get(unit, "")
