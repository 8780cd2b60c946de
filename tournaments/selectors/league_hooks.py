"""Tournament data for league pages: players, open registrations, notices, search, session progress."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from django.db.models import Count, Max, Prefetch, Q
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from accounts.models import Notice, NoticeKind
from accounts.selectors.engagements import Engagement, tellers
from accounts.selectors.notices import News, NoticeSource, sources
from league.core.kept_states import MOST
from league.core.searching import SearchKeys, Wanted
from league.core.sessions import SessionPhase
from league.models import League, Player, Revision, Session
from league.permissions import Person
from league.selectors.inbox import WaitingLine, WaitingLines, further_waiting
from league.selectors.people import current_player
from league.selectors.sessions import entrants_of, house_of, rounds_of, session_phases
from scoring.messages.numbers import in_language
from stats.selectors.searching import MAX_FOUND, FoundThings, SearchSource, further_sources
from tournaments.core.calendar import Phase
from tournaments.core.facts import Remedy
from tournaments.messages.history import TAKEN_OFF
from tournaments.messages.titles import rank_text
from tournaments.models import Decision, Entry, Registration, StageSession, Tournament
from tournaments.selectors.inbox import inbox_items, task_title
from tournaments.selectors.registrations import (
    MERGES,
    RegistrationLine,
    check_in_phase,
    lines_of_tournaments,
    person_of,
    place_told,
)
from tournaments.selectors.stage_views import CHAMPION_FOR, final_ranking
from tournaments.selectors.state import CurrentState, house_of_stages, state_of


def tournament_phases(current: CurrentState, now: datetime) -> dict[int, SessionPhase]:
    """Return the phase of each session of a tournament, by primary key."""
    sessions = [each.session for each in current.sessions]
    return session_phases(current.tournament.league, sessions, now, _rounds(current.sessions, current.tournament))


def rounds_of_stages(sessions: Collection[int]) -> Mapping[int, int]:
    found = StageSession.objects.filter(session__in=sessions).select_related("session", "tournament")
    return {key: number for each in found for key, number in _rounds([each], each.tournament).items()}


def _rounds(sessions: Iterable[StageSession], tournament: Tournament) -> dict[int, int]:
    hanchan = {stage.key: stage.hanchan for stage in tournament.format.stages}
    # A postponed table is a session with all its rounds planned, so any number of rounds is valid.
    return {each.session_id: 1 if each.session.postponed_from_id else hanchan.get(each.stage, 0) for each in sessions}


def find_tournaments(_user: Person, league: League, wanted: Wanted) -> FoundThings:
    tournaments = Tournament.objects.filter(league=league).defer("document", "note").order_by("-pk")
    found = [each for each in tournaments if wanted.is_title(SearchKeys.of((each.name, each.name_en)))]
    return FoundThings(found[:MAX_FOUND], len(found))


TOURNAMENTS = SearchSource(gettext_lazy("Tournaments"), "tournaments/parts/found.html", find_tournaments)


def waiting_registrations(league: League, most: int) -> WaitingLines[WaitingLine]:
    asking = Tournament.objects.filter(
        league=league, state=Tournament.State.PREPARING, registrations__state=Registration.State.ASKED
    )
    count = asking.distinct().count()
    found = asking.annotate(asked=Count("registrations")).order_by("pk")[:most] if count else ()
    return WaitingLines(tuple(_line(league, each, each.asked) for each in found), count)


def _line(league: League, tournament: Tournament, asked: int) -> WaitingLine:
    said = ngettext(
        "%(counter)s registration is waiting for approval", "%(counter)s registrations are waiting for approval", asked
    )
    address = reverse("tournaments:registrations", args=[league.slug, tournament.key])
    return WaitingLine(said % {"counter": asked}, in_language(_names(tournament)), address)


TOLD_ELSEWHERE = frozenset({"results", "coming", "unconfirmed", "disputed", "registrations"})
"""Tasks of a tournament that the league's list has itself from the next day on, or that nothing waits for."""


