"""Names for the language of the page."""

from django.utils.html import escape
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from league.core.spelling import shown


def local_name(thing: object) -> SafeString | str:
    """Return a league's or player's name for the page's language; a name in the other script is marked as Japanese."""
    name = shown(str(getattr(thing, "name", thing)))
    if get_language() == "ja":
        return name
    latin = getattr(thing, "romanised", "") or getattr(thing, "name_en", "")
    if latin or name.isascii():
        return shown(str(latin or name))
    return SafeString(f'<span lang="ja">{escape(name)}</span>')
