import secrets
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.db.models import Exists, OuterRef, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from league.core.season import evenness_of
from league.core.seating import TooFewError
from league.forms.seats import MAX_SEED, Coming, PeopleForm, TablesForm, shape_in
from league.forms.seen import WhatStands
from league.http.access import actor, in_league, session_led, session_of, to_be_changed
from league.messages import joined, period_title, plain_name
from league.messages.sessions import answer_mark, planning_sentence
from league.models import Hanchan, League, Player, Seat, Session
from league.models.plans import EVERY_ROUND
from league.permissions import MANAGE
from league.selectors.attendance import who_comes
from league.selectors.planning import round_played
from league.selectors.season import season_of, season_so_far
from league.services.planning import PlanningError, draw_evening, seat_evening


@in_league(MANAGE, instead=session_led)
def plan(request: HttpRequest, league: League, pk: int) -> HttpResponse:
    session = session_of(league, pk, to_be_changed(request, league.sessions.all(), pk))
    size = _size(session)
    if not size:
        messages.warning(request, _("The rules of this session do not define the number of players. Fix them first."))
        return redirect("league:session", league.slug, session.pk)
    if session.planned_seats.exclude(round=EVERY_ROUND).exists():
        messages.info(
            request,
            _(
                "The tables of this session are planned round by round. Change them on the page where they were "
                "planned."
            ),
        )
        return redirect("league:session", league.slug, session.pk)
    if request.method == "POST":
        return _planned(request, session, size)
    answers = Answers.of(session)
    expected = _expected(session, answers)
    if expected is None:
        everyone = _everyone(session)
        expected = everyone if len(everyone) < size * (session.tables + 1) else []
    initial = {"people": expected}
    people = PeopleForm(session=session, standing=_standing(session), initial=initial, marks=answers.marks)
    tables = _as_stored(session, size, people, answers)
    if "draw" in request.GET:
        coming: dict[str, Coming] = {key: people.players[key] for key in expected if key in people.players}
        with suppress(TooFewError):
            dealt = _drawn(session, coming, size, secrets.randbelow(MAX_SEED + 1), answers, is_even=True)
            tables = _dealt(dealt, coming, size, answers)
    return _page(request, session, people, tables, answers)


def _everyone(session: Session) -> list[str]:
    players = session.league.players.active().filter(is_active=True)
    return [str(player) for player in players.values_list("pk", flat=True)]


def _taken(request: HttpRequest, session: Session, answers: "Answers") -> list[str] | None:
    """Return whom the pressed button selects, or None if it is another button."""
    wish = request.POST.get("do")
    if wish == "all":
        return _everyone(session)
    return {"coming": list(answers.coming), "none": []}.get(wish or "")


def _size(session: Session) -> int:
    rules = session.ruleset_version.readable()
    return (rules and rules.players) or 0


def _standing(session: Session) -> WhatStands:
    tables: dict[int, list[Player]] = {}
    for seat in session.planned_seats.select_related("player").order_by("table", "seat"):
        tables.setdefault(seat.table, []).append(seat.player)
    mark = ";".join(f"{table}:{','.join(str(player.pk) for player in players)}" for table, players in tables.items())
    planned = [f"{table}: {joined(map(plain_name, players))}" for table, players in tables.items()]
    if not planned:
        return WhatStands(
            mark,
            _("The seating plan has since been removed. To use these seats anyway, select “Keep these seats” again."),
        )
    text = _("Seats have since been planned: %(plan)s. To use yours instead, select “Keep these seats” again.")
    return WhatStands(mark, text % {"plan": " / ".join(planned)})


