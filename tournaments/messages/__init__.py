"""What the core of tournaments says in codes, said in sentences of the reader's language."""

from tournaments.messages.formats import Paragraph, describe_format, format_name, sizes_sentence, tiebreak_text
from tournaments.messages.places import cut_label, destination_label, place_label, place_labels, rank_label
from tournaments.messages.problems import format_problem_sentence
from tournaments.messages.ranks import rank_text, ranks_text, seeds_text
from tournaments.messages.titles import block_name, in_language, stage_name, stage_session_title

__all__ = [
    "Paragraph",
    "block_name",
    "cut_label",
    "describe_format",
    "destination_label",
    "format_name",
    "format_problem_sentence",
    "in_language",
    "place_label",
    "place_labels",
    "rank_label",
    "rank_text",
    "ranks_text",
    "seeds_text",
    "sizes_sentence",
    "stage_name",
    "stage_session_title",
    "tiebreak_text",
]
