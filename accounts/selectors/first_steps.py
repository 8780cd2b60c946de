"""What a new league still needs: people, a session, a result, table cards, a scorer, old results."""

from dataclasses import dataclass

from django.db.models import Max, Min, QuerySet

from league.models import ImportBatch, League, Membership, Session, SessionPoints, TableLink

ENOUGH_PLAYERS = 3


@dataclass(frozen=True, slots=True)
class FirstSteps:
    """The steps that are done. `session`: the latest one, or None."""

    people: bool
    session: Session | None
    result: bool
    cards: bool
    scorer: bool
    old_results: bool

    @property
    def open(self) -> int:
        return [self.people, bool(self.session), self.result, self.cards, self.scorer, self.old_results].count(False)


def first_steps(league: League) -> FirstSteps:
    """Return the steps of a league. At most seven queries."""
    player = {"role": Membership.Role.PLAYER}
    return FirstSteps(
        people=league.players.active().filter(is_active=True)[:ENOUGH_PLAYERS].count() == ENOUGH_PLAYERS,
        session=league.sessions.kept().first(),
        result=league.hanchan.valid().exists(),
        cards=TableLink.objects.filter(session__league=league).exists(),
        scorer=league.members.exclude(**player).count() > 1 or league.invitations.exclude(**player).exists(),
        old_results=_imports(league).exists(),
    )


def is_new(league: League) -> bool:
    """Return whether the league has at most one session, not counting an import of the same day. At most three queries.

    Leagues with session points are not new, nor are those of the demo, which have no imports.
    """
    sessions = league.sessions.kept()
    if len(sessions.values_list("pk")[:2]) < 2:
        return not SessionPoints.objects.filter(league=league, withdrawn=False).exists()
    days = sessions.order_by().aggregate(first=Min("created_at__date"), last=Max("created_at__date"))
    return _imports(league).exists() and days["first"] == days["last"]


def _imports(league: League) -> QuerySet[ImportBatch]:
    return league.imports.filter(state=ImportBatch.State.DONE)