def waiting_tasks(league: League, most: int) -> WaitingLines[WaitingLine]:
    """Return a line with the most urgent tasks of each running tournament; none if `most` is zero."""
    found, today = [], league.day_of(timezone.now())
    for each in league.tournaments.filter(state=Tournament.State.RUNNING).order_by("-pk") if most else ():
        tasks = [
            task_title(item, each.format)
            for item in inbox_items(state_of(each), today)
            if item.kind not in TOLD_ELSEWHERE or (item.stage_session and item.stage_session.session.date == today)
        ]
        address = reverse("tournaments:inbox", args=[league.slug, each.key])
        found += [WaitingLine(" · ".join(tasks[:2]), in_language(_names(each)), address)] if tasks else []
    return WaitingLines.of(found, most)


State = Registration.State


def house_players(sessions: Iterable[Session]) -> Iterator[tuple[int, int]]:
    """Yield the sessions and players of seats that do not compete. Two queries if there are sessions of tournaments."""
    stages = [each.stage for each in sessions if hasattr(each, "stage")]
    made = Decision.objects.filter(kind=Decision.Kind.WITHDRAWN, tournament__in={each.tournament_id for each in stages})
    house: dict[int, set[int]] = defaultdict(set)
    for stage in stages:
        here = [each for each in made if (each.tournament_id, each.stage) == (stage.tournament_id, stage.stage)]
        back = {entry for each in here if not each.revoked_at for entry in each.body.get("substitutes", {}).values()}
        for entry in house_of_stages(here).get(stage.stage, frozenset()) - back:
            house[int(entry)].add(stage.session_id)
    for each in Entry.objects.filter(pk__in=house).select_related(MERGES):
        yield from ((session, current_player(each.player).pk) for session in house[each.pk])


def entrants_of_sessions(sessions: Collection[int]) -> dict[int, dict[int, bool]]:
    found: dict[int, dict[int, bool]] = {}
    for tournament in Tournament.objects.filter(sessions__session__in=sessions).distinct().select_related("league"):
        current = state_of(tournament)
        for each in current.sessions:
            rankings = current.state.stage(each.stage).rankings if each.session_id in sessions else ()
            if here := {pk for known in rankings if each.block in {"", known.block} for pk in known.staying}:
                found[each.session_id] = {entry.player.pk: pk in here for pk, entry in current.entries.items()}
    return found


def own_tournaments(players: Sequence[Player]) -> list[Engagement]:
    people = {player.pk for player in players}
    found = _tournaments_of(people)
    preparing = Tournament.State.PREPARING
    lines = lines_of_tournaments([each for each in found if each.state == preparing and hasattr(each, "terms")])
    now, told = timezone.now(), []
    for tournament in found:
        line = _line_of_person(lines.get(tournament.pk, ()), people)
        own = {entry.pk for entry in getattr(tournament, "own_entries", [])}
        if tournament.state == Tournament.State.FINISHED:
            ranks = (each.rank for each in final_ranking(state_of(tournament)) if each.entry.pk in own and each.rank)
            told += [_told(tournament, _("Champion") if rank == 1 else rank_text(rank)) for rank in ranks]
        elif line is not None:
            told.append(_told_of(tournament, line, now))
        elif own - _withdrawn(tournament):
            told.append(_told(tournament, str(tournament.get_state_display())))
    return told


