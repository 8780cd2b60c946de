"""A checked file becomes a league: one transaction."""

from django.core.exceptions import ValidationError
from django.db import transaction

from league.interchange.problems import refuse
from league.interchange.schema import LeagueDocument, LeagueFile
from league.interchange.storing.players import recorded_rows, remember_merges, store_players
from league.interchange.storing.progress import StoredSoFar
from league.interchange.storing.rulesets import store_rulesets
from league.interchange.storing.sessions import store_adjustments, store_points, store_sessions
from league.models import League, Membership, Revision
from league.selectors.addresses import is_free
from league.services.history import Actor, Change, write_revision
from league.services.leagues import AddressTakenError, store_new_league
from league.services.people import set_role

NOT_COLUMNS = {"slug", "ruleset", "ruleset_version", "tiebreak"}


@transaction.atomic
def store_league(file: LeagueFile, *, by: Actor, slug: str | None = None) -> League:
    """Return the new league that the file describes, under another slug if one is given.

    Raises InterchangeError, and leaves nothing behind then. With a user in `by`, that user owns the league.
    """
    work = StoredSoFar(_new_league(file.league, slug), by)
    store_rulesets(work, file)
    store_players(work, file.players)
    store_sessions(work, file)
    points = store_points(work, file.sessions)
    adjustments = store_adjustments(work, file.adjustments)
    remember_merges(work, file, recorded_rows(work, file, adjustments, points))
    after = {"players": len(file.players), "sessions": len(file.sessions)}
    write_revision(work.league, work.league, Change(Revision.Action.CREATED, after=after), by)
    if by.user is not None:
        set_role(league=work.league, user=by.user, role=Membership.Role.OWNER, by=by)
    return work.league


def _new_league(entry: LeagueDocument, slug: str | None) -> League:
    slug = slug or entry.slug
    taken = refuse(("league", "slug"), f'the league "{slug}" exists already; choose another one with --slug')
    if not is_free(slug):
        raise taken
    league = League(slug=slug, tiebreak=list(entry.tiebreak), **entry.model_dump(exclude=NOT_COLUMNS))
    try:
        league.full_clean()
    except ValidationError as error:
        name, complaints = next(iter(error.message_dict.items()))
        raise refuse(("league", name), " ".join(complaints)) from error
    try:
        store_new_league(league)
    except AddressTakenError as error:
        raise taken from error
    return league
