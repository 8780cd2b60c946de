"""Ranks in words: single ones and ranges."""

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from tournaments.core.facts import Unranked
from tournaments.core.ranking import RankingLine

_TEENS = range(11, 14)


def rank_text(number: int) -> str:
    """Return a rank as people say it: 1st, 22nd, 5位."""
    last = number % 10 if number % 100 not in _TEENS else 0
    text = {
        1: pgettext("rank", "%(number)sst"),
        2: pgettext("rank", "%(number)snd"),
        3: pgettext("rank", "%(number)srd"),
    }.get(last, pgettext("rank", "%(number)sth"))
    return text % {"number": number}


def ranks_text(first: int, last: int | None) -> str:
    """Return a range of ranks: 3rd, 4th and 5th, 1st to 6th, 5th and below."""
    if last == first:
        return rank_text(first)
    if last is None:
        return pgettext("ranks", "%(first)s and below") % {"first": rank_text(first)}
    ends = {"first": rank_text(first), "last": rank_text(last)}
    if last == first + 1:
        return pgettext("ranks", "%(first)s and %(last)s") % ends
    return pgettext("ranks", "%(first)s to %(last)s") % ends


def seeds_text(first: int, last: int | None) -> str:
    """Return a range of seeds: seed 3, seeds 1 to 8, seed 9 and below."""
    facts = {"first": first, "last": last}
    if last == first:
        return pgettext("seeds", "Seed %(first)s") % facts
    if last is None:
        return pgettext("seeds", "Seed %(first)s and below") % facts
    return pgettext("seeds", "Seeds %(first)s to %(last)s") % facts


def unranked_words(unranked: Unranked | None) -> str:
    if unranked is None:
        return ""
    return {Unranked.DISQUALIFIED: _("disqualified"), Unranked.LEFT_OUT: _("without a rank")}[unranked]


def line_mark(line: RankingLine) -> str:
    """Return what stands beside a name in the standings: that somebody has left, or has no rank."""
    return unranked_words(line.unranked) or (_("withdrew") if line.withdrawn else "")
