from league.selectors.history.lines import UNDONE, HistoryLine, history_lines, revisions_of
from league.selectors.history.subjects import HistorySubject, register_subject, subject_choices

__all__ = [
    "UNDONE",
    "HistoryLine",
    "HistorySubject",
    "history_lines",
    "register_subject",
    "revisions_of",
    "subject_choices",
]
