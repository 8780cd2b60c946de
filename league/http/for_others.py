"""Absolute URLs for links, QR codes and calendars, with a warning if they only work on this computer."""

import socket
from contextlib import suppress
from ipaddress import ip_address

from django.conf import settings
from django.http import HttpRequest
from django.http.request import split_domain_port
from django.utils.translation import gettext

ELSEWHERE = ("192.0.2.1", 9)
"""An unassigned address for finding the outgoing network interface; no packet is sent."""


def address_for_others(request: HttpRequest, path: str) -> str:
    """Return the absolute URL of a path, which the page shows with `components/own_address.html`."""
    have_warned(request)
    return request.build_absolute_uri(path)


def have_warned(request: HttpRequest) -> None:
    request.own_address_advice = own_address_advice(request)  # type: ignore[attr-defined]


def own_address_advice(request: HttpRequest) -> str:
    """Return what to do if the site was opened at a loopback address, else ""."""
    domain, port = split_domain_port(request.get_host())
    if not _is_of_the_machine(domain.strip("[]")):
        return ""
    if not settings.EMBEDDED:
        return gettext("Open the site at the address that others use and return to this page.")
    return gettext(
        "For phones and other people, start the site with “%(command)s”, open it at %(address)s and return to "
        "this page."
    ) % {"command": "make run HOST=0.0.0.0", "address": f"http://{_in_the_network()}{port and f':{port}'}/"}


def _is_of_the_machine(domain: str) -> bool:
    with suppress(ValueError):
        address = ip_address(domain)
        return address.is_loopback or address.is_unspecified
    return domain == "localhost" or domain.endswith(".localhost")


def _in_the_network() -> str:
    """Return this machine's address in the local network, or "…" if unknown."""
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as looking:
        looking.connect(ELSEWHERE)
        found = str(looking.getsockname()[0])
        if not _is_of_the_machine(found):
            return found
    return "…"
