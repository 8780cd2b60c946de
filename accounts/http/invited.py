"""The invitation that somebody came with, kept in their session until they are in."""

from django.http import HttpRequest

KEPT_AS = "invitation"


def came_with(request: HttpRequest) -> str:
    """Return the code of the invitation that the visitor opened, empty without one."""
    return str(request.session.get(KEPT_AS, ""))
