"""The steps of an import between the upload and the run: reading, columns, names, check, difference."""

from collections.abc import Callable, Iterable
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
from league.forms.imports import ColumnsForm, ReadingForm
from league.http.access import SlugView, actor, in_league
from league.http.import_batches import batch_of, file_ahead, is_settled, seen
from league.messages.imports import sentence
from league.models import ImportBatch, Job, League
from league.permissions import MANAGE
from league.services.imports.steps import (
    EVERY_ONE,
    change_reading,
    decide_names,
    is_outdated,
    match_names,
    preview_file,
    report_of,
    set_options,
    start_check,
    take_as_they_are,
)
from league.services.imports.values import FilePreview, ImportFileError, ImportReport, NameMatch
from league.services.job_requests import JobRunningError
from league.tables.imports import check_rows, filters, name_field, name_rows, said, steps

NAMES_ON_A_PAGE = 50
ROWS_ON_A_PAGE = 50
LISTED = 60
"""So many new people and sessions are named."""

CELLS_SHOWN = 30
"""So many columns of the first rows are shown."""

StepView = Callable[[HttpRequest, ImportBatch], HttpResponse]

BEFORE = {"reading": "imports", "columns": "import_reading", "names": "import_columns", "check": "import_columns"}
"""Where to go when a step cannot be taken with the file as it is read."""


def step(name: str) -> Callable[[StepView], SlugView[[int]]]:
    """Return a decorator that hands an import to the page of a step, as long as it can still be changed.

    A file that cannot be read so far goes back to where that is decided, with the reason.
    """

    def decorate(view: StepView) -> SlugView[[int]]:
        @require_http_methods(["GET", "HEAD", "POST"])
        @in_league(MANAGE, ahead=file_ahead(name))
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
    page = {"league": batch.league, "batch": batch, "steps": steps(batch, name), **more}
    return render(request, f"league/imports/{name}.html", page)


def _goes_on(request: HttpRequest) -> bool:
    return "on" in request.POST


@step("reading")
def reading(request: HttpRequest, batch: ImportBatch) -> HttpResponse:
    """Show the first rows and how they are read; another way shows them again."""
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


def _seen_rows(preview: FilePreview) -> dict[str, Any]:
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
    """Say what each column holds; what is missing or said twice is named before the next step."""
    preview = preview_file(batch)
    form = ColumnsForm(request.POST if request.method == "POST" else None, preview=preview)
    if form.is_valid():
        preview = change_reading(batch, form.reading)
        if not (_goes_on(request) and preview.problems):
            return _after_columns(request, batch, preview)
    lines = [(column, form[f"column_{column.index}"]) for column in preview.columns]
    return _page(request, batch, "columns", form=form, lines=lines, **_seen_rows(preview))


def _after_columns(request: HttpRequest, batch: ImportBatch, preview: FilePreview) -> HttpResponse:
    if not _goes_on(request):
        return _go(batch, "columns")
    if not preview.questions.is_open(preview.reading):
        return _go(batch, "names")
    messages.info(request, _("With these columns something about the dates is open. Say it here."))
    return _go(batch, "reading")


@step("names")
def names(request: HttpRequest, batch: ImportBatch) -> HttpResponse:
    """Say whom the names of the file mean; those that nobody bears come first."""
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
    """Return how many names nobody has decided about."""
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
    """Show what is to be said of every row; rows with errors can be left out."""
    if request.method == "POST" and "anew" not in request.POST:
        set_options(batch, leave_out_errors="leave_out" in request.POST, take_asked="take_asked" in request.POST)
        if "as_is_why" in request.POST:
            take_as_they_are(batch, _taken(request, batch), request.POST["as_is_why"])
        return _go(batch, "check")
    report = _report(request, batch)
    if isinstance(report, HttpResponse):
        return report
    show = request.GET.get("show", "")
    found = Paginator(check_rows(report, show), ROWS_ON_A_PAGE).get_page(request.GET.get("page"))
    page = {"found": found, "filters": filters(report, show)}
    return _page(request, batch, "check", **page, **_found(batch, report))


def _taken(request: HttpRequest, batch: ImportBatch) -> str | set[int]:
    """Return which games are taken as they are: every one, or those ticked, and those that stand on other pages."""
    if "take_as_is" in request.POST:
        return EVERY_ONE
    before = batch.options.get("as_is") or ()
    listed, ticked = ({*map(_line, request.POST.getlist(name))} for name in ("as_is_listed", "as_is"))
    others = set() if isinstance(before, str) else set(before) - listed
    return {line for line in others | ticked if line}


def _line(text: str) -> int:
    return small_number(text, 0, digits=7)


def _report(request: HttpRequest, batch: ImportBatch) -> ImportReport | HttpResponse:
    """Return the last check while somebody leafs through it, a new one otherwise, or the way to the job that makes it."""
    if {"page", "show"} & set(request.GET) and (kept := report_of(batch)) is not None:
        return kept
    try:
        found = start_check(batch, actor(request), anew="anew" in request.POST)
    except JobRunningError as error:
        messages.info(request, _("Another file is being checked. Check this one when that is done."))
        return redirect("league:job", batch.league.slug, error.job.pk)
    if isinstance(found, Job):
        return redirect("league:job", batch.league.slug, found.pk)
    return found


def _found(batch: ImportBatch, report: ImportReport) -> dict[str, Any]:
    return {
        "report": report,
        "problems": said(report.problems),
        "notes": said(report.notes),
        "is_outdated": is_outdated(batch),
    }


@require_safe
@step("preview")
def preview(request: HttpRequest, batch: ImportBatch) -> HttpResponse:
    """Show what the run would change. The run compares anew: what others enter meanwhile is taken into account."""
    report = _report(request, batch)
    if isinstance(report, HttpResponse):
        return report
    page = {"people": report.people[:LISTED], "sessions": report.sessions[:LISTED], "seen": seen(batch)}
    return _page(request, batch, "preview", **page, **_found(batch, report))
