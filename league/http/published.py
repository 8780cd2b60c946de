"""Pages that are rendered once for everybody who sees the same, and not sent again while they are the same.

A page is kept by the edition of what it shows, its address, its language, the clock where that changes something, and
by what kind of reader it is for. It is rendered for that kind, for nobody in person: what is somebody's own (the name,
the token of forms, the page's own tag) is a mark in what is kept, and filled in for each reader. docs/adr/0030 has the
reasons.
"""

import gzip
import re
from bisect import bisect
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar, cast

from django.conf import settings
from django.contrib.auth.models import AnonymousUser, User
from django.contrib.messages import get_messages
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse, HttpResponseNotModified, QueryDict
from django.middleware.csrf import get_token
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.utils.crypto import salted_hmac
from django.utils.html import escape
from django.utils.http import parse_etags
from django.utils.translation import get_language

from league.core.periods import moment_on
from league.http.everybodys import brings_nothing, everybodys
from league.http.freshness import KEEP, appearance, digest, reader_of, with_tag
from league.http.standby import may_be_late
from league.messages import other_sign
from league.models import League
from league.permissions import Person, role_in

P = ParamSpec("P")
T = TypeVar("T")
Own = Callable[[Person, League], bool]
LeagueView = Callable[Concatenate[HttpRequest, League, P], HttpResponse]

MAX_ADDRESS_LENGTH = 300
"""Longer addresses are not kept: nobody links to them."""

MAX_AT_ONCE = 8
"""So many of one kind a page shows at once; of more that an address names, those after are not read."""

ACCEPTS_GZIP = re.compile(r"\bgzip\b")


@dataclass(frozen=True, slots=True)
class ReaderKind:
    """For whom a page is rendered: everybody with the same role sees the same, unless the page knows somebody's own.

    `own`: the primary key and the name of the one whom the page is for.
    """

    is_known: bool
    role: str | None
    is_superuser: bool
    own: tuple[int, str] | None = None


@dataclass(frozen=True, slots=True)
class Parameters:
    """What a page reads of the query in its address; it is rendered without the rest, whatever somebody makes up.

    `chosen`: from what the page offers. `typed`: in a field, so that there is no end of them; such a page is not kept.
    `several`: chosen as well, more than one at once, as people are that a page compares.
    """

    chosen: tuple[str, ...] = ()
    typed: tuple[str, ...] = ()
    several: tuple[str, ...] = ()

    def of(self, request: HttpRequest) -> QueryDict:
        """Return the query as the page reads it, always in the same order."""
        query = QueryDict(mutable=True)
        for name in (*self.chosen, *self.typed):
            if name in request.GET:
                query[name] = request.GET[name]
        for name in self.several:
            if name in request.GET:
                query.setlist(name, request.GET.getlist(name)[:MAX_AT_ONCE])
        return query

    def are_typed(self, query: QueryDict) -> bool:
        """Return whether something was typed."""
        return any(name in query for name in self.typed)


NOTHING_ASKED = Parameters()
"""Of a page that reads nothing of the query."""


@dataclass(frozen=True, slots=True)
class KeptPage:
    """A rendered page: packed, a digest of what it says, and whether marks in it wait for a reader, or a form does.

    `message_at`: where in its text a reader is told what just happened, None where there is no place for it.
    """

    packed: bytes
    digest: str
    has_marks: bool
    has_form: bool
    content_type: str
    message_at: int | None


@dataclass(frozen=True, slots=True)
class PageTag:
    """The ETag of a page: one half tells its edition, for which nothing need be read; the other what it says.

    So a page that says the same in a later edition is not sent again, and no open page announces news that are none.
    """

    reader: str
    of_edition: str
    of_content: str = ""

    @classmethod
    def of(cls, request: HttpRequest, key: str) -> "PageTag":
        """Return the tag of a page for this reader, whose name and forms it carries."""
        reader = digest(*reader_of(request))
        return cls(reader, digest(key, reader))

    def of_everybody(self) -> "PageTag":
        """Return a tag that tells what the page says alone: an edge has one for everybody, and compares it as a whole."""
        return replace(self, of_edition="all")

    def with_content(self, page: KeptPage) -> "PageTag":
        """Return the whole tag, of a page that is at hand."""
        return replace(self, of_content=digest(page.digest, self.reader))

    def __str__(self) -> str:
        return f'"{self.of_edition}-{self.of_content}"'

    def unchanged(self, request: HttpRequest, half: str) -> HttpResponse | None:
        """Return a 304 where the browser has a page with this half in its tag: with the tag that it knows it by."""
        for known in parse_etags(request.META.get("HTTP_IF_NONE_MATCH", "")):
            if half in known.strip('"').split("-"):
                return with_tag(HttpResponseNotModified(), known)
        return None


def nobodys_own(_user: Person, _league: League) -> bool:
    """Return that a page tells its reader nothing of their own."""
    return False


