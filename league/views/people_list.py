from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from league.forms.people_table import PeopleListForm, choices_in, in_words, only_looking, people_in, what_stands
from league.http.access import actor, in_league, to_be_changed
from league.models import League
from league.permissions import MANAGE
from league.services.people_lists import ListPlan, plan_list, store_list


@in_league(MANAGE)
def paste(request: HttpRequest, league: League) -> HttpResponse:
    if request.method != "POST":
        return _page(request, league, PeopleListForm(), None)
    plan = _plan(request, league)
    is_last = request.POST.get("do") == "store" or plan.only_adds
    if is_last:
        to_be_changed(request, league.players.filter(pk__in=[player.pk for player in plan.players]).order_by("pk"))
        plan = _plan(request, league)
    data = request.POST if request.POST.get("do") == "store" else only_looking(request.POST)
    form = PeopleListForm(data, standing=what_stands(plan.players))
    if form.is_valid() and is_last and not plan.asked:
        _store(request, league, plan, form.cleaned_data["reason"])
        return redirect("league:players" if league.sessions.exists() else "league:league_home", league.slug)
    return _page(request, league, form, None if "text" in form.errors else plan)


def _plan(request: HttpRequest, league: League) -> ListPlan:
    people = people_in(request.POST.get("text", ""))
    return plan_list(league, people, choices_in(request.POST), guests="guests" in request.POST)


def _store(request: HttpRequest, league: League, plan: ListPlan, reason: str) -> None:
    changed, new = store_list(league=league, plan=plan, by=actor(request), reason=reason)
    if changed:
        text = ngettext("%(count)s player was changed.", "%(count)s players were changed.", len(changed))
        messages.success(request, text % {"count": len(changed)})
    if new:
        text = ngettext("%(count)s player was added.", "%(count)s players were added.", len(new))
        messages.success(request, text % {"count": len(new)})
    if not (changed or new):
        messages.info(request, _("No changes."))


def _page(request: HttpRequest, league: League, form: PeopleListForm, plan: ListPlan | None) -> HttpResponse:
    page: dict[str, object] = {"league": league, "form": form, "plan": plan}
    if plan is not None:
        kinds, asked = plan.kinds, plan.asked
        page |= {"kinds": kinds, "asked": asked, "more": len(kinds["open"]) - len(asked)}
        page["carried"] = [line for line in plan.lines if line.choice and line not in asked]
        page["changing"] = [(line, in_words(line)) for line in kinds["changing"]]
    return render(request, "league/people/paste.html", page)
