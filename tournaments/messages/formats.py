from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext, pgettext_lazy

from scoring.core import load_card
from scoring.messages.numbers import amount_text, in_language, joined, short_text
from tournaments.core.format import Carry, Entrants, Fill, Format, RankBy, SeatingMethod, Sizes, Stage
from tournaments.core.notation import places_given
from tournaments.core.ranking import planned_each
from tournaments.messages.moves import are_tables, moves_into, moves_on
from tournaments.messages.titles import seeds_text


@dataclass(frozen=True, slots=True)
class Paragraph:
    key: str
    title: str
    sentences: tuple[str, ...]


def describe_format(format_: Format) -> list[Paragraph]:
    found = [Paragraph("", pgettext("heading of a format", "General"), tuple(_general(format_)))]
    found += [Paragraph(stage.key, in_language(stage.name), tuple(_stage(stage, format_))) for stage in format_.stages]
    if format_.open:
        remarks = tuple(in_language(text) for text in format_.open.values())
        found.append(Paragraph("open", pgettext("heading of a format", "Not stated in the source"), remarks))
    return found


def _general(format_: Format) -> Iterator[str]:
    yield sizes_sentence(format_.entrants)
    if format_.ruleset is not None:
        yield _("Rules: “%(rules)s”.") % {"rules": card_name(format_.ruleset)}
    if _same_ties(format_):
        yield from _ties(format_.stages[0])
    if not format_.outcomes and len(format_.stages) == 1:
        yield _("The ranking after the last hanchan is the final result.")


def sizes_sentence(sizes: Sizes) -> str:
    if sizes.least == sizes.most:
        return _("%(count)s players.") % {"count": sizes.most}
    return _("%(least)s to %(most)s players.") % {"least": sizes.least, "most": sizes.most}


def card_name(key: str) -> str:
    return in_language(dict(load_card(key).name))


def _same_ties(format_: Format) -> bool:
    return len({(stage.tiebreak, stage.rank_by) for stage in format_.stages}) == 1


def _stage(stage: Stage, format_: Format) -> Iterator[str]:
    yield from moves_into(stage, format_)
    yield from _blocks(stage)
    yield _hanchan(stage, format_.table_size)
    if any(block.size is None or block.size > format_.table_size for block in stage.blocks):
        yield str(SEATING[stage.seating])
    if not format_.is_entered(stage):
        yield _carry(stage.carry, format_)
    yield from _bonuses(stage, format_)
    if stage.ruleset is not None:
        yield _("Rules in this stage: “%(rules)s”.") % {"rules": card_name(stage.ruleset)}
    if not _same_ties(format_):
        yield from _ties(stage)
    yield from moves_on(stage, format_)


def _blocks(stage: Stage) -> Iterator[str]:
    if len(stage.blocks) < 2:
        return
    sizes = {block.size for block in stage.blocks}
    size = sizes.pop() if len(sizes) == 1 else None
    facts = {"blocks": len(stage.blocks), "names": joined(stage.block_keys), "size": size}
    if are_tables(stage):
        yield _("%(blocks)s tables of %(size)s players.") % facts
    elif size is None:
        yield _("%(blocks)s blocks: %(names)s.") % facts
    else:
        yield _("%(blocks)s blocks of %(size)s players: %(names)s.") % facts
    yield str(FILL[stage.fill])


FILL: Mapping[Fill, Promise] = {
    Fill.DRAW: gettext_lazy("Blocks are drawn randomly."),
    Fill.ORDER: gettext_lazy("The top seeds go to the first block, the next to the second, and so on."),
    Fill.SNAKE: gettext_lazy("Players are distributed by seed, back and forth, so that all blocks are equally strong."),
    Fill.BRACKET: gettext_lazy("Players from neighbouring tables meet, as shown in the bracket."),
}


def _hanchan(stage: Stage, table_size: int) -> str:
    facts = {"planned": stage.planned, "sessions": stage.sessions, "hanchan": stage.hanchan}
    size = stage.blocks[0].size
    if len(stage.blocks) == 1 and size is not None and size % table_size:
        facts |= {"each": planned_each(stage, size, table_size), "rest": size % table_size}
        return (
            _(
                "%(planned)s rounds are played. In each, %(rest)s players sit out in turn, so everyone plays "
                "%(each)s hanchan."
            )
            % facts
        )
    if stage.sessions > 1:
        return _("%(planned)s hanchan are played: %(sessions)s sessions of %(hanchan)s.") % facts
    text = ngettext("%(planned)s hanchan is played.", "%(planned)s hanchan are played.", stage.planned)
    return text % facts