def published(own: Own = nobodys_own, reads: Parameters = NOTHING_ASKED) -> Callable[[LeagueView[P]], LeagueView[P]]:
    """Return a decorator for pages of a league, below the one that lets only readers through.

    `own` tells whether a reader of the page would see something that is about them in person: such a page is kept for
    them alone. Whatever else the view asks of `request.user` it is told of the kind of reader, not of a person. Of the
    query the view is told what it `reads`.
    """

    def decorate(view: LeagueView[P]) -> LeagueView[P]:
        @wraps(view)
        def shown(request: HttpRequest, league: League, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            kind = _kind_of(request.user, league, is_own=own(request.user, league))
            edition = edition_of(league)
            return publish(request, edition, kind, lambda reader: view(reader, league, *args, **kwargs), league, reads)

        shown.is_published = True  # type: ignore[attr-defined]
        return cast("LeagueView[P]", may_be_late(shown))

    return decorate


def publish(
    request: HttpRequest,
    edition: tuple[object, ...],
    kind: ReaderKind,
    render: Callable[[HttpRequest], HttpResponse],
    league: League | None = None,
    reads: Parameters = NOTHING_ASKED,
) -> HttpResponse:
    """Return a page: as unchanged, as it is kept, or rendered now. With messages on it no browser keeps it.

    `edition`: what changes when the page would. `render` is called with the request of a reader of this kind, who asks
    for nothing but what the page `reads`.
    """
    if request.method not in {"GET", "HEAD"}:
        return render(request)
    query = reads.of(request)
    asking = _asking(request, query)
    address = asking.get_full_path()
    origin = request.build_absolute_uri("/")
    key = digest(appearance(), settings.DEMO, get_language(), MARKS, edition, origin, address, kind, *other_sign())
    tag = PageTag.of(request, key)
    has_messages = bool(len(get_messages(request)))
    is_shared = kind == VISITOR and brings_nothing(request) and not has_messages
    if is_shared:
        tag = tag.of_everybody()
    elif not has_messages and (answer := tag.unchanged(request, tag.of_edition)):
        return answer
    kept: KeptPage | None = cache.get(f"page:{key}")
    if kept is None:
        answer = render(_reader_like(asking, kind, league))
        if reads.are_typed(query) or not _may_be_kept(answer, address):
            return with_tag(_filled(request, answer, tag, version_of(edition)), None)
        kept = _packed(answer, version_of(edition))
        cache.set(f"page:{key}", kept, KEEP)
    if kept.has_form and "CSRF_COOKIE" not in request.META:
        get_token(request)
        is_shared, tag = False, PageTag.of(request, key)
    tag = tag.with_content(kept)
    if has_messages and kept.message_at is not None:
        return with_tag(HttpResponse(_told(request, kept, tag), content_type=kept.content_type), None)
    answer = tag.unchanged(request, tag.of_content) or _answer(request, kept, tag)
    return everybodys(request, answer) if is_shared else answer


OK = 200


# --- What a page is kept by ------------------------------------------------------------------------------------------


VISITOR = ReaderKind(is_known=False, role=None, is_superuser=False)


def kind_in_person(user: Person) -> ReaderKind:
    """Return a kind of which there is nobody else, for pages that are different for everybody with an account."""
    if not user.is_authenticated:
        return VISITOR
    return ReaderKind(is_known=True, role=None, is_superuser=user.is_superuser, own=(user.pk, user.get_username()))


def _kind_of(user: Person, league: League, *, is_own: bool) -> ReaderKind:
    if not user.is_authenticated:
        return VISITOR
    own = (user.pk, user.get_username()) if is_own else None
    return ReaderKind(is_known=True, role=role_in(user, league), is_superuser=user.is_superuser, own=own)


def edition_of(league: League) -> tuple[object, ...]:
    """Return what every page of a league is kept by: the league's edition, and what its clock changes."""
    return league.pk, league.edition, clock_of(league, timezone.now())


def version_of(edition: tuple[object, ...]) -> str:
    """Return what an edition is called in the address of a picture: another one whenever a page may show something else."""
    return digest(appearance(), edition)[:16]


def clock_of(league: League, now: datetime) -> tuple[object, ...]:
    """Return what changes in a league by the clock alone: its day, how many sessions of it have begun, and to how many that come it is too late to answer."""
    today = league.day_of(now)
    return today, bisect(_moments(league, today.isoformat()), now) if league.starts else 0


def _moments(league: League, today: str) -> list[datetime]:
    """Return the moments at which sessions of the day start and answers to sessions end, in order."""
    found = (each.split("/") for each in league.starts.split(" "))
    return sorted(_moment(league, day, clock) for day, clock in found if day in {today, UNTIL})


UNTIL = "until"
"""Stands in the place of the day where the whole moment follows."""


def _moment(league: League, day: str, clock: str) -> datetime:
    if day == UNTIL:
        until = datetime.fromisoformat(clock)
        return until if until.tzinfo else until.replace(tzinfo=UTC)
    moment = datetime.fromisoformat(f"{day}T{clock}")
    return moment_on(moment.date(), moment.time(), league.time_zone, league.day_boundary)


# --- Marks -----------------------------------------------------------------------------------------------------------

FORM_MARK, NAME_MARK, TAG_MARK, MESSAGE_MARK = MARKS = tuple(
    f"mark{salted_hmac('league.http.published', part).hexdigest()}" for part in ("form", "name", "tag", "message")
)
"""What stands in a page for the token of forms, the reader's name, the page's tag, messages: nobody can write it."""

VERSION_MARK = f"mark{salted_hmac('league.http.published', 'version').hexdigest()}"
"""What stands in a page for the version of its pictures until it is kept: it is no part of what the page says."""


def _reader_like(request: HttpRequest, kind: ReaderKind, league: League | None) -> HttpRequest:
    """Return the same request of somebody of this kind who is nobody in person, unless the page is for one alone."""
    reader = _with_marks(request)
    if kind.own is not None or not kind.is_known:
        if not kind.is_known:
            reader.user = AnonymousUser()
        return reader
    reader.user = User(username=NAME_MARK, is_superuser=kind.is_superuser)
    if league is not None:
        setattr(reader.user, "_league_roles", {league.pk: kind.role})  # noqa: B010 - a user has no such field
    return reader


def _asking(request: HttpRequest, query: QueryDict) -> HttpRequest:
    """Return the same request with this query."""
    return _copied(request, GET=query, META={**request.META, "QUERY_STRING": query.urlencode()})


def _with_marks(request: HttpRequest) -> HttpRequest:
    return _copied(
        request, form_token=FORM_MARK, page_tag=TAG_MARK, message_mark=MESSAGE_MARK, version_mark=VERSION_MARK
    )


def _copied(request: HttpRequest, **changed: object) -> HttpRequest:
    copied = request.__class__.__new__(request.__class__)
    copied.__dict__ |= request.__dict__ | changed
    return copied


def _filled(request: HttpRequest, response: HttpResponse, tag: PageTag, version: str) -> HttpResponse:
    """Return an answer that is not kept with the marks in it filled in."""
    if not response.streaming and response.charset:
        html = response.content.decode(response.charset).replace(VERSION_MARK, version)
        response.content = _fill(request, html, tag)
    return response


def _fill(request: HttpRequest, html: str, tag: PageTag) -> str:
    if FORM_MARK in html:
        html = html.replace(FORM_MARK, get_token(request))
    if NAME_MARK in html:
        html = html.replace(NAME_MARK, escape(request.user.get_username()))
    if MESSAGE_MARK in html:
        html = html.replace(MESSAGE_MARK, _messages(request))
    return html.replace(TAG_MARK, escape(str(tag)))


def _messages(request: HttpRequest | None = None) -> str:
    """Return what a reader is told, once; without a reader the place that is left for it."""
    told = get_messages(request) if request is not None else ()
    return render_to_string("components/messages.html", {"messages": told})


def _told(request: HttpRequest, kept: KeptPage, tag: PageTag) -> str:
    """Return a page as it is kept with what its reader is told."""
    html, place = gzip.decompress(kept.packed).decode(), kept.message_at or 0
    return _fill(request, f"{html[:place]}{MESSAGE_MARK}{html[place + len(_messages()) :]}", tag)


# --- Keeping ---------------------------------------------------------------------------------------------------------


def _may_be_kept(response: HttpResponse, address: str) -> bool:
    return (
        response.status_code == OK
        and not response.streaming
        and not response.cookies
        and "no-store" not in response.get("Cache-Control", "")
        and len(address) <= MAX_ADDRESS_LENGTH
    )


def _packed(response: HttpResponse, version: str) -> KeptPage:
    """Return an answer as it is kept. A picture's version rises with every edition, so the digest goes without it."""
    html = response.content.decode(response.charset)
    said = digest(html.replace(MESSAGE_MARK, _messages()).encode())
    html = html.replace(VERSION_MARK, version)
    place = html.find(MESSAGE_MARK)
    html = html.replace(MESSAGE_MARK, _messages())
    return KeptPage(
        packed=gzip.compress(html.encode(), compresslevel=6, mtime=0),
        digest=said,
        has_marks=any(mark in html for mark in MARKS),
        has_form=FORM_MARK in html,
        content_type=response["Content-Type"],
        message_at=place if place >= 0 else None,
    )


def _answer(request: HttpRequest, kept: KeptPage, tag: PageTag) -> HttpResponse:
    """Return the page as it is kept, packed where it is the same for everybody and the browser can unpack it."""
    if kept.has_marks:
        html = _fill(request, gzip.decompress(kept.packed).decode(), tag)
        return with_tag(HttpResponse(html, content_type=kept.content_type), str(tag))
    if not ACCEPTS_GZIP.search(request.META.get("HTTP_ACCEPT_ENCODING", "")):
        return with_tag(HttpResponse(gzip.decompress(kept.packed), content_type=kept.content_type), str(tag))
    answer = HttpResponse(kept.packed, content_type=kept.content_type, headers={"Content-Encoding": "gzip"})
    patch_vary_headers(answer, ("Accept-Encoding",))
    # The same page, otherwise encoded: as the middleware tags what it packs.
    return with_tag(answer, f"W/{tag}")
