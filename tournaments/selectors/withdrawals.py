"""Who has withdrawn from a tournament, as its decisions say."""

from tournaments.models import Decision
from tournaments.selectors.state import CurrentState


def withdrawal_of(current: CurrentState, pk: int) -> Decision | None:
    standing = (each for each in current.decisions if each.revoked_at is None)
    return next(
        (each for each in standing if each.kind == Decision.Kind.WITHDRAWN and pk in each.body["entries"]), None
    )
