import json
from collections.abc import Iterable
from hashlib import sha256
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, override
from django.views.decorators.http import require_POST, require_safe

from league.core.numbers import small_number
from league.core.periods import DaySpan
from league.forms.rescoring import RescoringForm
from league.forms.rules.questions import RulesForm
from league.forms.rules.sections import summaries
from league.forms.rules.trial import SEATS, ChooseCardForm, ExampleForm, JsonForm, as_json
from league.forms.seen import WhatStands
from league.http.access import actor, in_league, to_be_changed
from league.http.caching import published
from league.messages import exact_name
from league.messages.rules import chip_prize_sentence, parameter_names, sum_sentence
from league.models import Job, League, Ruleset, RulesetVersion, Session
from league.permissions import MANAGE
from league.selectors import rulebook
from league.services.calendar import play_by
from league.services.job_requests import JobRunningError, start_job
from league.services.rescoring import scored_otherwise
from league.services.rules import RulesIncompleteError, adopt_card, make_current, save_version
from scoring.core import Card, ScoringRules, UnknownCardError, load_card, load_cards
from scoring.messages import describe_ruleset
from scoring.messages.numbers import in_language, joined

STATUSES = {
    "source": gettext_lazy("checked in the original source"),
    "recomputed": gettext_lazy("confirmed with published results"),
    "server": gettext_lazy("taken from the game's settings"),
    "unconfirmed": gettext_lazy("not confirmed"),
}
"""How reliable a card is."""


@require_safe
@in_league()
@published
def detail(request: HttpRequest, league: League) -> HttpResponse:
    if league.current_version is None:
        page = {"league": league, "unfinished": rulebook.unfinished_version(league)}
        return render(request, "league/rules/none.html", page)
    return _version_page(request, league, league.current_version)


