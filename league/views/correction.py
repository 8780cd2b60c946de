from datetime import datetime

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from league.forms import hanchan_points
from league.forms.entry import prefill
from league.forms.entry.fields import EntryTable
from league.forms.entry.form import EntryForm, Sending
from league.forms.entry.page import EntryPage
from league.forms.hanchan_points import HanchanPointsForm
from league.http.access import actor, hanchan_led, in_league
from league.http.answers import OtherPeople
from league.http.hanchan import Conflict, conflict_with, hanchan_of
from league.models import Hanchan, League, Player
from league.permissions import MANAGE, RECORD, Person, may_in_session
from league.selectors.entry import correction_choices
from league.selectors.receipts import BoardEffect, as_corrected, correction_effect
from league.services.entry import TypedResult, correct_entry, says_the_same
from league.services.people import PlayerFacts
from league.services.results import ChangedMeanwhileError, OtherPeopleError, ResultError, result_of, with_origin
from scoring.core import ScoringError


@in_league(RECORD, instead=hanchan_led)
def correct(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    """Correct a hanchan by raw scores, or by points if only these are known and raw scores are not requested."""
    hanchan = hanchan_of(league, pk)
    if hanchan.is_voided and request.method != "POST":
        messages.info(request, _("This result was voided. Restore it before you correct it."))
        return redirect("league:hanchan", league.slug, pk)
    table, sending = _table(hanchan, request.user), Sending.read(request.POST)
    is_raw = hanchan.has_raw_scores or bool({"raw", "raw_0"} & request.GET.keys())
    by_points = "points_0" in request.POST if request.method == "POST" else not is_raw
    if table is None or (by_points and table.rules.missing):
        messages.warning(request, _("The rules of this hanchan cannot be read. An organiser has to fix them first."))
        return redirect("league:hanchan", league.slug, pk)
    typed = sending.typed if request.method == "POST" else None
    form: EntryForm | HanchanPointsForm
    if by_points:
        session, initial = hanchan.session, hanchan_points.of_hanchan(hanchan)
        form = HanchanPointsForm(typed, session=session, rules=table.rules, hanchan=hanchan, initial=initial)
    else:
        brought = {name: str(request.GET[name]) for name in request.GET if prefill.SEATED.fullmatch(name)}
        form = EntryForm(typed, table=table, corrects=True, initial=prefill.of_hanchan(hanchan) | brought)
    return _correction_page(request, hanchan, form) if typed is None else _save(request, hanchan, form, sending)


def _save(
    request: HttpRequest, hanchan: Hanchan, form: EntryForm | HanchanPointsForm, sending: Sending
) -> HttpResponse:
    if not (sending.saves and form.is_valid() and form.entry is not None):
        return _correction_page(request, hanchan, form, shows_errors=sending.saves)
    seen, conflict, others = form.cleaned_data["seen_version"], None, None
    if seen == hanchan.version and says_the_same(hanchan, form.entry):
        messages.info(request, _("No changes to save."))
        return redirect("league:hanchan", hanchan.league.slug, hanchan.pk)
    try:
        correct_entry(
            hanchan=hanchan,
            seen_version=seen,
            entry=sending.answered(form.entry),
            by=actor(request),
            reason=form.cleaned_data["reason"],
        )
    except OtherPeopleError as error:
        others = OtherPeople.asked(error, form.names)
    except ChangedMeanwhileError as error:
        conflict = _conflict(error.current, seen, form.entry)
        form.saw(error.current.version)
    except (ResultError, ScoringError) as error:
        form.refuse(error)
    else:
        messages.success(request, _("The correction was saved. The previous result is in the history."))
        return redirect("league:hanchan", hanchan.league.slug, hanchan.pk)
    return _correction_page(request, hanchan, form, conflict=conflict, others=others)


def _correction_page(
    request: HttpRequest,
    hanchan: Hanchan,
    form: EntryForm | HanchanPointsForm,
    *,
    conflict: Conflict | None = None,
    others: OtherPeople | None = None,
    shows_errors: bool = True,
) -> HttpResponse:
    shown: dict[str, object] = {"league": hanchan.league, "hanchan": hanchan, "session": hanchan.session, "form": form}
    shown |= {"conflict": conflict, "others": others}
    if isinstance(form, HanchanPointsForm):
        return render(request, "league/hanchan/correct_points.html", shown)
    shown |= {
        "page": EntryPage(form),
        "effects": _effects(hanchan, form),
        "shows_errors": form.is_bound and shows_errors,
        "preview_url": reverse("league:correct_preview", args=[hanchan.league.slug, hanchan.pk]),
    }
    return render(request, "league/entry/correct.html", shown)


def _conflict(current: Hanchan, seen: int, entry: TypedResult) -> Conflict:
    """Return the concurrent changes, original facts and input."""
    # New players have no primary key yet; use negative seat numbers.
    people = enumerate(entry.seated)
    players = tuple(Player(pk=-at - 1, name=who.name) if isinstance(who, PlayerFacts) else who for at, who in people)
    return conflict_with(current, seen, with_origin(entry.played_by(players), result_of(current)), entry.table_and_time)


@require_POST
@in_league(RECORD, has_own_key=True, instead=hanchan_led)
def correct_preview(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    """Return the parts of the correction page that depend on the input, with rank changes."""
    hanchan = hanchan_of(league, pk)
    table = _table(hanchan, request.user)
    if table is None:
        return HttpResponse(status=204)
    form = EntryForm(request.POST, table=table, corrects=True, initial=prefill.of_hanchan(hanchan))
    shown = {"league": league, "page": EntryPage(form), "corrects": True, "effects": _effects(hanchan, form)}
    return render(request, "league/entry/preview.html", shown)


def _table(hanchan: Hanchan, reader: Person) -> EntryTable | None:
    rules = hanchan.ruleset_version.readable()
    if rules is None:
        return None
    version, choices, is_strict = hanchan.ruleset_version, correction_choices(hanchan), hanchan.session.is_strict
    # A result accepted with a wrong total stays accepted; the service checks that the scores are unchanged.
    takes_as_is = hanchan.as_is or may_in_session(reader, MANAGE, hanchan.session)
    return EntryTable(hanchan.league, hanchan.table, version, rules, choices, is_strict, takes_as_is)


def _effects(hanchan: Hanchan, form: EntryForm) -> tuple[BoardEffect, ...] | None:
    """Return the rank changes, or None if the result cannot be scored or does not count."""
    scored = form.entry.scored if form.entry else None
    if scored is None or (form.is_as_it_is and not hanchan.league.unbalanced_count):
        return None
    moment: datetime = form.cleaned_data.get("played_at") or hanchan.played_at
    known = [person if isinstance(person, Player) else None for person in form.people]
    corrected = as_corrected(hanchan, scored, known, moment)
    return correction_effect(hanchan, corrected, [player for player in known if player is not None])
