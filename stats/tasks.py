"""Background work as Celery sees it. Each task may run twice, or twice at once, without harm."""

from celery import shared_task

from league.tasks import AWAY
from stats.services import feats, months, ratings


@shared_task(name="stats.sweep_months", acks_late=True, throws=AWAY)
def sweep_months() -> None:
    """Have the months kept that are over."""
    months.sweep()


@shared_task(name=months.KEEP_TASK, acks_late=True, throws=AWAY)
def keep_months(league_id: int) -> None:
    """Keep what the months of a league came to that are over."""
    months.keep_months(league_id)


@shared_task(name="stats.sweep_ratings", acks_late=True, throws=AWAY)
def sweep_ratings() -> None:
    """Have the ratings replayed that are behind."""
    ratings.sweep()


@shared_task(name=ratings.REPLAY_TASK, acks_late=True, throws=AWAY)
def replay_ratings(league_id: int) -> None:
    """Replay some hanchan of a league, from the earliest that changed."""
    ratings.replay_in_turn(league_id)


@shared_task(name="stats.sweep_feats", acks_late=True, throws=AWAY)
def sweep_feats() -> None:
    """Have kept what stands out in periods that have changed, and achievements follow."""
    feats.sweep()


@shared_task(name=feats.KEEP_TASK, acks_late=True, throws=AWAY)
def keep_feats(league_id: int) -> None:
    """Keep what stands out in a league, and what its players have achieved."""
    feats.keep_feats(league_id)
