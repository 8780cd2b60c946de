from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from league.exports.board import board_table
from league.exports.hanchan import hanchan_table, hanchan_within
from league.exports.table import CSV, FORMATS, XLSX, unwritable
from league.forms.exports import BOARD, ExportForm
from league.http.access import in_league
from league.http.downloads import table_download
from league.http.reauthentication import freshly_logged_in
from league.messages import exact_name
from league.models import League
from league.permissions import READ_BOOKS


def _sends_json(request: HttpRequest) -> bool:
    return "json" in request.GET


@require_safe
@in_league()
@freshly_logged_in(_sends_json)
def export(request: HttpRequest, league: League) -> HttpResponse:
    return _page(request, league, _form(request, league, sent=False))


@require_safe
@in_league()
def export_file(request: HttpRequest, league: League) -> HttpResponse:
    form = _form(request, league, sent=True)
    if not form.is_valid():
        return _page(request, league, form)
    chosen, period, shape = form.cleaned_data, form.period, form.shape
    format_, session = FORMATS[chosen["format"]], chosen["session"]
    if chosen["what"] == BOARD:
        table, name = board_table(league, period, request.user, shape.languages), period.key
    else:
        found = hanchan_within(league, None if session else period, session)
        table = hanchan_table(league, found, request.user, shape)
        name = f"hanchan-{f'session-{session.number}' if session else period.key}"
    if lost := unwritable(table, format_):
        asked = request.GET.dict()
        others = [(each.label, f"?{urlencode({**asked, 'format': each.code})}") for each in (XLSX, CSV)]
        return _page(request, league, form, lost=lost, others=others)
    return table_download(table, format_, f"{exact_name(league)}-{name}", by_month=chosen["by_month"])


def _form(request: HttpRequest, league: League, *, sent: bool) -> ExportForm:
    may_manage = request.user.has_perm(READ_BOOKS, league)
    asked = request.GET.dict()
    return ExportForm(asked, league=league, may_manage=may_manage, sent=sent)


def _page(request: HttpRequest, league: League, form: ExportForm, **more: object) -> HttpResponse:
    page = {"league": league, "form": form, "may_manage": request.user.has_perm(READ_BOOKS, league), **more}
    page["sends_json"] = page["may_manage"] and _sends_json(request)
    return render(request, "league/exports/export.html", page)
