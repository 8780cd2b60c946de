"""Rules as text: worked examples, changes between versions, and the comparison of cards."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from django.db.models import Count, Max, Min, Q
from django.utils.functional import Promise
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from league.messages.rules import parameter_names
from league.models import Hanchan, League, RulesetVersion, Session
from league.models.play import SessionQuerySet
from scoring import core
from scoring.messages import describe_apart, part_label, scoring_error_sentence
from scoring.messages.numbers import in_language, joined

OFFSETS = {4: (6700, 6300, 500, -13500), 3: (12000, 3000, -15000)}
"""Differences of a worked example's scores from the start points; their sum is 0."""

SEAT_NAMES = (_("East"), _("South"), _("West"), _("North"))

USUAL_START = {4: 25000, 3: 35000}


def notes_of(remarks: Mapping[str, Mapping[str, str]], card: core.Card, rules: core.ScoringRules) -> tuple[str, ...]:
    """Return the card's remarks on parameters that are unchanged from the card."""
    as_given, as_set = core.write_ruleset(card.ruleset), core.write_ruleset(rules)
    return tuple(
        in_language(texts)
        for parameter, texts in remarks.items()
        if value_at(as_given, parameter) == value_at(as_set, parameter)
    )


def value_at(parameters: Mapping[str, Any], path: str) -> Any:
    value: Any = parameters
    for step in path.split("."):
        value = value.get(step) if isinstance(value, Mapping) else None
    return value


@dataclass(frozen=True, slots=True)
class Example:
    """A scored example, or the error if these scores are impossible."""

    scored: core.ScoredGame | None = None
    error: str = ""

    @property
    def seats(self) -> list[tuple[Promise, int, core.ScoredSeat]]:
        """Each seat with its name and raw score."""
        return [*zip(SEAT_NAMES, self.scored.game.raw, self.scored.seats, strict=False)] if self.scored else []

    @property
    def has_two_accounts(self) -> bool:
        return self.scored is not None and self.scored.ranking != self.scored.settlement


COMMON_CARDS = (
    "mleague",
    "free-10-20",
    "free-10-30",
    "camarade",
    "cinderella",
    "tenhou-4p",
    "mahjong-soul",
    "ema",
    "wrc",
    "tenhou-3p",
)
COMMON = len(COMMON_CARDS)
"""The cards to offer first, and their number."""


def card_lines(cards: Sequence[core.Card]) -> list[dict[str, Any]]:
    """Return the cards to compare: those common in the reader's country, then complete ones, four players before three."""
    common = COMMON_CARDS if get_language() == "ja" else ("ema", "wrc", *COMMON_CARDS)
    places = {key: -place for place, key in enumerate(reversed(common))}
    in_order = sorted(
        cards, key=lambda card: (places.get(card.key, 1), bool(card.ruleset.missing), -(card.ruleset.players or 4))
    )
    return [
        {
            "key": card.key,
            "name": in_language(card.name),
            "names": " ".join((card.key, *card.name.values())),
            "rules": card.ruleset,
            "unset": "" if card.ruleset.missing else parameter_names(card.ruleset.unset),
            "left_out": left_out(card.ruleset),
            "example": None if card.ruleset.missing else worked_example(card.ruleset, example_scores(card.ruleset)),
        }
        for card in in_order
    ]


def left_out(rules: core.ScoringRules) -> str:
    """Return the parts of the settlement that ranking points do not include, as text."""
    held = dict(rules.accounts)
    only = held[core.Ledger.SETTLEMENT].parts - held[core.Ledger.RANKING].parts
    return joined(part_label(part) for part in core.LEDGER_PARTS if part in only)


def example_scores(rules: core.ScoringRules, card: core.Card | None = None) -> tuple[int, ...]:
    """Return example scores: the card's own if they fit, else around the start points."""
    players = rules.players or 4
    start = rules.start_points if rules.start_points is not None else USUAL_START[players]
    for example in card.examples if card else ():
        raw = tuple(example["raw"])
        if len(raw) == players and sum(raw) == players * start and min(raw) >= 0 and len(set(raw)) == players:
            return raw
    return tuple(start + offset for offset in OFFSETS[players])


def worked_example(
    rules: core.ScoringRules, raw: Sequence[int], sticks_left: int = 0, *, chombo_by: int | None = None
) -> Example:
    """Return the scored example; busts are assumed to be caused by 1st place.

    `chombo_by`: seat with a chombo.
    """
    top = max(range(len(raw)), key=lambda seat: raw[seat])
    busted = (seat for seat, points in enumerate(raw) if rules.is_bust(points))
    busts = tuple(core.Bust(seat=seat, by="win", winners=(top,)) for seat in busted)
    chombo = tuple(int(seat == chombo_by) for seat in range(len(raw)))
    game = core.FinishedGame(tuple(raw), sticks_left, busts, chombo if any(chombo) else ())
    try:
        return Example(core.score(game, rules))
    except core.ScoringError as error:
        return Example(error=scoring_error_sentence(error))


