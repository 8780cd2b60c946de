"""The parameters of a rule set as forms: the common ones as questions, all of them as JSON, and scores to try them on."""
