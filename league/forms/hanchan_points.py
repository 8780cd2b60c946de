"""The form of a hanchan known only by points: players, points, and placements if known."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from league.core.limits import MAX_NOTE_LENGTH, MAX_ROUND, MAX_TABLE
from league.forms.entry import prefill
from league.forms.entry.fields import MomentField, checked_moment, correction_fields
from league.forms.entry.sentences import result_sentence
from league.forms.points import PointsField, read_together
from league.messages import plain_name
from league.models import Hanchan, Session
from league.selectors.games import seats_of
from league.services.entry import TypedResult
from league.services.results import ResultError, TableAndTime, result_of
from scoring.core import FinishedGame, ScoringError, ScoringRules, score, worked_out
from scoring.messages import scoring_error_sentence

PLACES = [("", "—"), *((str(place), str(place)) for place in range(1, 5))]


class HanchanPointsForm(forms.Form):
    """Player, points and placement by seat; raw scores are derived if the rules allow it.

    `hanchan`: the stored one to correct. `entry`: the result of a valid form. `sum_problem`: the error message if the
    total is wrong.
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
        self,
        data: Mapping[str, Any] | None = None,
        *,
        session: Session,
        rules: ScoringRules,
        hanchan: Hanchan | None = None,
        **options: Any,
    ) -> None:
        super().__init__(data, **options)
        self.rules, self.hanchan, self.sum_problem = rules, hanchan, ""
        self.entry: TypedResult | None = None
        self._players = {str(player.pk): player for player in session.league.players.active().by_reading()}
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
        if hanchan is not None:
            self.fields["round"].required, self.fields["round"].help_text = True, ""
            self.fields |= {"played_at": MomentField()} | correction_fields()
        read_together(self)

    def rows(self) -> Iterator[tuple[Any, Any, Any]]:
        return ((self[f"player_{seat}"], self[f"points_{seat}"], self[f"place_{seat}"]) for seat in self.seats)

    def clean_played_at(self) -> datetime | None:
        return checked_moment(self.cleaned_data["played_at"], self.initial["played_at"])

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or self.cleaned_data
        if not self.errors:
            self.entry = self._read(values)
        return values

    def _read(self, values: Mapping[str, Any]) -> TypedResult | None:
        players = tuple(self._players[values[f"player_{seat}"]] for seat in self.seats)
        points = tuple(values[f"points_{seat}"] for seat in self.seats)
        places = tuple(int(values[f"place_{seat}"] or 0) for seat in self.seats)
        if any(places) and not all(places):
            self.add_error(None, _("Enter a placement for everyone, or leave all placements blank."))
            return None
        known, note = result_of(self.hanchan) if self.hanchan else None, values["note"]
        game, found = FinishedGame((), points=points, placements=places if all(places) else ()), None
        stays = known is not None and (points, game.placements) == (known.game.points, known.game.placements)
        try:
            found = None if stays else worked_out(points, self.rules, game.placements)
            score(found or game, self.rules)
        except ScoringError as error:
            sentence = scoring_error_sentence(error, [plain_name(player) for player in players])
            if error.code != "points_unbalanced":
                self.add_error(None, sentence)
                return None
            self.sum_problem = sentence
            if not values["as_is"]:
                self.add_error(None, sentence)
            elif not note:
                self.add_error("note", result_sentence(ResultError("as_is_unexplained")))
        game = replace(found or game, as_is=bool(self.sum_problem))
        place = TableAndTime(values["table"], values["round"], values.get("played_at"))
        entry = TypedResult(players, game, place, note=note, worked_out=found is not None)
        return replace(entry, end_reason=known.end_reason, yakuman=known.yakuman) if known else entry

    @property
    def asks_as_is(self) -> bool:
        return bool(self.sum_problem or self.initial.get("as_is"))

    def refuse(self, error: ResultError | ScoringError) -> None:
        """Add the error that prevented saving."""
        self.add_error(
            None, result_sentence(error) if isinstance(error, ResultError) else scoring_error_sentence(error)
        )

    @property
    def names(self) -> list[str]:
        return [plain_name(person) for person in self.entry.seated] if self.entry else []

    def saw(self, version: int) -> None:
        """Record the version now shown, so that saving again knowingly overwrites it."""
        self.data = {**dict(self.data.items()), "seen_version": str(version)}


def of_hanchan(hanchan: Hanchan) -> dict[str, Any]:
    """Return the initial values for a stored hanchan known only by points."""
    values = prefill.of_hanchan(hanchan) | {"as_is": hanchan.as_is}
    for seat in seats_of(hanchan):
        values |= {f"points_{seat.seat}": seat.points, f"place_{seat.seat}": str(seat.placement)}
    return values


def again(hanchan: Hanchan) -> dict[str, Any]:
    """Return the values of a voided hanchan as initial values of a new one."""
    return {name: value for name, value in of_hanchan(hanchan).items() if name not in {"seen_version", "round"}}
