from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import get_language
from django.views.decorators.http import require_safe

from league.exports.board import board_table
from league.exports.hanchan import hanchan_table, hanchan_within
from league.exports.table import CSV, XLSX, ExportTable, FileFormat, unwritable
from league.forms.exports import ExportForm, ExportRequest
from league.http.access import in_league
from league.http.downloads import table_download
from league.models import League
from league.permissions import READ_BOOKS, Person


@require_safe
@in_league()
def export(request: HttpRequest, league: League) -> HttpResponse:
    return _page(request, league, _form(request, league, sent=False))


@require_safe
@in_league()
def export_file(request: HttpRequest, league: League) -> HttpResponse:
    form = _form(request, league, sent=True)
    if not form.is_valid():
        return _page(request, league, form)
    wish = form.wish
    table = wished_table(league, wish, request.user)
    if lost := unwritable(table, wish.format):
        others = [(each.label, _with_format(request, each)) for each in (XLSX, CSV)]
        return _page(request, league, form, lost=lost, others=others)
    return table_download(table, wish.format, _name(league, wish), by_month=wish.by_month)


def wished_table(league: League, wish: ExportRequest, reader: Person) -> ExportTable:
    if wish.is_board:
        return board_table(league, wish.period, reader, wish.shape.languages)
    found = hanchan_within(league, None if wish.session else wish.period, wish.session)
    return hanchan_table(league, found, reader, wish.shape)


def _form(request: HttpRequest, league: League, *, sent: bool) -> ExportForm:
    may_manage = request.user.has_perm(READ_BOOKS, league)
    asked = request.GET.dict()
    return ExportForm(asked, league=league, language=get_language() or "ja", may_manage=may_manage, sent=sent)


def _page(request: HttpRequest, league: League, form: ExportForm, **more: object) -> HttpResponse:
    page = {"league": league, "form": form, "may_manage": request.user.has_perm(READ_BOOKS, league), **more}
    return render(request, "league/exports/export.html", page)


def _with_format(request: HttpRequest, format_: FileFormat) -> str:
    asked = request.GET.copy()
    asked["format"] = format_.code
    return f"?{asked.urlencode()}"


def _name(league: League, wish: ExportRequest) -> str:
    if wish.is_board:
        return f"{league.slug}-{wish.period.key}"
    scope = f"session-{wish.session.number}" if wish.session else wish.period.key
    return f"{league.slug}-hanchan-{scope}"
