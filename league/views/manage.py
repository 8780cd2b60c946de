"""League management: inbox, settings, members, adjustments, history, and jobs."""

from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.paginator import Paginator
from django.db.models import Prefetch
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from league.core.periods import span_of
from league.forms.leagues import AdjustmentForm, HistoryForm, MemberForm, SettingsForm, WithdrawForm
from league.forms.names import ReasonForm
from league.forms.seen import WhatStands
from league.http.access import actor, in_league, to_be_changed
from league.http.reauthentication import freshly_logged_in, gives_power
from league.messages import plain_name
from league.messages.people import people_sentence
from league.messages.rules import parameter_names
from league.models import Adjustment, HeldPhoto, HeldResult, Job, League, Membership, RulesetVersion, Session
from league.permissions import MANAGE, OWN, READ_BOOKS
from league.selectors import rulebook
from league.selectors.history import history_lines, revisions_of
from league.selectors.impact import impact_of, version_of
from league.selectors.inbox import ALL_SHOWN, SHOWN, inbox_of
from league.selectors.pending import held_results_as_typed
from league.selectors.progress import pace_of, seconds_spent
from league.services.calendar import adjust, change_settings
from league.services.held_results import dismiss_held_result
from league.services.job_requests import JobRunningError, job_under_way, start_job
from league.services.jobs import cancel_job
from league.services.locking import lock_league
from league.services.people import PeopleError, set_role
from league.services.people import remove_member as take_role
from league.services.rescoring import scored_otherwise
from league.services.session_points import withdraw_points

ON_A_PAGE = 50
JOBS_SHOWN = 8


@require_safe
@in_league(READ_BOOKS)
def index(request: HttpRequest, league: League) -> HttpResponse:
    inbox = inbox_of(league, timezone.now(), ALL_SHOWN if "all" in request.GET else SHOWN)
    open_ones = league.sessions.filter(state=Session.State.OPEN, date=league.day_of(timezone.now()))
    page = {
        "league": league,
        "inbox": inbox,
        "tonight": open_ones.order_by("title", "pk").first(),
        "missing": parameter_names(inbox.missing),
        "unfinished": rulebook.unfinished_version(league),
        "jobs": league.jobs.select_related("created_by")[:JOBS_SHOWN],
        "recent": history_lines(league, revisions_of(league)[:5]),
    }
    return render(request, "league/manage/index.html", page)


@in_league(MANAGE)
def settings(request: HttpRequest, league: League) -> HttpResponse:
    if request.method == "POST":
        league = lock_league(league.pk)
    form = SettingsForm(request.POST or None, league=league)
    if form.is_valid():
        try:
            change_settings(league=league, settings=form.settings(), by=actor(request))
        except ValidationError as error:
            form.add_error(None, error)
        else:
            messages.success(request, _("Settings saved. Affected standings will be updated."))
            if (moving := job_under_way(league, Job.Kind.DAYS)) is not None:
                return redirect("league:job", league.slug, moving.pk)
            return redirect("league:settings", league.slug)
    league.refresh_from_db()
    current, today = league.current_version, league.day_of(timezone.now())
    playing = rulebook.open_sessions(league, current).filter(date=today).first() if current else None
    page = {"league": league, "heading": _("Settings"), "form": form, "playing": playing}
    return render(request, "league/manage/settings.html", page)


@in_league(OWN)
@freshly_logged_in(gives_power)
def members(request: HttpRequest, league: League) -> HttpResponse:
    named = request.POST.get("username", "").strip()
    form = MemberForm(request.POST or None, standing=_role_of(request, league, named))
    if form.is_valid() and form.user:
        role = Membership.Role(form.cleaned_data["role"])
        try:
            membership = set_role(league=league, user=form.user, role=role, by=actor(request))
        except PeopleError as error:
            form.add_error("role", people_sentence(error.code, error.values))
        else:
            names = {"name": form.user.get_username(), "role": membership.get_role_display()}
            messages.success(request, _("%(name)s is now %(role)s.") % names)
            return _after_roles(request, league, form.user)
    own = Prefetch("user__players", league.players.all())
    listed = league.members.select_related("user").prefetch_related(own).order_by("pk")
    page = {
        "league": league,
        "heading": _("Members"),
        "form": form,
        "members": listed,
        "owners": sum(member.role == Membership.Role.OWNER for member in listed),
        "roles": Membership.Role.choices,
        "unknown": named if "username" in form.errors else "",
        "role": request.POST.get("role", ""),
    }
    return render(request, "league/manage/members.html", page)


def _role_of(request: HttpRequest, league: League, name: str) -> WhatStands:
    has_one = to_be_changed(request, league.members.select_related("user"))
    member = next((each for each in has_one if each.user.get_username() == name), None)
    if member is None:
        return WhatStands(
            "", _("%(name)s no longer has a role. Send again to give the one you chose.") % {"name": name}
        )
    text = _("%(name)s now has the role %(role)s. Send again to use your choice instead.")
    return WhatStands(member.role, text % {"name": name, "role": member.get_role_display()})


