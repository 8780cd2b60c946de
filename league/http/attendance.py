"""Attendance forms, and the decorator for pages opened with an attendance link."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from league.forms.attendance import AnswerForm
from league.http.codes import GUESSES, Opened, by_code
from league.http.ended_links import busy
from league.http.for_others import own_address_advice
from league.http.rate_limits import Limit, address_of
from league.messages import joined, plain_name
from league.messages.sessions import attendance_sentence, invitation_text
from league.models import Attendance, AttendanceLink, Player, Session
from league.permissions import CONFIRM, Person, hide_names, is_shown
from league.selectors import attendance
from league.services.attendance import AttendanceError, answer_session, hold_player
from league.services.history import Actor
from league.services.secret_links import opened_by, secret_of
from league.templatetags.tenbo import when

Given = Attendance.Given


@dataclass(frozen=True, slots=True)
class Speaker:
    """Who submits an answer.

    `given`: as the player, by link, or as an organiser. `reads_word`: whether they may read the earlier comment.
    """

    given: Given
    by: Actor
    link: AttendanceLink | None = None
    reads_word: bool = True


def part_for(session: Session, player: Player) -> dict[str, Any]:
    """Return the attendance form of one player, for templates/league/attendance/my_answer.html."""
    url = reverse("league:session_answer", args=[session.league.slug, session.pk])
    return {"session": session, "player": player, "form": form_for(session, player), "url": url}


def my_part(session: Session, user: Person, comes: attendance.WhoComes | None = None) -> dict[str, Any] | None:
    """Return the user's form, or None if they are not a player or lack the permission. Two queries.

    `comes`: to tell whether the user has a seat without having answered.
    """
    if not user.has_perm(CONFIRM, session.league):
        return None
    player = attendance.player_of_user(session.league, user.pk)
    seated = [each.player for each in comes.coming if each.attendance.pk is None] if comes else []
    return part_for(session, player) | {"has_seat": player in seated} if player else None


def link_address(request: HttpRequest, link: AttendanceLink) -> str:
    """Return the link's URL, or "" if its secret key is no longer configured."""
    code = secret_of(link)
    return request.build_absolute_uri(reverse("league:attend", args=[code])) if code else ""


def reminder_for(request: HttpRequest, session: Session, silent: Sequence[Player]) -> dict[str, str]:
    """Return the text that asks the silent to answer, and a warning; no text without a group link. One query."""
    link = session.attendance_links.filter(revoked_at=None, player=None).first()
    address = link_address(request, link) if link else ""
    text = invitation_text(session, when(session), address)
    names = joined(plain_name(player) for player in silent)
    return {
        "text": f"{text}\n{_('No answer yet')}: {names}" if address else "",
        "advice": own_address_advice(request),
        "has_link": "yes" if link else "",
    }


def next_part(user: Person, now: datetime) -> dict[str, Any] | None:
    """Return the form for the user's next open session in any league, or None."""
    mine = (each for each in attendance.sessions_to_answer(user.pk, now) if user.has_perm(CONFIRM, each[0].league))
    return next((part_for(session, player) for session, player in mine), None)


def form_for(
    session: Session,
    player: Player,
    typed: QueryDict | None = None,
    *,
    takes_back: bool = False,
    reads_word: bool = True,
) -> AnswerForm:
    standing = attendance.attendance_of(session, player)
    return AnswerForm(typed, of=session.pk, standing=standing, takes_back=takes_back, reads_word=reads_word)


@transaction.atomic
def sent_answer(typed: QueryDict, session: Session, player: Player, speaker: Speaker) -> AnswerForm | None:
    """Store an answer. Return the form if it has errors, else None."""
    hold_player(player)
    form = form_for(session, player, typed, takes_back=speaker.given == Given.ORGANISER, reads_word=speaker.reads_word)
    if not form.is_valid():
        return form
    try:
        facts, by = form.facts(), speaker.by
        answer_session(session=session, player=player, facts=facts, given=speaker.given, by=by, link=speaker.link)
    except AttendanceError as error:
        form.add_error(None, attendance_sentence(error.code))
        return form
    return None


def shown_who_comes(session: Session, reader: Person, now: datetime) -> attendance.WhoComes | None:
    """Return who comes, with names hidden that the reader may not see; None if attendance is not asked."""
    if not attendance.is_asked(session, now):
        return None
    comes = attendance.who_comes(session, now)
    hide_names(reader, session.league, attendance.players_of(comes.everybody))
    return comes


ATTENDANCE = "league.attendance_link"
"""Permission marker of views opened with an attendance link."""

REQUESTS = Limit("attendance-link-requests", tries=600, seconds=60)
"""Requests per link; high enough for a whole group that has just received it."""


def _opened(request: HttpRequest, token: str) -> Opened:
    request.user = AnonymousUser()
    links = AttendanceLink.objects.select_related("player", "session__league", "session__ruleset_version__ruleset")
    link = opened_by(token, links)
    if link is None or not (_opens(link, timezone.now()) and is_shown(request.user, link.session.league)):
        return _ended(request) if GUESSES.use(address_of(request)) else busy(request)
    return (link.session.league, link) if REQUESTS.use(str(link.pk)) else busy(request)


by_attendance_link = by_code(ATTENDANCE, _opened)
"""Decorator for views that open with the code of an attendance link; invalid codes all get the same response."""


def _opens(link: AttendanceLink, now: datetime) -> bool:
    """Return whether a link is valid: not revoked, and its session's day is not over."""
    is_standing = link.revoked_at is None and link.session.state != Session.State.WITHDRAWN
    is_somebody = link.player is None or link.player.merged_into_id is None
    return is_standing and is_somebody and now < attendance.end_of(link.session)


def _ended(request: HttpRequest) -> HttpResponse:
    text = _("This link does not work or has expired. Ask the organiser for the link of the next session.")
    return render(request, "league/attendance/ended.html", {"text": text}, status=404)
