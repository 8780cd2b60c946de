from league.selectors.history.lines import UNDONE, HistoryLine, history_lines, revisions_of
from league.selectors.history.subjects import register_subject, subject_choices, subject_for

__all__ = [
    "UNDONE",
    "HistoryLine",
    "history_lines",
    "register_subject",
    "revisions_of",
    "subject_choices",
    "subject_for",
]
