import unicodedata

import segno
from django import template
from django.utils.safestring import SafeString

register = template.Library()

FITS = ((8, "short"), (14, "medium"), (24, "long"))
"""Maximum width of each size, in half-width characters; longer texts use the smallest size and may wrap."""


@register.filter
def qr(address: str) -> SafeString:
    """Return a QR code as scalable SVG, readable with up to about 15 % damage (error correction level M or better)."""
    code = segno.make_qr(address, error="m")
    return SafeString(code.svg_inline(omitsize=True, border=4, svgclass="qr-code", lineclass=None, light="white"))


@register.filter
def typed_address(address: str) -> str:
    """Return a URL without its scheme."""
    return address.removeprefix("https://").removeprefix("http://")


@register.filter
def fit(text: object) -> str:
    """Return the size class of a name by width: short, medium, long or longest. Full-width characters count twice."""
    width = sum(2 if unicodedata.east_asian_width(letter) in "FWA" else 1 for letter in str(text))
    return next((name for most, name in FITS if width <= most), "longest")
