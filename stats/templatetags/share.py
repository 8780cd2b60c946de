"""Meta tags of public pages for link previews, and share buttons. Private pages have neither."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from django import template
from django.conf import settings
from django.http import Http404, HttpRequest
from django.urls import ResolverMatch, reverse
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

from league.core.sessions import SessionPhase
from league.http.caching import edition_of, version_of
from league.http.for_others import own_address_advice
from league.messages import written_with
from league.models import League, Session
from league.permissions import VIEW, is_private
from league.selectors.large_sheets import LargeSheet
from league.selectors.sheets import Sheet
from stats.core.cards import HEIGHT, WIDTH
from stats.exports.cards import PLAIN, Held, card_text, kept_card, kinds, site_version
from stats.selectors.stories import evening_words

register = template.Library()

SITE_PAGES = {"league:home", "league:glossary"}
"""Public pages outside of leagues that get share tags."""

UNKEPT = {"league:receipt", "league:live", "league:export"}
"""Public league pages that are not cached."""

LOCALES = {"ja": "ja_JP", "en": "en_US"}


@dataclass(frozen=True, slots=True)
class SharedPage:
    """A public page: its absolute URL, that of its picture, and its language.

    `advice`: what to do if the URL cannot be reached from elsewhere.
    """

    url: str
    picture: str
    locale: str
    other_locales: tuple[str, ...]
    advice: str
    width: int = WIDTH
    height: int = HEIGHT


@register.simple_tag(takes_context=True)
def shared_page(context: template.Context) -> SharedPage | None:
    """Return the page's meta data, or None if it is not public. No query."""
    request: HttpRequest | None = context.get("request")
    match = request.resolver_match if request else None
    if request is None or match is None or request.method not in {"GET", "HEAD"}:
        return None
    league, here = context.get("league"), match.view_name
    # Published views are cached for all visitors, so the URL alone determines the content.
    is_published = getattr(match.func, "is_published", False)
    may_be_shown = getattr(match.func, "permission", None) == VIEW and (is_published or here in UNKEPT)
    if here in SITE_PAGES:
        picture = f"{reverse('stats:site_card')}?v={site_version()}"
    elif isinstance(league, League) and may_be_shown and not is_private(league):
        picture = f"{kinds.get(here, PLAIN).url(league, match.kwargs)}?v={version_of(edition_of(league))}"
    else:
        return None
    language = (get_language() or settings.LANGUAGE_CODE)[:2]
    return SharedPage(
        url=request.build_absolute_uri(request.get_full_path() if is_published else request.path),
        picture=request.build_absolute_uri(picture),
        advice=own_address_advice(request),
        locale=LOCALES[language],
        other_locales=tuple(locale for code, locale in LOCALES.items() if code != language),
    )


@register.simple_tag(takes_context=True)
def share_text(context: template.Context) -> str:
    """Return the text shared with a link, taken from the page's picture.

    Queries as for the picture; none if it is cached or the hanchan or session is already loaded.
    """
    request, league = cast("HttpRequest", context["request"]), cast("League", context["league"])
    match = cast("ResolverMatch", request.resolver_match)
    kind = kinds.get(match.view_name, PLAIN)
    with written_with(lambda: ""):
        card = kind.at_hand(cast("Held", context.flatten()))
    try:
        return card_text(card or kept_card(kind, league, match.kwargs))
    except Http404:
        return ""


@register.simple_tag
def evening_in_words(session: Session, sheet: Sheet | LargeSheet, phases: Mapping[int, SessionPhase]) -> list[str]:
    """Return the story of a session in sentences, empty before it is over. At most one query."""
    if phases.get(session.pk) is not SessionPhase.OVER:
        return []
    return evening_words(session, sheet)


@register.filter
def with_words(text: str, words: list[str]) -> str:
    """Return a message with these sentences after its first line."""
    title, *lines = text.split("\n")
    return "\n".join([title, *words, *lines])


class SaidNode(template.Node):
    """Renders its content into a variable: one line, safe inside double quotes."""

    child_nodelists = ("nodelist",)

    def __init__(self, nodelist: template.NodeList, name: str) -> None:
        self.nodelist, self.name = nodelist, name

    def render(self, context: template.Context) -> SafeString:
        text = " ".join(self.nodelist.render(context).split())
        # Already escaped, except for quotes in the template's own text.
        context[self.name] = mark_safe(text.replace('"', "&quot;"))  # noqa: S308 - a rendered template
        return SafeString()


@register.tag
def said(parser: template.base.Parser, token: template.base.Token) -> SaidNode:
    """Store rendered content under a name: `{% said page_title %}…{% endsaid %}`.

    Needed because a template block can be output only once.
    """
    _tag, name = token.split_contents()
    nodelist = parser.parse(("endsaid",))
    parser.delete_first_token()
    return SaidNode(nodelist, name)
