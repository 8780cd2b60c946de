"""Conditions where places alone rank, before the last hanchan of a table: what each place brings, and where level is open."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, permutations

from tournaments.core.needs.by_places import PLACE, points_of_places
from tournaments.core.needs.case import Case
from tournaments.core.needs.goal import reached
from tournaments.core.needs.margins import margins_of
from tournaments.phrases.needs import TableTeller


@dataclass(frozen=True, slots=True)
class LowerLine:
    """A line further down: how many are above it, and where they go, by language."""

    goal: int
    to: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Line:
    """What the goal is called: the title, or to go on. `lower`: the lines below, the next first, told where places rank."""

    is_title: bool = False
    lower: tuple[LowerLine, ...] = ()


def places_told(speaker: TableTeller, player: str, lower: Sequence[LowerLine], language: str) -> Iterator[str]:
    """Yield what each place brings a player who is neither through nor out, the best place first.

    A place that is enough only for some places of the others says for which. Where the sum of placements may be level, and
    nothing at the table decides, that is said: somebody may reach it or not.
    """
    surely, possibly = _needs(speaker, player), _needs(_where_level_is_enough(speaker, player), player)
    enough = next((number for number, need in enumerate(surely) if need != ""), len(surely))
    if enough:
        yield speaker.enough(enough)
    for number, (need, hope) in enumerate(zip(surely, possibly, strict=True)):
        if need:
            yield speaker.say("if", place=speaker.places[number], condition=need)
        if hope != need and hope is not None:
            said = {"place": speaker.places[number], "condition": hope}
            yield speaker.say("if_level" if hope else "if_level_at_all", **said)
    low = next((number for number, hope in enumerate(possibly) if hope is None), len(possibly))
    yield from _below(speaker, player, low, [(line, line.to.get(language, line.to["ja"])) for line in lower])


def _needs(speaker: TableTeller, player: str) -> list[str | None]:
    """Return for each place what it needs: "" for nothing, None where no order of the others is enough."""
    case, margins = speaker.case, margins_of(speaker.case, player)
    found: list[str | None] = []
    for place in range(1, len(speaker.places) + 1):
        enough = set(_enough(case, player, place))
        found.append(speaker.need(player, place, margins) if len(enough) > 1 else "" if True in enough else None)
    return found


def _enough(case: Case, player: str, place: int) -> Iterator[bool]:
    for rivals in permutations(case.rivals(player)):
        order = [*rivals[: place - 1], player, *rivals[place - 1 :]]
        gained = {each: points_of_places([number]) for number, each in enumerate(order, start=1)}
        yield player in reached(case, gained)


def _where_level_is_enough(speaker: TableTeller, player: str) -> TableTeller:
    """Return the same for a player who is above whoever is level: half a place better, which changes nothing else.

    Where the last hanchan decides, only those elsewhere may be level with nothing to tell who is above.
    """
    case: Case = speaker.case
    if case.last_decides:
        others = {each: total - PLACE // 2 for each, total in case.others.items()}
        return replace(speaker, case=replace(case, others=others))
    totals = {**case.totals, player: case.totals[player] + PLACE // 2}
    return replace(speaker, case=replace(case, totals=totals))


def _below(speaker: TableTeller, player: str, low: int, lower: Sequence[tuple[LowerLine, str]]) -> Iterator[str]:
    """Yield where the places lead that are too low: to the best line below that is certain then, or nowhere."""
    reached = [(to, _needs(replace(speaker, case=replace(speaker.case, goal=line.goal)), player)) for line, to in lower]
    leads = [
        next((to for to, needs in reached if needs[number] == ""), "") for number in range(low, len(speaker.places))
    ]
    for to, run in groupby(enumerate(leads, start=low), key=lambda found: found[1]):
        numbers = [number for number, _ in run]
        if to:
            places = speaker.phrases["or_place"].join(speaker.places[number] for number in numbers)
            yield speaker.say("leads_to", places=places, to=to)
        else:
            is_last = numbers[0] == len(speaker.places) - 1
            yield speaker.say("too_low_only" if is_last else "too_low", place=speaker.places[numbers[0]])
