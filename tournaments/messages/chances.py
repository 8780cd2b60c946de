"""Sentences about chances: how likely something was, and how good the predictions are."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from league.messages import joined
from tournaments.core.odds import LEAST_STAGES, Band, Calibration, ChanceVerdict
from tournaments.messages.titles import rank_text

LEAST_PERCENT = 0.01


def percent(likely: float, decimals: int = 0) -> str:
    least = LEAST_PERCENT / 10**decimals
    if likely < least:
        return f"<{least:.{decimals}%}"
    if likely > 1 - least:
        return f">{1 - least:.{decimals}%}"
    return f"{likely:.{decimals}%}"


def surprise_sentences(name: str, looks: Sequence[tuple[int, float]], *, is_title: bool, to: str = "") -> str:
    told = [
        ngettext("%(likely)s before the last hanchan", "%(likely)s before the last %(left)s hanchan", left)
        % {"likely": percent(likely), "left": left}
        for left, likely in looks
    ]
    facts = {"name": name, "chances": joined(told), "to": to or rank_text(1)}
    if is_title:
        return _("%(name)s's chance of coming %(to)s was %(chances)s.") % facts
    if to:
        return _("Of those who advanced to %(to)s, %(name)s had the lowest chance: %(chances)s.") % facts
    return _("Of those who advanced, %(name)s had the lowest chance: %(chances)s.") % facts


def calibration_text(calibration: Calibration) -> str:
    facts = {
        "stages": calibration.stages,
        "least": LEAST_STAGES,
        "fitting": sum(band.fits for band in calibration.bands),
    }
    facts["bands"] = len(calibration.bands)
    if calibration.verdict is ChanceVerdict.TOO_FEW:
        text = ngettext(
            "Too few to tell: %(stages)s stage with three or more hanchan is finished; %(least)s are needed.",
            "Too few to tell: %(stages)s stages with three or more hanchan are finished; %(least)s are needed.",
            calibration.stages,
        )
        return text % facts
    verdict = {
        ChanceVerdict.BETTER: _("The chances predicted results better than equal chances would."),
        ChanceVerdict.UNDECIDED: _(
            "It is not clear yet whether the chances predict results better than equal chances would."
        ),
        ChanceVerdict.WORSE: _("The chances predicted results worse than equal chances would."),
    }[calibration.verdict]
    return f"{verdict} " + _("In %(fitting)s of %(bands)s probability bands, the actual number is consistent with the "
                             "prediction.") % facts  # fmt: skip


def band_text(band: Band) -> str:
    return _("%(low)s to %(high)s%%") % {"low": round(100 * band.low), "high": round(100 * band.high)}
