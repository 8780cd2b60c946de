from collections.abc import Callable, Sequence

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from league.forms.names import ReasonForm
from league.http.access import actor, hanchan_led, in_league
from league.http.caching import published
from league.http.hanchan import HANCHAN, confirm_part, context_of_reader, hanchan_of, strip_for
from league.messages import plain_name
from league.models import Hanchan, League, Player, Revision
from league.permissions import RECORD, hide_names, is_member, may_in_session
from league.selectors.explained import explained_hanchan
from league.selectors.games import seats_of
from league.selectors.hanchan_facts import FactChange, history_of, named, people_among, yakuman_of
from league.selectors.history import UNDONE
from league.services.history import FILE
from league.services.results import restore_hanchan, void_hanchan
from league.services.versions import restorable
from scoring.core.points import POINT


@require_safe
@in_league()
@published
def detail(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    return _page(request, hanchan_of(league, pk), ReasonForm(auto_id="void-%s"))


def _page(request: HttpRequest, hanchan: Hanchan, form: ReasonForm) -> HttpResponse:
    league, seats = hanchan.league, seats_of(hanchan)
    may_record = may_in_session(request.user, RECORD, hanchan.session)
    history = history_of(hanchan)
    keys = people_among(change for _revision, changes in history for change in changes)
    people = Player.objects.in_bulk(keys) | {seat.player_id: seat.player for seat in seats}
    hide_names(request.user, league, people.values())
    names = {pk: plain_name(player) for pk, player in people.items()}
    explained = explained_hanchan(hanchan, [names[seat.player_id] for seat in seats])
    context = context_of_reader(request, hanchan)
    page = {
        "league": league,
        "hanchan": hanchan,
        "seats": seats,
        "decimals": int(any(seat.settlement % POINT for seat in seats)),
        "is_timed": _is_timed(history),
        "two": explained is None or explained.has_two_accounts,
        "explained": explained,
        "yakuman": yakuman_of(hanchan, names),
        "history": [(revision, named(changes, names)) for revision, changes in history],
        "restorable": restorable(hanchan, (revision for revision, _changes in history)) if may_record else set(),
        "form": form,
        "confirm": confirm_part(request, context, hanchan, place=HANCHAN),
        "is_member": is_member(request.user, league),
        "undone": UNDONE,
        "photos": strip_for(context, request.user, hanchan),
    }
    return render(request, "league/hanchan/detail.html", page)


def _is_timed(history: Sequence[tuple[Revision, Sequence[FactChange]]]) -> bool:
    """Return whether the time of a hanchan is known."""
    is_imported = any(revision.source == FILE for revision, _changes in history[-1:])
    return not is_imported or any(change.what == "played_at" for _revision, changes in history for change in changes)


@require_POST
@in_league(RECORD, instead=hanchan_led)
def void(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    return _change(request, hanchan_of(league, pk), void_hanchan, _("The result was voided and no longer counts."))


@require_POST
@in_league(RECORD, instead=hanchan_led)
def restore(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    return _change(request, hanchan_of(league, pk), restore_hanchan, _("The result counts again."))


def _change(request: HttpRequest, hanchan: Hanchan, change: Callable[..., Hanchan], done: str) -> HttpResponse:
    form = ReasonForm(request.POST, auto_id="void-%s")
    if not form.is_valid():
        return _page(request, hanchan, form)
    change(hanchan=hanchan, by=actor(request), reason=form.cleaned_data["reason"])
    messages.success(request, done)
    return redirect("league:hanchan", hanchan.league.slug, hanchan.pk)
