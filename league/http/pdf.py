"""Printable sheets as PDF, with their own font."""

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from PIL import ImageFile

logger = logging.getLogger(__name__)

FONT = "vendor/fonts/NotoSansJP_500Medium.ttf"
STYLE = "css/print-sheets.css"
FACE = '@font-face {{ font-family: "Tenbo Print"; src: url("{font}") }}'


def printed(request: HttpRequest, page: Mapping[str, Any], template: str, file_name: str) -> HttpResponse:
    """Return sheets to print from the browser, or a PDF if requested and possible."""
    page, drawn = dict(page), None
    if request.GET.get("format") == "pdf":
        drawn = _drawn(render_to_string("league/print/pdf.html", page, request=request))
        if drawn is None:
            page["no_pdf"] = _("This server cannot create PDF files. Print this page from the browser instead.")
    response = HttpResponse(drawn, content_type="application/pdf") if drawn else render(request, template, page)
    if drawn:
        response.headers["Content-Disposition"] = f'inline; filename="{file_name}"'
    response.headers["Cache-Control"] = "private, no-store"
    return response


def _drawn(markup: str) -> bytes | None:
    """Return the sheets as a PDF, or None if the libraries that render text in PDFs are not installed."""
    try:
        # Imports Pango, which may be missing; everything else must work without it.
        from weasyprint import CSS, HTML  # noqa: PLC0415
        from weasyprint.text.fonts import FontConfiguration  # noqa: PLC0415
        from weasyprint.urls import URLFetcher  # noqa: PLC0415
    except OSError as error:
        logger.warning("No PDF without Pango: %s", error)
        return None
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
