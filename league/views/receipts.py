from datetime import timedelta

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from league.http.access import hanchan_led, in_league
from league.http.entry_context import SAVED_BEFORE, TOO_LATE, EntryContext, by_table_link
from league.http.hanchan import RECEIPT, confirm_part, context_of_reader, hanchan_at, hanchan_of, strip_for
from league.http.table_parts import following, next_table, way_on
from league.models import Hanchan, League
from league.permissions import MANAGE, RECORD, Person, hide_names, may_in_session
from league.selectors.boards import board_state
from league.selectors.entry import turns_at
from league.selectors.hanchan_facts import last_change
from league.selectors.history import UNDONE
from league.selectors.planning import table_states
from league.selectors.receipts import effect_of, receipt_lines
from league.services.results import ChangedMeanwhileError, void_hanchan

UNDO_SECONDS = 300
"""Seconds in which a result can be undone without a reason; enough to read the receipt aloud."""

UNDO_GRACE = 10
"""Extra seconds for a request sent just before the button disappeared."""

SAID = {
    SAVED_BEFORE: gettext_lazy("This result was already saved, as shown below. To change it, make a correction."),
    TOO_LATE: gettext_lazy("It is too late to undo this. Dispute the result, or ask the organiser."),
}
"""Messages by the value of `?said=`."""


@require_safe
@in_league()
def receipt(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    hanchan = hanchan_of(league, pk)
    return _receipt_page(request, context_of_reader(request, hanchan), hanchan)


@require_safe
@by_table_link()
def receipt_by_link(request: HttpRequest, context: EntryContext, pk: int) -> HttpResponse:
    return _receipt_page(request, context, hanchan_at(context, pk))


@require_POST
@in_league(RECORD, instead=hanchan_led)
def undo(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    """Undo a recent result without a reason."""
    hanchan = hanchan_of(league, pk)
    return _undo(request, context_of_reader(request, hanchan), hanchan)


@require_POST
@by_table_link()
def undo_by_link(request: HttpRequest, context: EntryContext, pk: int) -> HttpResponse:
    return _undo(request, context, hanchan_at(context, pk))


def _receipt_page(request: HttpRequest, context: EntryContext, hanchan: Hanchan) -> HttpResponse:
    league, effects, states = context.league, effect_of(hanchan), table_states(hanchan.session)
    turns, way = turns_at(hanchan.session, hanchan.table), way_on(context, states)
    state = states.get(hanchan.table)
    moved = (move.player for effect in effects for move in (*effect.seated, *effect.others))
    hide_names(request.user, league, [*(seat.player for seat in hanchan.seats.all()), *moved, *turns])
    page = {
        "league": league,
        "hanchan": hanchan,
        "entry_context": context,
        "lines": receipt_lines(hanchan, effects),
        "two": any(seat.points != seat.settlement for seat in hanchan.seats.all()),
        "effects": effects,
        "board": board_state(league, league.periods_of(hanchan.day)[0]),
        "turns": turns,
        "upcoming": state.missing[0] if state and state.missing else 0,
        "way_on": way,
        "next_table": following(way["tables"], hanchan.table) if way else next_table(context, hanchan.round),
        "undo_seconds": _undo_seconds(hanchan) if _may_undo(context, request.user, hanchan) else 0,
        "again_url": _again_url(context, request.user, hanchan),
        "undo_until": hanchan.recorded_at + timedelta(seconds=UNDO_SECONDS),
        "undo_url": context.of_hanchan("undo", hanchan),
        "photos": strip_for(context, request.user, hanchan),
        "said": SAID.get(request.GET.get("said", ""), ""),
        "confirm": confirm_part(request, context, hanchan, place=RECEIPT),
    }
    return render(request, "league/entry/receipt.html", page)


def _may_undo(context: EntryContext, reader: Person, hanchan: Hanchan) -> bool:
    """Return whether the user may undo the hanchan; table links only results that they entered."""
    if context.by.link is None:
        return may_in_session(reader, RECORD, hanchan.session)
    return hanchan.recorded_through_id == context.by.link.pk


def _undo_seconds(hanchan: Hanchan) -> int:
    """Return the seconds in which the hanchan can still be undone; 0 if it was changed."""
    if hanchan.version != 1 or hanchan.is_voided:
        return 0
    left = hanchan.recorded_at + timedelta(seconds=UNDO_SECONDS) - timezone.now()
    return max(0, min(UNDO_SECONDS, int(left.total_seconds()) + 1)) if left > timedelta(0) else 0


def _again_url(context: EntryContext, reader: Person, hanchan: Hanchan) -> str:
    """Return the URL for entering an undone result again; "" if the table has had another result since."""
    if not hanchan.is_voided:
        return ""
    last = last_change(hanchan)
    if last is None or last.reason != UNDONE:
        return ""
    since = context.session.hanchan.valid().filter(table=hanchan.table, recorded_at__gte=last.at)
    if since.exists():
        return ""
    if hanchan.has_raw_scores or not may_in_session(reader, MANAGE, context.session):
        return context.url(again=hanchan.pk)
    by_points = reverse("league:session_by_points", args=[context.league.slug, hanchan.session_id])
    return f"{by_points}?again={hanchan.pk}"


def _undo(request: HttpRequest, context: EntryContext, hanchan: Hanchan) -> HttpResponse:
    """Void a hanchan that was just saved, with the reason `UNDONE`."""
    late = timezone.now() - hanchan.recorded_at > timedelta(seconds=UNDO_SECONDS + UNDO_GRACE)
    if late or not _may_undo(context, request.user, hanchan):
        return _too_late(request, context, hanchan)
    try:
        void_hanchan(hanchan=hanchan, by=context.by, reason=UNDONE, seen_version=1)
    except ChangedMeanwhileError:
        return _too_late(request, context, hanchan)
    return redirect(context.receipt_url(hanchan))


def _too_late(request: HttpRequest, context: EntryContext, hanchan: Hanchan) -> HttpResponse:
    """Redirect with a message that the result can no longer be undone, because it is too old or was changed."""
    if context.is_link:
        return redirect(context.receipt_url(hanchan, TOO_LATE))
    messages.info(request, _("It is too late to undo this. To void the result, enter a reason."))
    return HttpResponseRedirect(reverse("league:hanchan", args=[context.league.slug, hanchan.pk]) + "#take-back")
