"""The address alone decides the language: `/` is Japanese, `/en/` is English.

Django's own middleware would also look at a cookie and at what the browser prefers, so that a link shared in one
language could open in another.
"""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils import translation


class UrlLanguageMiddleware:
    """Activates the language that the address begins with, the default one otherwise."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        """Return the answer in the language of the address."""
        language = translation.get_language_from_path(request.path_info) or settings.LANGUAGE_CODE
        with translation.override(language):
            request.LANGUAGE_CODE = language
            response = self.get_response(request)
        response.headers.setdefault("Content-Language", language)
        return response
