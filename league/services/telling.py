"""Open pages are told that a league has another edition, after the commit and by somebody who waits for nobody.

They are told a number and fetch by themselves what they may see. What is not told is found by asking now and then.
"""

from collections.abc import Callable
from dataclasses import dataclass

from django.conf import settings
from django.db import connection, models, transaction
from django.utils.module_loading import import_string

from league.selectors.channels import Channel, channel_name
from league.selectors.editions import edition_now

BOTH = (Channel.LEAGUE, Channel.HALL)


@dataclass(frozen=True, slots=True)
class _Telling:
    """What is done after a commit: equal ones are done once."""

    league_id: int
    channels: tuple[Channel, ...]

    def __call__(self) -> None:
        publish: Callable[[str, str], None] = import_string(settings.PUBLISHER)
        version = edition_now(self.league_id)
        for channel in self.channels:
            publish(channel_name(channel, self.league_id), version)


def tell(league_id: int, *, only_hall: bool = False) -> None:
    """Have open pages of a league told, once for each commit, that there is something new.

    `only_hall`: it is on walls and in the hands of whoever directs or plays, and on no page of results.
    """
    if not settings.PUSH_URL:
        return
    telling = _Telling(league_id, (Channel.HALL,) if only_hall else BOTH)
    # What was asked for within a savepoint goes with it, and so does whoever asks again within it.
    if all(known != telling for _, known, *_ in connection.run_on_commit):
        transaction.on_commit(telling, robust=True)


def tell_of(league_id: int, subject: models.Model) -> None:
    """Have open pages told that something changed, by what it is: a model may say that it is only of a hall."""
    tell(league_id, only_hall=getattr(subject, "is_only_of_hall", False))
