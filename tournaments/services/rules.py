"""The rules that a format names become rules of the league, and those of the tournament; the league's own stay."""

from league.models import League, Ruleset, RulesetVersion
from league.services.history import Actor
from league.services.rules import adopt_card
from scoring.core import load_card
from tournaments.core.format import Format
from tournaments.messages.titles import in_language
from tournaments.services.events import TournamentError


def version_of_card(league: League, card: str, by: Actor) -> RulesetVersion:
    """Return the newest version of the league's rules from this card; the card is taken over where there are none.

    Raises TournamentError "rules_incomplete" while an organiser still has to set what the card leaves open.
    """
    known = Ruleset.objects.filter(league=league, card=card).order_by("pk").last()
    if known is None:
        if load_card(card).ruleset.missing:
            raise TournamentError("rules_incomplete", rules=in_language(dict(load_card(card).name)))
        return adopt_card(league=league, card_key=card, name=in_language(dict(load_card(card).name)), by=by)
    newest = known.versions.order_by("number").reverse()[0]
    if newest.read().missing:
        raise TournamentError("rules_incomplete", rules=str(newest))
    return newest


def rules_of_format(league: League, format_: Format, by: Actor) -> RulesetVersion:
    """Return what a tournament of this format is played by: the rules that it names, else those of the league.

    Raises TournamentError "rules_incomplete", and "no_rules" where neither says anything.
    """
    version = version_of_card(league, format_.ruleset, by) if format_.ruleset else league.current_version
    if version is None:
        raise TournamentError("no_rules")
    return version


def stage_rules_of_format(league: League, format_: Format, by: Actor) -> dict[str, int]:
    """Return the rules of the stages that name rules of their own. Raises TournamentError "rules_incomplete"."""
    return {
        stage.key: version_of_card(league, stage.ruleset, by).pk
        for stage in format_.stages
        if stage.ruleset is not None and stage.ruleset != format_.ruleset
    }
