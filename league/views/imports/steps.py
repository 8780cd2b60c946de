"""Steps of an import between upload and run: reading, columns, names, check, preview."""

from collections.abc import Callable, Iterable, Iterator
from functools import wraps
from typing import Any

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_safe

from league.core.numbers import small_number
from league.core.spreadsheets.tables import ImportFileError
from league.forms.imports import ColumnsForm, MendingForm, ReadingForm, cells_sent
from league.http.access import SlugView, actor, in_league
from league.http.import_batches import batch_of, is_settled, seen
from league.messages.imports import sentence
from league.models import ImportBatch, League
from league.permissions import MANAGE
from league.services.imports.checks import EVERY_ONE
from league.services.imports.contents import FileContents
from league.services.imports.mending import (
    add_busts,
    games_on_a_page,
    lacks_busts,
    mend,
    mendable,
    wrong_rows,
)
from league.services.imports.reports import checked, held_batch, report_of
from league.services.imports.steps import (
    change_reading,
    decide_names,
    match_names,
    preview_file,
    set_options,
    take_as_they_are,
)
from league.services.imports.values import ImportReport, NameMatch, RowStatus
from league.tables.imports import check_rows, filters, game_fields, name_field, name_rows, said, steps, text_fields

NAMES_ON_A_PAGE = 50
ROWS_ON_A_PAGE = 50
LISTED = 60
"""New players and sessions to list."""

CELLS_SHOWN = 30
"""Columns to show of the first rows."""

StepView = Callable[[HttpRequest, ImportBatch], HttpResponse]

STEP_OF = {"mend": "check"}
"""Pages that belong to another step."""

BEFORE = {"reading": "imports", "columns": "import_reading", "names": "import_columns", "check": "import_columns"}
"""Page to return to if the file cannot be read in a step."""


def step(name: str) -> Callable[[StepView], SlugView[[int]]]:
    """Return a decorator for the page of a step; it passes the import if this can still be changed.

    If the file cannot be read, redirect to the page where that can be fixed, with the error.
    """

    def decorate(view: StepView) -> SlugView[[int]]:
        @require_http_methods(["GET", "HEAD", "POST"])
        @in_league(MANAGE)
        @wraps(view)
        def guarded(request: HttpRequest, league: League, pk: int) -> HttpResponse:
            batch = batch_of(league, pk)
            if is_settled(batch):
                return redirect("league:import_result", league.slug, batch.pk)
            try:
                return view(request, batch)
            except ImportFileError as error:
                messages.error(request, sentence(error.code, error.values))
                back = BEFORE.get(name, "import_check")
                return redirect(f"league:{back}", league.slug, *([] if back == "imports" else [batch.pk]))

        return guarded

    return decorate


def _go(batch: ImportBatch, name: str, query: str = "") -> HttpResponse:
    return redirect(reverse(f"league:import_{name}", args=(batch.league.slug, batch.pk)) + query)


def _page(request: HttpRequest, batch: ImportBatch, name: str, **more: Any) -> HttpResponse:
    page = {"league": batch.league, "batch": batch, "steps": steps(batch, STEP_OF.get(name, name)), **more}
    return render(request, f"league/imports/{name}.html", page)


def _goes_on(request: HttpRequest) -> bool:
    return "on" in request.POST


@step("reading")
def reading(request: HttpRequest, batch: ImportBatch) -> HttpResponse:
    preview = preview_file(batch)
    form = ReadingForm(request.POST if request.method == "POST" else None, preview=preview)
    if form.is_valid():
        try:
            change_reading(batch, form.reading)
        except ImportFileError as error:
            form.add_error(None, sentence(error.code, error.values))
        else:
            return _go(batch, "columns" if _goes_on(request) else "reading")
    return _page(request, batch, "reading", form=form, **_seen_rows(preview))


