"""A request that met another one: it is answered once more, by what stands now.

Two people may change one thing in the same moment. The database lets one of them through and refuses the other, whose
work is undone as a whole. What they asked for may still be right: their page is run again and sees what was changed.
"""

from collections.abc import Callable

from django.db import DatabaseError
from django.http import HttpRequest, HttpResponse

from league.services.locking import met_another


def answer_again(request: HttpRequest, view: Callable[[], HttpResponse]) -> HttpResponse:
    """Return the answer of a view; of its second run if the first was refused because of what somebody else did meanwhile."""
    try:
        return view()
    except DatabaseError as error:
        if not met_another(error):
            raise
    for name in request.FILES:
        for upload in request.FILES.getlist(name):
            upload.seek(0)
    return view()