def _tournaments_of(people: Collection[int]) -> list[Tournament]:
    """Return tournaments that go on or ended of late with `own_entries`, `withdrawals` and terms. At most three queries."""
    entries = Entry.objects.filter(player__in=people)
    registrations = Registration.objects.exclude(state=State.WITHDRAWN).filter(
        Q(player__in=people) | Q(player__merged_into__in=people) | Q(player__merged_into__merged_into__in=people)
    )
    mine = Q(pk__in=entries.values("tournament")) | Q(
        pk__in=registrations.values("tournament"), state=Tournament.State.PREPARING
    )
    withdrawals = Decision.objects.valid().filter(kind=Decision.Kind.WITHDRAWN)
    known = Tournament.objects.filter(mine).annotate(last=Max("sessions__session__date")).order_by("-pk")
    recent = ~Q(state=Tournament.State.FINISHED) | Q(last__gte=timezone.localdate() - CHAMPION_FOR)
    own = Prefetch("entries", queryset=entries, to_attr="own_entries")
    gone = Prefetch("decisions", queryset=withdrawals, to_attr="withdrawals")
    return list(known.filter(recent).select_related("league", "terms").prefetch_related(own, gone))


def _withdrawn(tournament: Tournament) -> set[int]:
    decisions: list[Decision] = getattr(tournament, "withdrawals", [])
    return {pk for decision in decisions for pk in decision.body.get("entries", ())}


def _told(tournament: Tournament, state: str, name: str = "tournaments:tournament", call: str = "") -> Engagement:
    league, address = tournament.league, reverse(name, args=[tournament.league.slug, tournament.key])
    return Engagement(league=league, name=in_language(_names(tournament)), state=state, address=address, call=call)


def _line_of_person(queue: Sequence[RegistrationLine], people: Collection[int]) -> RegistrationLine | None:
    own = (each for each in queue if person_of(each.registration.player) in people and each.place != State.WITHDRAWN)
    return min(own, key=lambda each: each.registration.state != State.STANDING, default=None)


def _told_of(tournament: Tournament, line: RegistrationLine, now: datetime) -> Engagement:
    comes = line.place in {"entered", "waiting"}
    is_there = line.registration.checked_in_at is not None
    calls = comes and not is_there and check_in_phase(tournament.terms, now) is Phase.OPEN
    title, sentence = place_told(line)
    state = title if line.place != "entered" else _("checked in") if is_there else sentence
    return _told(tournament, state, "tournaments:register", _("I am here: check in") if calls else "")


def _promoted(league: League, numbers: Collection[int], _now: datetime) -> Iterator[News]:
    kinds = [Decision.Kind.ADVANCE, Decision.Kind.WITHDRAWN]
    decided = Decision.objects.valid().filter(pk__in=numbers, kind__in=kinds, tournament__league=league)
    for decision in decided.select_related("tournament"):
        tournament = decision.tournament
        title = tournament.format.title_of(decision.stage)
        names = {stage.key: dict(stage.name) for stage in tournament.format.stages} | {"": {}}
        names |= {title.key: dict(title.name)} if title else {}
        if decision.to not in names:
            continue
        is_won = title is not None and title.key == decision.to
        facts = {"tournament": _names(tournament), "to": names[decision.to]} | ({"won": is_won} if is_won else {})
        path = reverse("tournaments:tournament", args=[league.slug, tournament.key])
        same = tournament.decisions.filter(kind=decision.kind, stage=decision.stage, to=decision.to, pk__lt=decision.pk)
        sent = Notice.objects.filter(kind=NoticeKind.PROMOTED, waits=False, subject__in=same.values("pk"))
        told = decision.body.get("players") or decision.body.get("entries", ())
        entries = Entry.objects.filter(pk__in=told).exclude(player__user=None).order_by("pk")
        left = tournament.decisions.valid().filter(kind=Decision.Kind.WITHDRAWN)
        settled = [row for each in left for row in each.body.get("short", {}).values()]
        came = {row["player"] for row in settled if row["remedy"] == Remedy.NEXT} - {*decision.proposal}
        # Each player is told only once.
        for pk, user in entries.exclude(player__user__in=sent.values("user")).values_list("pk", "player__user"):
            yield News(user, decision.pk, facts | ({"up": True} if decision.to and pk in came else {}), path)


