"""The list of a director's tasks, each with the pages where it is done."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _

from league.messages import joined, plain_name
from league.templatetags.tenbo import moment, when
from tournaments.messages.titles import approval_label, block_name, stage_name
from tournaments.models import Entry, Tournament
from tournaments.selectors.decisions import moves_up_words
from tournaments.selectors.inbox import InboxItem, task_facts, task_title
from tournaments.selectors.state import reader_name

CALM = frozenset({"results", "plan", "draw", "entries", "next_round", "coming", "finish"})
"""Tasks of the usual course of a tournament."""

SESSION_PAGES = {"results": "league:enter_session", "unconfirmed": "league:session", "coming": "league:session"}
PAGES = {"level": "order", "short_table": "withdraw", "next_round": "inbox"}
"""Names of pages that are called otherwise than the task."""

Link = tuple[str, str, str]
"""Label, URL and style of a button; with "post" in the style it changes something at once."""


@dataclass(frozen=True, slots=True)
class TodoLine:
    """A task as listed. `url`: empty if there are only `links`."""

    title: str
    text: str
    url: str
    links: tuple[Link, ...]
    is_calm: bool


def todo_lines(tournament: Tournament, items: Iterable[InboxItem]) -> list[TodoLine]:
    return sorted((_line(tournament, item) for item in items), key=lambda line: line.is_calm)


def _line(tournament: Tournament, item: InboxItem) -> TodoLine:
    stage, format_ = item.stage, tournament.format
    facts = task_facts(item, format_) | {
        "when": when(item.stage_session.session) if item.stage_session else "",
        "names": joined(reader_name(entry.player) for entry in item.names),
        "name": plain_name(item.names[0].player) if item.names else "",
        "approval": approval_label(stage, format_) if stage else "",
        "block": block_name(item.block) if stage and len(stage.blocks) > 1 else "",
    }
    told = item.words[1] % facts if item.names or item.kind != "vacancy" else ""
    if item.hanchan is not None:
        told = format_html("{} · {}", facts["session"], moment(item.hanchan.played_at))
    return TodoLine(
        task_title(item, format_), told, _url(tournament, item), tuple(_links(tournament, item)), item.kind in CALM
    )


def _url(tournament: Tournament, item: InboxItem) -> str:
    slug, name = tournament.league.slug, PAGES.get(item.kind, item.kind)
    if item.hanchan is not None:
        return reverse("league:hanchan", args=[slug, item.hanchan.pk])
    if item.kind in SESSION_PAGES and item.stage_session is not None:
        return reverse(SESSION_PAGES[item.kind], args=[slug, item.stage_session.session_id])
    if item.is_unplayed:
        return ""
    if item.stage is None or item.kind == "short_table":
        return _to(tournament, name) + (_asked(item.names[0], item) if item.kind == "short_table" else "")
    if name == "inbox":
        return f"{_to(tournament, name)}#round-{item.stage.key}{item.block}"
    return "" if item.kind in {"overtaken", "vacancy", "redraw", "too_few"} else _to(tournament, name, item.stage.key)


def _links(tournament: Tournament, item: InboxItem) -> Iterator[Link]:
    key = item.stage.key if item.stage else ""
    if item.decision is not None:
        yield _("Keep the decision"), _to(tournament, "keep", item.decision.pk), "quiet"
    if item.kind == "overtaken":
        yield _("Approve again"), f"{_to(tournament, 'approve', key)}#to-{item.to}", "quiet"
        yield _("Reopen the stage"), _to(tournament, "reopen", key), "plain"
    elif item.kind == "too_few":
        yield _("A player withdraws"), _to(tournament, "withdraw"), ""
        yield _("Close the stage"), _to(tournament, "close", key), "quiet"
    elif item.kind == "redraw" or item.is_unplayed:
        if item.is_unplayed:
            yield _("Decide how it continues"), _to(tournament, "withdraw") + _asked(item.names[0], item), ""
        text = _("Draw the tables of %(stage)s again") % {"stage": stage_name(item.stage)} if item.stage else ""
        yield text, _to(tournament, "redraw", key), "quiet post" if item.is_unplayed else "post"
    elif item.kind == "vacancy":
        yield from _vacancy_links(tournament, item)


def _vacancy_links(tournament: Tournament, item: InboxItem) -> Iterator[Link]:
    can_move = [each for following in item.successors for each in following if not each.has_begun]
    for entry, following in zip(item.names, item.successors, strict=False):
        address = _to(tournament, "withdraw") + _asked(entry, item)
        for each in (each for each in following if each in can_move):
            yield moves_up_words(each), f"{address}&remedy={each.answer}", ""
        text = _("Substitute for %(name)s") % {"name": plain_name(entry.player)}
        yield text, address, "quiet"
    for earlier, is_decided in item.feeders:
        text = _("Promote the next player of %(stage)s") if is_decided else _("Advance one more from %(stage)s")
        text = _("Decide differently") if can_move else text % {"stage": stage_name(earlier)}
        address = f"{_to(tournament, 'approve', earlier.key)}#to-{item.stage.key if item.stage else ''}"
        yield text, address, "plain" if can_move else "quiet"


def _asked(entry: Entry, item: InboxItem) -> str:
    return f"?entry={entry.pk}&stage={item.stage.key if item.stage else ''}"


def _to(tournament: Tournament, name: str, *rest: object) -> str:
    return reverse(f"tournaments:{name}", args=[tournament.league.slug, tournament.key, *rest])
