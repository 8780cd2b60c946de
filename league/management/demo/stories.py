"""The demo leagues. They are the same for the same day."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta
from random import Random

from django.contrib.auth.models import User

from league.core.periods import moment_on
from league.management.demo import people
from league.management.demo.dice import FinishedTable, play_out, with_tie
from league.management.demo.people import Character, DemoAccount
from league.models import Attendance, Confirmation, Hanchan, League, Membership, Player, Session, TableLink
from league.selectors.games import seats_of
from league.services import results
from league.services.attendance import AnswerFacts, answer_session
from league.services.bulk import PreparedHanchan, prepare, store
from league.services.calendar import SessionFacts, adjust, open_session, set_session_state
from league.services.confirming import NewStatement, say
from league.services.history import Actor
from league.services.links import issue_links
from league.services.people import add_player, merge_players, set_role
from league.services.planning import seat_evening
from league.services.rules import adopt_card
from scoring.core import Bust, FinishedGame, ScoringRules

Answer = Attendance.Answer
COMING = AnswerFacts(Answer.COMING)

FRIDAY, WEDNESDAY, SUNDAY = 4, 2, 6
FIRST_END = time(19, 50)
HANCHAN_EVERY = timedelta(minutes=52)
VENUES = ("公民館 和室3", "雀荘ひだまり", "市民センター 会議室2")


@dataclass(frozen=True, slots=True)
class Cast:
    """A demo league with its players by key, their strengths by primary key, and the actor of the changes."""

    league: League
    players: Mapping[str, Player]
    strengths: Mapping[int, int]
    rules: ScoringRules
    dice: Random
    by: Actor


def cast(league: League, card: str, characters: Mapping[str, Character], by: Actor) -> Cast:
    league.full_clean()
    league.save(force_insert=True)
    version = adopt_card(league=league, card_key=card, name=league.name, by=by)
    players = {key: add_player(league=league, facts=each.facts, by=by, key=key) for key, each in characters.items()}
    strengths = {players[key].pk: each.strength for key, each in characters.items()}
    return Cast(league, players, strengths, version.read(), Random(league.slug), by)


def join(troupe: Cast, users: Mapping[str, User], accounts: Sequence[DemoAccount]) -> None:
    for account in accounts:
        set_role(league=troupe.league, user=users[account.username], role=account.role, by=troupe.by)
        player = troupe.players[account.player]
        player.user = users[account.username]
        player.save(update_fields=["user"])


def meet(troupe: Cast, day: date, tables: int = 1) -> Session:
    facts = SessionFacts(day, venue=troupe.dice.choice(VENUES), tables=tables)
    return open_session(league=troupe.league, facts=facts, by=troupe.by)


def seated(troupe: Cast, present: Sequence[Player], rounds: int) -> Iterator[tuple[Player, ...]]:
    """Yield the players of each hanchan; if there are too many, they take turns sitting out."""
    seats = troupe.rules.players or 4
    for number in range(rounds):
        out = [(number + extra) % len(present) for extra in range(len(present) - seats)]
        playing = [player for place, player in enumerate(present) if place not in out]
        yield tuple(troupe.dice.sample(playing, seats))


def evening(
    troupe: Cast, session: Session, present: Sequence[Sequence[Player]], rounds: int, ties: Sequence[int] = ()
) -> Iterator[PreparedHanchan]:
    """Yield the hanchan of a session; in the rounds in `ties` (from 0), two players at the first table tie."""
    league = troupe.league
    begin = moment_on(session.date, FIRST_END, league.time_zone, league.day_boundary)
    for table, people_there in enumerate(present, start=1):
        for number, players in enumerate(seated(troupe, people_there, rounds)):
            ended = played(troupe, players, is_tied=table == 1 and number in ties)
            moment = begin + number * HANCHAN_EVERY + timedelta(minutes=troupe.dice.randint(-6, 6))
            place = results.TableAndTime(table, number + 1, moment)
            yield prepare(session, result_from(players, ended), place, troupe.by)


def played(troupe: Cast, players: Sequence[Player], *, is_tied: bool = False) -> FinishedTable:
    strengths = [troupe.strengths.get(player.pk, 10) for player in players]
    ended = play_out(troupe.dice, strengths, troupe.rules)
    while is_tied and ended.game.busts:
        ended = play_out(troupe.dice, strengths, troupe.rules)
    return FinishedTable(with_tie(ended.game, troupe.dice), ended.end_reason, ended.yakuman) if is_tied else ended


def result_from(players: Sequence[Player], ended: FinishedTable) -> results.HanchanResult:
    return results.HanchanResult(tuple(players), ended.game, "", ended.end_reason, ended.yakuman)


SITTINGS = ((4, 4), (5, 4), (4, 4), (5, 5), (4, 4))
TIED_EVENINGS = {4: (1,), 11: (0,), 17: (2,), 23: (0,), 30: (1,), 38: (2,), 44: (0,)}


def camarade(users: Mapping[str, User], by: Actor, today: date, now: datetime) -> League:
    """Create a league of friends with two years of sessions, and one today."""
    league = League(
        slug="camarade",
        name="カマラードリーグ",
        name_en="Camarade League",
        description="月に二度、金曜の夜に集まる仲間のリーグです。月間と年間の順位を競います。",
        minimum_month=3,
        minimum_year=10,
        minimum_all=20,
    )
    troupe = cast(league, "camarade", people.PEOPLE["camarade"], by)
    [(key, again)] = people.PEOPLE["merged"].items()
    second_name = add_player(league=league, facts=again.facts, by=by, key=key)
    days = meeting_days(today, 24, FRIDAY, (0, 2))
    prepared: list[PreparedHanchan] = []
    for number, day in enumerate(days):
        session = meet(troupe, day, tables=2)
        present = _present(troupe, SITTINGS[number % len(SITTINGS)])
        if number == 5:
            kitagawa = troupe.players["kitagawa"]
            if not any(kitagawa in table for table in present):
                present[0][0] = kitagawa
            present = [[second_name if each == kitagawa else each for each in table] for table in present]
        prepared += evening(troupe, session, present, 3 + number % 2, TIED_EVENINGS.get(number, ()))
        set_session_state(session=session, state=Session.State.CLOSED, by=by)
    hanchan = store(league, prepared, by)
    _mishaps(troupe, hanchan)
    _rare_busts(troupe, hanchan)
    merge_players(source=second_name, target=troupe.players["kitagawa"], by=by, reason="同じ人でした")
    join(troupe, users, people.ACCOUNTS)
    _tonight(troupe, today, now)
    _next_time(troupe, today)
    return league


def _present(troupe: Cast, sittings: Sequence[int]) -> list[list[Player]]:
    regulars = list(troupe.players.values())
    weights = {player.pk: 1.0 if player.is_guest else 3.0 for player in regulars}
    # A weighted random order without replacement, in which regulars come first more often.
    order = sorted(regulars, key=lambda player: troupe.dice.random() ** (1 / weights[player.pk]), reverse=True)
    first, second = sittings
    return [order[:first], order[first : first + second]]


def _mishaps(troupe: Cast, hanchan: Sequence[Hanchan]) -> None:
    """Add corrections, a voided hanchan and penalties, to fill the history."""
    by = troupe.by
    for position, reason in ((20, "点数の読み違い"), (150, "点数の読み違い"), (-9, "供託の数え違い")):
        _correct(troupe, hanchan[position], reason)
    results.void_hanchan(hanchan=hanchan[-4], by=by, reason="席順を間違えたため、打ち直しました")
    for position in (60, 210):
        seat = seats_of(hanchan[position])[2]
        adjust(player=seat.player, day=hanchan[position].day, points=-20_000, reason="チョンボ(誤ロン)", by=by)
    adjust(player=troupe.players["komatsu"], day=hanchan[-20].day, points=-5_000, reason="遅刻", by=by)


def _correct(troupe: Cast, hanchan: Hanchan, reason: str) -> None:
    """Move 1000 points between the two middle players, as if their scores had been misread."""
    before = results.result_of(hanchan)
    middle = sorted(range(4), key=lambda seat: before.game.raw[seat])[1:3]
    raw = list(before.game.raw)
    raw[middle[1]] += 1000
    raw[middle[0]] -= 1000
    after = replace(before, game=replace(before.game, raw=tuple(raw)))
    _store_correction(troupe, hanchan, after, reason)


def _store_correction(troupe: Cast, hanchan: Hanchan, after: results.HanchanResult, reason: str) -> None:
    results.correct_hanchan(
        hanchan=hanchan,
        seen_version=hanchan.version,
        result=after,
        table_and_time=results.TableAndTime(hanchan.table),
        by=troupe.by,
        reason=reason,
    )


def _rare_busts(troupe: Cast, hanchan: Sequence[Hanchan]) -> None:
    """Add busts that simulated hanchan rarely have: by a chombo, two at once, and by noten payments."""
    stories = (
        ((52300, 31800, 19900, -4000), (Bust(3, "other"),), "チョンボの支払いでトビ"),
        ((-1200, 66400, 38000, -3200), (Bust(0, "win", (1,)), Bust(3, "win", (1,))), "三倍満ツモで2人トビ"),
        ((38300, 36200, -2100, 27600), (Bust(2, "draw", tenpai=(0, 1, 3)),), "ノーテン罰符でトビ"),
        ((44600, -800, 30100, 26100), (Bust(1, "draw", tenpai=(0, 2)),), "ノーテン罰符でトビ"),
    )
    for position, (raw, busts, note) in zip((33, 97, 180, 255), stories, strict=True):
        beside = hanchan[position]
        results.record_hanchan(
            session=beside.session,
            result=results.HanchanResult(
                tuple(seat.player for seat in seats_of(beside)),
                FinishedGame(raw, busts=busts),
                note,
                Hanchan.EndReason.BUST,
            ),
            table_and_time=results.TableAndTime(beside.table, played_at=beside.played_at + timedelta(hours=4)),
            by=troupe.by,
        )


def _tonight(troupe: Cast, today: date, now: datetime) -> None:
    """Add today's session: each table has finished one hanchan, the second is disputed, more are to come."""
    session = meet(troupe, today, tables=2)
    tables = _present(troupe, (5, 5))
    # The demo accounts sit at one table, so that each of them has hanchan to look at.
    first = [troupe.players[account.player] for account in people.ACCOUNTS]
    second = [player for table in tables for player in table if player not in first][:5]
    begin, latest = hours_of(troupe.league, today, now)
    League.objects.filter(pk=troupe.league.pk).update(confirmed_by=League.ConfirmedBy.ONE, confirmed_since=begin)
    troupe.league.refresh_from_db()
    session.league = troupe.league
    seat_evening(session=session, tables=[first, second], size=4, by=troupe.by)
    links = issue_links(session=session, by=troupe.by)
    recorded = []
    for table, (players, link) in enumerate(zip((first, second[:4]), links, strict=True), start=1):
        moment = max(begin, latest - timedelta(minutes=20 * table))
        result = result_from(players, played(troupe, players))
        at_table = Actor(None, f"table link {table}", link, PHONES[0])
        table_and_time = results.TableAndTime(table, played_at=moment)
        recorded.append(
            results.record_hanchan(session=session, result=result, table_and_time=table_and_time, by=at_table).hanchan
        )
    _talk_about(recorded, (first[2], second[1]), links)