def taken_off_in(revision: Revision) -> int:
    number = revision.before.get(TAKEN_OFF) if isinstance(revision.before, dict) else 0
    return number if isinstance(number, int) and abs(number) <= MOST else 0


def _names(tournament: Tournament) -> dict[str, str]:
    return {"ja": tournament.name, "en": tournament.name_en or tournament.name}


def _places(league: League, numbers: Collection[int], _now: datetime) -> Iterator[News]:
    touched = Tournament.objects.filter(league=league, registrations__in=numbers).select_related("league")
    found = {each.pk: each for each in touched.exclude(state=Tournament.State.FINISHED).distinct()}
    changes = Revision.objects.filter(league=league, subject="registration", subject_id__in=numbers)
    last = {each.subject_id: each for each in changes.order_by("pk") if _is_of_place(each)}
    for number, lines in lines_of_tournaments(found.values()).items():
        for line in lines:
            revision = last.get(line.registration.pk)
            user = current_player(line.registration.player).user_id
            if revision is not None and user is not None and revision.by_id != user:
                yield from _told_of_place(found[number], line, revision, user)


def _told_of_place(tournament: Tournament, line: RegistrationLine, revision: Revision, user: int) -> Iterator[News]:
    place = line.place
    if place in {Registration.State.WITHDRAWN, Registration.State.ASKED}:
        return
    if place == Registration.State.REFUSED and _after(revision, "place") == "no_show":
        place = "no_show"
    # Moving up in the queue is not reported.
    is_agreed = place == "waiting" and _after(revision, "state") == Registration.State.STANDING
    position = {"position": line.position} if is_agreed else {}
    path = reverse("tournaments:register", args=[tournament.league.slug, tournament.key])
    if place != "waiting" or is_agreed:
        yield News(user, line.registration.pk, {"tournament": _names(tournament), "place": place} | position, path)


def _is_of_place(revision: Revision) -> bool:
    is_change = revision.action == Revision.Action.CHANGED
    return is_change and bool(_after(revision, "place") or _after(revision, "state"))


def _after(revision: Revision, name: str) -> str:
    return str(revision.after.get(name, "")) if isinstance(revision.after, dict) else ""


def _taken_off(league: League, numbers: Collection[int], _now: datetime) -> Iterator[News]:
    told = Revision.objects.filter(league=league, subject="tournament", subject_id__in=numbers).order_by("pk")
    last = {(each.subject_id, taken_off_in(each)): each for each in told if taken_off_in(each)}
    tournaments = Tournament.objects.filter(league=league).in_bulk({number for number, _ in last})
    players = Player.objects.select_related("merged_into").in_bulk({player for _, player in last})
    entered = set(Entry.objects.filter(tournament__in=tournaments).values_list("tournament", "player"))
    for (number, player), revision in last.items():
        tournament, person = tournaments.get(number), players.get(player)
        if tournament is None or person is None or tournament.state == Tournament.State.FINISHED:
            continue
        now = current_player(person)
        if now.user_id and now.user_id != revision.by_id and (number, now.pk) not in entered:
            path = reverse("tournaments:tournament", args=[league.slug, tournament.key])
            # Each removal gets its own notice, because the revision is part of the data.
            yield News(now.user_id, number, {"tournament": _names(tournament), "change": revision.pk}, path)


def register() -> None:
    rounds_of.append(rounds_of_stages)
    house_of.append(house_players)
    entrants_of.append(entrants_of_sessions)
    tellers.append(own_tournaments)
    further_sources.append(TOURNAMENTS)
    further_waiting.extend((waiting_registrations, waiting_tasks))
    for source in (
        NoticeSource(NoticeKind.PROMOTED, "decision", lambda each: each.action == Revision.Action.CREATED, _promoted),
        NoticeSource(NoticeKind.PLACE, "registration", _is_of_place, _places),
        NoticeSource(NoticeKind.TAKEN_OFF, "tournament", lambda each: bool(taken_off_in(each)), _taken_off),
    ):
        sources[source.kind] = source
