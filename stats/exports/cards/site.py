"""The picture of the site itself, for pages that belong to no league."""

from django.utils.translation import gettext

from league.http.published import version_of
from stats.core.cards import ShareCard


def site_card() -> ShareCard:
    """Return what Tenbo is."""
    return ShareCard(
        place=gettext("Riichi mahjong leagues"),
        title="Tenbo",
        words=(gettext("Results entered at the table."), gettext("Leaderboards at once.")),
    )


def site_version() -> str:
    """Return the version of the picture: another one with every release."""
    return version_of(("site",))
