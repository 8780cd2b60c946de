"""The directory of players, and pages to add, edit, merge and separate players and to hide names."""

from django.conf import settings
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _

from league.core.numbers import small_number
from league.core.searching import MAX_SEARCH_LENGTH
from league.forms.names import ReasonForm, VisibilityForm
from league.forms.people import MergeForm, PlayerForm
from league.http.access import actor, in_league, login_first, to_be_changed
from league.http.caching import published
from league.http.links import player_pages
from league.messages import plain_name
from league.messages.people import people_sentence
from league.models import League, Player
from league.permissions import MANAGE, may_erase, may_show_name
from league.selectors.people import merge_preview, written_alike
from league.services import people
from league.tables.directory import ORDERS, add_year, heads, listed, ordered, sections


@in_league(MANAGE)
def new(request: HttpRequest, league: League) -> HttpResponse:
    form = PlayerForm(request.POST or None, league=league)
    if form.is_valid():
        player = people.add_player(league=league, facts=form.facts(), by=actor(request))
        people.link_user(player=player, user=form.user, by=actor(request))
        messages.success(request, _("%(name)s was added.") % {"name": player.name})
        return redirect(settings.PLAYER_PAGE, league.slug, player.pk)
    return render(request, "league/people/new.html", {"league": league, "form": form})


@in_league(MANAGE)
def edit(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    player = _player(league, pk, to_be_changed(request, league.players.all(), pk))
    form = PlayerForm(request.POST or None, league=league, player=player, initial=_written(player))
    if form.is_valid():
        people.change_player(player=player, facts=form.facts(), by=actor(request))
        people.link_user(player=player, user=form.user, by=actor(request))
        messages.success(request, _("%(name)s was changed.") % {"name": plain_name(player)})
        return redirect(settings.PLAYER_PAGE, league.slug, player.pk)
    merged = Player.objects.filter(merged_into=player).by_reading()
    page = {"league": league, "player": player, "form": form, "merged": merged}
    page["may_erase"] = may_erase(request.user, player, league)
    return render(request, "league/people/edit.html", page)


def _player(league: League, pk: int, among: QuerySet[Player] | None = None) -> Player:
    players = league.players.all() if among is None else among
    player = get_object_or_404(players.select_related("merged_into", "user"), pk=pk)
    player.league = league
    return player


def _written(player: Player) -> dict[str, object]:
    return {name: getattr(player, name) for name in people.PLAYER_FIELDS} | {
        "is_away": not player.is_active,
        "aliases": "\n".join(player.aliases.values_list("name", flat=True)),
        "username": player.user.get_username() if player.user else "",
    }


@in_league(MANAGE)
def merge(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    """Merge a player into another one, after a preview of the effects."""
    player = _player(league, pk)
    if player.merged_into_id:
        return redirect("league:player_separate", league.slug, player.pk)
    form = MergeForm(request.POST or None, player=player, initial={"into": request.GET.get("into")})
    into = small_number(request.POST.get("into") or request.GET.get("into", ""), 0)
    target = league.players.active().exclude(pk=player.pk).filter(pk=into).first() if into else None
    if form.is_valid():
        try:
            people.merge_players(
                source=player, target=form.cleaned_data["into"], by=actor(request), reason=form.cleaned_data["reason"]
            )
        except people.PeopleError as error:
            form.add_error("into", people_sentence(error.code, error.values))
        else:
            names = {"name": player.name, "other": form.cleaned_data["into"].name}
            messages.success(request, _("%(name)s is now part of %(other)s.") % names)
            return redirect(settings.PLAYER_PAGE, league.slug, form.cleaned_data["into"].pk)
    preview = merge_preview(player, target) if target else None
    page = {"league": league, "player": player, "target": target, "form": form, "preview": preview}
    return render(request, "league/people/merge.html", page | {"likely": _likely(player)})


def _likely(player: Player) -> list[Player]:
    """Return players with the same kana, romanised name or alias, or a similar name; at most eight."""
    variants = [other.pk for _player, other in written_alike(player.league, [player])]
    alike = (
        Q(pk__in=variants)
        | Q(name=player.name)
        | Q(aliases__name=player.name)
        | Q(name__in=player.aliases.values("name"))
    )
    if player.kana:
        alike |= Q(kana=player.kana)
    if player.romanised:
        alike |= Q(romanised__iexact=player.romanised)
    others = player.league.players.active().exclude(pk=player.pk).filter(alike).distinct()
    return list(others.annotate(hanchan=Count("seats", distinct=True)).by_reading()[:8])


@in_league(MANAGE)
def separate(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    player = _player(league, pk)
    form = ReasonForm(request.POST or None)
    if not player.merged_into:
        messages.info(request, people_sentence("not_merged", {"name": player.name}))
        return redirect("league:player_edit", league.slug, player.pk)
    if form.is_valid():
        try:
            people.separate_players(source=player, by=actor(request), reason=form.cleaned_data["reason"])
        except people.PeopleError as error:
            form.add_error(None, people_sentence(error.code, error.values))
        else:
            messages.success(request, _("%(name)s is no longer merged.") % {"name": player.name})
            return redirect(settings.PLAYER_PAGE, league.slug, player.pk)
    up = reverse("league:player_edit", args=[league.slug, player.merged_into_id])
    page = {"league": league, "player": player, "form": form, "up": up}
    return render(request, "league/people/separate.html", page)


@in_league()
def own_name(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    player = get_object_or_404(to_be_changed(request, league.players.filter(merged_into=None), pk), pk=pk)
    if not request.user.is_authenticated:
        return login_first(request)
    if not may_show_name(request.user, player, league):
        raise PermissionDenied(_("Only the person with this name and organisers can change who sees it."))
    form = VisibilityForm(request.POST or None, initial={"visibility": player.visibility})
    if form.is_valid():
        visibility = Player.Visibility(form.cleaned_data["visibility"])
        people.show_name_to(player=player, visibility=visibility, by=actor(request))
        messages.success(request, _("Your choice now applies to all pages and files."))
        return redirect(settings.PLAYER_PAGE, league.slug, player.pk)
    page = {"league": league, "player": player, "form": form, "may_erase": may_erase(request.user, player, league)}
    return render(request, "league/people/own_name.html", page)


LISTED_AT_ONCE = 30
"""Longer lists have headings to jump to."""


@in_league()
@published
def index(request: HttpRequest, league: League) -> HttpResponse:
    """List the players by reading; the search includes their other names."""
    wanted = request.GET.get("q", "")[:MAX_SEARCH_LENGTH].strip()
    sort = request.GET.get("sort", "")
    sort = sort if sort.removeprefix("-") in ORDERS else ""
    players = listed(league, wanted, request.user)
    year = add_year(league, players)
    idle = [player for player in players if not (player.is_active or player.hanchan)]
    players = [player for player in players if player not in idle]
    has_headings = len(players) > LISTED_AT_ONCE and not wanted and not sort
    context = {
        "league": league,
        "wanted": wanted,
        "sections": [("", ordered(players, sort))] if sort else sections(players, has_rows=has_headings),
        "heads": heads(league, {"q": wanted, "sort": sort}),
        "count": len(players) + len(idle),
        "idle": idle,
        "year": year,
        "has_headings": has_headings,
        "player_pages": player_pages(league),
    }
    return render(request, "league/players/index.html", context)
