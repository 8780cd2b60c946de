"""What a stage is played by."""

from league.models import RulesetVersion
from tournaments.core.format import Stage
from tournaments.models import Tournament


def rules_by_stage(tournament: Tournament) -> dict[str, RulesetVersion]:
    own = tournament.stage_rules.select_related("ruleset_version__ruleset")
    return {each.stage: each.ruleset_version for each in own}


def rules_of_stage(tournament: Tournament, stage: Stage) -> RulesetVersion:
    """Return what a stage is played by: its own rules, else those of the tournament. One query."""
    own = tournament.stage_rules.filter(stage=stage.key).select_related("ruleset_version__ruleset").first()
    return own.ruleset_version if own else tournament.ruleset_version