SEATING: Mapping[SeatingMethod, Promise] = {
    SeatingMethod.FIXED: gettext_lazy("The same players stay at a table for a whole session."),
    SeatingMethod.BALANCED: gettext_lazy(
        "Tables change after each hanchan, so that everyone meets as evenly as possible."
    ),
    SeatingMethod.SWISS: gettext_lazy(
        "After each hanchan, players close to each other in the ranking meet. Repeat meetings are avoided "
        "where possible."
    ),
    SeatingMethod.STANDING: gettext_lazy("Before each hanchan, tables are set by the ranking, the best at table 1."),
    SeatingMethod.MANUAL: gettext_lazy("An organiser sets the tables."),
}


def _carry(carry: Carry | None, format_: Format) -> str:
    if carry is None:
        return _("Everyone starts at 0 points.")
    facts = {
        "stage": in_language(format_.stage(carry.stage).name),
        "factor": str(carry.factor),
        "unit": amount_text(carry.unit),
    }
    if carry.factor == 1:
        return _("Points from %(stage)s are carried over.") % facts
    return (
        _("%(factor)s of the points from %(stage)s is carried over, rounded to a multiple of %(unit)s (halves up).")
        % facts
    )


def _bonuses(stage: Stage, format_: Format) -> Iterator[str]:
    for source in stage.sources:
        if not source.bonus:
            continue
        bonus = short_text(source.bonus)
        if isinstance(source, Entrants) and source.is_everybody:
            yield _("Everyone starts with %(bonus)s points.") % {"bonus": bonus}
        elif isinstance(source, Entrants):
            seeds = seeds_text(source.first, source.last)
            yield _("%(seeds)s: starts with %(bonus)s points.") % {"seeds": seeds, "bonus": bonus}
        else:
            count = places_given([source], {each.key: each for each in format_.stages}, format_.entrants)
            facts = {"count": count, "bonus": bonus, "stage": in_language(format_.stage(source.stage).name)}
            if count is None:
                yield _("Players from %(stage)s start with %(bonus)s points.") % facts
            else:
                yield (
                    ngettext(
                        "The %(count)s player from %(stage)s starts with %(bonus)s points.",
                        "The %(count)s players from %(stage)s start with %(bonus)s points.",
                        count,
                    )
                    % facts
                )


def _ties(stage: Stage) -> Iterator[str]:
    if stage.rank_by is RankBy.PLACEMENT:
        yield _("Ranked by placements, not points.")
    steps = [str(TIEBREAKS[name]) for name in stage.tiebreak]
    if len(steps) == 1:
        yield str(ONLY_TIEBREAK[stage.tiebreak[0]])
    elif steps:
        yield _("Tie-breaks, in this order: %(steps)s.") % {"steps": joined(steps)}
    else:
        yield str(ONLY_TIEBREAK["manual"])


ONLY_TIEBREAK: Mapping[str, Promise] = {
    "last_hanchan": gettext_lazy("Tie-break: the last hanchan, then the one before, and so on."),
    "last_hanchan_by_placement": gettext_lazy(
        "Tie-break: placement in the last hanchan, then in the one before, and so on."
    ),
    "placement_counts": gettext_lazy("Tie-break: more first places."),
    "best_raw": gettext_lazy("Tie-break: the best raw score."),
    "head_to_head": gettext_lazy("Tie-break: head-to-head."),
    "seed": gettext_lazy("Tie-break: the better seed."),
    "shared": gettext_lazy("Tied players share a rank; on a cut line an organiser decides."),
    "manual": gettext_lazy("An organiser decides ties."),
}


TIEBREAKS: Mapping[str, Promise] = {
    "last_hanchan": pgettext_lazy(
        "tie-break of a stage", "after equally many hanchan, the last one, then the one before, and so on"
    ),
    "last_hanchan_by_placement": pgettext_lazy(
        "tie-break of a stage",
        "after equally many hanchan, placement in the last one, then in the one before, and so on",
    ),
    "placement_counts": pgettext_lazy("tie-break of a stage", "more first places"),
    "best_raw": pgettext_lazy("tie-break of a stage", "the best raw score"),
    "head_to_head": pgettext_lazy("tie-break of a stage", "head-to-head"),
    "seed": pgettext_lazy("tie-break of a stage", "the better seed"),
    "shared": pgettext_lazy("tie-break of a stage", "otherwise a shared rank"),
    "manual": pgettext_lazy("tie-break of a stage", "an organiser's decision"),
}
