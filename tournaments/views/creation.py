"""Creating a tournament, and changing what is written about it."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from league.http.access import actor, in_league, to_be_changed
from league.models import League
from league.permissions import MANAGE
from tournaments.core.format import Format
from tournaments.core.reading import entrant_choices, load_document, load_formats
from tournaments.forms.creation import OWN, NewTournamentForm, TournamentForm
from tournaments.http.access import in_tournament
from tournaments.http.pages import page
from tournaments.messages.errors import tournament_error_sentence
from tournaments.messages.formats import describe_format, sizes_sentence
from tournaments.messages.titles import stage_name
from tournaments.models import Tournament
from tournaments.services.events import TournamentError
from tournaments.services.setup import change_tournament, create_tournament


@in_league(MANAGE)
def new(request: HttpRequest, league: League) -> HttpResponse:
    """Create a tournament from a format that is shipped, or from an own one."""
    if league.current_version is None:
        messages.warning(request, _("Choose the rules of the league first; every tournament is played by some rules."))
        return redirect("league:rules_choose", league.slug)
    form = NewTournamentForm(request.POST or None, league=league, initial={"format": "cinderella"})
    if form.is_valid():
        try:
            tournament = create_tournament(
                league=league,
                facts=form.facts(form.cleaned_data["key"]),
                format_key=form.cleaned_data["format"],
                document=form.format_document,
                by=actor(request),
            )
        except TournamentError as error:
            form.add_error(None, tournament_error_sentence(error))
        else:
            text = _("%(name)s was created, played by %(rules)s. Now who plays?")
            messages.success(request, text % {"name": tournament.name, "rules": tournament.ruleset_version})
            return redirect("tournaments:entries", league.slug, tournament.key)
    formats = [{"format": each, "line": _line(each)} for each in load_formats()]
    facts = {"league": league, "form": form, "formats": formats, "own": OWN}
    return render(request, "tournaments/director/new.html", facts)


def _line(format_: Format) -> str:
    """Return a format in one line: how many enter, its rules, and the stages."""
    paragraphs = describe_format(format_)
    sizes = entrant_choices(load_document(format_.key))
    sentences = list(paragraphs[0].sentences[: 2 if format_.ruleset else 1]) if paragraphs else []
    general = " ".join([sizes_sentence(sizes), *sentences[1:]] if sizes else sentences)
    stages = " → ".join(dict.fromkeys(stage_name(stage) for stage in format_.stages))
    return f"{general} {stages}".strip()


@in_tournament(MANAGE)
def edit(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    stands = to_be_changed(
        request, Tournament.objects.select_related("league", "ruleset_version__ruleset"), tournament.pk
    )
    tournament = stands.get(pk=tournament.pk)
    names = ("name", "name_en", "note", "strict_entry", "shows_chances")
    written = {name: getattr(tournament, name) for name in names}
    written["ruleset_version"] = tournament.ruleset_version_id
    form = TournamentForm(request.POST or None, tournament=tournament, initial=written)
    if form.is_valid():
        change_tournament(tournament=tournament, facts=form.facts(tournament.key), by=actor(request))
        messages.success(request, _("%(name)s was changed.") % {"name": tournament.name})
        return redirect("tournaments:tournament", tournament.league.slug, tournament.key)
    tournament = get_object_or_404(Tournament.objects.select_related("league"), pk=tournament.pk)
    return page(request, tournament, "edit", {"form": form})
