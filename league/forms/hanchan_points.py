"""Forms for a hanchan known only by points: players, points, and placements if known."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from league.core.limits import MAX_NOTE_LENGTH, MAX_ROUND, MAX_TABLE
from league.forms.entry.fields import MomentField, checked_moment, correction_fields
from league.forms.entry.sentences import result_sentence
from league.forms.points import PointsField, read_together
from league.messages import plain_name
from league.models import Hanchan, Player, Session
from league.selectors.games import game_of, seats_of
from league.services.results import HanchanResult, ResultError, TableAndTime, result_of
from scoring.core import FinishedGame, ScoringError, ScoringRules, score, worked_out
from scoring.messages import scoring_error_sentence

PLACES = [("", "—"), *((str(place), str(place)) for place in range(1, 5))]


class HanchanPointsForm(forms.Form):
    """Player, points and placement by seat; raw scores are derived if the rules allow it.

    `sum_problem`: the error message if the total is wrong.
    """

    table = forms.IntegerField(label=gettext_lazy("Table"), min_value=1, max_value=MAX_TABLE, initial=1)
    round = forms.IntegerField(
        label=gettext_lazy("Round"),
        min_value=1,
        max_value=MAX_ROUND,
        required=False,
        help_text=gettext_lazy("Leave blank for the next round."),
    )
    note = forms.CharField(label=gettext_lazy("Note"), max_length=MAX_NOTE_LENGTH, required=False)
    as_is = forms.BooleanField(label=gettext_lazy("Accept the wrong total"), required=False)

    def __init__(
        self, data: Mapping[str, Any] | None = None, *, session: Session, rules: ScoringRules, **options: Any
    ) -> None:
        super().__init__(data, **options)
        self.session, self.rules, self.sum_problem = session, rules, ""
        players = session.league.players.active().by_reading()
        self._players = {str(player.pk): player for player in players}
        people = [("", "—"), *((key, plain_name(player)) for key, player in self._players.items())]
        self.seats = range(rules.players or 0)
        for seat in self.seats:
            self.fields[f"player_{seat}"] = forms.ChoiceField(label=gettext_lazy("Player"), choices=people)
            self.fields[f"points_{seat}"] = PointsField(label=gettext_lazy("Points"))
            self.fields[f"place_{seat}"] = forms.ChoiceField(
                label=gettext_lazy("Placement"), choices=PLACES, required=False
            )
            for name in ("player", "points", "place"):
                self.fields[f"{name}_{seat}"].widget.attrs["aria-labelledby"] = f"{name}-head line-{seat}"
        read_together(self)

    def rows(self) -> Iterator[tuple[Any, Any, Any]]:
        return ((self[f"player_{seat}"], self[f"points_{seat}"], self[f"place_{seat}"]) for seat in self.seats)

    def clean(self) -> dict[str, Any]:
        """Set `result` in the cleaned data if the input is valid."""
        values: dict[str, Any] = super().clean() or self.cleaned_data
        if not self.errors:
            values["result"] = self._result(values)
        return values

    def _result(self, values: Mapping[str, Any]) -> HanchanResult | None:
        players: list[Player] = [self._players[values[f"player_{seat}"]] for seat in self.seats]
        points = tuple(values[f"points_{seat}"] for seat in self.seats)
        places = tuple(int(values[f"place_{seat}"] or 0) for seat in self.seats)
        if any(places) and not all(places):
            self.add_error(None, _("Enter a placement for everyone, or leave all placements blank."))
            return None
        placements = places if all(places) else ()
        game = FinishedGame((), points=points, placements=placements, as_is=values["as_is"])
        try:
            found = self._worked_out(game)
        except ScoringError as error:
            self.add_error(None, scoring_error_sentence(error, [plain_name(player) for player in players]))
            return None
        result = HanchanResult(tuple(players), found or game, values["note"].strip(), worked_out=found is not None)
        return result if self._can_be(result, players) else None

    def _worked_out(self, game: FinishedGame) -> FinishedGame | None:
        """Return the game with raw scores derived from the points, or None if they are ambiguous."""
        return worked_out(game.points, self.rules, game.placements)

    def _can_be(self, result: HanchanResult, players: list[Player]) -> bool:
        try:
            score(replace(result.game, as_is=False), self.rules)
        except ScoringError as error:
            sentence = scoring_error_sentence(error, [plain_name(player) for player in players])
            if error.code != "points_unbalanced":
                self.add_error(None, sentence)
                return False
            self.sum_problem = sentence
            if not result.game.as_is:
                self.add_error(None, ValidationError(sentence, "unbalanced"))
            elif not result.note:
                self.add_error("note", result_sentence(ResultError("as_is_unexplained")))
        return not self.errors

    @property
    def result(self) -> HanchanResult:
        """The result of a valid form; `as_is` only if the total is in fact wrong."""
        result: HanchanResult = self.cleaned_data["result"]
        return result if self.sum_problem else replace(result, game=replace(result.game, as_is=False))

    @property
    def table_and_time(self) -> TableAndTime:
        return TableAndTime(self.cleaned_data["table"], self.cleaned_data["round"], even_if_others=self.is_sure)

    @property
    def is_sure(self) -> bool:
        """Whether the user chose to save in spite of a question."""
        return "sure" in self.data

    @property
    def asks_as_is(self) -> bool:
        return bool(self.sum_problem or self.initial.get("as_is"))

    def refuse(self, error: ResultError | ScoringError) -> None:
        """Add the error that prevented saving."""
        self.add_error(
            None, result_sentence(error) if isinstance(error, ResultError) else scoring_error_sentence(error)
        )


class PointsCorrectionForm(HanchanPointsForm):
    """Correction of a stored hanchan known only by points, with a reason."""

    def __init__(self, data: Mapping[str, Any] | None = None, *, hanchan: Hanchan, rules: ScoringRules) -> None:
        stands = of_hanchan(hanchan)
        super().__init__(data, session=hanchan.session, rules=rules, initial=stands)
        self.hanchan, self._game = hanchan, game_of(hanchan)
        self.fields["round"].required, self.fields["round"].help_text = True, ""
        self.fields |= {"played_at": MomentField()} | correction_fields()

    def clean_played_at(self) -> datetime | None:
        """Return the time of play; None if unchanged."""
        return checked_moment(self.cleaned_data["played_at"], self.initial["played_at"])

    def _worked_out(self, game: FinishedGame) -> FinishedGame | None:
        """Return the game with derived raw scores; None if points and placements are unchanged."""
        stays = (game.points, game.placements) == (self._game.points, self._game.placements)
        return None if stays else super()._worked_out(game)

    @property
    def result(self) -> HanchanResult:
        stands = result_of(self.hanchan)
        return replace(super().result, end_reason=stands.end_reason, yakuman=stands.yakuman)

    @property
    def table_and_time(self) -> TableAndTime:
        return replace(super().table_and_time, played_at=self.cleaned_data["played_at"])

    def saw(self, version: int) -> None:
        """Record the version now shown, so that saving again knowingly overwrites it."""
        self.data = {**dict(self.data.items()), "seen_version": str(version)}


def of_hanchan(hanchan: Hanchan) -> dict[str, Any]:
    """Return the initial values for a stored hanchan known only by points."""
    values: dict[str, Any] = {
        "seen_version": hanchan.version,
        **{name: getattr(hanchan, name) for name in ("table", "round", "played_at", "note", "as_is")},
    }
    for seat in seats_of(hanchan):
        values |= {
            f"player_{seat.seat}": str(seat.player_id),
            f"points_{seat.seat}": seat.points,
            f"place_{seat.seat}": str(seat.placement),
        }
    return values


def again(hanchan: Hanchan) -> dict[str, Any]:
    """Return the values of a voided hanchan as initial values of a new one."""
    return {name: value for name, value in of_hanchan(hanchan).items() if name not in {"seen_version", "round"}}
