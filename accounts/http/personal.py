from collections.abc import Callable
from functools import wraps

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse

from league.http.access import login_first
from league.http.idempotent import answer_again, answer_once

PersonalView = Callable[[HttpRequest, User], HttpResponse]


def personal(view: PersonalView) -> Callable[[HttpRequest], HttpResponse]:
    """Require a log-in, pass the user to the view, and make its forms idempotent."""

    @wraps(view)
    def guarded(request: HttpRequest) -> HttpResponse:
        setattr(request, "is_private", True)  # noqa: B010 - a request has no such field
        if not request.user.is_authenticated:
            return login_first(request)
        # Replace the lazy object, because the user is assigned to foreign keys.
        user = User.objects.get(pk=request.user.pk) if request.method == "POST" else request.user
        return answer_again(request, lambda: answer_once(request, lambda: view(request, user)))

    return guarded
