"""Restoring an earlier version of a hanchan, with a preview of the effects."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _

from league.core.numbers import small_number
from league.forms.entry.sentences import result_sentence
from league.forms.names import ReasonForm
from league.http.access import actor, hanchan_led, in_league
from league.http.hanchan import hanchan_of
from league.messages import plain_name
from league.models import Hanchan, League, Player, Revision
from league.permissions import RECORD
from league.selectors.games import snapshot_of
from league.selectors.hanchan_facts import clashes, named, people_among
from league.selectors.receipts import as_corrected, correction_effect
from league.services.results import ChangedMeanwhileError, HanchanResult, ResultError, TableAndTime
from league.services.versions import as_typed, bring_back, version_of
from scoring.core import InputError, RulesetError, ScoringError, score
from scoring.messages import scoring_error_sentence


@in_league(RECORD, instead=hanchan_led)
def again(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    """Show what restoring an earlier version would change; a POST request with a reason restores it."""
    hanchan = hanchan_of(league, pk)
    revision = _revision(request, hanchan)
    if revision is None or hanchan.is_voided:
        return redirect("league:hanchan", league.slug, pk)
    form = ReasonForm(request.POST if request.method == "POST" else None)
    try:
        result, table_and_time = version_of(hanchan, revision)
        if request.method == "POST" and form.is_valid():
            bring_back(
                hanchan=hanchan,
                revision=revision,
                seen_version=small_number(request.POST.get("seen_version", ""), 0),
                by=actor(request),
                reason=form.cleaned_data["reason"],
            )
            messages.success(request, _("The earlier version was restored. The previous content is in the history."))
            return redirect("league:hanchan", league.slug, pk)
        page = _page(hanchan, result, table_and_time)
    except ChangedMeanwhileError:
        messages.warning(request, _("Someone changed this result after you opened it."))
        return redirect(request.get_full_path())
    except (ResultError, ScoringError, RulesetError, InputError) as error:
        messages.warning(request, _sentence(error, hanchan))
        return redirect("league:hanchan", league.slug, pk)
    return render(request, "league/hanchan/again.html", {"revision": revision, "form": form, **page})


def _revision(request: HttpRequest, hanchan: Hanchan) -> Revision | None:
    pk = small_number(request.GET.get("revision", ""), None)
    if pk is None:
        return None
    return get_object_or_404(Revision, pk=pk, league=hanchan.league, subject="hanchan", subject_id=hanchan.pk)


def _page(hanchan: Hanchan, result: HanchanResult, table_and_time: TableAndTime) -> dict[str, object]:
    current = snapshot_of(hanchan)
    restored = as_typed(hanchan, result, table_and_time)
    scored = score(result.game, hanchan.ruleset_version.read())
    corrected = as_corrected(hanchan, scored, result.players, table_and_time.played_at or hanchan.played_at)
    found = clashes(current, current, restored)
    people = Player.objects.in_bulk(people_among(found))
    return {
        "league": hanchan.league,
        "hanchan": hanchan,
        "changes": named(found, {pk: plain_name(player) for pk, player in people.items()}),
        "effects": correction_effect(hanchan, corrected, result.players),
    }


def _sentence(error: Exception, hanchan: Hanchan) -> str:
    if isinstance(error, ResultError):
        return result_sentence(error)
    if isinstance(error, ScoringError):
        return scoring_error_sentence(error, [plain_name(seat.player) for seat in hanchan.seats.all()])
    return _("This version can no longer be read.")
