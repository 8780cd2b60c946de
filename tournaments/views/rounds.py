"""The sessions of a stage: planned, linked, postponed, and hanchan after hanchan."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.translation import gettext as _

from league.forms.reason import ReasonForm
from league.http.access import actor
from league.models import Session
from league.permissions import MANAGE
from league.selectors.planning import plan_of
from league.templatetags.tenbo.days import when
from tournaments.forms.preparing import MAX_SESSIONS, LinkSessionForm, PostponeTableForm
from tournaments.http.access import in_tournament
from tournaments.http.pages import page
from tournaments.messages.errors import joined, tournament_error_sentence
from tournaments.models import StageSession, Tournament
from tournaments.services.events import TournamentError
from tournaments.services.planning import (
    link_session,
    postpone_table,
    unlink_session,
)


@in_tournament(MANAGE)
def link(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    free = tournament.league.sessions.kept().filter(stage__isnull=True).order_by("-date", "-number")
    recent = Session.objects.filter(pk__in=list(free.values_list("pk", flat=True)[:MAX_SESSIONS]))
    form = LinkSessionForm(
        request.POST or None,
        format_=tournament.format,
        sessions=recent.order_by("-date", "-number"),
        initial={"where": request.GET.get("stage")},
    )
    if form.is_valid():
        session = form.cleaned_data["session"]
        try:
            linked = link_session(
                tournament=tournament, session=session, stage_session=form.stage_session(), by=actor(request)
            )
        except TournamentError as error:
            form.add_error(None, tournament_error_sentence(error))
        else:
            messages.success(request, _("%(session)s counts in the tournament now.") % {"session": session})
            return redirect("tournaments:plan", tournament.league.slug, tournament.key, linked.stage)
    return page(request, tournament, "link", {"form": form, "has_any": recent.exists()})


@in_tournament(MANAGE)
def unlink(request: HttpRequest, tournament: Tournament, pk: int) -> HttpResponse:
    stage_session = get_object_or_404(StageSession.objects.select_related("session"), tournament=tournament, pk=pk)
    stage_session.tournament = tournament
    form = ReasonForm(request.POST or None)
    if form.is_valid():
        stage, session = stage_session.stage, stage_session.session
        unlink_session(stage_session=stage_session, reason=form.cleaned_data["reason"], by=actor(request))
        messages.success(request, _("%(session)s does not count in the tournament any more.") % {"session": session})
        return redirect("tournaments:plan", tournament.league.slug, tournament.key, stage)
    facts = {
        "form": form,
        "stage_session": stage_session,
        "stage": tournament.format.stage(stage_session.stage),
        "today": timezone.now(),
    }
    return page(request, tournament, "unlink", facts | {"hanchan": stage_session.session.hanchan.valid().count()})


@in_tournament(MANAGE)
def postpone(request: HttpRequest, tournament: Tournament, pk: int) -> HttpResponse:
    stage_session = get_object_or_404(StageSession.objects.select_related("session"), tournament=tournament, pk=pk)
    stage_session.tournament, stage_session.session.league = tournament, tournament.league
    names: dict[int, dict[str, None]] = {}
    for _number, table, players in plan_of(stage_session.session):
        names.setdefault(table, {}).update(dict.fromkeys(player.name for player in players))
    tables = [
        (table, _("Table %(number)s") % {"number": table} + f" · {joined(found)}") for table, found in names.items()
    ]
    form = PostponeTableForm(request.POST or None, tables=tables, initial={"table": request.GET.get("table")})
    if form.is_valid():
        try:
            postponed = postpone_table(stage_session=stage_session, **form.cleaned_data, by=actor(request))
        except TournamentError as error:
            form.add_error(None, tournament_error_sentence(error))
        else:
            facts = {"table": form.cleaned_data["table"], "day": when(postponed.session)}
            messages.success(request, _("Table %(table)s is played on %(day)s.") % facts)
            return redirect("tournaments:plan", tournament.league.slug, tournament.key, stage_session.stage)
    facts = {
        "form": form,
        "stage_session": stage_session,
        "stage": tournament.format.stage(stage_session.stage),
        "has_tables": bool(tables),
    }
    return page(request, tournament, "postpone", facts)
