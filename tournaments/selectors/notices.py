"""Who is told that they go on to the next stage."""

from collections.abc import Collection, Iterator
from datetime import datetime

from django.urls import reverse

from accounts.models import NoticeKind
from accounts.selectors.notice_sources import News, NoticeSource, register_source
from league.models import League, Revision
from tournaments.models import Decision, Entry


def _promoted(league: League, numbers: Collection[int], _now: datetime) -> Iterator[News]:
    decided = Decision.objects.valid().filter(pk__in=numbers, kind=Decision.Kind.ADVANCE, tournament__league=league)
    for decision in decided.select_related("tournament"):
        tournament = decision.tournament
        stages = {stage.key: stage for stage in tournament.format.stages}
        if decision.to not in stages:
            continue
        facts = {
            "tournament": {"ja": tournament.name, "en": tournament.name_en or tournament.name},
            "to": dict(stages[decision.to].name),
        }
        path = reverse("tournaments:tournament", args=[league.slug, tournament.key])
        entries = Entry.objects.filter(pk__in=decision.body.get("players", ())).exclude(player__user=None)
        for user in entries.order_by("pk").values_list("player__user", flat=True):
            yield News(user, decision.pk, facts, path)


def _is_new(revision: Revision) -> bool:
    return revision.action == Revision.Action.CREATED


def register() -> None:
    """Let there be notices of who goes on."""
    register_source(NoticeSource(NoticeKind.PROMOTED, "decision", _is_new, _promoted))
