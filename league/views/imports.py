from collections import Counter
from collections.abc import Callable, Collection, Iterable
from dataclasses import replace
from functools import wraps
from typing import Any

from django.contrib import messages
from django.core.exceptions import RequestDataTooBig
from django.core.paginator import Page, Paginator
from django.db.models import F, Sum
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from league.core.imports.games import ImportNote
from league.core.periods import Period
from league.core.spreadsheets.tables import ImportFileError
from league.forms.imports import AGAIN, TOO_MUCH, ReviewForm, UploadForm, moves
from league.http.access import SlugView, actor, in_league
from league.messages import counted_by
from league.messages.imports import layout_label, said, sentence
from league.models import Hanchan, ImportBatch, Job, League, Player, RulesetVersion
from league.permissions import MANAGE
from league.services.imports import steps
from league.services.imports.contents import contents_of
from league.services.imports.people import NameMatch
from league.services.imports.undoing import may_be_undone
from league.services.imports.values import ImportReport
from league.services.job_requests import JobRunningError

ON_A_PAGE = 30
NAMES_ON_A_PAGE = 50
GAMES_SHOWN = IN_A_QUESTION = 3
UNREAD = "sheets_unread"
REMARKS = ("totals_agree", "totals_differ", "encoding_unsure", UNREAD)
"""Notes on the file that are shown at the top, as is that on the year. UNREAD is shown beside the button."""

MAX_READ = 64 * 1024 * 1024

State = ImportBatch.State


@require_safe
@in_league(MANAGE)
def index(request: HttpRequest, league: League) -> HttpResponse:
    counts = {name: F(f"report__{name}") for name in ("added", "same", "errors")}
    listed = league.imports.defer("data", "report", "made", "names").select_related("created_by").annotate(**counts)
    found = Paginator(listed, ON_A_PAGE).get_page(request.GET.get("page"))
    return render(request, "league/imports/index.html", {"league": league, "heading": _("Imports"), "found": found})


def large_posts(view: SlugView[...]) -> SlugView[...]:
    """Let a view respond to an oversized POST body, which Django would otherwise reject without a helpful page.

    Other requests are CSRF-protected as usual.
    """

    @csrf_exempt
    @wraps(view)
    def read(request: HttpRequest, slug: str, *args: object, **kwargs: object) -> HttpResponse:
        try:
            request.POST  # noqa: B018 - reading it is what raises
        except RequestDataTooBig:
            # Read the rest of the body: a browser that is still sending would show a connection error.
            taken = 0
            while taken < MAX_READ and (part := request.read(65536)):
                taken += len(part)
            request.is_too_large = True  # type: ignore[attr-defined]
            return view(request, slug, *args, **kwargs)
        guarded: Callable[..., HttpResponse] = csrf_protect(view)
        return guarded(request, slug, *args, **kwargs)

    return read


@large_posts
@in_league(MANAGE)
def new(request: HttpRequest, league: League) -> HttpResponse:
    is_too_large = getattr(request, "is_too_large", False)
    if is_too_large:
        form = UploadForm(QueryDict(), MultiValueDict())
        form.full_clean()
        form.errors.clear()
        form.add_error("rows", str(TOO_MUCH))
    else:
        form = UploadForm(request.POST, request.FILES) if request.method == "POST" else UploadForm()
    if form.is_valid():
        name, content = form.upload
        try:
            batch = steps.create_batch(league=league, file_name=name, data=content, by=actor(request))
        except ImportFileError as error:
            form.add_error("file" if name else "rows", sentence(error.code, error.values))
        else:
            return redirect("league:import_review", league.slug, batch.pk)
    page = {"league": league, "form": form}
    return render(request, "league/imports/new.html", page, status=413 if is_too_large else 200)


def _batch_of(league: League, pk: int) -> ImportBatch:
    batch = get_object_or_404(league.imports.select_related("job", "created_by"), pk=pk)
    batch.league = league
    return batch


