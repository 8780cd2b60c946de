"""Chances in sentences: how likely something was, and how good chances are."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from tournaments.core.odds import LEAST_STAGES, Band, Calibration, ChanceVerdict
from tournaments.messages.errors import joined

LEAST_PERCENT = 0.01


def percent(likely: float) -> str:
    if likely < LEAST_PERCENT:
        return f"<{LEAST_PERCENT:.0%}"
    if likely > 1 - LEAST_PERCENT:
        return f">{1 - LEAST_PERCENT:.0%}"
    return f"{likely:.0%}"


def surprise_sentences(name: str, looks: Sequence[tuple[int, float]], *, is_title: bool) -> str:
    told = [
        ngettext("%(likely)s before the last hanchan", "%(likely)s before the last %(left)s hanchan", left)
        % {"likely": percent(likely), "left": left}
        for left, likely in looks
    ]
    chances = joined(told)
    if is_title:
        return _("The chance of %(name)s to come first was %(chances)s.") % {"name": name, "chances": chances}
    return _("Of those who went on, %(name)s had the least chance: %(chances)s.") % {"name": name, "chances": chances}


def calibration_text(calibration: Calibration) -> str:
    facts = {
        "stages": calibration.stages,
        "least": LEAST_STAGES,
        "fitting": sum(band.fits for band in calibration.bands),
    }
    facts["bands"] = len(calibration.bands)
    if calibration.verdict is ChanceVerdict.TOO_FEW:
        return (
            _(
                "Too little was played to tell: %(stages)s stages with three hanchan or more are over, %(least)s are needed."
            )
            % facts
        )
    verdict = {
        ChanceVerdict.BETTER: _("The chances told who would make it better than taking all for equally likely."),
        ChanceVerdict.UNDECIDED: _(
            "Whether the chances told more than taking all for equally likely cannot be seen yet."
        ),
        ChanceVerdict.WORSE: _("The chances told less than taking all for equally likely: they were bad."),
    }[calibration.verdict]
    return f"{verdict} " + _("What came fits what was told in %(fitting)s of %(bands)s bands.") % facts  # fmt: skip


def band_text(band: Band) -> str:
    return _("%(low)s to %(high)s%%") % {"low": round(100 * band.low), "high": round(100 * band.high)}
