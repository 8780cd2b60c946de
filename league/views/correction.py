"""The correction of a result: the entry page filled in, a reason, and what it would change."""

from datetime import datetime

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from league.forms import entry_actions, entry_prefill
from league.forms.entry import EntryForm
from league.forms.entry_fields import EntryTable
from league.forms.entry_page import EntryPage
from league.models import Hanchan, League, Player
from league.permissions import RECORD
from league.selectors.entry import correction_choices
from league.selectors.hanchan_history import HistoryLine, changed_since, people_in, with_names
from league.selectors.receipts import BoardEffect, as_corrected, effect_of_correction
from league.services.entry import correct_entry
from league.services.results import ChangedMeanwhileError, ResultError
from league.views.access import actor, in_league
from league.views.hanchan import hanchan_of
from league.wording import plain_name
from scoring.core import RulesetError, ScoringError


@in_league(RECORD)
def correct(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    """Show a hanchan as it was typed; save what was changed, or say what is wrong and keep it."""
    hanchan = hanchan_of(league, pk)
    if hanchan.is_voided:
        messages.info(request, _("This result was taken back. Let it count again before you correct it."))
        return redirect("league:hanchan", league.slug, pk)
    table = _table(hanchan)
    if table is None:
        messages.warning(request, _("The rules of this hanchan cannot be read. An organiser mends them first."))
        return redirect("league:hanchan", league.slug, pk)
    if request.method == "POST":
        return _save(request, hanchan, table)
    form = EntryForm(table=table, corrects=True, initial=entry_prefill.of_hanchan(hanchan))
    return _correction_page(request, hanchan, form)


def _save(request: HttpRequest, hanchan: Hanchan, table: EntryTable) -> HttpResponse:
    initial = entry_prefill.of_hanchan(hanchan)
    form = EntryForm(entry_actions.applied(request.POST), table=table, corrects=True, initial=initial)
    conflict: tuple[HistoryLine, ...] = ()
    if form.is_valid() and entry_actions.saves(request.POST):
        seen = form.cleaned_data["seen_version"]
        try:
            correct_entry(
                hanchan=hanchan,
                seen_version=seen,
                entry=form.entry(),
                placing=form.placing(),
                by=actor(request),
                reason=form.cleaned_data["reason"],
            )
        except ChangedMeanwhileError as error:
            conflict = changed_since(error.current, seen)
            form.saw(error.current.version)
        except (ResultError, ScoringError) as error:
            form.refuse(error)
        else:
            messages.success(request, _("The correction was saved. What was there stays in the history."))
            return redirect("league:hanchan", hanchan.league.slug, hanchan.pk)
    return _correction_page(request, hanchan, form, conflict)


def _correction_page(
    request: HttpRequest, hanchan: Hanchan, form: EntryForm, conflict: tuple[HistoryLine, ...] = ()
) -> HttpResponse:
    page = {
        "league": hanchan.league,
        "hanchan": hanchan,
        "session": hanchan.session,
        "form": form,
        "page": EntryPage(form),
        "conflict": with_names(conflict, {pk: plain_name(player) for pk, player in people_in(conflict).items()}),
        "effects": _effects(hanchan, form),
        "shows_errors": form.is_bound and entry_actions.saves(request.POST),
        "preview_url": reverse("league:correct_preview", args=[hanchan.league.slug, hanchan.pk]),
    }
    return render(request, "league/entry/correct.html", page)


@require_POST
@in_league(RECORD)
def correct_preview(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    """Return the parts of the correction page that follow from what is typed, with everybody whose rank would change."""
    hanchan = hanchan_of(league, pk)
    table = _table(hanchan)
    if table is None:
        return HttpResponse(status=204)
    form = EntryForm(request.POST, table=table, corrects=True, initial=entry_prefill.of_hanchan(hanchan))
    form.full_clean()
    page = {"league": league, "page": EntryPage(form), "corrects": True, "effects": _effects(hanchan, form)}
    return render(request, "league/entry/preview.html", page)


def _table(hanchan: Hanchan) -> EntryTable | None:
    try:
        rules = hanchan.ruleset_version.read()
    except RulesetError:
        return None
    return EntryTable(hanchan.league, hanchan.table, hanchan.ruleset_version, rules, correction_choices(hanchan))


def _effects(hanchan: Hanchan, form: EntryForm) -> tuple[BoardEffect, ...] | None:
    """Return whose rank would change, or None while the result cannot be scored or nothing was changed yet."""
    if form.scored is None:
        return None
    moment: datetime = form.cleaned_data.get("played_at") or hanchan.played_at
    known = [person if isinstance(person, Player) else None for person in form.people]
    corrected = as_corrected(hanchan, form.scored, known, moment)
    return effect_of_correction(hanchan, corrected, [player for player in known if player is not None])
