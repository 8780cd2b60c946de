"""The context of the entry page, for scorers and for table links.

Both share views and templates; the context builds their different URLs.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from operator import attrgetter
from urllib.parse import urlencode

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse, QueryDict
from django.urls import reverse
from django.utils import timezone

from league.core.limits import MAX_TABLE
from league.core.numbers import small_number
from league.forms.entry.fields import EntryTable
from league.forms.entry.form import Sending
from league.http import ended_links
from league.http.access import actor, device_of, league_over, session_of
from league.http.codes import Opened, View, by_code
from league.messages import plain_name
from league.models import Hanchan, League, Photo, Player, Session, TableLink
from league.permissions import MANAGE, Person, hide_names, is_shown, may_in_session
from league.selectors.entry import SeatingChoices, everybody_of, named_choices, seating_choices
from league.selectors.planning import first_open_table
from league.services.history import Actor
from league.services.links import code_of, link_for, opens_pages, takes_late_results
from league.services.secret_links import note_use
from scoring.core import ScoringRules

LINK = "league.link"
"""Permission marker of views opened with a table link."""

LINK_NAMES = {"enter_session": "table", "enter_preview": "table_preview", "enter_state": "table_state"}
"""URL names of scorers → of table links; all other names just get the prefix "table_"."""

MOST_SEATS = 4

SAVED_BEFORE, TOO_LATE = "before", "late"
"""Values of the receipt's `?said=`, because table links have no session cookie for messages."""


@dataclass(frozen=True)
class EntryContext:
    session: Session
    table: int
    by: Actor
    reader: Person = field(default_factory=AnonymousUser)

    @property
    def league(self) -> League:
        return self.session.league

    @property
    def is_link(self) -> bool:
        """Whether access is by a table link: one table only, no user."""
        return self.by.link is not None

    @property
    def shows_league(self) -> bool:
        return not self.is_link or self.league.is_public

    @cached_property
    def rules(self) -> ScoringRules | None:
        return self.session.ruleset_version.readable()

    @property
    def is_open(self) -> bool:
        return self.session.state == Session.State.OPEN and self.rules is not None and not self.rules.missing

    def entry_table(self, *, turns: bool = False) -> EntryTable:
        """Return the table for the entry form. Only call this if `rules` can be read."""
        choices = seating_choices(self.session, self.table, turns=turns, open_only=self.is_link)
        if self.is_link:
            planned = [player for seated in choices.by_round.values() for player in seated]
            self.hide_names([*choices.by_key.values(), *planned])
            # Sort again: the order by reading would reveal the first kana of hidden names.
            choices = replace(choices, others=tuple(sorted(choices.others, key=attrgetter("sort_key", "pk"))))
        return self._table_with(choices)

    def posted_table(self, typed: QueryDict) -> EntryTable:
        """Return the table for reading a submitted form; to render the page, use `entry_table`.

        If guests are entered, all players are loaded, to ask about similar names.
        """
        if any(typed.get(f"guest_{seat}", "").strip() for seat in range(MOST_SEATS)):
            return self.entry_table() if self.is_link else self._table_with(everybody_of(self.league))
        named = {small_number(typed.get(f"player_{seat}", ""), 0) for seat in range(MOST_SEATS)}
        choices = named_choices(self.session, named, open_only=self.is_link)
        if self.is_link:
            hide_names(self.reader, self.league, choices.others)
        return self._table_with(choices)

    def hide_names(self, players: Iterable[Player]) -> None:
        if self.is_link:
            hide_names(self.reader, self.league, players)

    def _table_with(self, choices: SeatingChoices) -> EntryTable:
        assert self.rules is not None
        version, is_strict = self.session.ruleset_version, self.session.is_strict
        takes_as_is = not self.is_link and may_in_session(self.reader, MANAGE, self.session)
        key = self.session.pk
        return EntryTable(self.league, self.table, version, self.rules, choices, is_strict, takes_as_is, key)

    def holds(self, hanchan: Hanchan) -> bool:
        """Return whether a hanchan may be shown: any of the league for scorers, only those of the table for links."""
        if not self.is_link:
            return hanchan.league_id == self.league.pk
        return (hanchan.session_id, hanchan.table) == (self.session.pk, self.table)

    # --- URLs -------------------------------------------------------------------------------------------------------

    def of_hanchan(self, name: str, hanchan: Hanchan) -> str:
        return self._address(name, hanchan.pk)

    def receipt_url(self, hanchan: Hanchan, said: str = "") -> str:
        """Return the receipt's URL; `said`: message to show, SAVED_BEFORE or TOO_LATE."""
        url = self.of_hanchan("receipt", hanchan)
        return f"{url}?said={said}" if said else url

    def photo_url(self, photo: Photo) -> str:
        return self._address("photo", photo.pk)

    @property
    def enter_url(self) -> str:
        return self._address("enter_session") if self.is_link else self.table_url(self.table)

    def table_url(self, table: int) -> str:
        return f"{self._address('enter_session')}?table={table}"

    def url(self, **asked: str | int) -> str:
        """Return the URL of the entry page with a query: whose `seats`, or the voided hanchan to enter `again`."""
        return f"{self.enter_url}{'?' if self.is_link else '&'}{urlencode(asked)}"

    @property
    def preview_url(self) -> str:
        return f"{self._address('enter_preview')}{self._table_query}"

    @property
    def state_url(self) -> str:
        return f"{self._address('enter_state')}{self._table_query}"

    @property
    def _table_query(self) -> str:
        return "" if self.is_link else f"?table={self.table}"

    def _address(self, name: str, pk: int | None = None) -> str:
        if self.by.link is None:
            return reverse(f"league:{name}", args=[self.league.slug, self.session.pk if pk is None else pk])
        code = code_of(self.by.link)
        return reverse(f"league:{LINK_NAMES.get(name, f'table_{name}')}", args=[code, *([] if pk is None else [pk])])


