"""Decisions in words, and those that a correction has overtaken."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from league.selectors.former import hide_former
from tournaments.core.facts import Remedy, Unranked
from tournaments.messages.errors import joined
from tournaments.messages.titles import destination_label, settled_words, unranked_words
from tournaments.models import Decision
from tournaments.selectors.names import names_of, reader_name
from tournaments.selectors.state import CurrentState


@dataclass(frozen=True, slots=True)
class DecisionView:
    """`decided` and `proposed` are names; `differs`: others went on than were proposed."""

    decision: Decision
    title: str
    decided: str
    proposed: str
    differs: bool

    @property
    def when(self) -> datetime:
        return self.decision.at


def decision_views(current: CurrentState) -> list[DecisionView]:
    return [_decision_view(current, each) for each in hide_former(sorted(current.decisions, key=lambda each: -each.pk))]


def _decision_view(current: CurrentState, each: Decision) -> DecisionView:
    stage = destination_label(each.stage, current.state.format)
    title = {
        Decision.Kind.DRAW: _("%(stage)s: the blocks were drawn"),
        Decision.Kind.ADVANCE: _("%(stage)s → %(to)s"),
        Decision.Kind.WITHDRAWN: _("%(stage)s: withdrawal"),
        Decision.Kind.CLOSED: _("%(stage)s: closed with what was played"),
        Decision.Kind.ORDER: _("%(stage)s: level players were put in order"),
    }[Decision.Kind(each.kind)] % {
        "stage": stage,
        "to": destination_label(each.to, current.state.format) if each.to else "",
    }
    known = current.entries
    proposed = [pk for pk in each.proposal if pk in known]
    return DecisionView(each, title, _decided(current, each), names_of(current, proposed), each.is_override)


def _decided(current: CurrentState, each: Decision) -> str:
    if each.kind == Decision.Kind.DRAW:
        blocks = [f"{key}: {names_of(current, players)}" for key, players in each.body["blocks"].items()]
        return " / ".join(blocks) if len(blocks) > 1 else ""
    if each.kind == Decision.Kind.WITHDRAWN:
        mark = f"({unranked_words(Unranked.DISQUALIFIED)})" if each.body.get("disqualified") else ""
        return " ".join(filter(None, (joined(_left(current, each)), mark, *_settled(each))))
    if each.kind == Decision.Kind.CLOSED and each.body["unranked"]:
        mark = unranked_words(Unranked.LEFT_OUT)
        return f"{names_of(current, each.body['players'])} ({mark}: {names_of(current, each.body['unranked'])})"
    return names_of(current, each.body["players"])


def _left(current: CurrentState, each: Decision) -> Iterator[str]:
    return (_withdrawn(current, pk, each.body.get("substitutes", {})) for pk in each.body["entries"])


def _settled(each: Decision) -> Iterator[str]:
    for pk, settled in each.body.get("short", {}).items():
        if settled["remedy"] != Remedy.SUBSTITUTE:
            yield settled_words(each, int(pk))


def _withdrawn(current: CurrentState, pk: int, substitutes: Mapping[str, int]) -> str:
    name, substitute = reader_name(current.player(pk)), substitutes.get(str(pk))
    if substitute is None:
        return name
    return _("%(name)s (in the place: %(substitute)s)") % {
        "name": name,
        "substitute": reader_name(current.player(substitute)),
    }


@dataclass(frozen=True, slots=True)
class OvertakenDecision:
    stage: str
    stage_name: str
    to: str
    proposed_then: str
    proposed_now: str
    advanced: str
    ready: bool


def overtaken_decisions(current: CurrentState) -> list[OvertakenDecision]:
    found = []
    for path in current.state.overtaken:
        if path.decision is not None:
            label = destination_label
            found.append(
                OvertakenDecision(
                    stage=path.stage,
                    stage_name=label(path.stage, current.state.format),
                    to=label(path.to, current.state.format),
                    proposed_then=names_of(current, path.decision.proposal),
                    proposed_now=names_of(current, path.proposed),
                    advanced=names_of(current, path.decision.players),
                    ready=path.ready,
                )
            )
    return found
