"""The evening as a sheet to type into: check what would change, then store it all or nothing."""

from collections.abc import Sequence

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from league.core.limits import MAX_REASON_LENGTH
from league.core.numbers import small_number
from league.core.pasting import PastedBlock, read_block
from league.core.spreadsheets.names import WrittenName
from league.core.spreadsheets.tables import TableError
from league.forms.grid.pasting import Place, paste
from league.forms.grid.rows import MAX_COLUMNS, MAX_ROWS
from league.forms.grid.sheet import SPARE_ROWS, SheetForm, has_room
from league.http.access import actor, in_league, session_of
from league.models import Hanchan, League, Player, Session
from league.permissions import RECORD
from league.selectors.entry import sheet_choices
from league.services.entry import Seated
from league.services.grid import SavedSheet, SheetLineError, save_sheet
from league.services.imports.people import FilePeople, league_people
from league.services.people import PlayerFacts

MAX_BLOCK_LENGTH = 100_000
"""Characters of a pasted block; an evening has a few thousand."""

FIELDS_BEFORE = 2
"""Round and table stand before the scores of a row."""


@in_league(RECORD)
def grid(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    """Show a session as a sheet, or say what would become of what was typed, or store it."""
    session = session_of(league, pk)
    rules = session.ruleset_version.readable()
    if session.state != Session.State.OPEN or rules is None or rules.missing:
        messages.warning(
            request, _("Nothing can be entered here: the session is closed, or its rules cannot score yet.")
        )
        return redirect("league:session", league.slug, session.pk)
    hanchan = _hanchan(session)
    choices = sheet_choices(session, hanchan)
    if request.method != "POST" and not has_room(hanchan):
        text = _(
            "The sheet has room for %(rows)s hanchan and %(columns)s players. Open each hanchan of this session by itself."
        )
        messages.warning(request, text % {"rows": MAX_ROWS, "columns": MAX_COLUMNS})
        return redirect("league:session", league.slug, session.pk)
    if request.method != "POST":
        return _page(request, session, SheetForm.stored(session, rules, choices, hanchan))
    return _answered(request, session, SheetForm.typed(session, rules, choices, request.POST, hanchan))


def _answered(request: HttpRequest, session: Session, sheet: SheetForm) -> HttpResponse:
    """Do what the pressed button says with what was typed."""
    do = request.POST.get("do", "check")
    if do in {"rows", "column"}:
        _enlarge(sheet, do)
        return _page(request, session, sheet)
    if do == "paste":
        _paste(sheet, request.POST.get("pasted", "").replace("\x00", ""), _cursor(request.POST.get("at", "")))
    sheet.check()
    saves = sheet.is_ready if do == "save" else do == "part" and bool(sheet.lines())
    saved = _saved(request, session, sheet) if saves else None
    if saved is not None and not sheet.is_stuck:
        return redirect("league:session", session.league.slug, session.pk)
    return _page(request, session, _remaining(request, sheet, saved) if saved else sheet, checked=True)


def _remaining(request: HttpRequest, sheet: SheetForm, saved: SavedSheet) -> SheetForm:
    """Return the sheet as it was typed, with the rows that are stored now as stored ones: the others are to be mended."""
    typed = request.POST.copy()
    for number, game in saved.stored.items():
        typed[f"hanchan_{number}"], typed[f"version_{number}"] = str(game.pk), str(game.version)
    hanchan = _hanchan(sheet.session)
    rest = SheetForm.typed(sheet.session, sheet.rules, sheet_choices(sheet.session, hanchan), typed, hanchan)
    rest.check()
    return rest


def _enlarge(sheet: SheetForm, what: str) -> None:
    """Give the sheet more rows or one more column, or say that it is as large as it gets."""
    before = len(sheet.rows), len(sheet.columns)
    if what == "rows":
        sheet.add_rows(SPARE_ROWS)
    else:
        sheet.add_column()
    if before == (len(sheet.rows), len(sheet.columns)):
        text = _("The sheet has room for %(rows)s hanchan and %(columns)s players; more do not fit.")
        sheet.problems.append(text % {"rows": MAX_ROWS, "columns": MAX_COLUMNS})


def _hanchan(session: Session) -> list[Hanchan]:
    found = session.hanchan.standing().select_related("ruleset_version").prefetch_related("seats__player", "incidents")
    hanchan = list(found.order_by("round", "table", "played_at", "pk"))
    for game in hanchan:
        game.session, game.league = session, session.league
    return hanchan


def _cursor(text: str) -> Place | None:
    """Return where the script says that the cursor was: the row, and its field from the round on."""
    row, _comma, field = text.partition(",")
    place = small_number(row, None, digits=3), small_number(field, None, digits=3)
    return None if place[0] is None or place[1] is None else (place[0], place[1] - FIELDS_BEFORE)


def _paste(sheet: SheetForm, text: str, cursor: Place | None) -> None:
    """Put a pasted block into the free rows, or say why it cannot be read and leave it where it was pasted."""
    sheet.left_over = text
    if len(text) > MAX_BLOCK_LENGTH:
        sheet.problems.append(_("The pasted block is too long for one evening. Import it as a file."))
        return
    try:
        block = read_block(text, sheet.rules.start_points or 0, sheet.size)
    except TableError:
        sheet.problems.append(_("The pasted block is too wide. Copy only the names and the scores."))
        return
    if not block.rows:
        sheet.problems.append(_("No scores were found in what was pasted. Copy a row a hanchan, a column a player."))
        return
    sheet.left_over = ""
    paste(sheet, text, block, _people(sheet.session.league, block), cursor)


def _people(league: League, block: PastedBlock) -> Sequence[Seated | None]:
    """Return whom the names of a block mean; a name that nobody or several bear is left for the person to decide."""
    if not block.names:
        return ()
    people = league_people(league)
    return [_meant(people, name) for name in block.names]


def _meant(people: FilePeople, name: str) -> Player | None:
    """Return whom a name means; a family name is enough where only one player bears it."""
    found = people.directory.find(WrittenName(name))
    family = people.directory.family(name) if found.how == "ask" else found.people
    return people.players[family[0]] if found.how != "ask" or len(family) == 1 else None


def _saved(request: HttpRequest, session: Session, sheet: SheetForm) -> SavedSheet | None:
    """Store the rows that are right and say so, or say why not."""
    reason = request.POST.get("reason", "").strip()[:MAX_REASON_LENGTH]
    if sheet.corrects and not reason:
        sheet.problems.append(_("Write why you change results that are stored; everybody can read it in the history."))
        return None
    try:
        saved = save_sheet(session=session, lines=sheet.lines(), reason=reason, by=actor(request))
    except SheetLineError as error:
        sheet.refuse(error.number, error.error)
        return None
    added = ngettext("%(count)s hanchan was added.", "%(count)s hanchan were added.", saved.added)
    changed = ngettext("%(count)s hanchan was corrected.", "%(count)s hanchan were corrected.", saved.changed)
    if saved.added:
        messages.success(request, added % {"count": saved.added})
    if saved.changed:
        messages.success(request, changed % {"count": saved.changed})
    return saved


def _page(request: HttpRequest, session: Session, sheet: SheetForm, *, checked: bool = False) -> HttpResponse:
    page = {
        "league": session.league,
        "session": session,
        "sheet": sheet,
        "checked": checked,
        "reason": request.POST.get("reason", ""),
        "new_guests": [column.person for column in sheet.columns if isinstance(column.person, PlayerFacts) and checked],
    }
    return render(request, "league/sessions/grid.html", page)
