from django.contrib import messages
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from league.forms.names import ReasonForm
from league.http.access import actor, in_league, to_be_changed
from league.messages import joined, plain_name
from league.models import League, Player
from league.permissions import MANAGE
from league.services.people import add_players
from league.tables.directory import listed, sections
from tournaments.core.format import Format
from tournaments.core.reading import starting_text
from tournaments.core.state import StageState
from tournaments.forms.creation import OWN, NewTournamentForm, TournamentForm
from tournaments.forms.entering import DirectorForm, EntriesForm, SeedsForm
from tournaments.http.pages import RefusalsOn, in_tournament, page, tournament_or_404
from tournaments.messages.errors import fit_sentence
from tournaments.messages.formats import describe_format
from tournaments.messages.titles import destination_label
from tournaments.models import Entry, Tournament
from tournaments.selectors.hall import hanchan_minutes
from tournaments.selectors.inbox import stages_to_draw, takes_late_entrants
from tournaments.selectors.registrations import terms_of
from tournaments.selectors.stage_views import final_ranking
from tournaments.selectors.state import entries_of, state_of
from tournaments.services import setup as service
from tournaments.services.decisions import finish as close
from tournaments.services.decisions import resume

NAMED = 10
"""Most new players named in a message."""

LISTED_AT_ONCE = 60
"""Up to this number, players are listed without a heading for each first letter."""


@in_league(MANAGE)
def new(request: HttpRequest, league: League) -> HttpResponse:
    if league.current_version is None:
        messages.warning(request, _("Choose the league's rules first. Every tournament needs rules."))
        return redirect("league:rules_choose", league.slug)
    asks = "suit" in request.POST
    # Other people or another time propose other lengths; a length that is typed stays.
    keeps_length = request.POST.get("suit") == "length"
    kept = {name: text for name, text in request.POST.items() if keeps_length or not name.startswith("adjust_")}
    # A box that is not ticked is not sent.
    unticked = {"strict_entry": False, "shows_chances": False} if asks else {}
    initial = {"entrants": league.players.active().count() or None, "document": starting_text()} | unticked | kept
    form = NewTournamentForm(None if asks else request.POST or None, league=league, initial=initial)
    if form.is_valid():
        with RefusalsOn(form):
            tournament = service.create_tournament(tournament=form.tournament(), by=actor(request))
            text = _("%(name)s was created (%(rules)s). Next: enter the players.")
            messages.success(request, text % {"name": plain_name(tournament), "rules": tournament.ruleset_version})
            return redirect("tournaments:entries", league.slug, tournament.key)
    cards = [(card, field, describe_format(card.format)) for card, field in form.cards()]
    suiting = [each for each in cards if each[0].suits]
    chosen = form["format"].value()
    facts = {
        "league": league,
        "form": form,
        "people": form.people,
        "rules": league.current_version,
        "suiting": suiting,
        "minutes": hanchan_minutes(league),
        "others": [each for each in cards if not each[0].suits],
        "is_other": bool(chosen) and all(card.format.key != chosen for card, *_ in suiting),
        "own": OWN,
    }
    return render(request, "tournaments/director/new.html", facts)


