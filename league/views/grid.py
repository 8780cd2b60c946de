"""The session grid: enter all results of a session in one sheet, check them, and save all or none."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from league.core.limits import MAX_REASON_LENGTH
from league.core.numbers import small_number
from league.core.pasting import PastedBlock, read_block
from league.core.spreadsheets.names import WrittenName
from league.core.spreadsheets.tables import ImportFileError
from league.forms.grid.page import SheetOnPage, sent_row, standing_row
from league.forms.grid.pasting import Place, UnplannedError, are_seats, paste, under_names
from league.forms.grid.sheet import SheetDraft, SheetForm
from league.http.access import actor, in_league, session_led, session_of, wants_json
from league.http.caching import plain_tag, unchanged, with_tag
from league.messages import plain_name
from league.models import League, Player, Session
from league.permissions import MANAGE, RECORD, may_in_session
from league.selectors.grid import SheetContext, sheet_context
from league.services.grid import SavedSheet, SheetRowError, TypedRow, save_sheet
from league.services.imports.people import FilePeople, league_people
from scoring.core import ScoringRules

MAX_BLOCK_LENGTH = 100_000

FIELDS_BEFORE = 2
"""The fields for round and table come before the scores."""


@in_league(RECORD, instead=session_led)
def grid(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    session = session_of(league, pk)
    rules = session.ruleset_version.readable()
    if session.state != Session.State.OPEN or rules is None or rules.missing:
        messages.warning(request, _("Nothing can be entered here: the session is closed or its rules are incomplete."))
        return redirect("league:session", league.slug, session.pk)
    if "stands" in request.GET:
        return _standing(request, league, session, rules)
    context = _context(request, session, rules)
    part = _part(request, context)
    if request.method == "POST":
        return _answered(request, context, part)
    return _page(request, SheetOnPage(SheetForm.stored(context, part), part=part))


def _context(request: HttpRequest, session: Session, rules: ScoringRules) -> SheetContext:
    return sheet_context(session, rules, takes_as_is=may_in_session(request.user, MANAGE, session))


def _part(request: HttpRequest, context: SheetContext) -> int:
    waits = [any(context.places[at].hanchan is None for at in part) for part in context.parts]
    asked = small_number(request.GET.get("part", ""), None, digits=4)
    return min(max(asked - 1, 0), len(waits) - 1) if asked is not None else waits.index(True) if any(waits) else 0


def _answered(request: HttpRequest, context: SheetContext, part: int) -> HttpResponse:
    do, session = request.POST.get("do", "check"), context.session
    draft = SheetDraft(request.POST)
    draft.answer()
    if draft.is_changed_by(do):
        return _page(request, SheetOnPage(SheetForm(context, draft.data), None, draft.problems, part=part))
    if do == "paste":
        _paste(draft, request.POST.get("pasted", "").replace("\x00", ""), context)
    sheet = _checked(context, draft, part)
    # Rows that were shown with errors are not saved now, even if they have become valid, because the user has not seen
    # that.
    marked = request.POST.get("marked", "").split(",") if do == "part" else ()
    rows = [checked for checked in sheet.to_store if str(checked.number) not in marked]
    saves = sheet.is_ready if do == "save" else do == "part" and bool(rows)
    saved = _saved(request, sheet, rows) if saves else None
    if saved is None:
        return _shown(request, sheet)
    if not sheet.is_stuck and len(rows) == len(sheet.to_store):
        return _leave(request, context)
    # Show the saved rows as stored; the others still need corrections.
    for number, game in saved.stored.items():
        draft.show(number, game)
    return _shown(request, _checked(_context(request, session, context.rules), draft, part))


def _standing(request: HttpRequest, league: League, session: Session, rules: ScoringRules) -> HttpResponse:
    """Return the stored rows for an open sheet as JSON; 304 if unchanged."""
    tag = plain_tag("grid", session.pk, league.edition, get_language())
    if known := unchanged(request, tag):
        return known
    rows = [standing_row(hanchan) for hanchan in sheet_context(session, rules).hanchan]
    return with_tag(JsonResponse({"rows": rows}), tag)


def _leave(request: HttpRequest, context: SheetContext) -> HttpResponse:
    to = "league:grid" if len(context.parts) > 1 else "league:session"
    path = reverse(to, args=[context.session.league.slug, context.session.pk])
    return JsonResponse({"go": path}) if wants_json(request) else redirect(path)


def _shown(request: HttpRequest, sheet: SheetOnPage) -> HttpResponse:
    if not wants_json(request):
        return _page(request, sheet)
    names, page = ("check", "head", "problems"), _on_page(request, sheet)
    parts = {name: render_to_string(f"league/sessions/grid_{name}.html", page, request) for name in names}
    return JsonResponse({**parts, "rows": {row.place: sent_row(row) for row in sheet.rows}})


def _checked(context: SheetContext, draft: SheetDraft, part: int) -> SheetOnPage:
    form = SheetForm(context, draft.data)
    return SheetOnPage(form, form.checked(), draft.problems, draft.left_over, part)


def _cursor(text: str) -> Place | None:
    row, _comma, field = text.partition(",")
    place = small_number(row, None, digits=3), small_number(field, None, digits=3)
    return None if place[0] is None or place[1] is None else (place[0], place[1] - FIELDS_BEFORE)


def _paste(draft: SheetDraft, text: str, context: SheetContext) -> None:
    """Paste a block into free rows; if it cannot be read, keep the text in its field and show a message."""
    draft.left_over = text
    if len(text) > MAX_BLOCK_LENGTH:
        draft.problems.append(_("The pasted block is too long for one session. Import it as a file."))
        return
    try:
        block = read_block(text, context.rules.start_points or 0, context.size)
    except ImportFileError:
        draft.problems.append(_("The pasted block is too wide. Copy only names and scores."))
        return
    if not block.rows:
        draft.problems.append(_("No scores were found. Copy one row per hanchan and one column per player."))
        return
    try:
        block, people = _named_block(context, block)
    except UnplannedError as error:
        place = {"round": error.row.round or 0, "table": error.row.table or 1}
        text = _("No one is planned for round %(round)s, table %(table)s. Paste again with the names in the first row.")
        draft.problems.append(text % place)
        return
    draft.left_over = ""
    paste(draft, text, block, people, plans=context.planned, cursor=_cursor(str(draft.data.get("at", ""))))


def _named_block(context: SheetContext, block: PastedBlock) -> tuple[PastedBlock, Sequence[Player | None]]:
    if not are_seats(block.names):
        return block, _people(context, block)
    named, keys = under_names(block, context.planned)
    players = Player.objects.in_bulk(keys)
    offered = [context.choices.by_key.get(str(key)) for key in keys]
    return replace(named, names=tuple(plain_name(players[key]) for key in keys)), offered


def _people(context: SheetContext, block: PastedBlock) -> Sequence[Player | None]:
    if not block.names:
        return ()
    people, offered = league_people(context.session.league), context.choices.by_key
    found = [_meant(people, name) for name in block.names]
    return [player if player and str(player.pk) in offered else None for player in found]


def _meant(people: FilePeople, name: str) -> Player | None:
    """Return the player with this name, or with this family name if it is unique; else None."""
    found = people.directory.find(WrittenName(name))
    family = people.directory.family(name) if found.how == "ask" else found.people
    return people.players[family[0]] if found.how != "ask" or len(family) == 1 else None


def _saved(request: HttpRequest, sheet: SheetOnPage, rows: Sequence[TypedRow]) -> SavedSheet | None:
    reason = request.POST.get("reason", "").strip()[:MAX_REASON_LENGTH]
    if any(row.hanchan is not None for row in rows) and not reason:
        sheet.problems.append(_("Enter a reason for changing saved results. It is public."))
        return None
    session = sheet.form.context.session
    try:
        saved = save_sheet(session=session, rows=rows, reason=reason, by=actor(request))
    except SheetRowError as error:
        sheet.refuse(error)
        return None
    added = ngettext("%(count)s hanchan was added.", "%(count)s hanchan were added.", saved.added)
    changed = ngettext("%(count)s hanchan was corrected.", "%(count)s hanchan were corrected.", saved.changed)
    if saved.added:
        messages.success(request, added % {"count": saved.added})
    if saved.changed:
        messages.success(request, changed % {"count": saved.changed})
    return saved


def _page(request: HttpRequest, sheet: SheetOnPage) -> HttpResponse:
    return render(request, "league/sessions/grid.html", _on_page(request, sheet))


def _on_page(request: HttpRequest, sheet: SheetOnPage) -> dict[str, Any]:
    session = sheet.form.context.session
    return {
        "league": session.league,
        "session": session,
        "sheet": sheet,
        "checked": sheet.check is not None,
        "can_take": sheet.form.context.takes_as_is,
        "reason": request.POST.get("reason", ""),
    }