def _seen_rows(preview: FileContents) -> dict[str, Any]:
    return {
        "preview": preview,
        "heads": [column.header for column in preview.columns[:CELLS_SHOWN]],
        "rows": [row[:CELLS_SHOWN] for row in preview.rows],
        "more_columns": max(0, len(preview.columns) - CELLS_SHOWN),
        "notes": said(preview.notes),
        "problems": said(preview.problems),
    }


@step("columns")
def columns(request: HttpRequest, batch: ImportBatch) -> HttpResponse:
    preview = preview_file(batch)
    form = ColumnsForm(request.POST if request.method == "POST" else None, preview=preview)
    if form.is_valid():
        preview = change_reading(batch, form.reading)
        if not (_goes_on(request) and preview.problems):
            return _after_columns(request, batch, preview)
    lines = [(column, form[f"column_{column.index}"]) for column in preview.columns]
    return _page(request, batch, "columns", form=form, lines=lines, **_seen_rows(preview))


def _after_columns(request: HttpRequest, batch: ImportBatch, preview: FileContents) -> HttpResponse:
    if not _goes_on(request):
        return _go(batch, "columns")
    if not preview.questions.is_open(preview.reading):
        return _go(batch, "names")
    messages.info(request, _("These columns leave an open question about the file. Answer it here."))
    return _go(batch, "reading")


@step("names")
def names(request: HttpRequest, batch: ImportBatch) -> HttpResponse:
    matches = match_names(batch)
    found = Paginator(matches, NAMES_ON_A_PAGE).get_page(request.GET.get("page"))
    if request.method == "POST":
        fields = {name_field(match): match.key for match in found.object_list}
        choices = {key: request.POST[field] for field, key in fields.items() if field in request.POST}
        decide_names(batch, choices, unknown=request.POST.get("unknown", ""))
        return _after_names(request, batch, found.number)
    players = list(batch.league.players.active().by_reading())
    page = {
        "found": found,
        "rows": name_rows(list(found.object_list), players, batch.names),
        "open": _open(matches),
        "unknown": batch.options.get("unknown", ""),
    }
    return _page(request, batch, "names", **page)


def _open(matches: Iterable[NameMatch]) -> int:
    return sum(match.how == "ask" for match in matches)


def _after_names(request: HttpRequest, batch: ImportBatch, number: int) -> HttpResponse:
    if not _goes_on(request):
        return _go(batch, "names", f"?page={number}")
    still_open = _open(match_names(batch))
    if not still_open:
        return _go(batch, "check")
    left = ngettext("%(count)s name is still open.", "%(count)s names are still open.", still_open)
    messages.error(request, left % {"count": still_open})
    return _go(batch, "names")


@step("check")
def check(request: HttpRequest, batch: ImportBatch) -> HttpResponse:
    if request.method == "POST":
        set_options(batch, leave_out_errors="leave_out" in request.POST, take_asked="take_asked" in request.POST)
        if "as_is_why" in request.POST:
            _take_as_they_are(request, batch)
        return _go(batch, "check")
    report = _report(request, batch)
    show = request.GET.get("show", "")
    found = Paginator(check_rows(report, show), ROWS_ON_A_PAGE).get_page(request.GET.get("page"))
    page = {"found": found, "filters": filters(report, show)}
    return _page(request, batch, "check", **page, **_found(report))


def _take_as_they_are(request: HttpRequest, batch: ImportBatch) -> None:
    """Accept the rows with wrong totals: all, or those ticked on this page. Choices on other pages are kept."""
    listed, ticked = ({*map(_line, request.POST.getlist(name))} for name in ("as_is_listed", "as_is"))
    chosen = EVERY_ONE if "take_as_is" in request.POST else ticked
    take_as_they_are(batch, chosen, request.POST["as_is_why"], listed=listed)


def _line(text: str) -> int:
    return small_number(text, 0, digits=7)


