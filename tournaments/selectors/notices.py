"""Who is told that they go on to the next stage, and what has become of the place that they registered for."""

from collections.abc import Collection, Iterator
from datetime import datetime

from django.urls import reverse

from accounts.models import NoticeKind
from accounts.selectors.notice_sources import News, NoticeSource, register_source
from league.core.kept_states import MOST
from league.models import League, Player, Revision
from league.selectors.merging import current_player
from tournaments.messages.history import TAKEN_OFF
from tournaments.models import Decision, Entry, Registration, Tournament
from tournaments.selectors.registrations import RegistrationLine, lines_of_tournaments


def _promoted(league: League, numbers: Collection[int], _now: datetime) -> Iterator[News]:
    decided = Decision.objects.valid().filter(pk__in=numbers, kind=Decision.Kind.ADVANCE, tournament__league=league)
    for decision in decided.select_related("tournament"):
        tournament = decision.tournament
        stages = {stage.key: stage for stage in tournament.format.stages}
        if decision.to not in stages:
            continue
        facts = {
            "tournament": _names(tournament),
            "to": dict(stages[decision.to].name),
        }
        path = reverse("tournaments:tournament", args=[league.slug, tournament.key])
        entries = Entry.objects.filter(pk__in=decision.body.get("players", ())).exclude(player__user=None)
        for user in entries.order_by("pk").values_list("player__user", flat=True):
            yield News(user, decision.pk, facts, path)


def _is_new(revision: Revision) -> bool:
    return revision.action == Revision.Action.CREATED


def _takes_off(revision: Revision) -> bool:
    return bool(taken_off_in(revision))


def taken_off_in(revision: Revision) -> int:
    """Return the number of the player whom a change of a tournament has taken off its list, 0 where it took off nobody."""
    number = revision.before.get(TAKEN_OFF) if isinstance(revision.before, dict) else 0
    return number if isinstance(number, int) and abs(number) <= MOST else 0


def _names(tournament: Tournament) -> dict[str, str]:
    return {"ja": tournament.name, "en": tournament.name_en or tournament.name}


# --- Places ----------------------------------------------------------------------------------------------------------


def _places(league: League, numbers: Collection[int], _now: datetime) -> Iterator[News]:
    """Yield what has become of registrations, for those who did not do it themselves and have not withdrawn."""
    touched = Tournament.objects.filter(league=league, registrations__in=numbers).select_related("league")
    found = {each.pk: each for each in touched.exclude(state=Tournament.State.FINISHED).distinct()}
    last = _last_changes(league, numbers)
    for number, lines in lines_of_tournaments(found.values()).items():
        for line in lines:
            revision = last.get(line.registration.pk)
            user = current_player(line.registration.player).user_id
            if revision is not None and user is not None and revision.by_id != user:
                yield from _told_of_place(found[number], line, revision, user)


def _last_changes(league: League, numbers: Collection[int]) -> dict[int, Revision]:
    told = Revision.objects.filter(league=league, subject="registration", subject_id__in=numbers)
    return {each.subject_id: each for each in told.order_by("pk") if _is_of_place(each)}


def _told_of_place(tournament: Tournament, line: RegistrationLine, revision: Revision, user: int) -> Iterator[News]:
    place = line.place
    if place in {Registration.State.WITHDRAWN, Registration.State.ASKED}:
        return
    if place == Registration.State.REFUSED and _after(revision, "place") == "no_show":
        place = "no_show"
    # Whoever waits sees the number on the page: that it becomes smaller is no news.
    is_agreed = place == "waiting" and _after(revision, "state") == Registration.State.STANDING
    position = {"position": line.position} if is_agreed else {}
    path = reverse("tournaments:register", args=[tournament.league.slug, tournament.key])
    if place != "waiting" or is_agreed:
        yield News(user, line.registration.pk, {"tournament": _names(tournament), "place": place} | position, path)


def _is_of_place(revision: Revision) -> bool:
    """Return whether a place was given or taken, or somebody agreed to or refused; not that somebody asked or came."""
    is_change = revision.action == Revision.Action.CHANGED
    return is_change and bool(_after(revision, "place") or _after(revision, "state"))


def _after(revision: Revision, name: str) -> str:
    return str(revision.after.get(name, "")) if isinstance(revision.after, dict) else ""


# --- Taken off by hand -------------------------------------------------------------------------------------------------


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
            # Whoever is taken off once more is told once more.
            yield News(now.user_id, number, {"tournament": _names(tournament), "change": revision.pk}, path)


def register() -> None:
    """Let there be notices of who goes on, of places that people registered for, and of who was taken off."""
    register_source(NoticeSource(NoticeKind.PROMOTED, "decision", _is_new, _promoted))
    register_source(NoticeSource(NoticeKind.PLACE, "registration", _is_of_place, _places))
    register_source(NoticeSource(NoticeKind.TAKEN_OFF, "tournament", _takes_off, _taken_off))
