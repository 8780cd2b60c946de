from scoring.messages.decisions import decision_sentence
from scoring.messages.errors import ruleset_error_sentence, ruleset_problem, scoring_error_sentence
from scoring.messages.labels import parameter_label, part_label
from scoring.messages.numbers import points_text, raw_text
from scoring.messages.reasons import reason_sentence
from scoring.messages.rules import Description, describe_apart, describe_ruleset

__all__ = [
    "Description",
    "decision_sentence",
    "describe_apart",
    "describe_ruleset",
    "parameter_label",
    "part_label",
    "points_text",
    "raw_text",
    "reason_sentence",
    "ruleset_error_sentence",
    "ruleset_problem",
    "scoring_error_sentence",
]
