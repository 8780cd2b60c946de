from collections.abc import Mapping

from django.utils.translation import gettext_lazy as _

SENTENCES = {
    "met": _("%(name)s and %(other)s have shared a table, so they are different people and cannot be merged."),
    "met_points": _(
        "%(name)s and %(other)s both have points without hanchan in %(session)s. If they are the same "
        "person, withdraw one of the two first."
    ),
    "two_people": _(
        "%(name)s and %(other)s have different accounts. If they are the same person, first clear the user "
        "name on one player's edit page."
    ),
    "same": _("Choose a different player to merge %(name)s into."),
    "merged": _("One of the two was already merged. Undo that first."),
    "not_merged": _("%(name)s is not merged."),
    "gone": _("%(name)s is no longer a member of the league. Choose someone else."),
    "not_owner": _("Only an owner can hand over the league."),
    "no_offer": _("This league is no longer offered to you. Ask its owner to offer it again."),
    "busy": _("A long task, such as an import, is running in the league. Try again when it is done."),
    "last_owner": _("The league needs an owner. Make someone else an owner first."),
}


def people_sentence(code: str, values: Mapping[str, object]) -> str:
    return str(SENTENCES[code]) % values
