import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from league.models import Confirmation, League, Revision
from league.selectors.former import FORMER
from league.services.confirming import NewStatement, say
from league.services.erasing.history import FormerHolder, leagues_that_tell, redact_account_name
from league.services.history import Actor
from league.services.people import link_user
from tests.league.factories import make_league, make_players, make_session, make_user, play
from tests.league.people.erasing import found_in, whole_database
from tests.tournaments.factories import draw_and_plan, make_tournament
from tournaments.models import Decision
from tournaments.services.events import revoke_decision

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

NAME = "kuroda-mitsuru"


@pytest.fixture
def both() -> tuple[League, League]:
    """Two leagues, the first with a drawn tournament."""
    tournament = make_tournament()
    draw_and_plan(tournament, "qualifying")
    other = make_league("friday")
    make_players(other)
    return tournament.league, other


def forget(user: User) -> int:
    """Remove a name from all histories, batch by batch; return the number of changed facts."""
    begun = timezone.now()
    whom = FormerHolder(user.pk, ((user.username, timezone.now()),))
    for league in League.objects.filter(pk__in=leagues_that_tell(whom)):
        link: int | None = 0
        while link is not None:
            link = redact_account_name(league, link, whom)
    return Revision.objects.filter(redacted_at__gte=begun).count()


def test_name_of_a_deleted_user_is_removed_from_histories(both: tuple[League, League]) -> None:
    first, second = both
    user = make_user(NAME, league=first, role="organiser")
    by = Actor(user, "web")
    hanchan = play(make_session(first), by=by)
    say(hanchan=hanchan, statement=NewStatement(Confirmation.Verdict.AGREES, 1, None), by=by)
    link_user(player=first.players.earliest("pk"), user=user, by=by)
    revoke_decision(Decision.objects.earliest("pk"), by, "drawn anew")
    play(make_session(second), by=by)
    facts = [(each.pk, each.at, each.action) for each in Revision.objects.order_by("pk")]
    assert forget(user) > 3
    assert forget(user) == 0
    user.delete()
    assert found_in(whole_database(), [NAME]) == []
    assert [(each.pk, each.at, each.action) for each in Revision.objects.order_by("pk")] == facts
    assert Confirmation.objects.get().by_name == FORMER


def test_name_of_another_user_stays_in_histories(both: tuple[League, League]) -> None:
    league, _other = both
    gone, stays = (make_user(name, league=league, role="scorer") for name in (NAME, f"{NAME}-2"))
    play(make_session(league), by=Actor(stays, "web"))
    forget(gone)
    assert Revision.objects.get(subject="hanchan", action="recorded").by_name == stays.username
    assert found_in(whole_database(), [stays.username]) == [stays.username]
