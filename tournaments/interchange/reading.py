"""Read and check a file: the league's own part and the tournaments. Nothing is stored here."""

from collections.abc import Iterator, Mapping, Sequence

from league.interchange.problems import first_repeated, refuse
from league.interchange.reading import read_league
from league.interchange.references import check_once, check_player, check_rules, known_rules
from league.interchange.schema import PlayerDocument
from tournaments.interchange import schema
from tournaments.interchange.bodies import Path, renamed

Players = Mapping[str, PlayerDocument]


def read_file(content: bytes) -> schema.WholeFile:
    """Return the checked file. Raise InterchangeError with path and remedy."""
    file = read_league(content, schema.WholeFile)
    players = {player.key: player for player in file.players}
    rules = known_rules(file)
    check_once(("titles",), "key", [title.key for title in file.titles])
    check_once(("tournaments",), "key", [each.key for each in file.tournaments])
    for index, each in enumerate(file.tournaments):
        path: Path = ("tournaments", index)
        check_rules(path, each.ruleset, each.ruleset_version, rules)
        for number, own in enumerate(each.stage_rules):
            check_rules((*path, "stage_rules", number), own.ruleset, own.ruleset_version, rules)
        check_once((*path, "stage_rules"), "stage", [own.stage for own in each.stage_rules])
        _check_entries(each, path, players)
        _check_queue(each, path, players)
        for number, decision in enumerate(each.decisions):
            _check_decision(decision, (*path, "decisions", number), players)
    _check_sessions(file.tournaments, {session.key for session in file.sessions})
    for path, part in _parts(file.tournaments):
        for place, tick in enumerate(part.ticks):
            for seat, key in enumerate(tick.seats):
                check_player((*path, "ticks", place, "seats", seat), key, players)
    return file


def _check_entries(tournament: schema.TournamentDocument, path: Path, players: Players) -> None:
    where = (*path, "entries")
    check_once(where, "player", [entry.player for entry in tournament.entries])
    check_once(where, "seed", [entry.seed or -index for index, entry in enumerate(tournament.entries)])
    for number, entry in enumerate(tournament.entries):
        check_player((*where, number, "player"), entry.player, players)


def _check_queue(tournament: schema.TournamentDocument, path: Path, players: Players) -> None:
    where, queue = (*path, "registration", "queue"), tournament.registration.queue if tournament.registration else ()
    check_once(where, "player", [each.player for each in queue])
    for number, each in enumerate(queue):
        check_player((*where, number, "player"), each.player, players)


def _check_sessions(tournaments: Sequence[schema.TournamentDocument], known: set[str]) -> None:
    used: set[str] = set()
    for path, part in _parts(tournaments):
        if part.session not in known:
            raise refuse((*path, "session"), 'is not the key of any entry in "sessions"; add it there or correct it')
        if part.session in used:
            raise refuse((*path, "session"), "already counts in a stage; a session can count only once")
        used.add(part.session)


def _parts(tournaments: Sequence[schema.TournamentDocument]) -> Iterator[tuple[Path, schema.StageSessionDocument]]:
    for index, tournament in enumerate(tournaments):
        for number, part in enumerate(tournament.sessions):
            yield ("tournaments", index, "sessions", number), part


def _check_decision(decision: schema.DecisionDocument, path: Path, players: Players) -> None:
    if len(decision.said) != 1:
        raise refuse(path, f"must contain exactly one of {', '.join(schema.KIND_OF)}")
    for name, owner in schema.BELONGS_TO.items():
        if name in decision.model_fields_set and owner not in decision.said:
            raise refuse((*path, name), f'is only allowed with "{owner}"; remove it')
    _check_named_there(decision, path)
    for name, part in (decision.parts() | {"proposal": decision.proposal or ()}).items():
        renamed(name, part, (*path, name), lambda key, where: check_player(where, key, players), lambda key, _: key)
    for where, keys in player_lists(decision, path):
        if (position := first_repeated(keys)) is not None:
            raise refuse((*where, position), "appears twice; remove one")
    check_drawn_once(decision.blocks or {}, path, "is in two blocks; remove one")


def _check_named_there(decision: schema.DecisionDocument, path: Path) -> None:
    for name, owner in (("substitutes", "withdrawn"), ("short", "withdrawn"), ("unranked", "closed")):
        keys = getattr(decision, name)
        for number, key in enumerate(keys):
            if key not in (getattr(decision, owner) or ()):
                step = key if isinstance(keys, Mapping) else number
                raise refuse((*path, name, step), f'is not among "{owner}"; add it there or correct it')
    for key, settled in decision.short.items():
        if settled.player is None and settled.remedy in {"substitute", "house", "next"}:
            raise refuse((*path, "short", key), 'needs a "player" who takes the seat; add one')


def player_lists(decision: schema.DecisionDocument, path: Path) -> Iterator[tuple[Path, Sequence[str]]]:
    for name in ("withdrawn", "advance", "proposal", "order", "closed", "unranked"):
        yield (*path, name), getattr(decision, name) or ()
    for block, keys in (decision.blocks or {}).items():
        yield (*path, "blocks", block), keys


def check_drawn_once(blocks: Mapping[str, Sequence[object]], path: Path, fault: str) -> None:
    seen: set[object] = set()
    for block, players in blocks.items():
        for number, player in enumerate(players):
            if player in seen:
                raise refuse((*path, "blocks", block, number), fault)
            seen.add(player)
