"""もしも: what would be if the tables to come ended like this. Everything stands in the address; nothing is stored or kept."""

from urllib.parse import urlencode

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_safe

from league.selectors.names import hide_names
from tournaments.http.access import in_tournament
from tournaments.http.pages import kept_outlook, kept_state, stage_or_404
from tournaments.messages.titles import stage_name
from tournaments.models import Tournament
from tournaments.selectors.beliefs import Knowledge
from tournaments.selectors.chances import stage_chances
from tournaments.selectors.coming import by_stage, coming_tables, tables_of_stage
from tournaments.selectors.needs import needs_as_read
from tournaments.selectors.outlook import beliefs_of, may_tell_chances, outlook_of
from tournaments.selectors.stage_views import stage_view
from tournaments.selectors.supposing import supposed, supposition_of

SAMPLES = 5000
"""Fewer than on a page that is kept: this one is worked out for each address anew."""


@require_safe
@in_tournament()
def what_if(request: HttpRequest, tournament: Tournament, stage: str) -> HttpResponse:
    """Return a stage as it would stand after results that the address supposes."""
    found = stage_or_404(tournament, stage)
    asked = {name: request.GET[name] for name in request.GET}
    filled = {name: value for name, value in asked.items() if value.strip()}
    if len(filled) < len(asked):
        # Empty fields of the form are left out, so that an address is short enough to be sent to somebody.
        return redirect(f"{request.path}?{urlencode(filled)}")
    current = kept_state(tournament)
    knowledge = Knowledge(current)
    rules = knowledge.rules_of(found).readable()
    if rules is None or rules.missing:
        raise Http404
    hide_names(request.user, tournament.league, [entry.player for entry in current.entries.values()])
    tables = coming_tables(current, knowledge.seatings)
    hide_names(request.user, tournament.league, [player for table in tables for player in table.players])
    progress = current.state.stage(stage)
    supposition = supposition_of(current, progress, tables_of_stage(current, progress, tables), rules, filled)
    then = supposed(current, stage, supposition)
    counting = {table.key for table in supposition.tables if table.counts}
    left = by_stage(table for table in tables if table.key not in counting)
    # With nothing supposed it is the tournament as it is, of which every page tells the same.
    if not counting:
        outlook = kept_outlook(current, knowledge)
    else:
        outlook = outlook_of(then, beliefs_of(knowledge), left, SAMPLES) if may_tell_chances(then) else None
    after = then.state.stage(stage)
    needs = needs_as_read(then, after, knowledge)
    page = {
        "league": tournament.league,
        "tournament": tournament,
        "view": stage_view(then, after),
        "supposition": supposition,
        "chances": stage_chances(then, after, outlook, needs),
        "needs": needs,
        "name": stage_name(found),
    }
    return render(request, "tournaments/what_if.html", page)
