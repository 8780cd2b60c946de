"""`python -m tests.torture.world`: create a trial's leagues, in the site's environment.

Reads a name and the leagues' requirements; prints the URLs where results are entered, and an organiser's cookies.
"""

import json
import sys
from datetime import UTC, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import django

Place = dict[str, Any]

PLAYERS = 12
ZONES = {"tokyo": "Asia/Tokyo", "york": "America/New_York"}
DAY_BEGINS = time(6)


def main() -> None:
    django.setup()
    asked = json.load(sys.stdin)
    leagues = [_league(f"{asked['name']}-{zone}", ZONES[zone]) for zone in asked["zones"]]
    user, cookies = _organiser(asked["name"], leagues)
    places = []
    for league in leagues:
        places += _tonight(league, asked["tables"], user)
    json.dump({"leagues": [_told(league) for league in leagues], "places": places, "cookies": cookies}, sys.stdout)


def _league(slug: str, zone: str) -> Any:
    from league.services.history import SYSTEM
    from league.services.rules import save_version
    from tests.league.factories import make_league

    league = make_league(slug, time_zone=zone, day_boundary=DAY_BEGINS, confirmed_by="one", players=PLAYERS)
    current = league.current_version
    assert current is not None
    save_version(
        ruleset=current.ruleset, parameters={**current.parameters, "uma": [20, 10, -10, -20]}, note="", by=SYSTEM
    )
    return league


def _told(league: Any) -> dict[str, Any]:
    from league.models import RulesetVersion

    versions = RulesetVersion.objects.filter(ruleset__league=league).order_by("pk")
    return {"slug": league.slug, "versions": list(versions.values_list("pk", flat=True))}


def _organiser(name: str, leagues: list[Any]) -> tuple[Any, dict[str, str]]:
    from django.contrib.sessions.backends.db import SessionStore

    from league.models import Membership
    from tests.league.factories import make_user
    from tests.torture.phones import TOKEN

    user = make_user(f"organiser-{name}")
    Membership.objects.bulk_create(
        Membership(league=each, user=user, role=Membership.Role.ORGANISER) for each in leagues
    )
    session = SessionStore()
    session["_auth_user_id"] = str(user.pk)
    session["_auth_user_backend"] = "django.contrib.auth.backends.ModelBackend"
    session["_auth_user_hash"] = user.get_session_auth_hash()
    session.create()
    return user, {"sessionid": str(session.session_key), "csrftoken": TOKEN}


def _tonight(league: Any, tables: int, user: Any) -> list[Place]:
    """Return tonight's tables, by table link and for a scorer, and one whose phones send late."""
    from league.services.history import Actor
    from league.services.links import code_of, issue_links
    from tests.league.factories import make_session

    today = league.day_of(datetime.now(UTC))
    places = []
    for day in (today, today - timedelta(days=2)):
        session = make_session(league, day, tables=tables)
        then = datetime.combine(day + timedelta(days=1), time(1, 30), ZoneInfo(league.time_zone))
        late = {} if day == today else {"entered_at": then.isoformat()}
        for link in issue_links(session=session, by=Actor(user, "torture")):
            places.append(_place(league, session, f"/e/{code_of(link)}/", is_link=True, day=str(day), **late))
        if day == today:
            address = f"/l/{league.slug}/sessions/{session.pk}/enter/?table="
            places += [_place(league, session, f"{address}{table}", day=str(day)) for table in range(1, tables + 1)]
    return places


def _place(league: Any, session: Any, url: str, *, is_link: bool = False, **more: str) -> Place:
    players = list(league.players.order_by("pk").values_list("pk", flat=True))
    return {"league": league.slug, "session": session.pk, "url": url, "is_link": is_link, "players": players, **more}


if __name__ == "__main__":
    main()
