import unicodedata

import segno
from django import template
from django.utils.safestring import SafeString

register = template.Library()

FITS = ((8, "short"), (14, "medium"), (24, "long"))
"""How many half-width characters a line of each size holds; a longer text is set smallest and may break."""


@register.filter
def qr(address: str) -> SafeString:
    """Return a QR code as SVG that grows with its place; a quarter of it or less may be stained (level M or better)."""
    code = segno.make_qr(address, error="m")
    return SafeString(code.svg_inline(omitsize=True, border=4, svgclass="qr-code", lineclass=None, light="white"))


@register.filter
def typed_address(address: str) -> str:
    """Return an address without "https://"."""
    return address.removeprefix("https://").removeprefix("http://")


@register.filter
def fit(text: object) -> str:
    """Return how wide a name is: short, medium, long or longest. A Japanese character counts twice."""
    width = sum(2 if unicodedata.east_asian_width(letter) in "FWA" else 1 for letter in str(text))
    return next((name for most, name in FITS if width <= most), "longest")