def _next_time(troupe: Cast, today: date) -> None:
    """Schedule a session in two weeks with most answers given, but not that of a demo account."""
    facts = SessionFacts(today + timedelta(weeks=2), venue=VENUES[0], tables=2, start_time=time(19))
    session = open_session(league=troupe.league, facts=facts, by=troupe.by)
    answers = (COMING, COMING, AnswerFacts(Answer.LATE, time(20)), COMING, COMING, AnswerFacts(Answer.ABSENT), COMING)
    silent = people.ACCOUNTS[-1].player
    regulars = [player for key, player in troupe.players.items() if key != silent and not player.is_guest]
    for player, said in zip(regulars, answers, strict=False):
        answer_session(session=session, player=player, facts=said, given=Attendance.Given.ORGANISER, by=troupe.by)


PHONES = ("d0" * 16, "d1" * 16)
"""Device ids of two phones: the one that entered the results, and another one."""


def _talk_about(recorded: Sequence[Hanchan], players: Sequence[Player], links: Sequence[TableLink]) -> None:
    """Let a player confirm the result of the first table, and another one dispute that of the second."""
    words = (
        (Confirmation.Verdict.AGREES, ""),
        (Confirmation.Verdict.DISPUTES, "最後のリーチ棒が足りないかもしれません"),
    )
    for hanchan, player, link, (verdict, note) in zip(recorded, players, links, words, strict=True):
        by = Actor(None, f"table link {link.table}", link, PHONES[1])
        say(hanchan=hanchan, statement=NewStatement(verdict, hanchan.version, player, note), by=by)


