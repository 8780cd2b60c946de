"""One hanchan: what was played, how the points came about, what happened to the result since."""

from collections.abc import Callable, Iterable

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from league.forms.entry.reason import ReasonForm
from league.http.access import actor, in_league
from league.http.confirm_part import HANCHAN, confirm_part
from league.messages import plain_name
from league.models import Hanchan, League, Player
from league.permissions import RECORD, is_member
from league.selectors.explained import explained_hanchan
from league.selectors.games import seats_of
from league.selectors.hanchan_revisions import history_of, people_in, with_names, yakuman_of
from league.selectors.history import UNDONE
from league.selectors.names import hide_names
from league.selectors.receipts import BoardEffect
from league.services.results import restore_hanchan, void_hanchan
from league.services.versions import restorable
from league.views.photos import strip_for


@require_safe
@in_league()
def detail(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    """Return a hanchan with its calculation and its history, also when it was taken back."""
    return _page(request, hanchan_of(league, pk), ReasonForm())


def _page(request: HttpRequest, hanchan: Hanchan, form: ReasonForm) -> HttpResponse:
    league, seats = hanchan.league, seats_of(hanchan)
    may_record = request.user.has_perm(RECORD, league)
    history = history_of(hanchan)
    people = people_in(history) | {seat.player_id: seat.player for seat in seats}
    hide_names(request.user, league, people.values())
    names = {pk: plain_name(player) for pk, player in people.items()}
    explained = explained_hanchan(hanchan, [names[seat.player_id] for seat in seats])
    page = {
        "league": league,
        "hanchan": hanchan,
        "seats": seats,
        "two": explained is None or explained.has_two_accounts,
        "explained": explained,
        "yakuman": yakuman_of(hanchan, names),
        "history": with_names(history, names),
        "restorable": restorable(hanchan, (line.revision for line in history)) if may_record else set(),
        "form": form,
        "confirm": confirm_part(
            request, hanchan, reverse("league:confirm", args=[league.slug, hanchan.pk]), place=HANCHAN
        ),
        "is_member": is_member(request.user, league),
        "undone": UNDONE,
        "photos": strip_for(request.user, hanchan),
    }
    return render(request, "league/hanchan/detail.html", page)


def hanchan_of(league: League, pk: int) -> Hanchan:
    """Return a hanchan of the league with seats, players and incidents at hand. Four queries."""
    hanchan = get_object_or_404(
        league.hanchan.select_related("session", "ruleset_version__ruleset", "recorded_by").prefetch_related(
            "seats__player", "incidents"
        ),
        pk=pk,
    )
    hanchan.league = hanchan.session.league = league
    return hanchan


def people_of(effects: Iterable[BoardEffect]) -> list[Player]:
    """Return everybody whom an effect names."""
    return [move.player for effect in effects for move in (*effect.seated, *effect.others)]


@require_POST
@in_league(RECORD)
def void(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    """Take a hanchan back, with a reason."""
    return _change(request, hanchan_of(league, pk), void_hanchan, _("The result was taken back. It counts nowhere."))


@require_POST
@in_league(RECORD)
def restore(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    """Let a hanchan that was taken back count again, with a reason."""
    return _change(request, hanchan_of(league, pk), restore_hanchan, _("The result counts again."))


def _change(request: HttpRequest, hanchan: Hanchan, change: Callable[..., Hanchan], done: str) -> HttpResponse:
    form = ReasonForm(request.POST)
    if not form.is_valid():
        return _page(request, hanchan, form)
    change(hanchan=hanchan, by=actor(request), reason=form.cleaned_data["reason"])
    messages.success(request, done)
    return redirect("league:hanchan", hanchan.league.slug, hanchan.pk)