@in_tournament(MANAGE)
def edit(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    tournaments = Tournament.objects.select_related("league", "ruleset_version__ruleset")
    stands = to_be_changed(request, tournaments, tournament.pk)
    tournament = stands.get(pk=tournament.pk)
    form = TournamentForm(request.POST or None, tournament=tournament)
    if form.is_valid():
        service.change_tournament(tournament=tournament, facts=form.facts(), by=actor(request))
        messages.success(request, _("%(name)s was changed.") % {"name": plain_name(tournament)})
        return redirect("tournaments:tournament", tournament.league.slug, tournament.key)
    return page(request, tournament, "director/edit", {"heading": _("Settings"), "form": form})


@in_tournament(MANAGE)
def entries(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    is_seeding = "seeds" in request.POST
    form = EntriesForm(request.POST if request.POST and not is_seeding else None, league=tournament.league)
    to_be_changed(request, Tournament.objects.all(), tournament.pk)
    entered = list(entries_of(tournament).values())
    seeding = SeedsForm(request.POST if is_seeding else None, entries=entered)
    if seeding.is_valid():
        with RefusalsOn(seeding):
            service.set_seeds(tournament=tournament, seeds=seeding.seeds(), by=actor(request))
            messages.success(request, _("The seeds were saved."))
            return redirect("tournaments:entries", tournament.league.slug, tournament.key)
    elif form.is_valid() and (answer := _enter(request, tournament, form)):
        return answer
    known = {entry.player.pk for entry in entered}
    free = [player for player in listed(tournament.league, "", request.user) if player.pk not in known]
    parts = sections(free, has_rows=True) if len(free) > LISTED_AT_ONCE else [("", free)]
    is_open = tournament.state == Tournament.State.PREPARING
    current = state_of(tournament)
    facts = {
        "heading": _("Entries"),
        "lead": fit_sentence(len(entered), tournament.format) if is_open else "",
        "form": form,
        "seeding": seeding,
        "entered": entered,
        "number": sum(not entry.is_substitute for entry in entered),
        "gone": {each.participant for each in current.facts.withdrawals},
        "house": set().union(*current.facts.house.values()) - {each.substitute for each in current.facts.withdrawals},
        "sections": [{"heading": heading, "players": players} for heading, players in parts if players],
        "ticked": {str(each) for each in form["players"].value() or []},
        "is_open": is_open,
        "takes_seeds": _takes_seeds(tournament.format),
        "is_late": takes_late_entrants(current),
        "draws": stages_to_draw(current),
        "registers": terms_of(tournament) is not None,
    }
    return page(request, tournament, "director/entries", facts)


def _takes_seeds(format_: Format) -> bool:
    entered = [stage for stage in format_.stages if format_.is_entered(stage)]
    divides = any(len(stage.blocks) > 1 or len(stage.sources) > 1 or "seed" in stage.tiebreak for stage in entered)
    return divides or len(entered) > 1


def _enter(request: HttpRequest, tournament: Tournament, form: EntriesForm) -> HttpResponse | None:
    with RefusalsOn(form), transaction.atomic():
        added = add_players(league=tournament.league, people=form.people_to_add(), by=actor(request))
        players = [*form.known_players(), *added]
        entered_now = service.enter_players(tournament=tournament, players=players, by=actor(request))
        messages.success(request, _entered_sentence(len(entered_now), added))
        is_full = tournament.entries.count() >= tournament.format.entrants.most
        if is_full and (stages := stages_to_draw(state_of(tournament))):
            return redirect("tournaments:draw", tournament.league.slug, tournament.key, stages[0].key)
        return redirect("tournaments:entries", tournament.league.slug, tournament.key)
    return None


def _entered_sentence(number: int, added: list[Player]) -> str:
    text = ngettext("%(count)s player was entered.", "%(count)s players were entered.", number) % {"count": number}
    if not added:
        return text
    new = ngettext(
        "%(count)s of them is new in the league (%(names)s).",
        "%(count)s of them are new in the league (%(names)s).",
        len(added),
    )
    names = [plain_name(player) for player in added[:NAMED]] + ["…"] * (len(added) > NAMED)
    return _("%(first)s %(second)s") % {"first": text, "second": new % {"count": len(added), "names": joined(names)}}


@require_POST
@in_tournament(MANAGE)
def remove_entry(request: HttpRequest, tournament: Tournament, pk: int) -> HttpResponse:
    entries = Entry.objects.select_related("player", "tournament__league")
    entry = get_object_or_404(entries, tournament=tournament, pk=pk)
    with RefusalsOn(request):
        service.remove_entry(entry=entry, by=actor(request))
        messages.success(request, _("%(name)s was removed from the list.") % {"name": entry.player.name})
    return redirect("tournaments:entries", tournament.league.slug, tournament.key)


@in_league(MANAGE)
def directors(request: HttpRequest, league: League, key: str) -> HttpResponse:
    tournament = tournament_or_404(league, key)
    form = DirectorForm(request.POST or None, tournament=tournament)
    if form.is_valid():
        member = form.cleaned_data["member"]
        service.make_director(tournament=tournament, membership=member, by=actor(request))
        text = _("%(name)s is now a director of the tournament.")
        messages.success(request, text % {"name": member.user.get_username()})
        return redirect("tournaments:directors", league.slug, key)
    facts = {
        "heading": _("Directors"),
        "lead": _(
            "Directors can draw, plan, approve and enter results in this tournament like organisers, but nowhere else in the league."
        ),
        "form": form,
        "directors": tournament.directors.select_related("membership__user"),
    }
    return page(request, tournament, "director/directors", facts)


@require_POST
@in_league(MANAGE)
def remove(request: HttpRequest, league: League, key: str, pk: int) -> HttpResponse:
    tournament = tournament_or_404(league, key)
    found = get_object_or_404(tournament.directors.select_related("tournament__league", "membership__user"), pk=pk)
    service.remove_director(director=found, by=actor(request))
    name = found.membership.user.get_username()
    messages.success(request, _("%(name)s is no longer a director of the tournament.") % {"name": name})
    return redirect("tournaments:directors", league.slug, key)


@in_tournament(MANAGE)
def finish(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    is_finished = tournament.state == Tournament.State.FINISHED
    form = ReasonForm(request.POST if is_finished and request.method == "POST" else None)
    if form.is_valid():
        resume(tournament=tournament, reason=form.cleaned_data["reason"], by=actor(request))
        messages.success(request, _("%(name)s was reopened.") % {"name": plain_name(tournament)})
        return redirect("tournaments:inbox", tournament.league.slug, tournament.key)
    if request.method == "POST" and not is_finished:
        with RefusalsOn(request):
            close(tournament=tournament, by=actor(request))
            done = _("%(name)s is finished. Its page is an archive.")
            messages.success(request, done % {"name": plain_name(tournament)})
            return redirect("tournaments:tournament", tournament.league.slug, tournament.key)
    current = state_of(tournament)
    facts = {
        "heading": _("Reopen the tournament") if is_finished else _("Close the tournament"),
        "form": form,
        "is_finished": is_finished,
        "is_over": current.state.is_over,
        "arrivals": [
            {
                "name": destination_label(key, current.state.format),
                "entries": [current.entries[int(place.participant)] for place in places],
            }
            for key, places in current.state.arrivals.items()
        ],
        "final_ranks": final_ranking(current),
        "open_stages": [each for each in current.state.stages if each.state is not StageState.DECIDED],
        "overtaken": len(current.state.overtaken),
    }
    return page(request, tournament, "director/finish", facts)
