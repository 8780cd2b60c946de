"""Checks that all keys in a file are unique and all references resolve."""

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence

from league.interchange import schema
from league.interchange.problems import Step, first_repeated, refuse

Place = Sequence[Step]
Players = Mapping[str, schema.PlayerDocument]


def check_references(file: schema.LeagueFile) -> None:
    """Raise InterchangeError for duplicate or unknown keys and circular references."""
    _check_unique(file)
    _check_rulesets(file)
    players = {player.key: player for player in file.players}
    _check_chains(("players",), "merged_into", {key: player.merged_into for key, player in players.items()})
    for number, session in enumerate(file.sessions):
        for position, hanchan in enumerate(session.hanchan):
            _check_seats(("sessions", number, "hanchan", position, "seats"), hanchan.seats, players)
            if hanchan.as_is and not hanchan.note.strip():
                where = ("sessions", number, "hanchan", position, "note")
                raise refuse(where, 'must say why the hanchan is accepted "as_is"')
        _check_plan(("sessions", number, "plan"), session.plan, players)
        _check_points(("sessions", number, "points"), session.points, players)
        _check_answers(("sessions", number, "answers"), session.answers, players)
    sessions = {session.key: session.postponed_from for session in file.sessions}
    _check_chains(("sessions",), "postponed_from", sessions)
    for number, adjustment in enumerate(file.adjustments):
        if adjustment.session is not None:
            check_known(("adjustments", number, "session"), adjustment.session, sessions, "sessions")
        _check_owner(("adjustments", number), adjustment, players)


def version_numbers(ruleset: schema.RulesetDocument) -> tuple[int, ...]:
    return tuple(version.number for version in ruleset.versions) if ruleset.versions else (1,)


def _check_unique(file: schema.LeagueFile) -> None:
    check_once(("rulesets",), "key", [ruleset.key for ruleset in file.rulesets])
    check_once(("players",), "key", [player.key for player in file.players])
    check_once(("players",), "number", [player.number or index for index, player in enumerate(file.players)])
    check_once(("sessions",), "key", [session.key for session in file.sessions])
    # Only sessions without a title that are not withdrawn are called by their number.
    are_called = [not (session.title or session.state == "withdrawn") for session in file.sessions]
    numbers = [each.number if are_called[at] and each.number else -at for at, each in enumerate(file.sessions)]
    check_once(("sessions",), "number", numbers)
    for index, player in enumerate(file.players):
        if (position := first_repeated(player.aliases)) is not None:
            raise refuse(("players", index, "aliases", position), "appears twice; remove one")
    seen: set[str] = set()
    for number, session in enumerate(file.sessions):
        for position, hanchan in enumerate(session.hanchan):
            if hanchan.key in seen:
                where = ("sessions", number, "hanchan", position, "key")
                raise refuse(where, "appears twice; give each a different one")
            seen.add(hanchan.key)


def check_once(path: Place, field: str, values: Iterable[Hashable]) -> None:
    if (position := first_repeated(values)) is not None:
        raise refuse((*path, position, field), "appears twice; give each a different one")


def known_rules(file: schema.LeagueFile) -> dict[str, set[int]]:
    return {ruleset.key: set(version_numbers(ruleset)) for ruleset in file.rulesets}


def _check_rulesets(file: schema.LeagueFile) -> None:
    known = known_rules(file)
    for index, ruleset in enumerate(file.rulesets):
        if ruleset.versions is not None and (ruleset.parameters is not None or not ruleset.versions):
            raise refuse(("rulesets", index), 'give either "parameters" or a list of "versions" with at least one')
        if ruleset.versions is None and ruleset.parameters is None and not ruleset.card:
            raise refuse(("rulesets", index), 'give a "card", "parameters" or "versions"')
        check_once(("rulesets", index, "versions"), "number", version_numbers(ruleset))
    check_rules(("league",), file.league.ruleset, file.league.ruleset_version, known)
    for number, session in enumerate(file.sessions):
        check_rules(("sessions", number), session.ruleset, session.ruleset_version, known)
        for position, hanchan in enumerate(session.hanchan):
            check_rules(("sessions", number, "hanchan", position), hanchan.ruleset, hanchan.ruleset_version, known)


def check_rules(path: Place, key: str | None, number: int | None, known: Mapping[str, set[int]]) -> None:
    if key is None:
        if number is not None:
            raise refuse((*path, "ruleset_version"), 'name the "ruleset" too')
        return
    check_known((*path, "ruleset"), key, known, "rulesets")
    if number is not None and number not in known[key]:
        raise refuse((*path, "ruleset_version"), "is not a version of that rule set; add it there or correct it")


