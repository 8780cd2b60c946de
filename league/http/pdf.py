"""Printable sheets as PDF, with their own font."""

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from PIL import ImageFile

logger = logging.getLogger(__name__)

FONT = "vendor/fonts/NotoSansJP_500Medium.ttf"
STYLE = "css/print-sheets.css"
FACE = '@font-face {{ font-family: "Tenbo Print"; src: url("{font}") }}'


class NoPdfError(Exception):
    """The libraries that render text in PDFs are not installed."""


def pdf_response(request: HttpRequest, page: Mapping[str, Any], file_name: str) -> HttpResponse:
    """Render a page's sheets as a PDF. Raise NoPdfError if the browser has to print them instead."""
    markup = render_to_string("league/print/pdf.html", dict(page), request=request)
    response = HttpResponse(_drawn(markup), content_type="application/pdf")
    response.headers["Content-Disposition"] = f'inline; filename="{file_name}"'
    response.headers["Cache-Control"] = "private, no-store"
    return response


def _drawn(markup: str) -> bytes:
    try:
        # Imports Pango, which may be missing; everything else must work without it.
        from weasyprint import CSS, HTML  # noqa: PLC0415
        from weasyprint.text.fonts import FontConfiguration  # noqa: PLC0415
        from weasyprint.urls import URLFetcher  # noqa: PLC0415
    except OSError as error:
        logger.warning("No PDF without Pango: %s", error)
        raise NoPdfError from error
    # WeasyPrint makes Pillow accept truncated images in the whole process; uploaded photos must be complete.
    ImageFile.LOAD_TRUNCATED_IMAGES = False
    folder = Path(settings.BASE_DIR) / "static"
    fonts = FontConfiguration()
    face = FACE.format(font=(folder / FONT).as_uri())
    files = URLFetcher(allowed_protocols=("file",))
    styles = [
        CSS(string=face, font_config=fonts, url_fetcher=files),
        CSS(filename=folder / STYLE, font_config=fonts, url_fetcher=files),
    ]
    # The document itself may not load any URL, whatever its texts contain.
    document = HTML(string=markup, url_fetcher=URLFetcher(allowed_protocols=()))
    drawn: bytes = document.write_pdf(stylesheets=styles, font_config=fonts)
    return drawn