@require_http_methods(["GET", "HEAD", "POST"])
@in_league(MANAGE)
def review(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    """How the file was understood, what it would change, and every open question; the main button answers and imports."""
    batch = _batch_of(league, pk)
    if batch.is_over or batch.is_running:
        return redirect("league:import_result", league.slug, batch.pk)
    is_late = request.method == "POST" and AGAIN not in request.POST and request.POST.get("seen") != steps.seen(batch)
    if is_late:
        messages.warning(request, _("This import has been changed. Check the differences again."))
    try:
        preview = contents_of(batch)
        is_open = "names" in request.GET or request.method == "POST"
        report = (steps.report_of(batch) if is_open else None) or steps.checked(batch)
        names = Paginator([] if preview.problems else steps.match_names(batch), NAMES_ON_A_PAGE)
        named = names.get_page(request.GET.get("names"))
        sent = request.POST if request.method == "POST" else None
        form = ReviewForm(sent, preview=preview, report=report, batch=batch, matches=list(named.object_list))
        if not is_late and form.is_valid() and _answer(batch, form):
            if form.is_final and not form.is_first and report.has_shown(steps.report_of(batch) or steps.checked(batch)):
                return _run(request, batch)
            if form.is_final:
                messages.info(request, _("This is how the file is read with your answers. Check it before you import."))
            return redirect("league:import_review", league.slug, pk)
        return _review_page(request, batch, form, named)
    except ImportFileError as error:
        messages.error(request, sentence(error.code, error.values))
        return redirect("league:imports", league.slug)


def _answer(batch: ImportBatch, form: ReviewForm) -> bool:
    """Store the answers; return whether they are possible."""
    try:
        if form.matches:
            steps.decide_names(batch, form.names)
        if form.reading != form.preview.reading:
            steps.change_reading(batch, form.reading)
    except ImportFileError as error:
        form.add_error(None, sentence(error.code, error.values))
        return False
    return True


def _run(request: HttpRequest, batch: ImportBatch) -> HttpResponse:
    try:
        job = steps.start_import(batch, actor(request))
    except ImportFileError as error:
        messages.warning(request, sentence(error.code, error.values))
        return redirect("league:import_review", batch.league.slug, batch.pk)
    except JobRunningError as error:
        messages.info(request, _("Another import is running. Run this one when it is done."))
        job = error.job
    return _to_result(batch, job)


def _to_result(batch: ImportBatch, job: Job | None) -> HttpResponse:
    slug = batch.league.slug
    return redirect("league:job", slug, job.pk) if job else redirect("league:import_result", slug, batch.pk)


def _review_page(request: HttpRequest, batch: ImportBatch, form: ReviewForm, names: Page[NameMatch]) -> HttpResponse:
    preview, report = form.preview, form.report
    is_alike = report.same_total is not None
    # Totals that are wrong alike are told once.
    rows = [replace(row, notes=()) if is_alike and row.is_unbalanced else row for row in report.rows]
    # The hanchan that a question is about, by the name of its field.
    about = {
        "as_is": [row for row in rows if row.is_unbalanced or row.is_as_it_is],
        "leave_out_errors": [row for row in rows if row.is_bad and not row.is_unbalanced],
        "asked": [row for row in rows if row.is_asked],
    }
    shown = {row.number for found in about.values() for row in found[:IN_A_QUESTION]}
    others = [row for row in rows if row.number not in shown]
    versions = [preview.chosen] if preview.chosen else [*_versions_in(report)]
    page: dict[str, Any] = {
        "league": batch.league,
        "batch": batch,
        "form": form,
        "layout": layout_label(preview.reading.layout, preview.reading.form),
        "report": report,
        "days": {game.session.day for game in preview.games if game.session},
        "people": _people([*names.paginator.object_list]),
        "problems": said(report.problems),
        "remarks": _remarks(note for note in report.notes if note.code != UNREAD),
        "year": form.year_note and sentence(form.year_note.code, form.year_note.values),
        "unread": said(note for note in report.notes if note.code == UNREAD),
        "as_written": _is_points_alone(report),
        "is_alike": is_alike,
        "versions": versions,
        "counted": _counted(batch.league, versions),
        "notes": [
            (sentence(note.code, note.values), note.values.get("rows", ()))
            for note in report.notes
            if note.code not in {*REMARKS, "year_taken"}
        ],
        "games": sorted((row for row in others if row.seats), key=lambda row: row.number)[:GAMES_SHOWN],
        "questions": [(field, about.get(field.name, [])) for field in form.asked],
        "found": [row for row in others if row.is_bad or row.is_warned],
        "names": names,
        "linked": [
            (match.written, match.player)
            for match in form.matches.values()
            if match.player and _bare(match.written) not in {_bare(match.player.name), _bare(match.player.romanised)}
        ],
        "can_run": report.is_ready,
        "seen": steps.seen(batch),
    }
    return render(request, "league/imports/review.html", page)


def _people(matches: Collection[NameMatch]) -> dict[str, int]:
    """Return how many names there are, and how many are known, new and undecided."""
    kinds = Counter("known" if each.player else "new" if each.meant else "asked" for each in matches)
    return {"all": len(matches), "known": 0, "new": 0, "asked": 0} | kinds


def _bare(name: str) -> str:
    return "".join(name.split())


def _versions_in(report: ImportReport) -> Iterable[RulesetVersion]:
    return RulesetVersion.objects.filter(pk__in=report.versions).select_related("ruleset")


def _counted(league: League, versions: Iterable[RulesetVersion]) -> str:
    """Return which points the standings add up, if sessions under these rules are others than the league's."""
    own = league.current_version
    is_other = own is not None and any(each.pk != own.pk for each in versions)
    return counted_by(league, [own, *versions]) if own and is_other and league.metric != "average_placement" else ""


def _remarks(notes: Iterable[ImportNote]) -> list[tuple[str, str]]:
    shown = [note for note in notes if note.code in REMARKS]
    return [("success" if each.code == REMARKS[0] else "warning", sentence(each.code, each.values)) for each in shown]


def _is_points_alone(report: ImportReport) -> bool:
    scores = [score for row in report.rows for _name, *score in row.seats]
    return any(points is not None for _raw, points in scores) and all(raw is None for raw, _points in scores)


@require_http_methods(["GET", "HEAD", "POST"])
@in_league(MANAGE)
def result(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    batch = _batch_of(league, pk)
    if batch.is_running:
        return _to_result(batch, batch.job)
    if not batch.is_over:
        return redirect("league:import_review", league.slug, batch.pk)
    if request.method == "POST":
        return redirect("league:import_review", league.slug, steps.import_again(batch, actor(request)).pk)
    report, made = steps.report_of(batch) or ImportReport(), batch.made or {}
    page = {
        "league": league,
        "batch": batch,
        "report": report,
        "period": _period(batch, report),
        "sessions": league.sessions.kept().filter(pk__in=made.get("sessions", ())).order_by("date", "number"),
        "versions": _versions_in(report),
        "stays": RulesetVersion.objects.filter(pk__in=made.get("rules", ())).select_related("ruleset"),
        "marked": _marked(batch),
        "remarks": _remarks(each for each in report.notes if batch.state == State.DONE),
        "linked": _linked(batch),
        "moved": list(moves(report.renumbered)) if (batch.reading or {}).get("by_date") == "1" else [],
        "is_as_before": {(day, old) for day, old, _new in report.renumbered}
        <= {*league.sessions.kept().values_list("date", "number")},
        "may_undo": may_be_undone(batch),
    }
    return render(request, "league/imports/result.html", page)


def _period(batch: ImportBatch, report: ImportReport) -> Period | None:
    """Return the shortest period with all hanchan of an import; None if it is not in force."""
    if batch.state != State.DONE or not report.days:
        return None
    return next(period for period in batch.league.periods_of(report.days[-1]) if report.days[0] in period)


def _marked(batch: ImportBatch) -> list[Hanchan]:
    """Return the hanchan of an import that were accepted although something is missing."""
    made = dict((batch.made or {}).get("hanchan", ()))
    if not made:
        return []
    found = Hanchan.objects.valid().filter(league=batch.league, as_is=True, pk__range=(min(made), max(made)))
    found = found.annotate(total=Sum("seats__points")).order_by("played_at")
    return [hanchan for hanchan in found if hanchan.pk in made]


def _linked(batch: ImportBatch) -> list[tuple[str, Player]]:
    """Return the names that an import in force gave to players of the league."""
    named = (batch.made or {}).get("named", ()) if batch.state == State.DONE else ()
    players = batch.league.players.in_bulk([pk for pk, _name in named])
    return [(name, players[pk]) for pk, name in named if pk in players]


@require_POST
@in_league(MANAGE)
def undo(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    batch = _batch_of(league, pk)
    job = None
    try:
        job = steps.start_undo(batch, by=actor(request))
    except ImportFileError as error:
        messages.error(request, sentence(error.code, error.values))
    except JobRunningError as error:
        job = error.job
    return _to_result(batch, job)


@require_POST
@in_league(MANAGE)
def discard(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    if steps.discard_draft(_batch_of(league, pk)):
        messages.success(request, _("The upload was discarded. The league is unchanged."))
    else:
        messages.info(request, _("This import was run and stays in the list."))
    return redirect("league:imports", league.slug)
