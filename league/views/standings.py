from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

from league import messages
from league.core.periods import Period, PeriodKind, month_of, up_to
from league.exports.board import board_table
from league.exports.table import CSV
from league.forms.standings import AsOfForm, RangeForm
from league.http.access import in_league, scope_period
from league.http.caching import cached, digest, published, remembered, unchanged, with_tag
from league.http.downloads import table_download
from league.models import League, Player, Standing
from league.permissions import is_member, is_private
from league.selectors import boards
from league.selectors.board_parts import KnownBoards, hanchan_in, known_boards
from league.selectors.boards import BoardState, evenings_around
from league.tables.board import ROWS, BoardQuery
from league.tables.board_page import around, basis, board_page, files, hanchan_on, kinds, known_periods


@in_league()
def current(request: HttpRequest, league: League) -> HttpResponse:
    period = scope_period(league, request.GET.get("scope") or _this_month(league).key)
    return with_tag(redirect("league:standings", league.slug, period.key), None)


@in_league()
@published
def board(request: HttpRequest, league: League, scope: str) -> HttpResponse:
    period, asked = scope_period(league, scope), request.GET.dict()
    form = _range_form(request, period)
    if form.is_bound and form.is_valid():
        return redirect("league:standings", league.slug, form.period.key)
    as_of_form = AsOfForm(asked)
    evenings = evenings_around(league, period, as_of_form.typed)
    as_of_form.limit(evenings.first, min(period.last, league.day_of(timezone.now())))
    state, query = boards.board_state(league, period), BoardQuery.read(asked, as_of_form.day)
    page = _page(request, league, period, state, query)
    status = HTTPStatus.NOT_FOUND if as_of_form.refusal else HTTPStatus.OK
    page |= {"range_form": form, "as_of_form": as_of_form, "evenings": evenings}
    return render(request, "league/standings/board.html", page, status=status)


@in_league()
def board_state(request: HttpRequest, league: League, scope: str) -> HttpResponse:
    """Tell an open page whether its figures are current; 304 if unchanged. The same for all readers."""
    period = scope_period(league, scope)
    key = ("state", league.pk, league.edition, period.key)
    state = remembered(key, lambda: boards.board_state(league, period))
    tag = live_tag(state)
    if answer := unchanged(request, tag):
        return answer
    facts = {
        "version": state.version,
        "hanchan": state.hanchan,
        "stale": state.is_stale,
        "computed_at": state.computed_at,
    }
    return with_tag(JsonResponse(facts), tag)


@in_league()
def board_csv(request: HttpRequest, league: League, scope: str) -> HttpResponse:
    period = scope_period(league, scope)
    table = board_table(league, period, request.user, get_language() or "ja")
    return table_download(table, CSV, f"{messages.exact_name(league)}-{period.key}")


def live_tag(state: BoardState) -> str:
    """Return an ETag that changes only with the figures."""
    return f'"{digest(state.version, state.hanchan, state.marks)}"'


def _this_month(league: League) -> Period:
    return month_of(league.day_of(timezone.now()))


def _range_form(request: HttpRequest, period: Period) -> RangeForm:
    if "first" in request.GET or "last" in request.GET:
        return RangeForm(request.GET)
    stored = period.kind is PeriodKind.ALL
    return RangeForm(initial={} if stored else {"first": period.start, "last": period.last})


def _page(request: HttpRequest, league: League, period: Period, state: BoardState, query: BoardQuery) -> dict[str, Any]:
    own, known = _own(request, league), known_boards(league) if query.on or not period.is_stored else None
    lines = Standing.objects.filter(league=league, period=period.key, player=own)
    mine = lines.first() if own is not None and query.on is None else None
    periods = known_periods(league, period)
    return {
        "league": league,
        "period": period,
        "title": messages.period_title(period),
        "query": query,
        "board_html": _board_html(request, league, period, query, own, known),
        "as_of": query.on and {"day": query.on, "hanchan": hanchan_in(league, up_to(period, query.on), known)},
        "files": files(league, period),
        "state": state,
        "hanchan": hanchan_on(league, period, state.hanchan, known),
        "computed_at": state.computed_at if period.is_stored else timezone.now(),
        "live_tag": live_tag(state),
        "state_is_everybodys": settings.EDGE and not is_private(league),
        "mine": mine,
        "mine_url": _url_of_line(query, mine),
        "kinds": kinds(league, period, _this_month(league)),
        "around": around(league, period, _this_month(league), periods[-1].key if periods else ""),
        "periods": periods,
        "basis": basis(league, period),
    }


def _board_html(
    request: HttpRequest,
    league: League,
    period: Period,
    query: BoardQuery,
    own: Player | None,
    known: KnownBoards | None,
) -> SafeString:
    """Return the table as HTML, cached for all readers who see the same names. The user's own row is marked afterwards."""
    reads_all = is_member(request.user, league) or request.user.is_superuser
    # Users see their own name even if it is hidden from others.
    alone = own.pk if own and own.visibility != Player.Visibility.PUBLIC else None
    key = ("board", league.pk, league.edition, period.key, get_language(), query.key, reads_all, alone)
    html = cached(
        key,
        lambda: render_to_string("league/standings/table.html", board_page(league, period, query, request.user, known)),
    )
    row = f'<tr id="p{own.pk}" class="' if own else ""
    return mark_safe(html.replace(row, f"{row}me ")) if own else html  # noqa: S308 - a rendered template


def _own(request: HttpRequest, league: League) -> Player | None:
    if not request.user.is_authenticated:
        return None
    return Player.objects.filter(league=league, user=request.user).first()


def _url_of_line(query: BoardQuery, mine: Standing | None) -> str:
    """Return the URL of the user's row, on its page; "" if they have none."""
    if mine is None:
        return ""
    row = f"#p{mine.player_id}"
    if query.sort or not mine.rank:
        return row
    page = (mine.rank - 1) // ROWS + 1
    return row if page == query.page else query.url(page=page) + row
