"""Text leaves compressed, on every site alike: pages, tables as text, style sheets and scripts straight from the sources."""

import re

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware

TEXT = re.compile(r"text/|image/svg|application/(?:json|javascript|xml|[\w.-]+\+(?:json|xml))(?:;|$)")
"""Media types that become smaller. Photos, workbooks and PDF files are compressed in themselves."""

WEAK = re.compile(r'\bW/(?=")')
"""What makes a tag weak: the same content, perhaps otherwise encoded."""


class TextCompressionMiddleware(GZipMiddleware):
    """Django's own, with random bytes against BREACH, for whole answers of text that nobody has compressed before."""

    def process_request(self, request: HttpRequest) -> None:
        """Let everybody behind compare tags as If-None-Match asks for it, weakly; WhiteNoise would not."""
        if known := request.META.get("HTTP_IF_NONE_MATCH"):
            request.META["HTTP_IF_NONE_MATCH"] = WEAK.sub("", known)

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
        """Return the answer compressed. Parts of a file stay as they are: their numbers count its own bytes."""
        is_whole = response.status_code != 206 and request.method != "HEAD"
        if is_whole and TEXT.match(response.headers.get("Content-Type", "")):
            return super().process_response(request, response)
        return response
