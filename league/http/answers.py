"""What a script is told about a result that it sent. docs/entry-protocol.md lists every answer."""

from django.http import HttpResponse, JsonResponse
from django.utils import timezone
from django.utils.translation import gettext as _

from league.forms.entry.page import EntryPage
from league.forms.entry.sending import Sending
from league.http.entry_context import EntryContext
from league.models import Hanchan, HeldResult
from league.services.held_results import RejectionReason, store_held_result
from league.services.links import opens_pages
from league.services.photos import CleanedPhoto


def saved(context: EntryContext, hanchan: Hanchan, *, is_new: bool, differs: bool = False) -> HttpResponse:
    """Say that the result is stored, by this request or by an earlier one under the same key, which may have differed."""
    return JsonResponse(
        {
            "state": "saved",
            "hanchan": hanchan.pk,
            "round": hanchan.round,
            "receipt": _receipt(context, hanchan),
            "new": is_new,
            "standing": hanchan.state,
            "differs": differs,
        }
    )


def same(context: EntryContext, existing: Hanchan, page: EntryPage, sending: Sending) -> HttpResponse:
    """Say that an equal result is there already; a person decides. What a phone had to keep is held meanwhile."""
    text = _("The same result was saved a moment ago.")
    _keep(context, sending, RejectionReason(HeldResult.Reason.SAME, text), page.form.picture)
    return JsonResponse({"state": "same", "receipt": _receipt(context, existing), "message": text}, status=409)


def _receipt(context: EntryContext, hanchan: Hanchan) -> str:
    """Return the address of a receipt that opens for whoever asks: not at another table, not after the link's end."""
    opens = context.by.link is None or opens_pages(context.by.link, timezone.now())
    return context.receipt_url(hanchan) if opens and context.holds(hanchan) else ""


def refused(context: EntryContext, page: EntryPage, sending: Sending) -> HttpResponse:
    """Say what is wrong with a result; what a phone had to keep is held, so that nothing is lost."""
    sentences = [text for _target, text in page.form.messages]
    refusal = RejectionReason(_reason(page), " ".join(sentences))
    return _refusal(refusal, sentences, is_held=_keep(context, sending, refusal, page.form.picture))


def not_open(context: EntryContext, sending: Sending, picture: CleanedPhoto | None, *, is_closed: bool) -> HttpResponse:
    """Say that nothing can be entered here; what a phone had to keep is held for an organiser, with the photo."""
    if is_closed:
        refusal = RejectionReason(HeldResult.Reason.CLOSED, _("This session is closed."))
    else:
        refusal = RejectionReason(HeldResult.Reason.RULES, _("The rules of this session cannot score yet."))
    return _refusal(refusal, [refusal.sentence], is_held=_keep(context, sending, refusal, picture))


def _refusal(refusal: RejectionReason, sentences: list[str], *, is_held: bool) -> HttpResponse:
    state = "held" if is_held else "refused"
    return JsonResponse({"state": state, "message": refusal.sentence, "messages": sentences}, status=422)


def _reason(page: EntryPage) -> HeldResult.Reason:
    if page.check is not None and not page.check.adds_up:
        return HeldResult.Reason.SUM
    needs_rules = page.entry is not None and page.entry.needs_rules
    return HeldResult.Reason.RULES if needs_rules else HeldResult.Reason.INCOMPLETE


def _keep(context: EntryContext, sending: Sending, refusal: RejectionReason, picture: CleanedPhoto | None) -> bool:
    """Hold what a phone had to keep; return whether it is held now."""
    sent = sending.submission(picture)
    if sent is None:
        return False
    held = store_held_result(session=context.session, table=context.table, sent=sent, refused=refusal, by=context.by)
    return held is not None
