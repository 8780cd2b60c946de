"""Names of stages, sessions, places, ranks, states and hands, in the reader's language."""

from collections.abc import Iterator, Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, override, pgettext, pgettext_lazy

from league.core.limits import MAX_TITLE_LENGTH
from scoring.messages.numbers import in_language
from tournaments.core.facts import Remedy, Unranked
from tournaments.core.format import Best, Format, Ranks, Source, Stage
from tournaments.core.notation import places_given
from tournaments.core.ranking import Cut, RankingLine
from tournaments.core.state import StageState, TakenPlace
from tournaments.core.ticking import Situation
from tournaments.models import Decision, StageSession, Tournament


def stage_name(stage: Stage) -> str:
    return in_language(stage.name)


def block_name(block: str) -> str:
    """Return a block's name; blocks with numbers are tables."""
    if block.isdecimal():
        return _("Table %(number)s") % {"number": block}
    return _("Block %(block)s") % {"block": block} if block else ""


def stage_and_block(stage: Stage, block: str) -> str:
    return f"{stage_name(stage)} · {block_name(block)}" if len(stage.blocks) > 1 else stage_name(stage)


def session_seating_title(stage: Stage, number: int, block: str) -> str:
    """Return a session's title on its tournament page: "Qualifying, session 2, block B"."""
    facts = {"stage": stage_name(stage), "number": number, "block": block}
    several = stage.sessions > 1
    if several and block.isdecimal():
        return _("%(stage)s, session %(number)s, table %(block)s") % facts
    if several and block:
        return _("%(stage)s, session %(number)s, block %(block)s") % facts
    if several:
        return _("%(stage)s, session %(number)s") % facts
    if block.isdecimal() and len(stage.blocks) > 1:
        return _("%(stage)s, table %(block)s") % facts
    if block and len(stage.blocks) > 1:
        return _("%(stage)s, block %(block)s") % facts
    return stage_name(stage)


def session_title(stage: Stage, planned: StageSession) -> str:
    return session_seating_title(stage, planned.number, planned.block)


def stage_session_titles(tournament: Tournament, stage: Stage, number: int, block: str = "") -> tuple[str, str]:
    """Return the Japanese and English titles of a session of a stage, such as "Spring Cup: Qualifying, session 2"."""

    def title(language: str, name: str) -> str:
        with override(language):
            facts = {"tournament": name, "stage": session_seating_title(stage, number, block)}
            return (_("%(tournament)s: %(stage)s") % facts)[:MAX_TITLE_LENGTH]

    return title("ja", tournament.name), title("en", tournament.name_en or tournament.name)


_TEENS = range(11, 14)


def rank_text(number: int) -> str:
    """Return a rank as an ordinal number: 1st, 22nd, 5位."""
    last = number % 10 if number % 100 not in _TEENS else 0
    text = {
        1: pgettext("rank", "%(number)sst"),
        2: pgettext("rank", "%(number)snd"),
        3: pgettext("rank", "%(number)srd"),
    }.get(last, pgettext("rank", "%(number)sth"))
    return text % {"number": number}


def ranks_text(first: int, last: int | None) -> str:
    """Return a range of ranks: 3rd, 4th and 5th, 1st to 6th, 5th and below."""
    if last == first:
        return rank_text(first)
    if last is None:
        return pgettext("ranks", "%(first)s and below") % {"first": rank_text(first)}
    ends = {"first": rank_text(first), "last": rank_text(last)}
    if last == first + 1:
        return pgettext("ranks", "%(first)s and %(last)s") % ends
    return pgettext("ranks", "%(first)s to %(last)s") % ends


def seeds_text(first: int, last: int | None) -> str:
    """Return a range of seeds: seed 3, seeds 1 to 8, seed 9 and below."""
    facts = {"first": first, "last": last}
    if last == first:
        return pgettext("seeds", "Seed %(first)s") % facts
    if last is None:
        return pgettext("seeds", "Seed %(first)s and below") % facts
    return pgettext("seeds", "Seeds %(first)s to %(last)s") % facts


def unranked_words(unranked: Unranked | None) -> str:
    if unranked is None:
        return ""
    return {Unranked.DISQUALIFIED: _("disqualified"), Unranked.LEFT_OUT: _("without a rank")}[unranked]


def line_mark(line: RankingLine, replaced: str = "", *, moved_up: bool = False) -> str:
    """Return the note beside a name in standings: withdrawn, unranked, moved up, or whom a substitute replaced."""
    told = _("withdrew") if line.withdrawn else replaced and pgettext("substitute", "for %(name)s") % {"name": replaced}
    return unranked_words(line.unranked) or told or (_("moved up") if moved_up else "")


def destination_label(key: str | None, format_: Format) -> str:
    """Return the name of a stage or outcome; None means elimination."""
    return _("Out") if key is None else in_language(format_.destination(key).name)


def approval_label(stage: Stage, format_: Format) -> str:
    return _("Confirm the champion") if format_.title_of(stage.key) else _("Approve who advances")


