from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from league.forms.rules.house import PREFIX
from scoring.core import ScoringRules
from scoring.core.reading import shipped_table
from scoring.messages import describe_ruleset
from scoring.messages.clauses import HOUSE_SECTIONS
from scoring.messages.numbers import lazily, sentences


@dataclass(frozen=True, slots=True)
class RuleSection:
    """Questions under a heading. `clauses`: clauses of the rule sheet that summarise the answers."""

    key: str
    heading: Any
    fields: Sequence[str]
    clauses: Sequence[str]


QUESTIONS: Mapping[str, Mapping[str, Any]] = shipped_table(__package__, "questions.toml")
"""Sections of questions that affect points. The first one has those in which leagues differ most."""

OF_POINTS: Sequence[RuleSection] = tuple(
    RuleSection(key, lazily(section["heading"]), [*section["questions"]], section["summary"])
    for key, section in QUESTIONS.items()
)
"""Sections that affect points."""

OF_TABLE: Sequence[RuleSection] = tuple(
    RuleSection(
        f"house-{key}",
        lazily(section.heading),
        [f"{PREFIX}{path.replace('.', '_')}" for path in section.rules],
        (f"house.{key}",),
    )
    for key, section in HOUSE_SECTIONS.items()
)
"""Sections about play, which do not affect points."""

WITHOUT_POINTS = frozenset(("lend_below_zero", "chombo_hand", "chombo_dealer", "chombo_deposits_back", "fine_amount"))
"""Questions in OF_POINTS that do not affect points."""


def summaries(rules: ScoringRules) -> Mapping[str, str]:
    """Return the summary of each section in the active language; "" if undecided."""
    said = {line.parameter: line.sentence for line in describe_ruleset(rules)}
    sections = (*OF_POINTS, *OF_TABLE)
    return {each.key: sentences(*(said.get(clause, "") for clause in each.clauses)) for each in sections}
