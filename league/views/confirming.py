"""Confirming and disputing results, and deciding disputes: with a table link or an account."""

from urllib.parse import urlencode

from django import forms
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST

from league.core.limits import MAX_REASON_LENGTH
from league.http.access import in_league
from league.http.entry_context import EntryContext, by_table_link
from league.http.hanchan import (
    AGAIN,
    HANCHAN,
    OUTDATED,
    REASON,
    RECEIPT,
    VOIDED,
    confirm_part,
    context_of_reader,
    hanchan_at,
    hanchan_of,
    speakers_of,
)
from league.models import Confirmation, Hanchan, League, Player
from league.permissions import CONFIRM, JUDGE, hide_names, may_in_session
from league.services.confirming import NewStatement, say
from league.services.results import ResultError

MAX_VERSION = 2**31 - 1


class SayForm(forms.Form):
    """A confirmation or objection. `say` is the button's value, such as agrees-12 or agrees-organiser."""

    say = forms.RegexField(r"(agrees|disputes)-(\d{1,18}|organiser)\Z")
    version = forms.IntegerField(min_value=0, max_value=MAX_VERSION)
    note = forms.CharField(label=_("What is wrong?"), required=False, max_length=MAX_REASON_LENGTH)

    def verdict(self) -> Confirmation.Verdict:
        return Confirmation.Verdict(self.cleaned_data["say"].partition("-")[0])

    def player(self) -> int | None:
        """Return the primary key of the player who confirms, or None for an organiser."""
        who = self.cleaned_data["say"].partition("-")[2]
        return None if who == "organiser" else int(who)


@require_POST
@in_league(CONFIRM)
def confirm(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    hanchan = hanchan_of(league, pk)
    return _say(request, context_of_reader(request, hanchan), hanchan)


@require_POST
@by_table_link()
def confirm_by_link(request: HttpRequest, context: EntryContext, pk: int) -> HttpResponse:
    return _say(request, context, hanchan_at(context, pk))


def _say(request: HttpRequest, context: EntryContext, hanchan: Hanchan) -> HttpResponse:
    said = _said(request, context, hanchan)
    place = HANCHAN if request.POST.get("place") == HANCHAN and not context.is_link else RECEIPT
    if "part" in request.POST:
        current = hanchan_of(context.league, hanchan.pk)
        hide_names(request.user, context.league, [seat.player for seat in current.seats.all()])
        part = confirm_part(request, context, current, place=place, said=said)
        return render(request, "league/confirmation/answer.html", {"part": part})
    query = f"?{urlencode({'said': said})}" if said else ""
    back = reverse("league:hanchan", args=[context.league.slug, hanchan.pk]) if place == HANCHAN else None
    return HttpResponseRedirect(f"{back or context.receipt_url(hanchan)}{query}#said")


def _said(request: HttpRequest, context: EntryContext, hanchan: Hanchan) -> str:
    form = SayForm(request.POST)
    if not form.is_valid():
        return AGAIN
    statement = _statement(request, context, hanchan, form)
    if statement is None:
        return AGAIN
    try:
        said = say(hanchan=hanchan, statement=statement, by=context.by)
    except ResultError as error:
        return REASON if error.code == "reason_missing" else AGAIN
    if said.is_current:
        return ""
    return VOIDED if said.hanchan.is_voided else OUTDATED


def _statement(request: HttpRequest, context: EntryContext, hanchan: Hanchan, form: SayForm) -> NewStatement | None:
    who, version, note = form.player(), form.cleaned_data["version"], form.cleaned_data["note"]
    if who is None:
        may = not context.is_link and may_in_session(request.user, JUDGE, hanchan.session)
        return NewStatement(form.verdict(), version, None, note) if may else None
    speakers = speakers_of(request, hanchan, is_link=context.is_link)
    if who not in speakers and (version == hanchan.version or len(speakers) < hanchan.seats.count()):
        return None
    # Players who were replaced by a correction may still respond; the service checks that they sat there.
    player = Player.objects.filter(league=context.league, pk=who).first()
    return NewStatement(form.verdict(), version, player, note) if player is not None else None
