"""A form does its work once, however often it is sent, and is answered again where another one was in its way.

A form is told by the token that its page brought along, which no two pages share, and by everything that was typed.
Somebody who goes back and types something else sends another form; one that was refused, and stored nothing, may be sent
as it is.
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
    """Return the answer of a view, or the way to where it led before if this very form has done its work.

    Whatever a form does is one transaction: all of it or nothing.
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
        messages.info(request, _("This was sent twice. It was done once."))
        return HttpResponseRedirect(led_to)
    return answer


def answer_again(request: HttpRequest, view: Callable[[], HttpResponse]) -> HttpResponse:
    """Return the answer of a view; of its second run if the first was refused because of what somebody else did meanwhile.

    Two people may change one thing in the same moment. The database lets one of them through and refuses the other, whose
    work is undone as a whole. What they asked for may still be right: their page is run again and sees what was changed.
    """
    try:
        return view()
    except DatabaseError as error:
        if not met_another(error):
            raise
    rewind(request)
    return view()


def rewind(request: HttpRequest) -> None:
    """Let the files of a request be read once more."""
    for name in request.FILES:
        for upload in request.FILES.getlist(name):
            upload.seek(0)


def _digest(request: HttpRequest) -> str:
    """Return by what a form is known; empty for what is no form of a page."""
    if not request.POST.get(TOKEN):
        return ""
    files = {name: [(file.name, _content(file)) for file in request.FILES.getlist(name)] for name in request.FILES}
    typed = [request.path, request.user.pk, sorted(request.POST.lists()), sorted(files.items())]
    return sha256(json.dumps(typed).encode()).hexdigest()


def _content(file: UploadedFile) -> str:  # type: ignore[type-arg]
    """Return what tells the content of a file from any other; it is read from its start afterwards."""
    found = sha256()
    for chunk in file.chunks():
        found.update(chunk)
    file.seek(0)
    return found.hexdigest()
