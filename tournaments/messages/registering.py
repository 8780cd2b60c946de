"""Whether those who are there can be drawn, in words."""

from django.utils.translation import gettext as _

from tournaments.core.format import Format
from tournaments.core.registering import fit_of


def fit_sentence(number: int, format_: Format) -> str:
    """Return what is missing for a draw with so many players, or that nothing is."""
    sizes = format_.entrants
    fit = fit_of(number, sizes, format_.table_size)
    facts = {
        "number": number,
        "least": sizes.least,
        "missing": fit.missing,
        "size": format_.table_size,
        "to_fill": fit.to_fill,
        "left_over": fit.left_over,
    }
    if fit.missing and sizes.least == sizes.most:
        return _("%(number)s players: %(missing)s short of %(least)s.") % facts
    if fit.missing:
        return _("%(number)s players: %(missing)s short of the %(least)s that the format needs at least.") % facts
    if fit.left_over:
        return (
            _(
                "%(number)s players do not fill tables of %(size)s: %(to_fill)s more are needed, as players or substitutes, "
                "or %(left_over)s go back to the waiting list."
            )
            % facts
        )
    return _("%(number)s players: that can be drawn.") % facts
