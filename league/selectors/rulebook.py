"""Rules as text: worked examples, changes between versions, and the comparison of cards."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from django.db.models import Count, Max, Min, Q
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from league.models import Hanchan, League, RulesetVersion
from scoring.core import (
    Bust,
    Card,
    FinishedGame,
    Ledger,
    RulesetError,
    ScoringError,
    ScoringRules,
    UnknownCardError,
    load_card,
    read_ruleset,
    score,
    write_ruleset,
)
from scoring.core.ruleset import BustRule
from scoring.messages import describe_apart, reason_sentence, scoring_error_sentence

OFFSETS = {4: (6700, 6300, 500, -13500), 3: (12000, 3000, -15000)}
"""Differences of a worked example's scores from the start points; their sum is 0."""

SEAT_NAMES = (_("East"), _("South"), _("West"), _("North"))

USUAL_START = {4: 25000, 3: 35000}


def in_language(texts: Mapping[str, str] | str) -> str:
    if isinstance(texts, str):
        return texts
    language = "ja" if get_language() == "ja" else "en"
    return texts.get(language) or next(iter(texts.values()), "")


def card_of(version: RulesetVersion) -> Card | None:
    """Return the card on which a version's ruleset is based, or None."""
    try:
        return load_card(version.ruleset.card) if version.ruleset.card else None
    except UnknownCardError:
        return None


@dataclass(frozen=True, slots=True)
class UseOfVersion:
    """Number of hanchan scored by a version (`standing`: without voided ones), with the first and last day."""

    hanchan: int = 0
    standing: int = 0
    first: date | None = None
    last: date | None = None


NO_USE = UseOfVersion()


def uses_of_versions(league: League) -> dict[int, UseOfVersion]:
    """Return the use of each version of the league's rules, by primary key. One query."""
    stands = ~Q(state=Hanchan.State.VOIDED)
    found = Hanchan.objects.filter(league=league).order_by().values_list("ruleset_version")
    numbers = {
        "standing": Count("pk", filter=stands),
        "first": Min("day", filter=stands),
        "last": Max("day", filter=stands),
    }
    return {version: UseOfVersion(*use) for version, *use in found.annotate(hanchan=Count("pk"), **numbers)}


@dataclass(frozen=True, slots=True)
class RuleNote:
    parameter: str
    text: str


def notes_of(remarks: Mapping[str, Mapping[str, str]], card: Card, rules: ScoringRules) -> tuple[RuleNote, ...]:
    """Return the card's remarks on parameters that are unchanged from the card."""
    as_given, as_set = write_ruleset(card.ruleset), write_ruleset(rules)
    return tuple(
        RuleNote(parameter, in_language(texts))
        for parameter, texts in remarks.items()
        if value_at(as_given, parameter) == value_at(as_set, parameter)
    )


def value_at(parameters: Mapping[str, Any], path: str) -> Any:
    value: Any = parameters
    for step in path.split("."):
        value = value.get(step) if isinstance(value, Mapping) else None
    return value


@dataclass(frozen=True, slots=True)
class ExampleSeat:
    """One seat of a worked example; points in 1/1000 pt, lines of (points, sentence) per ledger."""

    name: str
    raw: int
    placement: int
    ranking: int
    settlement: int
    ranking_lines: tuple[tuple[int, str], ...]
    settlement_lines: tuple[tuple[int, str], ...]
    total_only: int = 0
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Example:
    """A scored example, or the error if these scores are impossible."""

    seats: tuple[ExampleSeat, ...]
    error: str = ""
    has_bust: bool = False

    @property
    def has_two_accounts(self) -> bool:
        return any(seat.ranking != seat.settlement for seat in self.seats)


@dataclass(frozen=True, slots=True)
class CardLine:
    """A rule card in the comparison."""

    key: str
    name: str
    players: int
    start: int | None
    returns: int | None
    oka: int
    uma: tuple[int, ...]
    is_floating: bool
    bust: BustRule | None
    missing: tuple[str, ...]
    example: Example
    names: str


COMMON_CARDS = (
    "camarade",
    "mleague",
    "free-10-20",
    "cinderella",
    "tenhou-4p",
    "mahjong-soul",
    "ema",
    "wrc",
    "tenhou-3p",
)
COMMON = len(COMMON_CARDS)
"""The cards to offer first, and their number."""


def card_lines(cards: Sequence[Card]) -> tuple[CardLine, ...]:
    """Return the cards to compare: common ones first, then complete ones, four players before three."""
    places = {key: place for place, key in enumerate(COMMON_CARDS)}
    lines = (_card_line(card, card.ruleset) for card in cards)
    return tuple(sorted(lines, key=lambda line: (places.get(line.key, COMMON), bool(line.missing), -line.players)))


def _card_line(card: Card, rules: ScoringRules) -> CardLine:
    return CardLine(
        key=card.key,
        name=in_language(card.name),
        players=rules.players or 4,
        start=rules.start_points,
        returns=rules.return_points,
        oka=rules.oka_points,
        uma=rules.uma or (),
        is_floating=rules.uma_floating is not None,
        bust=rules.bust,
        missing=rules.missing,
        example=Example(()) if rules.missing else worked_example(rules, example_scores(rules)),
        names=" ".join((card.key, *card.name.values())),
    )


