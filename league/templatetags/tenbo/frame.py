"""What the frame of a page asks: its address in the other language, and what its reader may."""

from urllib.parse import urlsplit

from django import template
from django.conf import settings
from django.http import HttpRequest
from django.urls import get_script_prefix

from league.models import Session
from league.permissions import may_in_session


def lang_switch(context: template.Context, language: str) -> str:
    """Return the address of the current page in the other language, path and query kept."""
    request: HttpRequest | None = context.get("request")
    root = get_script_prefix()
    parts = urlsplit(request.get_full_path()) if request else urlsplit(root)
    inside = parts.path.removeprefix(root).removeprefix("/")
    for code, _name in settings.LANGUAGES:
        if inside == code or inside.startswith(f"{code}/"):
            inside = inside[len(code) + 1 :]
            break
    prefix = "" if language == settings.LANGUAGE_CODE else f"{language}/"
    return parts._replace(scheme="", netloc="", path=f"{root}{prefix}{inside}").geturl()


def may(context: template.Context, permission: str, thing: object = None) -> bool:
    """Return whether the reader of the page has a permission: `{% may "league.manage" league as can_manage %}`.

    In a session also who leads it has the permissions of those who lead the league.
    """
    user = context.get("user")
    if user and isinstance(thing, Session):
        return may_in_session(user, permission, thing)
    return bool(user and thing and user.has_perm(permission, thing))
