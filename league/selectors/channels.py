"""Channels on which open pages hear that there is something new: one of a league's results, one of its halls.

A channel has a name that nobody can guess, of public leagues too: asking for one tells nobody which leagues there are. Who
has opened a page of the league knows it, and hears nothing but that something changed (docs/adr/0068).
"""

from enum import StrEnum

from django.conf import settings
from django.utils.crypto import salted_hmac

ROOT = "/push/"
"""Where pages listen; docs/edge/push.conf names it too."""

LENGTH = 40
"""Characters of a channel's name."""


class Channel(StrEnum):
    """What a page wants to hear of: results and boards alone, or also what is told in a hall while it is played."""

    LEAGUE = "league"
    HALL = "hall"


def channel_name(channel: Channel, league_id: int) -> str:
    """Return the name of a channel of a league: letters and digits that only this site can work out."""
    return salted_hmac("league.push", f"{channel}.{league_id}", algorithm="sha256").hexdigest()[:LENGTH]


def listening_address(channel: str, league_id: int) -> str:
    """Return where a page listens, by the name of a Channel; empty where nothing is pushed and pages ask now and then."""
    return ROOT + channel_name(Channel(channel), league_id) if settings.PUSH_URL else ""
