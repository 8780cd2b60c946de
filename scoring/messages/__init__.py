from scoring.messages.decisions import decision_sentence
from scoring.messages.errors import ruleset_error_sentence, ruleset_problem, scoring_error_sentence
from scoring.messages.labels import parameter_label, part_label
from scoring.messages.numbers import points_text, raw_text
from scoring.messages.reasons import reason_sentence
from scoring.messages.rules import Description, describe_apart, describe_ruleset
