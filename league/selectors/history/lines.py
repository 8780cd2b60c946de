"""A league's revisions as text: who did what, when and why."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.utils.translation import get_language, gettext

from league.messages import joined, plain_name
from league.messages.sources import source_words
from league.models import Hanchan, League, Player, Revision, Ruleset, Session
from league.selectors.former import hide_former
from league.selectors.history.changes import changes_of
from league.selectors.history.subjects import subject_of
from league.selectors.rulebook import RuleChange


@dataclass(frozen=True, slots=True)
class HistoryLine:
    when: datetime
    who: str
    source: str
    action: str
    what: str
    name: str
    reason: str
    changes: tuple[RuleChange, ...]
    link: str
    is_withdrawal: bool


WITHDRAWALS = frozenset({Revision.Action.VOIDED, Revision.Action.WITHDRAWN})


def revisions_of(league: League, *, subject: str = "", action: str = "") -> QuerySet[Revision]:
    revisions = league.revisions.all()
    if subject:
        revisions = revisions.filter(subject=subject)
    return revisions.filter(action=action) if action else revisions


def history_lines(league: League, revisions: Iterable[Revision]) -> list[HistoryLine]:
    """Return revisions as text. Up to six queries."""
    revisions = hide_former(revisions)
    if get_language() != "ja":
        _romanise_names(league, revisions)
    names = _names(revisions)
    return [_line(league, revision, names) for revision in revisions]


def _romanise_names(league: League, revisions: Iterable[Revision]) -> None:
    """Replace players' names in the snapshots, except in those of the players themselves. One query."""
    latin = dict(Player.objects.filter(league=league).exclude(romanised="").values_list("name", "romanised"))
    for revision in revisions:
        if revision.subject != "player":
            revision.before, revision.after = (_romanised(side, latin) for side in (revision.before, revision.after))


def _romanised(value: Any, latin: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        return {key: _romanised(each, latin) for key, each in value.items()}
    if isinstance(value, list):
        return [_romanised(each, latin) for each in value]
    return latin.get(value, value) if isinstance(value, str) else value


def _names(revisions: Iterable[Revision]) -> dict[tuple[str, int], str]:
    """Return the current names by subject and primary key; deleted objects are missing."""
    wanted: dict[str, set[int]] = {}
    for revision in revisions:
        wanted.setdefault(revision.subject, set()).add(revision.subject_id)
    names: dict[tuple[str, int], str] = {}
    for subject, model in (("session", Session), ("player", Player), ("ruleset", Ruleset)):
        found = model.objects.in_bulk(wanted.get(subject, ())) if subject in wanted else {}
        are_players = subject == "player"
        names |= {(subject, pk): plain_name(each) if are_players else str(each) for pk, each in found.items()}
    games = Hanchan.objects.select_related("session").in_bulk(wanted.get("hanchan", ()))
    return names | {("hanchan", pk): hanchan_name(game) for pk, game in games.items()}


def hanchan_name(hanchan: Hanchan) -> str:
    place = {"session": hanchan.session, "round": hanchan.round, "table": hanchan.table}
    return gettext("%(session)s, round %(round)s, table %(table)s") % place


def _line(league: League, revision: Revision, names: Mapping[tuple[str, int], str]) -> HistoryLine:
    subject = subject_of(revision.subject)
    snapshot = revision.after if isinstance(revision.after, dict) else revision.before
    known = snapshot if isinstance(snapshot, dict) else {}
    today = names.get((revision.subject, revision.subject_id))
    name = today or _own_name(revision.subject, known)
    # Deleted objects have no page.
    is_there = today is not None or revision.subject not in WITH_PAGES
    sentence = subject.sentence(revision.before, revision.after)
    titles = [title for part, title in subject.titles_by_part.items() if part in known]
    return HistoryLine(
        when=revision.at,
        who=revision.by_name or source_words(revision.source),
        source=revision.source,
        action=sentence or revision.get_action_display(),
        what=str(titles[0] if titles else subject.title),
        name="" if sentence else str(name),
        reason=(gettext("Undone right after saving") if revision.reason == UNDONE else revision.reason)
        or str(known.get("reason", "")),
        changes=() if sentence else changes_of(revision, subject),
        link=subject.link(league, revision.subject_id) if subject.link and is_there else "",
        is_withdrawal=revision.action in WITHDRAWALS,
    )


def _own_name(subject: str, known: Mapping[str, Any]) -> str:
    """Return a subject's name from its snapshot."""
    if subject == "tablelink":
        return gettext("%(session)s, table %(table)s") % {"session": known.get("session"), "table": known.get("table")}
    if subject in ATTENDANCE:
        return joined(str(known[part]) for part in ("session", "name") if known.get(part))
    return str(known.get("name") or known.get("user") or "")


WITH_PAGES = frozenset({"hanchan", "session", "player"})
"""Subjects with a page and a name in the database."""

ATTENDANCE = frozenset({"attendance", "attendancelink"})
"""Subjects named by session and player."""


UNDONE = "undo"
"""The reason stored by a quick undo; pages show a translated text."""
