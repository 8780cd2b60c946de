from django.conf import settings
from django.http import HttpRequest
from django.utils.module_loading import import_string


def tenbo(request: HttpRequest) -> dict[str, object]:
    """Return context for every template.

    `demo_logins` is a callable, imported only on demo sites; templates that show the log-ins call it.
    """
    logins = import_string(settings.DEMO_LOGINS) if settings.DEMO else ()
    return {"is_demo": settings.DEMO, "demo_logins": logins, "page_tag": getattr(request, "page_tag", "")}
