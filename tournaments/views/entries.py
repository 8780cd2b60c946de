"""Who plays: entries and seeds."""

from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from league.http.access import actor, to_be_changed
from league.permissions import MANAGE
from league.services.people import add_players
from league.tables.directory import sections
from tournaments.core.format import Stage
from tournaments.forms.entering import EntriesForm, SeedsForm
from tournaments.http.access import in_tournament
from tournaments.http.pages import page
from tournaments.messages.errors import tournament_error_sentence
from tournaments.models import Entry, Tournament
from tournaments.selectors.inbox import needs_draw
from tournaments.selectors.registrations import terms_of
from tournaments.selectors.state import entries_of, state_of
from tournaments.services.events import TournamentError
from tournaments.services.setup import enter_players, set_seeds
from tournaments.services.setup import remove_entry as take_off


@in_tournament(MANAGE)
def entries(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    is_seeding = "seeds" in request.POST
    form = EntriesForm(request.POST if request.POST and not is_seeding else None, league=tournament.league)
    to_be_changed(request, Tournament.objects.all(), tournament.pk)
    entered = list(entries_of(tournament).values())
    seeding = SeedsForm(request.POST if is_seeding else None, entries=entered)
    answer = _seed(request, tournament, seeding) if is_seeding else _enter(request, tournament, form)
    if answer:
        return answer
    known = {entry.player.pk for entry in entered}
    listed = [
        {"heading": part.heading, "players": [each.player for each in part.listed if each.player.pk not in known]}
        for part in sections(tournament.league, "", request.user)
    ]
    sizes = tournament.format.entrants
    facts = {
        "form": form,
        "seeding": seeding,
        "entered": entered,
        "sections": [part for part in listed if part["players"]],
        "ticked": {str(each) for each in form["players"].value() or []},
        "is_open": tournament.state == Tournament.State.PREPARING,
        "sizes": sizes,
        "draws": _draws_next(tournament),
        "registers": terms_of(tournament) is not None,
    }
    return page(request, tournament, "entries", facts)


def _draws_next(tournament: Tournament) -> list[Stage]:
    current = state_of(tournament)
    return [each.stage for each in current.state.stages if needs_draw(current, each)]


def _enter(request: HttpRequest, tournament: Tournament, form: EntriesForm) -> HttpResponse | None:
    if not form.is_valid():
        return None
    try:
        with transaction.atomic():
            added = add_players(league=tournament.league, people=form.people_to_add(), by=actor(request))
            players = [*form.known_players(), *added]
            entered_now = enter_players(tournament=tournament, players=players, by=actor(request))
    except TournamentError as error:
        form.add_error(None, tournament_error_sentence(error))
        return None
    text = ngettext("%(count)s player has entered.", "%(count)s players have entered.", len(entered_now))
    messages.success(request, text % {"count": len(entered_now)})
    is_full = tournament.entries.count() >= tournament.format.entrants.most
    if is_full and (stages := _draws_next(tournament)):
        return redirect("tournaments:draw", tournament.league.slug, tournament.key, stages[0].key)
    return redirect("tournaments:entries", tournament.league.slug, tournament.key)


def _seed(request: HttpRequest, tournament: Tournament, form: SeedsForm) -> HttpResponse | None:
    if not form.is_valid():
        return None
    try:
        set_seeds(tournament=tournament, seeds=form.seeds(), by=actor(request))
    except TournamentError as error:
        form.add_error(None, tournament_error_sentence(error))
        return None
    messages.success(request, _("The seeds were saved."))
    return redirect("tournaments:entries", tournament.league.slug, tournament.key)


@require_POST
@in_tournament(MANAGE)
def remove_entry(request: HttpRequest, tournament: Tournament, pk: int) -> HttpResponse:
    entry = get_object_or_404(
        Entry.objects.select_related("player", "tournament__league"), tournament=tournament, pk=pk
    )
    name = entry.player.name
    try:
        take_off(entry=entry, by=actor(request))
    except TournamentError as error:
        messages.error(request, tournament_error_sentence(error))
    else:
        messages.success(request, _("%(name)s was taken off the list.") % {"name": name})
    return redirect("tournaments:entries", tournament.league.slug, tournament.key)
