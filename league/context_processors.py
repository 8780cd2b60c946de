"""What every page knows."""

from django.conf import settings
from django.http import HttpRequest


def tenbo(request: HttpRequest) -> dict[str, object]:
    """Return what every page knows: whether this is a demonstration with known log-ins."""
    return {"is_demo": settings.DEMO}
