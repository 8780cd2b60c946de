from league.selectors.history.lines import UNDONE, HistoryLine, history_lines, revisions_of
from league.selectors.history.subjects import register_subject, subject_choices, subject_for
