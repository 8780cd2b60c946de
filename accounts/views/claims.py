from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.forms.claims import ClaimForm, RefusalForm
from accounts.messages.ways_in import way_in_sentence
from accounts.models import Claim
from accounts.permissions import CLAIM
from accounts.services.claims import accept_claim, claim_player, give_up_player, refuse_claim, withdraw_claim
from accounts.services.invitations import WayInError
from league.core.readings import alike
from league.core.searching import SearchKeys, Wanted
from league.http.access import actor, in_league
from league.models import League, Player
from league.permissions import MANAGE, hide_names, may_read_name
from league.selectors.people import current_player
from league.services.attempts import TryLimit

CLAIMS = TryLimit("claims", tries=10, seconds=24 * 3600)
"""Rate limit for claims per user and league."""


@require_safe
@in_league(CLAIM)
def who(request: HttpRequest, league: League) -> HttpResponse:
    """Ask new members which player they are, those with a name like the user's first; the answer is a claim."""
    unlinked = league.players.active().filter(user=None, is_active=True).by_reading()
    players = [player for player in unlinked if may_read_name(request.user, player, league)]
    players.sort(key=lambda player: _likeness(player, request.user.get_username()), reverse=True)
    if not players or league.players.filter(user=request.user.pk).exists():
        return redirect("league:league_home", league.slug)
    return render(request, "accounts/claims/who.html", {"league": league, "players": players})


def _likeness(player: Player, user_name: str) -> int:
    """Return how many letters of a user name a player's names explain: 佐藤 健 and さとう けん are like さとう健."""
    texts, typed = (player.name, player.kana, player.romanised), alike(user_name)
    if Wanted.of(user_name).rank_of(SearchKeys.of(texts)) is not None:
        return len(typed)
    words = {alike(word) for text in texts for word in text.split()}
    return max((len(word) for word in words if word in typed and (len(word) > 1 or word >= "一")), default=0)


@in_league(CLAIM)
def claim(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    """Claim a player, withdraw the claim, or show its outcome."""
    player = get_object_or_404(league.players.select_related("merged_into"), pk=pk)
    player.league = league
    user = request.user
    assert isinstance(user, User)
    if player.merged_into_id:
        return redirect("accounts:claim", league.slug, player.merged_into_id)
    form = ClaimForm(request.POST if request.POST.get("do") == "claim" else None)
    if request.method == "POST":
        try:
            if _done(request, league, player, user, form):
                return redirect("accounts:claim", league.slug, player.pk)
        except WayInError as error:
            messages.error(request, way_in_sentence(error.code, error.values))
            return redirect("accounts:claim", league.slug, player.pk)
    return _claim_page(request, player, user, form)


def _done(request: HttpRequest, league: League, player: Player, user: User, form: ClaimForm) -> bool:
    """Perform the action of the button that was pressed; return whether there was one."""
    wish = request.POST.get("do", "")
    if wish == "claim" and form.is_valid():
        if not CLAIMS.use(f"{league.pk}:{user.pk}"):
            messages.error(
                request, _("You have made too many claims today. Try again tomorrow, or ask the organisers.")
            )
            return True
        claim_player(player=player, user=user, note=form.cleaned_data["note"], by=actor(request))
        return True
    if wish == "withdraw":
        for waiting in league.claims.filter(user=user, state=Claim.State.WAITING):
            withdraw_claim(claim=waiting, by=actor(request))
        messages.success(request, _("Claim withdrawn."))
        return True
    if wish == "give_up" and player.user_id == user.pk:
        give_up_player(league=league, user=user, by=actor(request))
        messages.success(request, _("You are no longer linked to a player in this league. All results are kept."))
        return True
    return False


def _claim_page(request: HttpRequest, player: Player, user: User, form: ClaimForm) -> HttpResponse:
    league = player.league
    mine = league.players.filter(user=user).first()
    last = league.claims.filter(user=user).select_related("player").first()
    waiting = last if last is not None and last.state == Claim.State.WAITING else None
    was_refused = last is not None and last.state == Claim.State.REFUSED and last.player_id == player.pk
    hide_names(user, league, [each for each in (player, mine, waiting and waiting.player) if each])
    page = {
        "league": league,
        "player": player,
        "mine": mine,
        "is_mine": player.user_id == user.pk,
        "is_taken": player.user_id not in {None, user.pk},
        "waiting": waiting,
        "refused": last if was_refused and waiting is None else None,
        "form": form,
    }
    return render(request, "accounts/claims/claim.html", page)


@in_league(MANAGE)
def answer(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    found = league.claims.select_related("player__merged_into", "user", "answered_by")
    said = get_object_or_404(found, pk=pk)
    form = RefusalForm(request.POST if request.POST.get("do") == "refuse" else None)
    if request.POST.get("do") == "accept" or form.is_valid():
        try:
            return _answered(request, league, said, form)
        except WayInError as error:
            messages.error(request, way_in_sentence(error.code, error.values))
    page = {
        "league": league,
        "heading": _("Confirm player claims"),
        "claim": said,
        "player": current_player(said.player),
        "member": league.members.filter(user=said.user).first(),
        "form": form,
    }
    return render(request, "accounts/claims/answer.html", page)


def _answered(request: HttpRequest, league: League, said: Claim, form: RefusalForm) -> HttpResponse:
    names = {"user": said.user.get_username(), "name": current_player(said.player).name}
    if form.is_bound:
        refuse_claim(claim=said, reason=form.cleaned_data["reason"], by=actor(request))
        messages.success(request, _("Refused. %(user)s can see the reason.") % names)
        return redirect("league:manage", league.slug)
    accept_claim(claim=said, by=actor(request))
    messages.success(request, _("%(user)s is now linked to %(name)s.") % names)
    return redirect(settings.PLAYER_PAGE, league.slug, current_player(said.player).pk)