@dataclass(frozen=True, slots=True)
class RuleChange:
    """A parameter that differs between two versions; "" if it was not set."""

    label: str
    before: str
    after: str


def differences(before: Mapping[str, Any] | None, after: Mapping[str, Any]) -> tuple[RuleChange, ...]:
    """Return the differences between two versions' parameters as text; () if either cannot be read."""
    if before is None:
        return ()
    try:
        old, new = (
            {line.parameter: line for line in describe_apart(core.read_ruleset(parameters))}
            for parameters in (before, after)
        )
    except core.RulesetError:
        return ()
    labels = {name: line.label for name, line in (*old.items(), *new.items())}
    pairs = [
        (label, *(str(lines[name].sentence) if name in lines else "" for lines in (old, new)))
        for name, label in labels.items()
    ]
    return tuple(RuleChange(str(label), first, second) for label, first, second in pairs if first != second)


def version_lines(league: League) -> list[dict[str, Any]]:
    """Return all versions of the league's rulesets, latest of each first. Two queries.

    Each has its changes from the previous version, and its use: the number of hanchan scored by it (`standing`: without
    voided ones), with the first and last day.
    """
    stands = ~Q(state=Hanchan.State.VOIDED)
    numbers = {
        "hanchan": Count("pk"),
        "standing": Count("pk", filter=stands),
        "first": Min("day", filter=stands),
        "last": Max("day", filter=stands),
    }
    used = Hanchan.objects.filter(league=league).order_by().values("ruleset_version").annotate(**numbers)
    uses = {use["ruleset_version"]: use for use in used}
    unused: dict[str, Any] = {"hanchan": 0, "standing": 0, "first": None, "last": None}
    found = RulesetVersion.objects.filter(ruleset__league=league).select_related("ruleset", "created_by")
    versions = list(found.order_by("ruleset__name", "ruleset", "-number"))
    earlier = {(version.ruleset_id, version.number): version.parameters for version in versions}
    return [
        {
            "version": version,
            "is_current": version.pk == league.current_version_id,
            "changes": differences(earlier.get((version.ruleset_id, version.number - 1)), version.parameters),
            **uses.get(version.pk, unused),
        }
        for version in versions
    ]


def rules_by_day(lines: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the versions with hanchan and the current one, latest first."""
    held = [line for line in lines if line["is_current"] or line["first"]]
    return sorted(held, key=lambda line: (line["is_current"], line["first"] or date.max), reverse=True)


def open_sessions(league: League, chosen: RulesetVersion) -> SessionQuerySet:
    """Return the league's open sessions under other rules; those with a title, as of tournaments, keep theirs."""
    found = league.sessions.filter(state=Session.State.OPEN, title="").exclude(ruleset_version=chosen)
    return found.select_related("ruleset_version__ruleset")


def counts_otherwise(version: RulesetVersion, rules: core.ScoringRules) -> bool:
    """Return whether a version may give other points: it differs in more than house rules, or cannot be read."""
    readable = version.readable()
    return readable is None or readable.for_points != rules.for_points


def can_score_otherwise(version: RulesetVersion, rules: core.ScoringRules) -> bool:
    """Return whether a version may have given other points; what it leaves undecided has scored nothing."""
    readable = version.readable()
    undecided: dict[str, Any] = dict.fromkeys(readable.unset if readable else ())
    return counts_otherwise(version, replace(rules, **undecided))


def only_decides(parameters: Mapping[str, object], before: RulesetVersion) -> bool:
    """Return whether parameters differ from those of a version, only in what that one leaves undecided."""
    after = core.write_ruleset(core.read_ruleset(parameters))
    new = {*after} - {*before.parameters}
    kept = all(after.get(name) == value for name, value in before.parameters.items())
    return kept and bool(new) and new <= {*before.read().unset}


def unfinished_version(league: League) -> RulesetVersion | None:
    """Return the incomplete rules that were chosen for a league without current rules, or None. At most one query."""
    if league.current_version_id is not None:
        return None
    versions = RulesetVersion.objects.filter(ruleset__league=league).select_related("ruleset").order_by("-pk")
    return next((version for version in versions if (rules := version.readable()) and rules.missing), None)


def previous_of(version: RulesetVersion) -> RulesetVersion | None:
    """Return the version before this one, or None. One query."""
    return version.ruleset.versions.filter(number__lt=version.number).order_by("-number").first()