def _check_chains(path: Place, field: str, next_of: Mapping[str, str | None]) -> None:
    """Raise InterchangeError if following `next_of` reaches an unknown key or a cycle."""
    for index, (key, following) in enumerate(next_of.items()):
        at, seen, where = following, {key}, (*path, index, field)
        while at is not None:
            check_known(where, at, next_of, str(path[0]))
            if at in seen:
                raise refuse(where, "forms a circle; remove it")
            seen.add(at)
            at = next_of[at]


def check_known(path: Place, key: str, known: Collection[str], where: str) -> None:
    if key not in known:
        raise refuse(path, f'is not the key of any entry in "{where}"; add it there or correct it')


def check_player(path: Place, key: str, players: Players) -> None:
    check_known(path, key, players, "players")


def _check_seats(path: Place, seats: Sequence[schema.SeatDocument], players: Players) -> None:
    for number, seat in enumerate(seats):
        _check_owner((*path, number), seat, players)
    if (position := first_repeated(seat.player for seat in seats)) is not None:
        raise refuse((*path, position, "player"), "sits twice at this table; name four different players")
    for field in ("raw", "points"):
        _check_given_to_all(path, seats, field)
    if seats[0].raw is None and seats[0].points is None:
        raise refuse((*path, 0, "raw"), "is missing; give the raw score, or the points if the raw score is unknown")
    if seats[0].raw is not None and (seats[0].points is not None or any(seat.placement for seat in seats)):
        raise refuse((*path, 0), 'has a "raw" score, from which "points" and "placement" follow; leave those out')
    _check_given_to_all(path, seats, "placement")


def _check_given_to_all(path: Place, seats: Sequence[schema.SeatDocument], field: str) -> None:
    given = [getattr(seat, field) is not None for seat in seats]
    if any(given) and not all(given):
        where = (*path, given.index(False), field)
        raise refuse(where, "is given for other players at the table; give it for all of them")


def _check_plan(path: Place, plan: Sequence[schema.PlanDocument], players: Players) -> None:
    if (position := first_repeated((entry.round, entry.table) for entry in plan)) is not None:
        raise refuse((*path, position, "table"), "is planned twice in this round; keep one of the seats")
    seen: set[tuple[int, str]] = set()
    for number, entry in enumerate(plan):
        at_table = [("players", *each) for each in enumerate(entry.players)]
        at_table += [("waiting", *each) for each in enumerate(entry.waiting)]
        for kind, seat, key in at_table:
            # Plans keep the name of a player who has been merged since, so merged players are valid here.
            check_player((*path, number, kind, seat), key, players)
            if (entry.round, key) in seen:
                raise refuse((*path, number, kind, seat), "sits twice in this round; name another player")
            seen.add((entry.round, key))


def _check_points(path: Place, points: Sequence[schema.SessionPointsDocument], players: Players) -> None:
    standing: set[str] = set()
    for number, entry in enumerate(points):
        _check_owner((*path, number), entry, players)
        if entry.player in standing and not entry.withdrawn:
            raise refuse((*path, number, "player"), "already has points in this session; keep one of them")
        standing |= set() if entry.withdrawn else {entry.player}
        if entry.places is not None and sum(entry.places) != entry.hanchan:
            raise refuse((*path, number, "places"), "must add up to the number of hanchan")


def _check_answers(path: Place, answers: Sequence[schema.AttendanceDocument], players: Players) -> None:
    for number, entry in enumerate(answers):
        # As in plans, the player may have been merged since.
        check_player((*path, number, "player"), entry.player, players)
        if entry.arrives_at is not None and entry.answer != "late":
            raise refuse((*path, number, "arrives_at"), 'is only allowed if the answer is "late"; leave it out')
    if (position := first_repeated(entry.player for entry in answers)) is not None:
        raise refuse((*path, position, "player"), "has already answered; keep one of the answers")


def _check_owner(
    path: Place, entry: schema.SeatDocument | schema.SessionPointsDocument | schema.AdjustmentDocument, players: Players
) -> None:
    check_player((*path, "player"), entry.player, players)
    if players[entry.player].merged_into is not None:
        raise refuse((*path, "player"), "was merged into another player; name that one")
    if (key := entry.recorded_as) is not None:
        check_player((*path, "as"), key, players)
        if entry.player not in merge_chain(key, players):
            raise refuse((*path, "as"), "was not merged into the player of this row; remove it or correct it")


def merge_chain(key: str, players: Players) -> tuple[str, ...]:
    chain: list[str] = []
    at = players[key].merged_into
    while at is not None:
        chain.append(at)
        at = players[at].merged_into
    return tuple(chain)
