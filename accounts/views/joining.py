from django.conf import settings
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone, translation
from django.views.decorators.http import require_http_methods, require_safe

from accounts.forms.invitations import MAY
from accounts.http.invited import INVITATION_HEADERS, forget, keep, kept_code, let_in, not_open
from accounts.messages.ways_in import way_in_sentence
from accounts.models import Invitation
from accounts.services.invitations import WayInError, has_come_by, invitation_of, is_open, player_of
from league.http.idempotent import answer_again, answer_once
from league.models import Membership, Player
from league.permissions import hide_names

FOR_MEMBERS = {Player.Visibility.PUBLIC, Player.Visibility.MEMBERS}
"""Names shown to the invited user, who will be a member."""


@require_http_methods(["GET", "HEAD", "POST"])
def join(request: HttpRequest, code: str) -> HttpResponse:
    setattr(request, "is_private", True)  # noqa: B010 - no such field
    answer = answer_again(request, lambda: answer_once(request, lambda: _answer(request, code)))
    for name, value in INVITATION_HEADERS.items():
        answer.headers[name] = value
    return answer


@require_safe
def join_kept(request: HttpRequest) -> HttpResponse:
    """Redirect to the invitation kept in the session. Links to this view do not contain its code."""
    code = kept_code(request)
    return redirect("accounts:join", code) if code else redirect("league:home")


def _answer(request: HttpRequest, code: str) -> HttpResponse:
    invitation, user = invitation_of(code), request.user
    if isinstance(user, User) and has_come_by(invitation, user) and invitation is not None:
        return _arrived(request, invitation)
    if invitation is None or not is_open(invitation, timezone.now()):
        return not_open(request, invitation, way_in_sentence("ended", {}))
    if not invitation.league.is_active:
        return not_open(request, invitation, way_in_sentence("archived", {"league": invitation.league}))
    if request.method == "POST" and isinstance(user, User):
        return _joined(request, invitation, user)
    if not user.is_authenticated and request.method == "GET":
        is_first, language = kept_code(request) != code, translation.get_language_from_request(request)
        keep(request, code)
        # Later, the switch of languages has to work.
        if is_first and language != settings.LANGUAGE_CODE == translation.get_language():
            with translation.override(language):
                return redirect("accounts:join", code)
    return _shown(request, invitation)


def _joined(request: HttpRequest, invitation: Invitation, user: User) -> HttpResponse:
    try:
        let_in(request, invitation, user)
    except WayInError as error:
        text = way_in_sentence(error.code, error.values)
        return _shown(request, invitation, text) if error.code == "has_player" else not_open(request, invitation, text)
    return _arrived(request, invitation)


def _arrived(request: HttpRequest, invitation: Invitation) -> HttpResponse:
    """Redirect to the user's player page in the league, or to the question which player they are."""
    forget(request)
    player = invitation.league.players.filter(user=request.user.pk).first()
    if player is None:
        return redirect("accounts:who", invitation.league.slug)
    return redirect(settings.PLAYER_PAGE, invitation.league.slug, player.pk)


def _shown(request: HttpRequest, invitation: Invitation, problem: str = "") -> HttpResponse:
    player = player_of(invitation)
    if player is not None and player.visibility not in FOR_MEMBERS:
        hide_names(request.user, invitation.league, [player])
    page = {"invitation": invitation, "invited": invitation.league, "player": player, "problem": problem}
    page |= {"may": str(MAY[Membership.Role(invitation.role)])}
    with timezone.override(invitation.league.time_zone):
        return render(request, "accounts/invitations/join.html", page)
