"""Responses to a submitted result: HTML for pages, JSON for scripts. docs/entry-protocol.md lists them all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from league.forms.entry.fields import picture_in
from league.forms.entry.form import EntryForm, Sending
from league.forms.entry.sentences import result_sentence
from league.http.access import wants_json
from league.http.entry_context import SAVED_BEFORE, EntryContext
from league.messages import plain_name
from league.models import Hanchan, HeldResult, Session
from league.selectors.games import seats_of
from league.services.held_results import RejectionReason, store_held_result
from league.services.links import opens_pages
from league.services.photos import CleanedPhoto
from league.services.results import OtherPeopleError, SameResultError


def saved(
    request: HttpRequest, context: EntryContext, hanchan: Hanchan, *, is_new: bool, differs: bool = False
) -> HttpResponse:
    """Respond that the result is stored.

    `is_new`: stored by this request, not by an earlier one with the same key. `differs`: the earlier request had other
    data.
    """
    if wants_json(request):
        facts = {
            "state": "saved",
            "hanchan": hanchan.pk,
            "round": hanchan.round,
            "receipt": _receipt(context, hanchan),
            "new": is_new,
            "standing": hanchan.state,
            "differs": differs,
        }
        return JsonResponse(facts)
    if not context.holds(hanchan):
        return redirect(context.enter_url)
    return redirect(context.receipt_url(hanchan, SAVED_BEFORE if differs else ""))


def asked(
    context: EntryContext, error: SameResultError | OtherPeopleError, form: EntryForm, sending: Sending
) -> HttpResponse:
    """Ask the user to confirm: the hanchan may already be stored, or other players are planned.

    A result that was kept on a phone is stored as a held result meanwhile.
    """
    text = result_sentence(error)
    is_same = isinstance(error, SameResultError)
    reason = HeldResult.Reason.SAME if is_same else HeldResult.Reason.OTHERS
    _keep(context, sending, RejectionReason(reason, text), form.picture)
    receipt = {"receipt": _receipt(context, error.existing)} if isinstance(error, SameResultError) else {}
    return JsonResponse({"state": "same" if is_same else "others", **receipt, "message": text}, status=409)


def _receipt(context: EntryContext, hanchan: Hanchan) -> str:
    """Return the URL of the receipt, or "" if the link has expired or the hanchan is from another table."""
    opens = context.by.link is None or opens_pages(context.by.link, timezone.now())
    return context.receipt_url(hanchan) if opens and context.holds(hanchan) else ""


def refused(context: EntryContext, form: EntryForm, sending: Sending) -> HttpResponse:
    """Respond with the form's errors; results kept on a phone are stored as held results."""
    sentences = [text for _target, text in form.messages]
    refusal = RejectionReason(_reason(form), " ".join(sentences))
    return _refusal(refusal, sentences, is_held=_keep(context, sending, refusal, form.picture))


def not_open(request: HttpRequest, context: EntryContext, sending: Sending) -> HttpResponse:
    """Respond that entry is closed; results kept on a phone are stored as held results with their photo."""
    if not wants_json(request):
        return closed(request, context)
    if context.session.state != Session.State.OPEN:
        refusal = RejectionReason(HeldResult.Reason.CLOSED, _("This session is closed."))
    else:
        refusal = RejectionReason(HeldResult.Reason.RULES, _("The rules of this session are incomplete."))
    is_held = _keep(context, sending, refusal, picture_in(request.FILES))
    return _refusal(refusal, [refusal.sentence], is_held=is_held)


def closed(request: HttpRequest, context: EntryContext) -> HttpResponse:
    missing = context.rules.missing if context.rules else ()
    page = {"league": context.league, "session": context.session, "missing": missing, "entry_context": context}
    return render(request, "league/entry/closed.html", page)


def _refusal(refusal: RejectionReason, sentences: list[str], *, is_held: bool) -> HttpResponse:
    state = "held" if is_held else "refused"
    return JsonResponse({"state": state, "message": refusal.sentence, "messages": sentences}, status=422)


def _reason(form: EntryForm) -> HeldResult.Reason:
    if form.reading.check is not None and not form.reading.check.adds_up:
        return HeldResult.Reason.SUM
    needs_rules = form.entry is not None and form.entry.needs_rules
    return HeldResult.Reason.RULES if needs_rules else HeldResult.Reason.INCOMPLETE


def _keep(context: EntryContext, sending: Sending, refusal: RejectionReason, picture: CleanedPhoto | None) -> bool:
    sent = sending.submission(picture)
    if sent is None:
        return False
    held = store_held_result(session=context.session, table=context.table, sent=sent, refused=refusal, by=context.by)
    return held is not None


def same_result(context: EntryContext, error: SameResultError, form: EntryForm) -> dict[str, Any]:
    """Return a stored hanchan that may be the same as the one entered.

    `url`: its receipt; `correct_url`: its correction page, filled in with the input. Both are "" if not available to
    the user.
    """
    existing = error.existing
    context.hide_names(seat.player for seat in seats_of(existing))
    return {
        "hanchan": existing,
        "likeness": error.likeness,
        "seats": tuple(_compared(existing, form)),
        "url": context.receipt_url(existing) if context.holds(existing) else "",
        "correct_url": "" if context.is_link else _correction(existing, form),
    }


@dataclass(frozen=True, slots=True)
class OtherPeople:
    """The planned and the entered player of each seat; planned names are "" without a plan."""

    table: int
    round: int
    seats: tuple[tuple[str, str], ...]

    @classmethod
    def asked(cls, error: OtherPeopleError, typed: Iterable[str]) -> OtherPeople:
        seats = zip_longest(map(plain_name, error.planned), typed, fillvalue="")
        return cls(error.table, error.round, tuple(seats))


def other_people(context: EntryContext, error: OtherPeopleError, form: EntryForm) -> OtherPeople:
    context.hide_names(error.planned)
    return OtherPeople.asked(error, form.names)


def _compared(existing: Hanchan, form: EntryForm) -> Iterator[dict[str, Any]]:
    saved = {seat.player_id: seat for seat in seats_of(existing)}
    for seat, person in enumerate(form.people):
        known = saved.pop(getattr(person, "pk", 0), None)
        yield _pair(form.names[seat], known.raw_score if known else None, form.reading.raw[seat])
    for each in saved.values():
        yield _pair(plain_name(each.player), each.raw_score, None)


def _pair(name: str, saved: int | None, typed: int | None) -> dict[str, Any]:
    return {"name": name, "saved": saved, "typed": typed, "differs": saved != typed}


def _correction(existing: Hanchan, form: EntryForm) -> str:
    names = [f"{kind}_{seat}" for seat in form.table.seats for kind in ("player", "raw")]
    typed = {name: str(form[name].value() or "") for name in (*names, "sticks_left")}
    url = reverse("league:correct", args=[existing.league.slug, existing.pk])
    return f"{url}?{urlencode(typed)}"
