"""What every page knows."""

from django.conf import settings
from django.http import HttpRequest
from django.utils.module_loading import import_string


def tenbo(request: HttpRequest) -> dict[str, object]:
    """Return what every page knows: whether this is a demonstration, and with which log-ins.

    `demo_logins` is called by the page that shows them; the invented people are loaded on demonstration sites alone.
    """
    logins = import_string(settings.DEMO_LOGINS) if settings.DEMO else ()
    return {"is_demo": settings.DEMO, "demo_logins": logins, "page_tag": getattr(request, "page_tag", "")}