@require_safe
@in_league()
@published
def version(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    return _version_page(request, league, _version(league, pk))


def _version(league: League, pk: int) -> RulesetVersion:
    versions = RulesetVersion.objects.filter(ruleset__league=league).select_related("ruleset", "created_by")
    return get_object_or_404(versions, pk=pk)


def _version_page(
    request: HttpRequest, league: League, shown: RulesetVersion, rescoring: RescoringForm | None = None
) -> HttpResponse:
    rules, card = shown.read(), shown.ruleset.of_card()
    previous, lines = rulebook.previous_of(shown), rulebook.version_lines(league)
    today = league.day_of(timezone.now())
    may_manage = request.user.has_perm(MANAGE, league)
    current, todays = league.current_version, league.sessions.filter(date=today)
    playing = rulebook.open_sessions(league, current).filter(date=today).first() if current else None
    used = {line["is_current"] for line in lines if line["first"]}
    page = _described(request, rules, card) | {
        "league": league,
        "version": shown,
        "previous": previous,
        "changes": rulebook.differences(previous.parameters if previous else None, shown.parameters),
        "changes_points": previous is None or rulebook.counts_otherwise(previous, rules),
        "is_current": shown.pk == league.current_version_id,
        "used": next(line for line in lines if line["version"] == shown),
        "tonight": playing if shown == current else rulebook.open_sessions(league, shown).filter(date=today).first(),
        "playing": playing,
        "is_ahead": playing is not None or (used == {False} and not todays.filter(ruleset_version=current).exists()),
        "way_back": _way_back(request, league),
        "newest": next(line["version"] for line in lines if line["version"].ruleset_id == shown.ruleset_id),
        "lines": lines,
        "held": rulebook.rules_by_day(lines),
        "rescoring": rescoring or _rescoring_form(league),
        "affected": _affected(league, lines, shown) if may_manage else 0,
    }
    return render(request, "league/rules/detail.html", page)


def _affected(league: League, lines: Iterable[dict[str, Any]], shown: RulesetVersion) -> int:
    """Return the number of hanchan that a rescoring with this version would look at and might change."""
    rules = shown.read()
    others = [line["version"] for line in lines if line["standing"]]
    found = [each.pk for each in others if rulebook.can_score_otherwise(each, rules)]
    return scored_otherwise(league, shown).filter(ruleset_version__in=found).count() if found else 0


def _way_back(request: HttpRequest, league: League) -> dict[str, str]:
    """Return the entry page whose result waits for the rules, as the query names it, and that query; empty if it does not."""
    session, table = (small_number(request.GET.get(name, ""), 0) for name in ("session", "table"))
    if not league.sessions.filter(pk=session).exists():
        return {}
    enter = reverse("league:enter_session", args=[league.slug, session])
    return {"url": f"{enter}?table={table}", "query": f"?session={session}&table={table}"}


def _to_version(
    request: HttpRequest, league: League, version: RulesetVersion, page: str = "rules_version"
) -> HttpResponse:
    query = _way_back(request, league).get("query", "")
    return redirect(reverse(f"league:{page}", args=[league.slug, version.pk]) + query)


def _described(request: HttpRequest, rules: ScoringRules, card: Card | None) -> dict[str, Any]:
    """Return the context shared by pages of rules: descriptions, open questions, sources, worked example."""
    scores, description = rulebook.example_scores(rules, card), describe_ruleset(rules)
    trial = ExampleForm(request.GET if "raw_0" in request.GET else None, scores=scores)
    return {
        "rules": rules,
        "description": description,
        "missing": parameter_names(rules.missing),
        "unset": parameter_names(rules.unset),
        "card": card,
        "card_name": in_language(card.name) if card else "",
        "card_source": in_language(card.source) if card else "",
        "card_status": [STATUSES[status] for status in card.status] if card else [],
        "open_notes": rulebook.notes_of(card.open, card, rules) if card else (),
        "unconfirmed": rulebook.notes_of(card.unconfirmed, card, rules) if card else (),
        "has_house": any(line.is_of_house for line in description),
        "trial": trial,
        "seats": seats_of(trial, rules),
        "example": example_of(trial, rules, scores),
    }


def seats_of(trial: ExampleForm, rules: ScoringRules) -> list[Any]:
    """Return the score fields of the worked example, one per player."""
    return [trial[f"raw_{seat}"] for seat in range(rules.players or 4)]


def example_of(trial: ExampleForm, rules: ScoringRules, scores: tuple[int, ...]) -> rulebook.Example | None:
    """Return the worked example for the input, or for default scores; None if the input is incomplete."""
    if not trial.is_bound:
        return rulebook.worked_example(rules, scores)
    typed = trial.scores(rules.players or 4) if trial.is_valid() else None
    if typed is None:
        return None
    facts = trial.cleaned_data
    return rulebook.worked_example(rules, typed, facts.get("sticks_left") or 0, chombo_by=facts.get("chombo"))


@require_safe
@in_league()
@published
def card(request: HttpRequest, league: League, key: str) -> HttpResponse:
    """Show a card: a ruleset as its source describes it."""
    try:
        shown = load_card(key)
    except UnknownCardError as error:
        raise Http404 from error
    page = _described(request, shown.ruleset, shown) | {"league": league}
    return render(request, "league/rules/card.html", page)


@in_league(MANAGE)
def choose(request: HttpRequest, league: League) -> HttpResponse:
    cards = rulebook.card_lines(load_cards())
    used = league.current_version.ruleset.card if league.current_version else cards[0]["key"]
    form = ChooseCardForm(request.POST or None, initial={"card": used})
    if form.is_valid():
        return _adopt(request, league, load_card(form.cleaned_data["card"]))
    page = {"league": league, "form": form, "common": cards[: rulebook.COMMON], "others": cards[rulebook.COMMON :]}
    return render(request, "league/rules/choose.html", page)


def _adopt(request: HttpRequest, league: League, chosen: Card) -> HttpResponse:
    adopted = adopt_card(league=league, card_key=chosen.key, name=in_language(chosen.name), by=actor(request))
    if adopted.read().missing:
        return redirect("league:rules_edit", league.slug, adopted.pk)
    is_used = League.objects.filter(current_version=adopted).exists()
    said = _("The league now uses %(rules)s.") if is_used else _("%(rules)s was added. Choose when it applies.")
    messages.success(request, said % {"rules": adopted.ruleset.name})
    return redirect("league:rules_version", league.slug, adopted.pk)


@in_league(MANAGE)
def edit(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    base = _version(league, pk)
    form, raw, trial = _edit_forms(request, base, _standing(request, base))
    sent = raw if request.POST.get("way") == "json" else form
    is_sent = request.POST.get("do") != "example" and sent.is_valid()
    uneven = _uneven(form.rules()) if is_sent and sent is form and "uneven" not in request.POST else ""
    if is_sent and not uneven:
        parameters = sent.cleaned_data["json"] if sent is raw else form.parameters
        return _save(request, league, base, parameters, sent.cleaned_data)
    is_json = sent is raw
    stored = base.read()
    rules = form.rules() if form.is_bound and form.is_valid() else stored
    example = None if form.errors else example_of(trial, rules, rulebook.example_scores(rules, base.ruleset.of_card()))
    page = {
        "league": league,
        "version": base,
        "form": form,
        "json_form": raw,
        "is_json": is_json,
        "trial": trial,
        "seats": [trial[f"raw_{seat}"] for seat in range(SEATS)],
        "example": example,
        "problems": _problems(form),
        "uneven": uneven,
        "remark": sum_sentence(example.scored) if example else "",
        "missing": parameter_names(stored.missing),
        "first_missing": f"#id_{stored.missing[0]}" if stored.missing else "",
        "open_notes": rulebook.notes_of(found.open, found, stored) if (found := base.ruleset.of_card()) else (),
    }
    return render(request, "league/rules/edit.html", page)


def _standing(request: HttpRequest, base: RulesetVersion) -> WhatStands:
    """Return the latest version, for the conflict message."""
    to_be_changed(request, Ruleset.objects.all(), base.ruleset_id)
    latest = base.ruleset.versions.order_by("-number")[0]
    written = json.dumps(latest.parameters, sort_keys=True)
    text = _("Version %(number)s has since been saved (%(changes)s). Save again to add your version after it.")
    changes = joined(
        f"{change.label}: {change.before or _('none')} → {change.after or _('none')}"
        for change in rulebook.differences(base.parameters, latest.parameters)
    )
    return WhatStands(
        f"{latest.pk}-{sha256(written.encode()).hexdigest()[:12]}",
        text % {"number": latest.number, "changes": changes or _("same as this one")},
    )


def _edit_forms(
    request: HttpRequest, base: RulesetVersion, standing: WhatStands | None = None
) -> tuple[RulesForm, JsonForm, ExampleForm]:
    is_json = request.POST.get("way") == "json"
    sent = request.POST or None
    form = RulesForm(None if is_json else sent, base=base.parameters, names=_names(base), standing=standing)
    asked = {"json": as_json(base.parameters)}
    raw = JsonForm(sent if is_json else None, initial=asked, standing=standing, auto_id="json-%s")
    trial = ExampleForm(None if is_json else sent, scores=rulebook.example_scores(base.read(), base.ruleset.of_card()))
    return form, raw, trial


def _names(base: RulesetVersion) -> dict[str, str]:
    """Return the names of a ruleset, or proposals if it is still named after a card other than the league's own.

    While anything of the card is undecided, its name stays.
    """
    ruleset = base.ruleset
    if not ruleset.name_of_card() or ruleset.name == ruleset.league.name or base.read().unset:
        return {"name": ruleset.name, "name_en": ruleset.name_en}
    league, found = ruleset.league, {}
    languages = {"name": "ja", "name_en": "en"} if league.name_en else {"name": "en" if league.name.isascii() else "ja"}
    for name, language in languages.items():
        with override(language):
            found[name] = (_("Rules of %(league)s") % {"league": exact_name(league)})[:100]
    return found


def _save(
    request: HttpRequest, league: League, base: RulesetVersion, parameters: dict[str, Any], sent: dict[str, Any]
) -> HttpResponse:
    before = base.ruleset.versions.order_by("-number").values("pk", "parameters").first()
    names = {name: sent[name] for name in ("name", "name_en") if sent.get("name")}
    saved = save_version(ruleset=base.ruleset, parameters=parameters, note=sent["note"], **names, by=actor(request))
    if saved.read().missing:
        return _to_version(request, league, saved, "rules_edit")
    open_ones = league.sessions.filter(state=Session.State.OPEN, ruleset_version=base)
    is_current = league.current_version == base
    if (is_current or open_ones) and base != saved and rulebook.only_decides(parameters, base):
        play_by(sessions=open_ones, version=saved, by=actor(request))
        if is_current and base.ruleset.league.current_version != saved:
            make_current(league=league, version=saved, by=actor(request))
        text = _("Saved as version %(number)s and in use. Results so far do not change.")
        messages.success(request, text % {"number": saved.number})
    elif before == {"pk": saved.pk, "parameters": saved.parameters}:
        messages.info(request, _("No changes: version %(number)s is the same.") % {"number": saved.number})
    else:
        messages.success(request, _("Saved as version %(number)s.") % {"number": saved.number})
    rules = saved.read()
    for warning in filter(None, (chip_prize_sentence(rules), _uneven(rules))):
        messages.warning(request, warning)
    return _to_version(request, league, saved)


def _uneven(rules: ScoringRules) -> str:
    """Return a warning if the points of a hanchan do not add up to 0, else ""."""
    return "" if rules.missing else sum_sentence(rulebook.worked_example(rules, rulebook.example_scores(rules)).scored)


@require_POST
@in_league(MANAGE)
def example(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    """Return the worked example for unsaved input, as an HTML fragment."""
    base = _version(league, pk)
    form, _raw, trial = _edit_forms(request, base)
    rules = form.rules() if form.is_valid() else None
    found = example_of(trial, rules, ()) if rules else None
    says = tuple(summaries(rules).items()) if rules else ()
    page = {
        "league": league,
        "example": found,
        "trial": trial,
        "problems": _problems(form),
        "remark": sum_sentence(found.scored) if found else "",
        "summaries": says,
    }
    return render(request, "league/rules/live.html", page)


def _problems(form: RulesForm) -> list[dict[str, Any]]:
    """Return the parameters that stand in the way of the worked example."""
    return [
        {"field": form[name] if name in form.fields else None, "errors": errors} for name, errors in form.errors.items()
    ]


@require_POST
@in_league(MANAGE)
def use(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    """Make this version current, also for planned sessions under the former one; `tonight`: for today's open ones too."""
    chosen, before = _version(league, pk), league.current_version
    try:
        make_current(league=league, version=chosen, by=actor(request))
    except RulesIncompleteError:
        return _to_version(request, league, chosen, "rules_edit")
    open_ones = rulebook.open_sessions(league, chosen)
    today = league.day_of(timezone.now())
    play_by(sessions=open_ones.filter(date__gt=today, ruleset_version=before), version=chosen, by=actor(request))
    if "tonight" in request.POST:
        play_by(sessions=open_ones.filter(date=today), version=chosen, by=actor(request))
        messages.success(request, _("Results from now on, today's too, use %(rules)s.") % {"rules": chosen})
    else:
        messages.success(request, _("%(rules)s is used from the next session.") % {"rules": chosen})
    return _to_version(request, league, chosen)


def _rescoring_form(league: League, sent: QueryDict | None = None) -> RescoringForm:
    return RescoringForm(sent, today=league.day_of(timezone.now()))


@require_POST
@in_league(MANAGE)
def impact(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    return _asked(request, league, Job.Kind.IMPACT, _version(league, pk))


@require_POST
@in_league(MANAGE)
def rescore(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    return _asked(request, league, Job.Kind.RESCORE, _version(league, pk))


def _asked(request: HttpRequest, league: League, kind: Job.Kind, chosen: RulesetVersion) -> HttpResponse:
    """Start the job for the requested days, or show the form's errors."""
    form = _rescoring_form(league, request.POST)
    if not form.is_valid():
        return _version_page(request, league, chosen, form)
    return _start(request, league, kind, chosen, form.days)


def _start(request: HttpRequest, league: League, kind: Job.Kind, chosen: RulesetVersion, days: DaySpan) -> HttpResponse:
    if chosen.read().missing:
        return redirect("league:rules_edit", league.slug, chosen.pk)
    parameters = {"version": chosen.pk, **days.parameters}
    try:
        job = start_job(league=league, kind=kind, by=actor(request), parameters=parameters)
    except JobRunningError as error:
        job = error.job
        if any(job.parameters.get(name) != parameters.get(name) for name in ("version", "first", "last")):
            messages.warning(request, _busy_with(job))
            return redirect("league:rules_version", league.slug, chosen.pk)
        messages.info(request, _("This is already running. Here is its progress."))
    return redirect("league:job", league.slug, job.pk)


def _busy_with(job: Job) -> str:
    """Return a message with a link, that another job is running."""
    if job.kind == Job.Kind.RESCORE:
        text = _("Another rescoring is running, so this one was not started. Try again when it is done.")
    else:
        text = _("Another preview is being calculated, so this one was not started. Try again when it is done.")
    address = reverse("league:job", args=[job.league.slug, job.pk])
    return format_html('{} <a href="{}">{}</a>', text, address, _("See progress"))
