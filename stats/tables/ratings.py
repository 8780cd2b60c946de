from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from math import expm1

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from stats.core.ratings.prediction import Judged, PredictionVerdict
from stats.core.ratings.skill import MIN_HANCHAN
from stats.models import PlayerRating
from stats.selectors.ratings import Predictions


@dataclass(frozen=True, slots=True)
class RatingLine:
    """A player's line. `is_latest`: the player took part in the league's latest session."""

    rating: PlayerRating
    is_provisional: bool
    is_latest: bool


def rating_lines(ratings: Iterable[PlayerRating], last_day: date | None) -> list[RatingLine]:
    return [RatingLine(each, each.hanchan < MIN_HANCHAN, each.day == last_day) for each in ratings]


@dataclass(frozen=True, slots=True)
class PredictionLine:
    """How well a rating has predicted. `gain`, `margin`: 1/1000 nat per hanchan, None with too few predictions.

    `likelier`, `least`, `most`: how much more likely than chance the rating judged the actual results, in 1/1000 %,
    with its range.
    """

    name: Promise
    verdict: PredictionVerdict
    hanchan: int
    gain: int | None = None
    margin: int | None = None
    likelier: int = 0
    least: int = 0
    most: int = 0


TENHOU, SKILL = _("Tenhou R"), _("Skill")


def prediction_lines(state: Predictions) -> list[PredictionLine]:
    return [_predicted(TENHOU, state.tenhou), _predicted(SKILL, state.skill)]


def _predicted(name: Promise, judged: Judged) -> PredictionLine:
    if judged.verdict is PredictionVerdict.TOO_FEW:
        return PredictionLine(name, judged.verdict, judged.hanchan)
    mean, margin = judged.mean, judged.margin
    likelier = (_percent(value) for value in (mean, mean - margin, mean + margin))
    return PredictionLine(name, judged.verdict, judged.hanchan, round(1000 * mean), round(1000 * margin), *likelier)


def _percent(gain: float) -> int:
    """Return a gain in log-likelihood as a percentage over chance, in 1/1000 %, rounded to one decimal."""
    return 100 * round(1000 * expm1(gain))