def hours_of(league: League, today: date, now: datetime) -> tuple[datetime, datetime]:
    """Return the start of the league day, and the current time or, if it is on another day, 15 hours after the start."""
    begin = moment_on(today, league.day_boundary, league.time_zone, league.day_boundary)
    return begin, now if league.day_of(now) == today else begin + timedelta(hours=15)


def cinderella(users: Mapping[str, User], by: Actor, today: date) -> League:
    """Create five months of a public league with Cinderella rules: four hanchan per session with the same four players."""
    league = League(
        slug="cinderella",
        name="ガラスの靴杯",
        name_en="Glass Slipper Cup",
        description="シンデレラリーグのルールで打つ、毎週水曜のリーグです。",
        tiebreak=["last_hanchan", "shared"],
    )
    troupe = cast(league, "cinderella", people.PEOPLE["cinderella"], by)
    everybody = list(troupe.players.values())
    prepared: list[PreparedHanchan] = []
    for number, day in enumerate(meeting_days(today, 5, WEDNESDAY, (0, 1, 2, 3))):
        session = meet(troupe, day)
        table = troupe.dice.sample(everybody, 4)
        prepared += evening(troupe, session, [table], 4, (1,) if number % 7 == 3 else ())
        set_session_state(session=session, state=Session.State.CLOSED, by=by)
    hanchan = store(league, prepared, by)
    before = results.result_of(hanchan[len(hanchan) // 2])
    after = replace(before, game=replace(before.game, chombo=(0, 1, 0, 0)), note="東3局 チョンボ")
    _store_correction(troupe, hanchan[len(hanchan) // 2], after, "チョンボの記入漏れ")
    set_role(league=league, user=users["ishida"], role=Membership.Role.OWNER, by=by)
    return league


def sanma(users: Mapping[str, User], by: Actor, today: date) -> League:
    """Create half a year of a private three-player league."""
    league = League(
        slug="sanma",
        name="さんま部",
        name_en="Sanma Club",
        is_public=False,
        metric=League.Metric.AVERAGE_PLACEMENT,
        minimum_month=2,
        minimum_all=10,
    )
    troupe = cast(league, "tenhou-3p", people.PEOPLE["sanma"], by)
    everybody = list(troupe.players.values())
    prepared: list[PreparedHanchan] = []
    for day in meeting_days(today, 6, SUNDAY, (1,)):
        prepared += evening(troupe, meet(troupe, day), [troupe.dice.sample(everybody, 4)], 6)
    store(league, prepared, by)
    join(troupe, users, [account for account in people.ACCOUNTS if account.player in troupe.players])
    return league


def meeting_days(today: date, months: int, weekday: int, weeks: tuple[int, ...]) -> list[date]:
    """Return the days before today on which a league met: `weeks` are indexes of the weekday in each month."""
    number = today.year * 12 + today.month - 1 - months
    first = date(number // 12, number % 12 + 1, 1)
    days = (first + timedelta(days=day) for day in range((today - first).days))
    return [day for day in days if day.weekday() == weekday and (day.day - 1) // 7 in weeks]
