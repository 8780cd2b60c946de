"""Idempotent forms, and retries of requests that lost a race.

A form is identified by its CSRF token and content. Other content is a different form; a rejected form stores nothing
and can be submitted again.
"""

import json
from collections.abc import Callable
from hashlib import sha256

from django.contrib import messages
from django.core.files.uploadedfile import UploadedFile
from django.db import DatabaseError, IntegrityError, connection, transaction
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.translation import gettext as _

from league.services.locking import met_another
from league.services.sent_forms import Writes, answer_of, begin_form, end_form

TOKEN = "csrfmiddlewaretoken"  # noqa: S105 - the name of a field


def answer_once(request: HttpRequest, view: Callable[[], HttpResponse]) -> HttpResponse:
    """Return the view's response, or the earlier redirect if this form was already processed.

    The view runs in one transaction.
    """
    if request.method != "POST":
        return view()
    digest = _digest(request)
    if not digest:
        with transaction.atomic():
            return view()
    try:
        with transaction.atomic():
            note, writes = begin_form(digest), Writes()
            with connection.execute_wrapper(writes):
                answer = view()
            end_form(note, answer.url if writes.count and isinstance(answer, HttpResponseRedirect) else "")
    except IntegrityError:
        if not (led_to := answer_of(digest)):
            raise
        messages.info(request, _("This form was sent twice but processed only once."))
        return HttpResponseRedirect(led_to)
    return answer


def answer_again(request: HttpRequest, view: Callable[[], HttpResponse]) -> HttpResponse:
    """Return the view's response; retry once if it lost a race.

    The database rolls back one of two conflicting transactions; the retry sees the other's changes.
    """
    try:
        return view()
    except DatabaseError as error:
        if not met_another(error):
            raise
    rewind(request)
    return view()


def rewind(request: HttpRequest) -> None:
    """Rewind the uploaded files, so that the request can be processed again."""
    for name in request.FILES:
        for upload in request.FILES.getlist(name):
            upload.seek(0)


def _digest(request: HttpRequest) -> str:
    """Return a digest that identifies the form, or "" without a CSRF token."""
    if not request.POST.get(TOKEN):
        return ""
    files = {name: [(file.name, _content(file)) for file in request.FILES.getlist(name)] for name in request.FILES}
    typed = [request.path, request.user.pk, sorted(request.POST.lists()), sorted(files.items())]
    return sha256(json.dumps(typed).encode()).hexdigest()


def _content(file: UploadedFile) -> str:  # type: ignore[type-arg]
    """Return a digest of a file's content and rewind it."""
    found = sha256()
    for chunk in file.chunks():
        found.update(chunk)
    file.seek(0)
    return found.hexdigest()
