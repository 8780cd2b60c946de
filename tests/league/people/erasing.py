import json
from collections.abc import Iterable
from urllib.parse import quote
from uuid import uuid4

from django.contrib.admin.models import CHANGE, LogEntry
from django.contrib.contenttypes.models import ContentType
from django.db import connection
from django.utils import timezone

from league.models import Confirmation, HeldResult, Job, League, Player
from league.services.calendar import adjust
from league.services.confirming import NewStatement, say
from league.services.held_results import RejectionReason, Submission, store_held_result
from league.services.history import SYSTEM, Actor
from league.services.people import PlayerFacts, add_player, change_player, link_user, merge_players
from league.services.photos import add_photo
from league.services.planning import TablePlan, plan_tables
from league.services.results import void_hanchan
from league.services.session_points import enter_session_points
from tests.league.factories import correct, make_session, make_user, play, settle, sums
from tests.league.imports.files import batch_of, book_of, file_of, game
from tests.league.imports.test_run import imported
from tests.league.results.test_photos import picture
from tests.tournaments.factories import draw_and_plan, make_tournament
from tournaments.models import Decision
from tournaments.services.events import revoke_decision

NAME, KANA, ROMANISED, ALIAS, OTHER = "青木 ひなた", "あおき ひなた", "Hinata Aoki", "ヒナッチ", "蒼木 日向"
NAMES = (NAME, "青木ひなた", KANA, ROMANISED, ALIAS, OTHER)
"""Kanji with and without a space, kana reading, romanised, nickname, and the name of a player merged into her."""

SECRETS = (*NAMES, "hinata-of-file", "M-4711", "西区雀友会")


def make_named_league() -> tuple[League, Player]:
    tournament = make_tournament()
    league = tournament.league
    facts = PlayerFacts(NAME, KANA, ROMANISED, "M-4711", "西区雀友会", visibility="members", aliases=(ALIAS,))
    her = change_player(player=tournament.entries.get(number=1).player, facts=facts, by=SYSTEM)
    Player.objects.filter(pk=her.pk).update(key="hinata-of-file")
    link_user(player=her, user=make_user("h-san", league=league, role="player"), by=SYSTEM)
    twin = add_player(league=league, facts=PlayerFacts(OTHER), by=SYSTEM)
    merge_players(source=twin, target=her, by=SYSTEM, reason=f"{OTHER}は{NAME}さん")
    her.refresh_from_db()
    players = [her, *league.players.active().exclude(pk=her.pk).order_by("pk")[:3]]
    _play(league, players)
    draw_and_plan(tournament, "qualifying")
    revoke_decision(Decision.objects.earliest("pk"), SYSTEM, f"{ROMANISED} 棄権")
    _bring_in(league, players)
    _administer(league, her)
    settle()
    return league, Player.objects.get(pk=her.pk)


def _play(league: League, players: list[Player]) -> None:
    session = make_session(league, title=f"{NAME}さん送別会", venue=f"{KANA}荘")
    plan_tables(session=session, plans=[TablePlan(1, tuple(players))], by=SYSTEM)
    first = play(session, players=players, note=f"{NAME}が国士", yakuman=[(0, f"国士無双({ALIAS})")])
    correct(first, (30700, 32300, 25500, 11500), note=f"{ROMANISED}!", reason="青木ひなたの点数")
    speaks = NewStatement(Confirmation.Verdict.DISPUTES, 2, players[1], f"{KANA}さんに聞いた")
    say(hanchan=first, statement=speaks, by=Actor(make_user("hinata-aoki"), "web"))
    void_hanchan(hanchan=play(session, players=players, round=2), by=SYSTEM, reason=f"{ALIAS}が二度入力")
    adjust(player=players[0], day=session.date, points=1000, reason=f"{NAME}の遅刻", by=SYSTEM)
    enter_session_points(session=session, lines=sums(dict.fromkeys(players[:1], 0), 4), by=SYSTEM)
    add_photo(hanchan=first, picture=picture(), by=SYSTEM)
    sent = Submission(uuid4(), {"guest_0": [NAME], "raw_0": ["100"]}, timezone.now(), picture())
    refused = RejectionReason(HeldResult.Reason.SUM, f"{NAME}: 300")
    store_held_result(session=session, table=1, sent=sent, refused=refused, by=SYSTEM)


def _bring_in(league: League, players: list[Player]) -> None:
    names = [players[0].name, *(each.name for each in players[1:])]
    imported(league, file_of(game("2025-11-22", names=names, memo=f"{ALIAS}")))
    batch_of(league, file_of(game("2025-11-23", names=names)), f"{NAME}.csv")
    batch_of(league, book_of(("日付", "選手", "素点"), ("2025-11-24", NAME, 100)), "book.xlsx")
    batch_of(league, file_of(game("2025-11-25", names=[each.name for each in players[1:]] + ["石川"])), "others.csv")


def _administer(league: League, her: Player) -> None:
    Job.objects.create(
        league=league,
        kind=Job.Kind.REBUILD,
        state=Job.State.DONE,
        parameters={"name": NAME},
        result={NAME: [ROMANISED]},
        last_item=NAME,
        error=f"{KANA}?",
    )
    kind = ContentType.objects.get_for_model(Player)
    user = make_user("admin")
    LogEntry.objects.create(
        user=user, content_type=kind, object_id=str(her.pk), object_repr=NAME, action_flag=CHANGE, change_message=NAME
    )


def whole_database() -> bytes:
    parts: list[bytes] = []
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f'SELECT * FROM "{table}"')
            for row in cursor.fetchall():
                parts += [_bytes_of(value) for value in row if value is not None]
    return b"\x00".join(parts)


def _bytes_of(value: object) -> bytes:
    return bytes(value) if isinstance(value, bytes | memoryview) else str(value).encode()


def written(names: Iterable[str]) -> dict[str, list[bytes]]:
    """Return the byte forms in which a name may be stored: plain, JSON-escaped, URL-encoded, in legacy encodings."""
    return {
        name: [
            *(name.encode(encoding) for encoding in ("utf-8", "cp932", "utf-16-le", "utf-16-be")),
            json.dumps(name)[1:-1].encode(),
            quote(name).encode(),
        ]
        for name in names
    }


def found_in(content: bytes, names: Iterable[str] = SECRETS) -> list[str]:
    return [name for name, forms in written(names).items() if any(form in content for form in forms)]
