"""Helpers for the pages of a hanchan: seats, photos, confirmations, concurrent changes."""

from dataclasses import dataclass
from typing import Any

from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from django.urls import reverse

from league.http.access import actor
from league.http.entry_context import EntryContext
from league.messages import plain_name
from league.models import Hanchan, League, Player, Revision
from league.permissions import CONFIRM, JUDGE, RECORD, SEE_PHOTOS, Person, hide_names, may_in_session
from league.selectors.confirming import ConfirmationView, confirming_of
from league.selectors.games import seats_of, snapshot_of
from league.selectors.hanchan_facts import FactChange, clashes, last_change, named, people_among, state_at
from league.selectors.photos import is_at_hand, photos_of
from league.services.results import HanchanResult, TableAndTime
from league.services.versions import as_typed


def hanchan_of(league: League, pk: int) -> Hanchan:
    """Return a hanchan of the league with seats, players and incidents prefetched. Four queries."""
    played = league.hanchan.select_related("session", "ruleset_version__ruleset", "recorded_by")
    hanchan = get_object_or_404(played.prefetch_related("seats__player", "incidents"), pk=pk)
    hanchan.league = hanchan.session.league = league
    return hanchan


def hanchan_at(context: EntryContext, pk: int) -> Hanchan:
    """Return a hanchan of the context's table with everything prefetched. Raise Http404 if it is from another table."""
    hanchan = hanchan_of(context.league, pk)
    if not context.holds(hanchan):
        raise Http404
    hanchan.session = context.session
    return hanchan


def context_of_reader(request: HttpRequest, hanchan: Hanchan) -> EntryContext:
    """Return the entry context of a hanchan's table for a logged-in user."""
    return EntryContext(hanchan.session, hanchan.table, actor(request), request.user)


def strip_for(context: EntryContext, user: Person, hanchan: Hanchan) -> dict[str, Any] | None:
    """Return the photos and their URLs, or None if the user may not see photos."""
    if not context.is_link and not user.has_perm(SEE_PHOTOS, hanchan.league):
        return None
    records = context.is_link or may_in_session(user, RECORD, hanchan.session)
    withdraws, slug = records and not context.is_link, hanchan.league.slug
    shots = [
        {
            "photo": photo,
            "url": context.photo_url(photo) if is_at_hand(photo) else "",
            "withdraw_url": reverse("league:photo_withdraw", args=[slug, photo.pk]) if withdraws else "",
        }
        for photo in photos_of(hanchan)
    ]
    return {"shots": shots, "add_url": context.of_hanchan("photo_add", hanchan) if records else ""}


OUTDATED, VOIDED, AGAIN, REASON = "outdated", "voided", "again", "reason"
"""Messages after an action without effect."""

RECEIPT, HANCHAN = "receipt", "hanchan"
"""The page with the confirm form, to return to."""


@dataclass(frozen=True, slots=True)
class ConfirmPart:
    """The confirmations of a hanchan.

    `speakers`: players for whom the user may confirm; `may_judge`: the user may decide for the league. `said`: message
    after the last action.
    """

    hanchan: Hanchan
    said_of: ConfirmationView
    speakers: list[Player]
    url: str
    place: str
    is_link: bool
    may_judge: bool
    said: str

    @property
    def is_folded(self) -> bool:
        """Whether the players' rows are behind a fold: the result is settled, or the user decides for the league."""
        return self.may_judge or self.hanchan.state == Hanchan.State.CONFIRMED

    @property
    def shows_rows(self) -> bool:
        said = any(line.said and not line.is_recorder for line in self.said_of.lines)
        return not self.hanchan.is_voided and (self.said_of.is_asked or said)


def confirm_part(
    request: HttpRequest, context: EntryContext, hanchan: Hanchan, *, place: str, said: str = ""
) -> ConfirmPart:
    """Return the confirmations for the current user. Queries as in `confirming_of`."""
    said_of, is_link = confirming_of(hanchan), context.is_link
    said_by = [each.player for each in (*said_of.disputes, *said_of.outdated) if each.player is not None]
    hide_names(request.user, hanchan.league, said_by)
    speakers = set() if hanchan.is_voided else speakers_of(request, hanchan, is_link=is_link)
    said = said or request.GET.get("said", "")
    return ConfirmPart(
        hanchan=hanchan,
        said_of=said_of,
        speakers=[seat.player for seat in seats_of(hanchan) if seat.player_id in speakers],
        url=context.of_hanchan("confirm", hanchan),
        place=place,
        is_link=is_link,
        may_judge=not is_link and may_in_session(request.user, JUDGE, hanchan.session),
        said=said if said in {OUTDATED, VOIDED, AGAIN, REASON} else "",
    )


def speakers_of(request: HttpRequest, hanchan: Hanchan, *, is_link: bool) -> set[int]:
    """Return the primary keys of the players for whom the user may confirm.

    Table links and scorers may confirm for every player of the table, others only for themselves.
    """
    players = [seat.player for seat in seats_of(hanchan)]
    if is_link or may_in_session(request.user, RECORD, hanchan.session):
        return {player.pk for player in players}
    if not request.user.has_perm(CONFIRM, hanchan.league):
        return set()
    return {player.pk for player in players if player.user_id is not None and player.user_id == request.user.pk}


@dataclass(frozen=True, slots=True)
class Conflict:
    """A concurrent correction: who made it and when, and the conflicting facts."""

    by: Revision | None
    clashes: tuple[FactChange, ...]


def conflict_with(current: Hanchan, seen: int, result: HanchanResult, table_and_time: TableAndTime) -> Conflict:
    """Compare the version that the user saw, the current version, and the input."""
    before, theirs = state_at(current, seen), snapshot_of(current)
    ours = as_typed(current, result, table_and_time)
    found = clashes(before, theirs, ours) if before else ()
    names = {pk: plain_name(player) for pk, player in Player.objects.in_bulk(people_among(found)).items()}
    names |= {player.pk: plain_name(player) for player in result.players}
    return Conflict(last_change(current), named(found, names))