@dataclass(frozen=True, slots=True)
class Answers:
    """Attendance answers: primary keys of players who come (late ones included), and marks to show after names.

    Those who have played are neither late nor marked.
    """

    coming: tuple[str, ...]
    late: frozenset[int]
    marks: Mapping[str, str]

    @classmethod
    def of(cls, session: Session) -> "Answers":
        comes = who_comes(session, timezone.now())
        here = set(Seat.objects.valid().filter(hanchan__session=session).values_list("player", flat=True))
        return cls(
            coming=tuple(str(each.player.pk) for each in (*comes.coming, *comes.late)),
            late=frozenset(each.player.pk for each in comes.late) - here,
            marks={
                str(each.player.pk): answer_mark(each.attendance)
                for each in comes.everybody
                if each.player.pk not in here
            },
        )


def _expected(session: Session, answers: Answers) -> list[str] | None:
    """Return the players who come, or those who played last, or None before the first session of a league."""
    if answers.coming:
        return list(dict.fromkeys([*answers.coming, *map(str, session.planned_seats.values_list("player", flat=True))]))
    played = Hanchan.objects.valid().filter(session=OuterRef("pk"))
    is_earlier = Q(date__lt=session.date) | Q(date=session.date, pk__lte=session.pk)
    last = session.league.sessions.kept().filter(is_earlier, Exists(played)).order_by("-date", "-pk").first()
    if last is None:
        return None
    seats = Seat.objects.valid().filter(hanchan__session=last)
    return [str(player) for player in seats.values_list("player", flat=True).distinct().order_by()]


def _as_stored(session: Session, size: int, people: PeopleForm, answers: Answers) -> TablesForm | None:
    tables: dict[int, list[str]] = {}
    for seat in session.planned_seats.order_by("table", "seat"):
        tables.setdefault(seat.table, []).append(str(seat.player_id))
    keys = {key for keys in tables.values() for key in keys}
    if not tables or sorted(tables) != list(range(1, len(tables) + 1)) or not keys <= people.players.keys():
        return None
    coming = {key: player for key, player in people.players.items() if key in keys}
    return _dealt(list(tables.values()), coming, size, answers)


def _dealt(tables: list[list[str]], coming: dict[str, Any], size: int, answers: Answers) -> TablesForm:
    seats = {f"seat_{table}_{seat}": key for table, keys in enumerate(tables, 1) for seat, key in enumerate(keys)}
    shape = [len(keys) for keys in tables]
    return TablesForm(coming=coming, shape=shape, size=size, initial=seats, marks=answers.marks)


def _planned(request: HttpRequest, session: Session, size: int) -> HttpResponse:
    answers = Answers.of(session)
    if (taken := _taken(request, session, answers)) is not None:
        typed = request.POST.copy()
        typed.setlist("people", taken)
        return _page(request, session, PeopleForm(typed, session=session, marks=answers.marks), None, answers)
    people = PeopleForm(request.POST, session=session, standing=_standing(session), marks=answers.marks)
    people.full_clean()
    if not people.is_sound:
        return _page(request, session, people, None, answers)
    coming = people.coming()
    if request.POST.get("do") == "keep":
        shape = shape_in(request.POST, size)
        tables = TablesForm(request.POST, coming=coming, shape=shape, size=size, marks=answers.marks)
        return _keeping(request, session, people, tables, answers)
    seed = people.cleaned_data["seed"]
    if seed is None or request.POST.get("do") == "again":
        seed = secrets.randbelow(MAX_SEED + 1)
    try:
        dealt = _drawn(session, coming, size, seed, answers, is_even=people.cleaned_data["even"])
    except TooFewError:
        people.add_error("people", _("Choose at least %(size)s people to fill a table.") % {"size": size})
        return _page(request, session, people, None, answers)
    # Show the same selection, with the seed of this draw.
    data = request.POST.copy()
    data["seed"] = str(seed)
    people = PeopleForm(data, session=session, marks=answers.marks)
    return _page(request, session, people, _dealt(dealt, coming, size, answers), answers)