def _report(request: HttpRequest, batch: ImportBatch) -> ImportReport:
    """Return the last check while the user pages or filters, else a new one."""
    is_leafed = bool({"page", "show"} & set(request.GET))
    return (report_of(batch) if is_leafed else None) or checked(batch)


@step("mend")
def mending(request: HttpRequest, batch: ImportBatch) -> HttpResponse:
    if request.method == "POST":
        return _mended(request, held_batch(batch))
    report = _report(request, batch)
    wrong = wrong_rows(report)
    if not wrong:
        if batch.mended and not report.errors:
            messages.success(request, _("No rows have errors."))
        return _go(batch, "check")
    file = mendable(batch)
    found = Paginator(wrong, games_on_a_page(file)).get_page(request.GET.get("page"))
    games = file.games(found.object_list)
    cells = [(row.line, column) for game in games for row in game.rows for column in file.columns]
    form = MendingForm(None, file=file, cells=cells, texts=file.wrong_texts(wrong))
    return _mending_page(
        request, batch, report, form, found=found, games=[game_fields(game, file, form.cell_field) for game in games]
    )


def _mended(request: HttpRequest, batch: ImportBatch) -> HttpResponse:
    report, file = report_of(batch) or checked(batch), mendable(batch)
    wrong, cells = wrong_rows(report), cells_sent(request.POST, file)
    form = MendingForm(request.POST, file=file, cells=cells, texts=file.wrong_texts(wrong))
    if form.is_valid():
        mend(batch, form.mendings, actor(request))
        if "add_busts" in request.POST:
            add_busts(batch)
        else:
            _tell_mended(request, form)
        page = request.GET.get("page", "")
        return _go(batch, "mend", f"?page={page}" if page.isdecimal() else "")
    lines = {line for line, _column in cells}
    games = file.games([*(row for row in wrong if lines & set(row.lines)), *_not_wrong(lines, wrong)], lines)
    return _mending_page(
        request, batch, report, form, games=[game_fields(game, file, form.cell_field) for game in games]
    )


def _not_wrong(lines: set[int], wrong: Iterable[RowStatus]) -> Iterator[RowStatus]:
    """Yield the submitted rows that have no errors any more because another user fixed them."""
    left = lines.difference(*(row.lines for row in wrong))
    if left:
        yield RowStatus(tuple(sorted(left)), "error", "", ())


def _tell_mended(request: HttpRequest, form: MendingForm) -> None:
    count = sum(each.before != each.after for each in form.mendings)
    said = ngettext("%(count)s cell was fixed.", "%(count)s cells were fixed.", count)
    if count:
        messages.success(request, said % {"count": count})
    elif form.cells:
        messages.info(request, _("No changes."))
    else:
        messages.warning(
            request, _("The file is now being read differently, so no corrections were applied. Check the rows again.")
        )


def _mending_page(
    request: HttpRequest, batch: ImportBatch, report: ImportReport, form: MendingForm, **more: Any
) -> HttpResponse:
    notes = (note for row in wrong_rows(report) for note in row.notes)
    page = {
        "report": report,
        "form": form,
        "texts": text_fields(form.texts, form.text_field),
        "listed": len(wrong_rows(report)),
    }
    page["lacks_busts"] = lacks_busts(form.file, report)
    page |= {"has_unknown_names": any(note.code == "name_unknown" for note in notes)}
    return _page(request, batch, "mend", **page, **more)


def _found(report: ImportReport) -> dict[str, Any]:
    return {
        "report": report,
        "problems": said(report.problems),
        "notes": said(report.notes),
    }


@require_safe
@step("preview")
def preview(request: HttpRequest, batch: ImportBatch) -> HttpResponse:
    report = _report(request, batch)
    page = {"people": report.people[:LISTED], "sessions": report.sessions[:LISTED], "seen": seen(batch)}
    page |= {"renumbered": report.renumbered[:LISTED]}
    return _page(request, batch, "preview", **page, **_found(report))