@require_POST
@in_league(OWN)
def remove_member(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    membership = get_object_or_404(league.members.select_related("user", "league"), pk=pk)
    try:
        take_role(membership=membership, by=actor(request))
    except PeopleError as error:
        messages.error(request, people_sentence(error.code, error.values))
    else:
        messages.success(request, _("%(name)s no longer has a role.") % {"name": membership.user.get_username()})
        return _after_roles(request, league, membership.user)
    return redirect("league:members", league.slug)


def _after_roles(request: HttpRequest, league: League, user: User) -> HttpResponse:
    return redirect("league:home") if user == request.user else redirect("league:members", league.slug)


@in_league(MANAGE)
def adjustments(request: HttpRequest, league: League) -> HttpResponse:
    asked = {"player": request.GET.get("player"), "day": league.day_of(timezone.now())}
    form = AdjustmentForm(request.POST or None, league=league, initial=asked)
    if form.is_valid():
        adjustment = adjust(**form.cleaned_data, by=actor(request))
        messages.success(request, _("The adjustment for %(name)s was saved.") % {"name": plain_name(adjustment.player)})
        return redirect("league:adjustments", league.slug)
    listed = league.adjustments.select_related("player", "created_by", "session")
    found = Paginator(listed, ON_A_PAGE).get_page(request.GET.get("page"))
    page = {"league": league, "heading": _("Adjustments"), "form": form, "found": found}
    return render(request, "league/manage/adjustments.html", page)


@in_league(MANAGE)
def withdraw(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    adjustments = Adjustment.objects.select_related("player", "league", "session")
    adjustment = get_object_or_404(adjustments, league=league, pk=pk)
    form = WithdrawForm(request.POST or None)
    if adjustment.withdrawn:
        messages.info(request, _("This adjustment was already withdrawn."))
        return redirect("league:adjustments", league.slug)
    if form.is_valid():
        withdraw_points(points=adjustment, reason=form.cleaned_data["reason"], by=actor(request))
        messages.success(request, _("The adjustment was withdrawn and no longer counts."))
        return redirect("league:adjustments", league.slug)
    return render(request, "league/manage/withdraw.html", {"league": league, "adjustment": adjustment, "form": form})


@require_POST
@in_league(MANAGE)
def rebuild(request: HttpRequest, league: League) -> HttpResponse:
    return _begin(request, league, Job.Kind.REBUILD, {})


def _begin(request: HttpRequest, league: League, kind: Job.Kind, parameters: dict[str, object]) -> HttpResponse:
    try:
        job = start_job(league=league, kind=kind, by=actor(request), parameters=parameters)
    except JobRunningError as error:
        messages.info(request, _("This is already running. Here is its progress."))
        job = error.job
    return redirect("league:job", league.slug, job.pk)


@require_safe
@in_league(READ_BOOKS)
def history(request: HttpRequest, league: League) -> HttpResponse:
    form = HistoryForm(request.GET)
    chosen = form.cleaned_data if form.is_valid() else {}
    found = Paginator(revisions_of(league, **chosen), ON_A_PAGE).get_page(request.GET.get("page"))
    page = {
        "league": league,
        "heading": _("History"),
        "form": form,
        "found": found,
        "entries": history_lines(league, found.object_list),
    }
    return render(request, "league/manage/history.html", page)


@never_cache
@in_league(MANAGE)
def job(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    shown = get_object_or_404(Job.objects.select_related("created_by"), league=league, pk=pk)
    shown.league = league
    if request.method == "POST" and shown.kind == Job.Kind.IMPORT:
        return redirect("league:import_result", league.slug, shown.parameters["batch"])
    if request.method == "POST":
        return _begin(request, league, Job.Kind(shown.kind), shown.parameters)
    impact, version, days = impact_of(shown), version_of(shown), span_of(shown.parameters)
    page = {
        "league": league,
        "heading": shown.get_kind_display(),
        "job": shown,
        "pace": pace_of(shown),
        "seconds": seconds_spent(shown),
        "impact": impact,
        "version": version,
        "days": days,
        "is_done": _is_done(shown, version, impact),
    }
    return render(request, "league/jobs/detail.html", page)


def _is_done(job: Job, version: RulesetVersion | None, impact: dict[str, Any] | None) -> bool:
    """Return whether the hanchan of a preview have been rescored since, except those that cannot be."""
    if job.kind != Job.Kind.IMPACT or impact is None or version is None or not impact["changed"]:
        return False
    refused: int = impact["refused_count"]
    return scored_otherwise(job.league, version, span_of(job.parameters)).count() <= refused


@require_POST
@in_league(MANAGE)
def cancel(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    shown = get_object_or_404(Job, league=league, pk=pk)
    cancel_job(shown)
    if not shown.is_over:
        messages.info(request, _("It will stop after the current step. Finished steps are kept."))
    return redirect("league:job", league.slug, shown.pk)


@in_league(MANAGE)
def held(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    shown = get_object_or_404(HeldResult.objects.select_related("session", "hanchan"), league=league, pk=pk)
    shown.session.league = shown.league = league
    if shown.hanchan is not None:
        return redirect("league:hanchan", league.slug, shown.hanchan.pk)
    form = ReasonForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        dismiss_held_result(held=shown, reason=form.cleaned_data["reason"], by=actor(request))
        messages.success(request, _("The result was dismissed. What was entered stays in the history."))
        return redirect("league:manage", league.slug)
    enter = reverse("league:enter_session", args=[league.slug, shown.session_id])
    page = {
        "league": league,
        "heading": _("Held result"),
        "held": shown,
        "typed": held_results_as_typed(league, [shown])[0],
        "photo": HeldPhoto.objects.filter(held=shown).defer("data").first(),
        "form": form,
        "is_open": shown.session.state == Session.State.OPEN,
        "enter_url": f"{enter}?{urlencode({'table': shown.table, 'held': shown.pk})}",
    }
    return render(request, "league/manage/held.html", page)