def example_scores(rules: ScoringRules, card: Card | None = None) -> tuple[int, ...]:
    """Return example scores: the card's own if they fit, else around the start points."""
    players = rules.players or 4
    start = rules.start_points if rules.start_points is not None else USUAL_START[players]
    for example in card.examples if card else ():
        raw = tuple(example["raw"])
        if len(raw) == players and sum(raw) == players * start and min(raw) >= 0 and len(set(raw)) == players:
            return raw
    return tuple(start + offset for offset in OFFSETS[players])


def worked_example(
    rules: ScoringRules, raw: Sequence[int], sticks_left: int = 0, *, chombo_by: int | None = None
) -> Example:
    """Return the scored example; busts are assumed to be caused by 1st place.

    `chombo_by`: seat with a chombo.
    """
    top = max(range(len(raw)), key=lambda seat: raw[seat])
    busts = tuple(Bust(seat=seat, by="win", winners=(top,)) for seat, points in enumerate(raw) if rules.is_bust(points))
    chombo = tuple(int(seat == chombo_by) for seat in range(len(raw)))
    game = FinishedGame(tuple(raw), sticks_left, busts, chombo if any(chombo) else ())
    try:
        scored = score(game, rules)
    except ScoringError as error:
        return Example((), scoring_error_sentence(error))
    seats = tuple(
        ExampleSeat(
            name=str(SEAT_NAMES[number]),
            raw=raw[number],
            placement=seat.placement,
            ranking=seat.points[Ledger.RANKING],
            settlement=seat.points[Ledger.SETTLEMENT],
            ranking_lines=_lines(seat.breakdown[Ledger.RANKING]),
            settlement_lines=_lines(seat.breakdown[Ledger.SETTLEMENT]),
            total_only=seat.total_only,
            remarks=tuple(reason_sentence(reason) for reason in seat.remarks),
        )
        for number, seat in enumerate(scored.seats)
    )
    return Example(seats, has_bust=bool(busts))


def _lines(lines: Sequence[Any]) -> tuple[tuple[int, str], ...]:
    return tuple((line.points, reason_sentence(line.reason)) for line in lines)


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
            {line.parameter: line for line in describe_apart(read_ruleset(parameters))}
            for parameters in (before, after)
        )
    except RulesetError:
        return ()
    labels = {name: line.label for name, line in (*old.items(), *new.items())}
    pairs = [
        (label, *(str(lines[name].sentence) if name in lines else "" for lines in (old, new)))
        for name, label in labels.items()
    ]
    return tuple(RuleChange(str(label), first, second) for label, first, second in pairs if first != second)


@dataclass(frozen=True, slots=True)
class VersionLine:
    """A version with its use, and its changes from the previous version."""

    version: RulesetVersion
    use: UseOfVersion
    is_current: bool
    changes: tuple[RuleChange, ...]

    @property
    def hanchan(self) -> int:
        return self.use.hanchan


def version_lines(league: League) -> tuple[VersionLine, ...]:
    """Return all versions of the league's rulesets, latest of each first. Two queries."""
    uses = uses_of_versions(league)
    versions = list(
        RulesetVersion.objects.filter(ruleset__league=league)
        .select_related("ruleset", "created_by")
        .order_by("ruleset__name", "ruleset", "-number")
    )
    earlier = {(version.ruleset_id, version.number): version.parameters for version in versions}
    return tuple(
        VersionLine(
            version,
            uses.get(version.pk, NO_USE),
            version.pk == league.current_version_id,
            differences(earlier.get((version.ruleset_id, version.number - 1)), version.parameters),
        )
        for version in versions
    )


def rules_by_day(lines: Sequence[VersionLine]) -> tuple[VersionLine, ...]:
    """Return the versions with hanchan and the current one, latest first."""
    held = [line for line in lines if line.is_current or line.use.first]
    return tuple(sorted(held, key=lambda line: (line.is_current, line.use.first or date.max), reverse=True))


def scored_otherwise(lines: Sequence[VersionLine], shown: RulesetVersion) -> int:
    """Return the number of hanchan under other versions that may give other points than the shown one.

    Hanchan known by points only are not counted. At most one query.
    """
    rules = shown.read()
    used = [line for line in lines if line.version.ruleset_id == shown.ruleset_id and line.use.standing]
    others = {line.version.pk: line.use.standing for line in used if can_score_otherwise(line.version, rules)}
    return sum(others.values()) - _known_by_points(others)


def _known_by_points(versions: Iterable[int]) -> int:
    """Return the number of hanchan under these versions that are known by points only. At most one query."""
    keys = list(versions)
    found = Hanchan.objects.valid().filter(ruleset_version__in=keys, given=Hanchan.Given.POINTS)
    return found.count() if keys else 0


def can_score_otherwise(version: RulesetVersion, rules: ScoringRules) -> bool:
    """Return whether a version may give other points: it differs in more than house rules, or cannot be read."""
    readable = version.readable()
    return readable is None or readable.for_points != rules.for_points


def unfinished_version(league: League) -> RulesetVersion | None:
    """Return the incomplete rules that were chosen for a league without current rules, or None. At most one query."""
    if league.current_version_id is not None:
        return None
    versions = RulesetVersion.objects.filter(ruleset__league=league).select_related("ruleset").order_by("-pk")
    return next((version for version in versions if (rules := version.readable()) and rules.missing), None)


def previous_of(version: RulesetVersion) -> RulesetVersion | None:
    """Return the version before this one, or None. One query."""
    return version.ruleset.versions.filter(number__lt=version.number).order_by("-number").first()