def cut_label(cut: Cut, format_: Format) -> str:
    """Return the label of a line, such as "Line to the final (1st)"."""
    if cut.above is None:
        return _("Cut line for %(to)s") % {"to": destination_label(cut.below, format_)}
    return _("Cut line for %(to)s (%(rank)s)") % {
        "to": destination_label(cut.above, format_),
        "rank": rank_text(cut.after),
    }


def place_label(place: TakenPlace, format_: Format, seed: int | None = None) -> str:
    """Return where a place was won: A-4, Playoff 1 1st, seed 3; empty for an entrant without a seed."""
    if place.stage is None:
        return seeds_text(seed, seed) if seed is not None else ""
    if place.position is None:
        return destination_label(place.stage, format_)
    return rank_label(format_.stage(place.stage), place.block, place.position, format_)


def rank_label(stage: Stage, block: str, position: int, format_: Format) -> str:
    """Return a short label for a rank, such as A-4, with the stage's name if the block is ambiguous."""
    facts = {"stage": in_language(stage.name), "block": block, "position": position, "rank": rank_text(position)}
    if not block:
        return pgettext("place", "%(stage)s %(rank)s") % facts
    text = (
        pgettext("place at a table", "T%(block)s-%(position)s")
        if block.isdecimal()
        else pgettext("place in a block", "%(block)s-%(position)s")
    ) % facts
    if sum(block in each.block_keys for each in format_.stages) == 1:
        return text
    return pgettext("place", "%(stage)s %(place)s") % {**facts, "place": text}


def source_labels(source: Source, format_: Format) -> Iterator[str]:
    """Yield short labels of places; one for all ranks or none if their number depends on the number of entrants."""
    if isinstance(source, Best):
        yield from (_best(source, number) for number in range(1, source.count + 1))
    elif isinstance(source, Ranks):
        yield from _ranks(source, format_)
    elif not source.is_everybody:
        count = places_given([source], {}, format_.entrants) or 0
        yield from (seeds_text(seed, seed) for seed in range(source.first, source.first + count))


def _ranks(source: Ranks, format_: Format) -> Iterator[str]:
    stage = format_.stage(source.stage)
    for block in stage.blocks:
        last = source.last or block.size
        if source.block in {None, block.key} and last is not None:
            yield from (rank_label(stage, block.key, each, format_) for each in range(source.first, last + 1))
        elif not block.key:
            facts = {"stage": stage_name(stage), "rank": ranks_text(source.first, None)}
            yield pgettext("place", "%(stage)s %(rank)s") % facts


def _best(source: Best, number: int) -> str:
    if source.count == 1:
        return pgettext("place", "Best %(rank)s") % {"rank": rank_text(source.rank)}
    return pgettext("place", "Best %(rank)s, no. %(number)s") % {"rank": rank_text(source.rank), "number": number}


def stage_state(state: StageState) -> str:
    return {
        StageState.WAITING: _("Waiting for players"),
        StageState.UNDRAWN: _("Waiting for the draw"),
        StageState.READY: _("Ready to play"),
        StageState.RUNNING: _("In progress"),
        StageState.PLAYED: _("Finished; waiting for approval"),
        StageState.DECIDED: _("Decided"),
    }[state]


def short_state(state: StageState) -> str:
    return {
        StageState.WAITING: pgettext("short state of a stage", "waiting"),
        StageState.UNDRAWN: pgettext("short state of a stage", "to be drawn"),
        StageState.READY: pgettext("short state of a stage", "ready"),
        StageState.RUNNING: pgettext("short state of a stage", "in progress"),
        StageState.PLAYED: pgettext("short state of a stage", "finished"),
        StageState.DECIDED: pgettext("short state of a stage", "decided"),
    }[state]


ROUNDS: Mapping[str, object] = {
    "E": pgettext_lazy("round wind", "East"),
    "S": pgettext_lazy("round wind", "South"),
    "W": pgettext_lazy("round wind", "West"),
    "N": pgettext_lazy("round wind", "North"),
}


def hand_name(hand: str) -> str:
    """Return a hand's name: 南4局, South 4."""
    return pgettext("hand of a hanchan", "%(wind)s %(number)s") % {"wind": ROUNDS[hand[0]], "number": hand[1]}


def hand_line(now: Situation) -> str:
    facts = {"hand": hand_name(now.hand), "honba": now.honba, "sticks": now.sticks}
    return _("%(hand)s · honba %(honba)s · sticks %(sticks)s") % facts


SETTLED: Mapping[Remedy, Promise] = {
    Remedy.SUBSTITUTE: gettext_lazy("A substitute plays."),
    Remedy.HOUSE: gettext_lazy("A house player plays."),
    Remedy.THREE: gettext_lazy("The other three continue."),
    Remedy.NOBODY: gettext_lazy("The remaining hanchan are not played."),
    Remedy.NEXT: gettext_lazy("The next in the ranking moves up."),
}


def settled_words(decision: Decision, pk: int) -> str:
    """Return how the player's tables continue after a withdrawal, empty while undecided."""
    settled = decision.body.get("short", {}).get(str(pk))
    return str(SETTLED[Remedy(settled["remedy"])]) if settled else ""
