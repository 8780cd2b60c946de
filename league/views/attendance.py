from typing import Any

from django.conf import settings
from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from league.core.numbers import small_number
from league.forms.attendance import RosterForm, UntilForm
from league.http import attendance
from league.http.access import actor, device_of, in_league, session_of, to_be_changed
from league.http.for_others import have_warned
from league.messages import plain_name
from league.messages.sessions import attendance_sentence, invitation_text
from league.messages.sources import ATTENDANCE_LINK
from league.models import Attendance, AttendanceLink, League, Player, Session
from league.permissions import CONFIRM, MANAGE, hide_names
from league.selectors.attendance import answers_of, closing_of, end_of, is_asked, player_of_user
from league.selectors.people import listing_order
from league.selectors.planning import unplayed_plans, waiting_at
from league.services.attendance import AttendanceError, answer_session, set_answers_until
from league.services.history import Actor
from league.services.secret_links import note_use, renew_attendance_link, revoke_attendance_link
from league.templatetags.tenbo import when

Given = Attendance.Given


@require_POST
@in_league(CONFIRM)
def answer(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    session = session_of(league, pk)
    player = player_of_user(league, request.user.pk)
    if player is None:
        messages.warning(
            request, _("Your account is not linked to a player in this league. Ask an organiser to link it.")
        )
        return redirect("league:session", league.slug, session.pk)
    part = attendance.my_part(session, request.user)
    form = attendance.sent_answer(request.POST, session, player, attendance.Speaker(Given.SELF, actor(request)))
    if form is None:
        messages.success(request, _("Your answer is saved."))
        return redirect(f"{reverse('league:session', args=[league.slug, session.pk])}#answers")
    page = {"league": league, "session": session, "part": part, "form": form}
    return render(request, "league/attendance/again.html", page)


@in_league(MANAGE)
def manage(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    session = session_of(league, pk, to_be_changed(request, league.sessions.all(), pk))
    player = _player_named(request, league)
    form = attendance.form_for(session, player, takes_back=True) if player else None
    typed = request.POST if request.POST.get("do") == "until" else None
    ends, initial = closing_of(session, end_of(session)), {"answers_until": session.answers_until}
    until, roster = UntilForm(typed, ends=ends, initial=initial), _roster(request, session)
    if request.method == "POST":
        again = redirect("league:attendance", league.slug, session.pk)
        wish = request.POST.get("do", "")
        if wish == "answer" and player is not None:
            speaker = attendance.Speaker(Given.ORGANISER, actor(request))
            form = attendance.sent_answer(request.POST, session, player, speaker)
            if form is None:
                messages.success(request, _("The answer for %(name)s is saved.") % {"name": plain_name(player)})
                return again
        elif wish == "answers":
            if roster.is_valid() and _answered(request, session, roster):
                return again
        elif wish != "until":
            _done(request, session, wish, player)
            return again
        elif until.is_valid():
            set_answers_until(session=session, until=until.cleaned_data["answers_until"], by=actor(request))
            messages.success(request, _("The deadline for answers is saved."))
            return again
    page = _manage_page(request, session, until) | {"player": player, "form": form, "roster": roster}
    return render(request, "league/attendance/manage.html", page)


def _roster(request: HttpRequest, session: Session) -> RosterForm:
    people = sorted(session.league.players.active().filter(is_active=True).by_reading(), key=listing_order)
    hide_names(request.user, session.league, people)
    answers = {each.player.pk: each.attendance for each in answers_of(session)}
    return RosterForm(request.POST if request.POST.get("do") == "answers" else None, people, answers)


@transaction.atomic
def _answered(request: HttpRequest, session: Session, roster: RosterForm) -> bool:
    """Store the answers that an organiser changed; return whether all were taken."""
    for player, facts in roster.changes:
        try:
            answer_session(session=session, player=player, facts=facts, given=Given.ORGANISER, by=actor(request))
        except AttendanceError as error:
            roster.add_error(None, attendance_sentence(error.code))
            return False
    messages.success(request, _("The answers are saved."))
    return True


def _manage_page(request: HttpRequest, session: Session, until: Any) -> dict[str, Any]:
    links = session.attendance_links.filter(revoked_at=None).select_related("player").order_by("player__sort_key", "pk")
    have_warned(request)
    lines: list[dict[str, Any]] = [{"link": link, "address": attendance.link_address(request, link)} for link in links]
    shared = next((line for line in lines if line["link"].player is None), None)
    return {
        "league": session.league,
        "session": session,
        "comes": attendance.shown_who_comes(session, request.user, timezone.now()),
        "until": until,
        "shared": shared,
        "text": invitation_text(session, when(session), shared["address"]) if shared else "",
        "own_links": [line for line in lines if line["link"].player is not None],
    }


def _player_named(request: HttpRequest, league: League) -> Player | None:
    number = small_number(request.POST.get("player") or request.GET.get("player", ""), 0)
    return league.players.active().filter(pk=number).first() if number else None


def _done(request: HttpRequest, session: Session, wish: str, player: Player | None) -> None:
    """Perform the action of the pressed button; unknown ones are ignored."""
    by = actor(request)
    if wish == "close":
        set_answers_until(session=session, until=timezone.now(), by=by)
        messages.success(request, _("Answers are now closed."))
    elif wish == "link" or (wish == "first" and not session.attendance_links.filter(revoked_at=None, player=None)):
        renew_attendance_link(session=session, by=by)
        messages.success(request, _("The group link is ready."))
    elif wish == "revoke" and revoke_attendance_link(session=session, by=by):
        messages.success(request, _("The link was revoked and no longer works."))
    elif wish == "own" and player is not None:
        renew_attendance_link(session=session, by=by, player=player)
        messages.success(request, _("%(name)s now has a personal link.") % {"name": plain_name(player)})
    elif wish == "revoke-own" and player is not None:
        revoke_attendance_link(session=session, by=by, player=player)
        messages.success(request, _("The link was revoked and no longer works."))


COOKIE = "attendance"
"""Signed cookie with the player who answered on this device, limited to the link's path."""


@attendance.by_attendance_link
def by_link(request: HttpRequest, link: AttendanceLink) -> HttpResponse:
    session = link.session
    player = _player_of_link(request, link)
    is_own = player is not None and player.pk in {link.player_id, _answered_here(request, link)}
    form = attendance.form_for(session, player, reads_word=is_own) if player else None
    if request.method == "POST" and player is not None:
        by = Actor(None, ATTENDANCE_LINK, device=device_of(request))
        given = Given.SHARED if link.player is None else Given.SELF
        may_remember = form is None or not form.kept_word
        speaker = attendance.Speaker(given, by, link, reads_word=is_own)
        form = attendance.sent_answer(request.POST, session, player, speaker) if _takes(link) else form
        if form is None:
            note_use(link, timezone.now())
            done = redirect(f"{request.path}?player={player.pk}&said=saved")
            # Do not remember someone who answered for a player, as this would reveal the player's answers to them.
            return _remembered(done, request, link, player) if may_remember else done
    return render(request, "league/attendance/link.html", _link_page(request, link, player, form))


def _takes(link: AttendanceLink) -> bool:
    return link.session.league.is_active


def _player_of_link(request: HttpRequest, link: AttendanceLink) -> Player | None:
    """Return the player to answer for: the link's, else the chosen or remembered one, or None."""
    if link.player is not None:
        return link.player
    if player := _player_named(request, link.session.league):
        return player
    if request.method == "POST" or "other" in request.GET:
        return None
    number = _answered_here(request, link)
    return link.session.league.players.active().filter(pk=number).first() if number else None


def _answered_here(request: HttpRequest, link: AttendanceLink) -> int:
    """Return the primary key of the player for whom this device last answered, or 0."""
    return small_number(str(request.get_signed_cookie(COOKIE, "", salt=link.secret_hash)), 0)


def _remembered(response: HttpResponse, request: HttpRequest, link: AttendanceLink, player: Player) -> HttpResponse:
    """Remember on the device who answered, until the link expires."""
    left = int((end_of(link.session) - timezone.now()).total_seconds())
    response.set_signed_cookie(
        COOKIE,
        str(player.pk),
        salt=link.secret_hash,
        max_age=max(left, 1),
        path=request.path,
        httponly=True,
        samesite="Lax",
        secure=settings.SESSION_COOKIE_SECURE,
    )
    return response


def _link_page(request: HttpRequest, link: AttendanceLink, player: Player | None, form: Any) -> dict[str, Any]:
    """Return the context of the page for links: only public names, and no comments by others."""
    session, now = link.session, timezone.now()
    league, nobody = session.league, request.user
    comes = attendance.shown_who_comes(session, nobody, now)
    choices = list(league.players.active().filter(is_active=True)) if link.player is None and player is None else []
    plan, waiting = unplayed_plans(session), waiting_at(session)
    seated = (each for _round, tables in plan for _same, _table, players in tables for each in players)
    hide_names(nobody, league, [*choices, *seated, *(each for players in waiting.values() for each in players)])
    if player is not None:
        hide_names(nobody, league, [player])
    return {
        "session": session,
        "league_of": league,
        "shows_league": league.is_public,
        "comes": comes,
        "takes": comes is not None and comes.is_open and _takes(link),
        "is_own": link.player is not None,
        "player": player,
        "form": form,
        "choices": sorted(choices, key=lambda each: (each.sort_key, each.pk)),
        "saved": request.GET.get("said") == "saved" and form is not None and not form.is_bound,
        "plan": plan,
        "waiting": sorted(waiting.items()),
        "is_over": not is_asked(session, now),
    }
