"""Why a change to players or members cannot be made, in words."""

from collections.abc import Mapping

from django.utils.translation import gettext_lazy as _

SENTENCES = {
    "met": _("%(name)s and %(other)s sat at one table, so they are two people and cannot be merged."),
    "met_points": _(
        "%(name)s and %(other)s both have points without hanchan in %(session)s. If they are one person, withdraw one "
        "of the two entries first."
    ),
    "two_people": _(
        "Somebody logs in as %(name)s and somebody else as %(other)s. If they are one person, first empty the user name of "
        "one of the two where that player is edited."
    ),
    "same": _("%(name)s cannot be merged into the same player. Choose another one."),
    "merged": _("One of the two was merged already. Undo that first."),
    "not_merged": _("%(name)s is not merged into anybody."),
    "gone": _("%(name)s does not belong to the league any more. Choose somebody else."),
    "not_owner": _("Only an owner can hand the league over."),
    "no_offer": _("This league is not offered to you any more. Ask its owner to offer it once more."),
    "busy": _("Long work goes on in the league at the moment, such as an import. Try again when it is done."),
    "last_owner": _("The league needs an owner. Make somebody else owner first."),
}


def people_sentence(code: str, values: Mapping[str, object]) -> str:
    return str(SENTENCES[code]) % values
