"""Preparing a tournament: format, entries, blocks, evenings."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from league.forms.people import ReasonForm
from league.models import League, Session
from league.permissions import MANAGE
from league.selectors.planning import Plan, plan_of
from league.services.people import add_players
from league.tables.directory import sections
from league.views.access import actor, in_league
from scoring.core import load_card
from tournaments.core.course import StageCourse
from tournaments.core.format import Fill, Format, SeatingMethod, Stage
from tournaments.core.reading import load_formats
from tournaments.core.seating import SeatingError
from tournaments.forms.creation import OWN, AboutForm, NewForm
from tournaments.forms.entering import EntriesForm, SeedsForm
from tournaments.forms.preparing import MOST_SESSIONS, HandForm, LinkForm, LotForm, PlanForm
from tournaments.models import Decision, Entry, StageSession, Tournament
from tournaments.selectors.course import Current, course_of, entries_of
from tournaments.selectors.inbox import needs_draw, planned_places, unplanned
from tournaments.services.acts import TournamentError
from tournaments.services.planning import evenings_wanted, link_session, plan_stage, unlink_session
from tournaments.services.setup import (
    LARGEST_SEED,
    Drawn,
    change_tournament,
    create_tournament,
    draw_by_lot,
    enter_players,
    set_seeds,
)
from tournaments.services.setup import draw as store_draw
from tournaments.services.setup import remove_entry as take_off
from tournaments.views.access import in_tournament
from tournaments.wording import describe_format, in_language, stage_name
from tournaments.wording.errors import tournament_error_sentence

PROPOSED_SEEDS = 1_000_000


def stage_or_404(tournament: Tournament, key: str) -> Stage:
    """Return a stage of the format. Raises Http404."""
    try:
        return tournament.format.stage(key)
    except KeyError as error:
        raise Http404 from error


def page(
    request: HttpRequest, tournament: Tournament, template: str, facts: Mapping[str, object], status: int = 200
) -> HttpResponse:
    """Return a page of the director."""
    context = {"league": tournament.league, "tournament": tournament, **facts}
    return render(request, f"tournaments/director/{template}.html", context, status=status)


# --- The tournament --------------------------------------------------------------------------------------------------


@in_league(MANAGE)
def new(request: HttpRequest, league: League) -> HttpResponse:
    """Create a tournament from a format that is shipped, or from an own one."""
    if league.current_version is None:
        messages.warning(request, _("Choose the rules of the league first; every tournament is played by some rules."))
        return redirect("league:rules_choose", league.slug)
    initial = {"format": "cinderella", "ruleset_version": league.current_version_id}
    form = NewForm(request.POST or None, league=league, initial=initial)
    if form.is_valid():
        try:
            tournament = create_tournament(
                league=league,
                facts=form.facts(form.cleaned_data["key"]),
                format_key=form.cleaned_data["format"],
                document=form.settled,
                by=actor(request),
            )
        except TournamentError as error:
            form.add_error(None, tournament_error_sentence(error))
        else:
            messages.success(request, _("%(name)s was created. Now who plays?") % {"name": tournament.name})
            _warn_of_rules(request, tournament)
            return redirect("tournaments:entries", league.slug, tournament.key)
    formats = [{"format": each, "line": _line(each)} for each in load_formats()]
    facts = {"league": league, "form": form, "formats": formats, "own": OWN}
    return render(request, "tournaments/director/new.html", facts)


def _line(format_: Format) -> str:
    """Return a format in one line: how many enter, and the stages."""
    paragraphs = describe_format(format_)
    general = paragraphs[0].sentences[0] if paragraphs and paragraphs[0].sentences else ""
    stages = " → ".join(dict.fromkeys(stage_name(stage) for stage in format_.stages))
    return f"{general} {stages}".strip()


def _warn_of_rules(request: HttpRequest, tournament: Tournament) -> None:
    """Say when the format was made for other rules than the tournament is played by."""
    wanted, ruleset = tournament.format.ruleset, tournament.ruleset_version.ruleset
    if wanted and ruleset.card != wanted:
        names = {"wanted": in_language(dict(load_card(wanted).name)), "rules": tournament.ruleset_version}
        text = _("The format expects the rules “%(wanted)s”; this tournament is played by %(rules)s.")
        messages.warning(request, text % names)


@in_tournament(MANAGE)
def edit(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    """Change what is written about a tournament."""
    names = ("name", "name_en", "note")
    written = {name: getattr(tournament, name) for name in names}
    written["ruleset_version"] = tournament.ruleset_version_id
    form = AboutForm(request.POST or None, league=tournament.league, initial=written)
    if form.is_valid():
        change_tournament(tournament=tournament, facts=form.facts(tournament.key), by=actor(request))
        messages.success(request, _("%(name)s was changed.") % {"name": tournament.name})
        _warn_of_rules(request, tournament)
        return redirect("tournaments:tournament", tournament.league.slug, tournament.key)
    tournament = get_object_or_404(Tournament.objects.select_related("league"), pk=tournament.pk)
    return page(request, tournament, "edit", {"form": form})


# --- Entries ---------------------------------------------------------------------------------------------------------


@in_tournament(MANAGE)
def entries(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    """Enter players, and give them their seeds."""
    is_seeding = "seeds" in request.POST
    form = EntriesForm(request.POST if request.POST and not is_seeding else None, league=tournament.league)
    entered = list(entries_of(tournament).values())
    seeding = SeedsForm(request.POST if is_seeding else None, entries=entered)
    answer = _seed(request, tournament, seeding) if is_seeding else _enter(request, tournament, form)
    if answer:
        return answer
    known = {entry.player.pk for entry in entered}
    listed = [
        {"heading": part.heading, "players": [each.player for each in part.listed if each.player.pk not in known]}
        for part in sections(tournament.league, "", request.user)
    ]
    sizes = tournament.format.entrants
    facts = {
        "form": form,
        "seeding": seeding,
        "entered": entered,
        "sections": [part for part in listed if part["players"]],
        "ticked": {str(each) for each in form["players"].value() or []},
        "is_open": tournament.state == Tournament.State.PREPARING,
        "is_enough": len(entered) in sizes,
        "sizes": sizes,
        "draws": _draws_next(tournament),
    }
    return page(request, tournament, "entries", facts)


def _draws_next(tournament: Tournament) -> list[Stage]:
    """Return the stages that can be drawn now."""
    current = course_of(tournament)
    return [each.stage for each in current.course.stages if needs_draw(current, each)]


def _enter(request: HttpRequest, tournament: Tournament, form: EntriesForm) -> HttpResponse | None:
    if not form.is_valid():
        return None
    try:
        with transaction.atomic():
            guests = add_players(league=tournament.league, people=form.guests_to_add(), by=actor(request))
            players = [*form.known_players(), *guests]
            made = enter_players(tournament=tournament, players=players, by=actor(request))
    except TournamentError as error:
        form.add_error(None, tournament_error_sentence(error))
        return None
    text = ngettext("%(count)s player has entered.", "%(count)s players have entered.", len(made))
    messages.success(request, text % {"count": len(made)})
    return redirect("tournaments:entries", tournament.league.slug, tournament.key)


def _seed(request: HttpRequest, tournament: Tournament, form: SeedsForm) -> HttpResponse | None:
    if not form.is_valid():
        return None
    try:
        set_seeds(tournament=tournament, seeds=form.seeds(), by=actor(request))
    except TournamentError as error:
        form.add_error(None, tournament_error_sentence(error))
        return None
    messages.success(request, _("The seeds were saved."))
    return redirect("tournaments:entries", tournament.league.slug, tournament.key)


@require_POST
@in_tournament(MANAGE)
def remove_entry(request: HttpRequest, tournament: Tournament, pk: int) -> HttpResponse:
    """Take somebody off the list of entries."""
    entry = get_object_or_404(
        Entry.objects.select_related("player", "tournament__league"), tournament=tournament, pk=pk
    )
    name = entry.player.name
    try:
        take_off(entry=entry, by=actor(request))
    except TournamentError as error:
        messages.error(request, tournament_error_sentence(error))
    else:
        messages.success(request, _("%(name)s was taken off the list.") % {"name": name})
    return redirect("tournaments:entries", tournament.league.slug, tournament.key)


# --- Drawing ---------------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class _Drawing:
    """Everything about the draw of a stage that its page needs."""

    current: Current
    found: StageCourse
    earlier: Decision | None

    @property
    def entries(self) -> list[Entry]:
        return [self.current.entries[int(seat.who)] for seat in self.found.seats]

    @property
    def by_lot(self) -> bool:
        return self.found.stage.fill is Fill.DRAW and len(self.found.stage.blocks) > 1

    @property
    def is_played(self) -> bool:
        return any(table.started for table in self.found.tables)

    @property
    def can_draw(self) -> bool:
        return not self.is_played and (self.earlier is not None or needs_draw(self.current, self.found))

    def listed(self, blocks: Mapping[str, Sequence[int]]) -> list[dict[str, object]]:
        """Return the blocks with their players."""
        known = self.current.entries
        return [
            {"key": key, "entries": [known[pk] for pk in blocks.get(key, ()) if pk in known]}
            for key in self.found.stage.block_keys
        ]


@in_tournament(MANAGE)
def draw(request: HttpRequest, tournament: Tournament, stage: str) -> HttpResponse:
    """Draw a stage by lot from a number that everybody may know, or put everybody into a block by hand."""
    stage_or_404(tournament, stage)
    drawing = _drawing(tournament, stage)
    by_hand = request.POST.get("method") == "hand"
    hand = HandForm(
        request.POST if by_hand else None,
        stage=drawing.found.stage,
        entries=drawing.entries,
        again=drawing.earlier is not None,
        initial=_blocks_of(drawing.earlier),
    )
    lot = LotForm(request.POST if request.POST and not by_hand else _asked(request), initial=_asked(request))
    drawn, problem = _proposed(tournament, stage, drawing, lot)
    if request.POST and drawing.can_draw:
        answer = _draw_by_hand(request, drawing, hand) if by_hand else _draw_lots(request, drawing, lot, drawn)
        if answer:
            return answer
    facts = {
        "stage": drawing.found.stage,
        "drawing": drawing,
        "lot": lot,
        "hand": hand,
        "by_hand": by_hand,
        "problem": problem,
        "preview": drawing.listed(drawn.blocks) if drawn else [],
        "shown": _written(drawn),
        "earlier": drawing.listed(drawing.earlier.body["blocks"]) if drawing.earlier else [],
        "planned": any(each.stage == stage for each in drawing.current.sessions),
    }
    return page(request, tournament, "draw", facts)


def _drawing(tournament: Tournament, stage: str) -> _Drawing:
    current = course_of(tournament)
    draws = [each for each in current.decisions if each.kind == Decision.Kind.DRAW and each.stage == stage]
    earlier = next((each for each in draws if each.revoked_at is None), None)
    return _Drawing(current, current.course.stage(stage), earlier)


def _blocks_of(decision: Decision | None) -> dict[str, str]:
    blocks = decision.body["blocks"] if decision else {}
    return {f"block_{pk}": key for key, players in blocks.items() for pk in players}


def _asked(request: HttpRequest) -> dict[str, Any]:
    """Return the number that the address asks for, or a new one."""
    return {"seed": request.GET.get("seed") or secrets.randbelow(PROPOSED_SEEDS), "shown": "", "reason": ""}


def _proposed(tournament: Tournament, stage: str, drawing: _Drawing, lot: LotForm) -> tuple[Drawn | None, str]:
    """Return what the number gives, or why it gives nothing."""
    seed = lot.cleaned_data.get("seed") if lot.is_valid() or not lot.errors.get("seed") else None
    if seed is None or not drawing.can_draw:
        return None, ""
    try:
        drawn = draw_by_lot(tournament=tournament, stage=stage, seed=min(seed, LARGEST_SEED))
    except (TournamentError, SeatingError) as error:
        return None, tournament_error_sentence(error)
    if not drawing.by_lot:
        return replace(drawn, method=str(drawing.found.stage.fill), seed=None), ""
    return drawn, ""


def _written(drawn: Drawn | None) -> str:
    blocks = drawn.blocks.items() if drawn else ()
    return ";".join(f"{key}:{','.join(map(str, players))}" for key, players in blocks)


def _draw_lots(request: HttpRequest, drawing: _Drawing, form: LotForm, drawn: Drawn | None) -> HttpResponse | None:
    if not form.is_valid() or drawn is None:
        return None
    if drawing.earlier and not form.cleaned_data["reason"].strip():
        form.add_error("reason", _("Write why it is drawn again."))
        return None
    if form.cleaned_data["shown"] != _written(drawn):
        form.add_error(None, _("This is not what you saw before. Look at the blocks, then draw."))
        return None
    return _store_draw(request, drawing, form, drawn)


def _draw_by_hand(request: HttpRequest, drawing: _Drawing, form: HandForm) -> HttpResponse | None:
    return _store_draw(request, drawing, form, Drawn(form.blocks())) if form.is_valid() else None


def _store_draw(request: HttpRequest, drawing: _Drawing, form: Any, drawn: Drawn) -> HttpResponse | None:
    tournament, stage = drawing.current.tournament, drawing.found.stage
    reason = form.cleaned_data.get("reason", "").strip()
    try:
        store_draw(tournament=tournament, stage=stage.key, drawn=drawn, by=actor(request), reason=reason)
    except TournamentError as error:
        form.add_error(None, tournament_error_sentence(error))
        return None
    messages.success(request, _("%(stage)s: the blocks are drawn.") % {"stage": stage_name(stage)})
    return redirect("tournaments:draw", tournament.league.slug, tournament.key, stage.key)


# --- Planning --------------------------------------------------------------------------------------------------------


@in_tournament(MANAGE)
def plan(request: HttpRequest, tournament: Tournament, stage: str) -> HttpResponse:
    """Choose the evenings of a stage; the tables follow from its method."""
    found = stage_or_404(tournament, stage)
    current = course_of(tournament)
    together = _together(request, current, found)
    form = PlanForm(
        request.POST or None,
        stage=found,
        evenings=_open_evenings(current, found, together=together),
        initial={"seed": _seating_seed(current, stage), "venue": _last_venue(tournament.league)},
    )
    if form.is_valid():
        try:
            made = plan_stage(tournament=tournament, stage=stage, programme=form.programme(), by=actor(request))
        except (TournamentError, SeatingError) as error:
            form.add_error(None, tournament_error_sentence(error))
        else:
            text = ngettext("%(count)s session is planned.", "%(count)s sessions are planned.", len(made))
            messages.success(request, text % {"count": len(made)})
            return redirect("tournaments:plan", tournament.league.slug, tournament.key, stage)
    facts = {
        "stage": found,
        "course": current.course.stage(stage),
        "form": form,
        "together": together,
        "has_choice": len(found.blocks) > 1 and not planned_places(current, stage),
        "evenings": [_evening(each) for each in current.sessions if each.stage == stage],
        "by_standing": found.seating in {SeatingMethod.SWISS, SeatingMethod.STANDING},
        "by_hand": found.seating is SeatingMethod.MANUAL,
        "is_undrawn": needs_draw(current, current.course.stage(stage)) or bool(current.course.stage(stage).unplaced),
    }
    return page(request, tournament, "plan", facts)


def _together(request: HttpRequest, current: Current, stage: Stage) -> bool:
    """Return whether one session serves all blocks: as before in this stage, else as asked."""
    taken = planned_places(current, stage.key)
    if len(stage.blocks) == 1:
        return False
    return any(not block for _, block in taken) if taken else request.GET.get("sessions") == "together"


def _open_evenings(current: Current, stage: Stage, *, together: bool) -> list[tuple[int, str]]:
    taken = planned_places(current, stage.key)
    if together:
        numbers = {number for number, _ in taken}
        return [each for each in evenings_wanted(stage, together=True) if each[0] not in numbers]
    return unplanned(current, stage)


def _seating_seed(current: Current, stage: str) -> int:
    """Return the number of the draw, so that one number tells everything; 1 where nothing was drawn by lot."""
    draws = (each for each in current.decisions if each.kind == Decision.Kind.DRAW and each.revoked_at is None)
    return next((each.body.get("seed") or 1 for each in draws if each.stage == stage), 1)


def _last_venue(league: League) -> str:
    last = league.sessions.order_by("-number").first()
    return last.venue if last else ""


def _evening(place: StageSession) -> dict[str, object]:
    """Return a session with its tables: one plan each where the same players stay, else one for every hanchan."""
    tables: dict[int, list[Plan]] = {}
    for each in plan_of(place.session):
        tables.setdefault(each[1], []).append(each)
    return {
        "place": place,
        "tables": [
            {
                "number": number,
                "rounds": rounds[:1] if _stay(rounds) else rounds,
                "stay": len(rounds) if _stay(rounds) else 0,
            }
            for number, rounds in sorted(tables.items())
        ],
    }


def _stay(rounds: Sequence[Plan]) -> bool:
    return len({frozenset(player.pk for player in players) for _, _, players in rounds}) == 1


@in_tournament(MANAGE)
def link(request: HttpRequest, tournament: Tournament) -> HttpResponse:
    """Let the hanchan of a session that exists count in a stage."""
    free = Session.objects.filter(league=tournament.league, stage__isnull=True).order_by("-date", "-number")
    recent = Session.objects.filter(pk__in=list(free.values_list("pk", flat=True)[:MOST_SESSIONS]))
    form = LinkForm(
        request.POST or None,
        format_=tournament.format,
        sessions=recent.order_by("-date", "-number"),
        initial={"where": request.GET.get("stage")},
    )
    if form.is_valid():
        session = form.cleaned_data["session"]
        try:
            made = link_session(tournament=tournament, session=session, place=form.place(), by=actor(request))
        except TournamentError as error:
            form.add_error(None, tournament_error_sentence(error))
        else:
            messages.success(request, _("%(session)s counts in the tournament now.") % {"session": session})
            return redirect("tournaments:plan", tournament.league.slug, tournament.key, made.stage)
    return page(request, tournament, "link", {"form": form, "has_any": recent.exists()})


@in_tournament(MANAGE)
def unlink(request: HttpRequest, tournament: Tournament, pk: int) -> HttpResponse:
    """Let the hanchan of a session count in no stage any more."""
    place = get_object_or_404(StageSession.objects.select_related("session"), tournament=tournament, pk=pk)
    place.tournament = tournament
    form = ReasonForm(request.POST or None)
    if form.is_valid():
        stage, session = place.stage, place.session
        unlink_session(stage_session=place, reason=form.cleaned_data["reason"], by=actor(request))
        messages.success(request, _("%(session)s does not count in the tournament any more.") % {"session": session})
        return redirect("tournaments:plan", tournament.league.slug, tournament.key, stage)
    facts = {"form": form, "place": place, "stage": tournament.format.stage(place.stage), "today": timezone.now()}
    return page(request, tournament, "unlink", facts | {"hanchan": place.session.hanchan.counted().count()})
