"""Points of a session of which only the sums are known: one line per player."""

from collections.abc import Iterator, Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from league.core.limits import MAX_PUBLIC_REASON_LENGTH, MAX_SESSION_HANCHAN
from league.core.numbers import small_number
from league.forms.points import PointsField
from league.messages import plain_name
from league.messages.session_points import session_points_sentence
from league.models import Player, Session
from league.selectors.planning import plan_of
from league.services.session_points import SessionPointsError

MORE_LINES = 4
MAX_LINES = 40


class SessionPointsForm(forms.Form):
    """Who got how many points, for how many hanchan they stand, and a note where they do not add up to 0."""

    hanchan = forms.IntegerField(
        label=_("Hanchan they stand for"),
        min_value=1,
        max_value=MAX_SESSION_HANCHAN,
        help_text=_("How many hanchan of each player these points come from. They are not counted as hanchan played."),
    )
    note = forms.CharField(
        label=_("Note"),
        max_length=MAX_PUBLIC_REASON_LENGTH,
        required=False,
        help_text=_("Everybody can read it. It is needed where the points do not add up to 0."),
    )

    def __init__(self, data: Mapping[str, Any] | None = None, *, session: Session, **options: Any) -> None:
        super().__init__(data, **options)
        players = session.league.players.active().by_reading()
        self._players = {str(player.pk): player for player in players}
        choices = [("", "—"), *((key, plain_name(player)) for key, player in self._players.items())]
        self.lines = _lines(data or self.initial)
        for line in range(self.lines):
            self.fields[f"player_{line}"] = forms.ChoiceField(label=_("Player"), choices=choices, required=False)
            self.fields[f"points_{line}"] = PointsField(label=_("Points"), required=False)
            for name in ("player", "points"):
                self.fields[f"{name}_{line}"].widget.attrs["aria-labelledby"] = f"{name}-head line-{line}"

    def rows(self) -> Iterator[tuple[Any, Any]]:
        """Yield player and points of each line."""
        return ((self[f"player_{line}"], self[f"points_{line}"]) for line in range(self.lines))

    def clean(self) -> dict[str, Any]:
        """Return the values with the filled lines as `lines`, points by player."""
        values: dict[str, Any] = super().clean() or self.cleaned_data
        lines: dict[Player, int] = {}
        for line in range(self.lines):
            player = self._players.get(values.pop(f"player_{line}", "") or "")
            points = values.pop(f"points_{line}", None)
            if player is None and points is None:
                continue
            if player is None:
                self._add_once(f"player_{line}", _("Whose points are these? Choose the player."))
            elif points is None:
                self._add_once(f"points_{line}", _("Type the points, 0 included."))
            elif player in lines:
                self.add_error(f"player_{line}", _("This player stands in a line above already."))
            else:
                lines[player] = points
        values["lines"] = lines
        return values

    def _add_once(self, name: str, message: Any) -> None:
        if name not in self.errors:
            self.add_error(name, message)

    @property
    def total(self) -> int:
        """The sum of the lines that could be read, in 1/1000 pt."""
        return sum(self.cleaned_data.get("lines", {}).values())

    def refuse(self, error: SessionPointsError) -> None:
        """Show why the service did not take the points."""
        field = {"unbalanced": "note", "hanchan": "hanchan"}.get(error.code)
        self.add_error(field, session_points_sentence(error.code, error.values))


def proposed_lines(session: Session) -> dict[str, Any]:
    """Return what stands in an empty form: those who are planned for the session, else four empty lines."""
    entered = set(session.points_without_hanchan.filter(withdrawn=False).values_list("player", flat=True))
    planned = {
        player.pk: player for _, _, players in plan_of(session) for player in players if player.pk not in entered
    }
    lines = {f"player_{line}": pk for line, pk in enumerate(list(planned)[:MAX_LINES])}
    return {**lines, "lines": max(len(lines), MORE_LINES)}


def more_lines(sent: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was typed, with room for more players."""
    return {**{name: sent.get(name, "") for name in sent}, "lines": min(_lines(sent) + MORE_LINES, MAX_LINES)}


def _lines(values: Mapping[str, Any]) -> int:
    asked = small_number(str(values.get("lines", "")), MORE_LINES, digits=3)
    return max(1, min(asked, MAX_LINES))