def _keeping(
    request: HttpRequest, session: Session, people: PeopleForm, tables: TablesForm, answers: Answers
) -> HttpResponse:
    if not (people.is_valid() and tables.shape and tables.is_valid()):
        return _page(request, session, people, tables if tables.shape else None, answers)
    if added := tables.with_the_rest():
        dealt, names = added
        text = _("%(names)s had no seat and is added below. Keep the seats again, or change them by hand.")
        messages.info(request, text % {"names": joined(names)})
        return _page(request, session, people, _dealt(dealt, tables.coming, tables.size, answers), answers)
    if _kept(request, session, tables):
        return redirect("league:session", session.league.slug, session.pk)
    return _page(request, session, people, tables, answers)


def _drawn(
    session: Session, coming: dict[str, Coming], size: int, seed: int, answers: Answers, *, is_even: bool
) -> list[list[str]]:
    keys, everybody = list(coming), list(coming.values())
    tables = draw_evening(session=session, coming=everybody, size=size, seed=seed, is_even=is_even, late=answers.late)
    return [[keys[place] for place in table] for table in tables]


def _kept(request: HttpRequest, session: Session, form: TablesForm) -> bool:
    tables = [[form.coming[key] for key in keys] for keys in form.cleaned_data["dealt"]]
    try:
        seat_evening(session=session, tables=tables, size=form.size, by=actor(request))
    except PlanningError as error:
        form.add_error(None, planning_sentence(error.code, error.values))
        return False
    messages.success(request, _("The seats are saved. Entry pages start with these names."))
    return True


def _page(
    request: HttpRequest, session: Session, people: PeopleForm, tables: TablesForm | None, answers: Answers
) -> HttpResponse:
    page = {"league": session.league, "session": session, "form": people, "tables": tables}
    page["played"], page["behind"] = round_played(session, session.hanchan.valid().values_list("table", flat=True))
    page |= {"coming": len(answers.coming), "is_drawn": people.is_bound or "draw" in request.GET}
    number = len(
        people.coming()
        if {"people", "guests"} <= set(getattr(people, "cleaned_data", ()))
        else people["people"].value() or ()
    )
    size = _size(session)
    full, over = divmod(number, size)
    page |= {"number": number, "size": size, "full": full, "out": over if full else 0, "short": size - over}
    if tables is not None:
        page["evenness"] = shown_evenness(session, tables.coming, tables.seated(), tables.size)
    return render(request, "league/sessions/seats.html", page)


def shown_evenness(
    session: Session, coming: Mapping[str, Coming], tables: Sequence[Sequence[str]], size: int
) -> dict[str, Any] | None:
    """Return how evenly a seating distributes opponents and winds, or None if someone is seated twice. Three queries.

    `tables`: keys of `coming`. In the result, `pairs`: (number of meetings, number of such pairs before, after).
    `by_lot`: average of earlier meetings in random draws. `winds`: each player's number of hanchan at each wind, and the
    planned wind, -1 if sitting out first.
    """
    seated = [key for table in tables for key in table]
    if len(seated) < size or len(set(seated)) != len(seated) or not coming.keys() >= set(seated):
        return None
    people = [coming[key] for key in seated]
    so_far = season_so_far(session, [person.pk if isinstance(person, Player) else None for person in people])
    numbers = {key: number for number, key in enumerate(seated)}
    figures = evenness_of([[numbers[key] for key in table] for table in tables], so_far)
    names = [plain_name(person) for person in people]
    before = (*figures.before, *(0 for _ in figures.after[len(figures.before) :]))
    after = (*figures.after, *(0 for _ in before[len(figures.after) :]))
    seats = [seat if seat < size else -1 for table in tables for seat in range(len(table))]
    return {
        "season": period_title(season_of(session)),
        "figures": figures,
        "by_lot": f"{figures.by_lot // 10}.{figures.by_lot % 10}",
        "pairs": tuple(zip(range(len(before)), before, after, strict=True)),
        "often": tuple((names[one], names[other], count) for one, other, count in figures.often),
        "winds": [(name, winds[:size], seat) for name, winds, seat in zip(names, so_far.winds, seats, strict=True)],
    }
