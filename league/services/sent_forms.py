"""A form does its work once, however often it is sent: a second press, a reload, a phone that tries again."""

from datetime import timedelta

from django.utils import timezone

from league.models import SentForm

KEPT_FOR = timedelta(days=3)
"""A page that was left open over a weekend is still known on Monday."""


def begin_form(digest: str) -> SentForm:
    """Note that the work of a form begins, in the transaction of that work. IntegrityError where it has been done.

    Whoever sends the same form in the same moment waits here for the first.
    """
    return SentForm.objects.create(digest=digest)


def end_form(note: SentForm, answer: str) -> None:
    """Keep where the answer of a form led; forget the note of one that did nothing, since it may be sent again."""
    if answer:
        note.answer = answer
        note.save(update_fields=["answer"])
    else:
        note.delete()


def answer_of(digest: str) -> str:
    """Return where the answer of a form led that has done its work; empty if it has not. One query."""
    return SentForm.objects.filter(digest=digest).values_list("answer", flat=True).first() or ""


def forget_sent_forms() -> int:
    """Forget the forms that nobody sends again; return how many."""
    count, _ = SentForm.objects.filter(sent_at__lt=timezone.now() - KEPT_FOR).delete()
    return count