def seats_by_round(by_round: Mapping[int, Sequence[Player]]) -> dict[int, list[tuple[int, str]]]:
    return {number: [(player.pk, plain_name(player)) for player in seated] for number, seated in by_round.items()}


def context_of_scorer(request: HttpRequest, league: League, pk: int) -> EntryContext:
    session, text = session_of(league, pk), request.POST.get("table") or request.GET.get("table", "")
    number = small_number(text, 0, digits=len(str(MAX_TABLE)))
    if not text and request.method == "GET":
        number = first_open_table(session)
    return EntryContext(session, number if 1 <= number <= MAX_TABLE else 1, actor(request), request.user)


def by_table_link(*, even_late: bool = False) -> Callable[[View], View]:
    """Return a decorator for views opened with the code of a table link: one table, no log-in.

    With `even_late`, expired links still accept results that were kept on a phone.
    """
    return by_code(LINK, partial(_opened, even_late=even_late), ended_links.unknown)


def _opened(request: HttpRequest, token: str, *, even_late: bool) -> Opened:
    link = link_for(token)
    if link is None:
        return ended_links.unknown(request)
    if refusal := _refused(request, link, even_late=even_late):
        return refusal
    by = Actor(None, f"table link {link.table}", link, device_of(request))
    return link.session.league, EntryContext(link.session, link.table, by, request.user)


def _refused(request: HttpRequest, link: TableLink, *, even_late: bool) -> HttpResponse | None:
    """Return an error response, or None if the link is valid.

    The league's name is shown only for valid links, and never for leagues that were taken down.
    """
    now, league = timezone.now(), link.session.league
    if not is_shown(request.user, league):
        return ended_links.unknown(request)
    if request.method == "POST" and not ended_links.POSTS.use(str(link.pk)):
        return ended_links.busy(request)
    sending = Sending.read(request.POST)
    # The phone reports that it has kept this result since before the link expired.
    was_in_time = sending.was_kept and sending.entered_at is not None and sending.entered_at <= link.expires_at
    is_late = even_late and request.method == "POST" and was_in_time
    if not (opens_pages(link, now) or (is_late and takes_late_results(link, now))):
        return ended_links.ended(request, link)
    if not league.is_active:
        return league_over(request, league)
    if link.session.state == Session.State.WITHDRAWN and request.method != "POST":
        return ended_links.ended(request, link)
    # A result is followed by its receipt; before it, a second commit would only make a slow database slower.
    if request.method != "POST":
        note_use(link, now)
    return None
