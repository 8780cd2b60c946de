"""When a stage is played: days by a pattern, then each session's own day and start."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from league.core.limits import MAX_VENUE_LENGTH
from league.forms.names import NameField
from league.forms.sessions import LAST_YEAR, ClockField, DayField
from tournaments.core.calendar import BlockDays, DayPattern, SessionMoment
from tournaments.core.format import Stage
from tournaments.forms.preparing import SeedField, session_label
from tournaments.services.planning import PlannedSession, SessionPlan

STEPS = (
    (7, _("every week")),
    (14, _("every two weeks")),
    (28, _("every four weeks")),
    (1, _("every day")),
    (0, _("all on one day")),
)
"""Days from one session to the next."""

BLOCKS = (
    (BlockDays.IN_TURN, _("each block on a day of its own")),
    (BlockDays.SAME_DAY, _("all blocks on one day, one after another")),
    (BlockDays.TOGETHER, _("all blocks in one session")),
)
MAX_MINUTES = 720


class DayPatternForm(forms.Form):
    first = DayField(label=_("First day"))
    step = forms.TypedChoiceField(label=_("Then"), coerce=int, choices=STEPS)
    blocks = forms.TypedChoiceField(label=_("Days of the blocks"), coerce=BlockDays, choices=BLOCKS)
    start = ClockField(label=_("Start"), required=False)
    minutes = forms.IntegerField(
        label=_("Minutes from start to start on one day"), min_value=10, max_value=MAX_MINUTES, required=False
    )

    def __init__(self, data: Mapping[str, Any], *, usual: DayPattern, choices: Sequence[BlockDays]) -> None:
        asked = {"first": usual.first.isoformat(), "step": usual.step, "blocks": usual.blocks, "minutes": usual.minutes}
        super().__init__({**asked, **{name: data[name] for name in self.base_fields if name in data}})
        self.usual = usual
        blocks: Any = self.fields["blocks"]
        blocks.choices = [(key, label) for key, label in BLOCKS if key in choices]
        if len(choices) < 2:
            blocks.widget = forms.HiddenInput()

    def pattern(self) -> DayPattern:
        if not self.is_valid():
            return self.usual
        values = self.cleaned_data
        minutes = values["minutes"] or self.usual.minutes
        return DayPattern(values["first"], values["step"], values["blocks"], values["start"], minutes)


class SessionPlanForm(forms.Form):
    """A day and perhaps a start for every session still to be planned; those without a day are planned later."""

    venue = NameField(label=_("Venue"), max_length=MAX_VENUE_LENGTH, required=False)
    seed = SeedField(
        label=_("Number of the seating"),
        help_text=_("The same players and the same number always give the same tables. Keep it for the whole stage."),
    )

    def __init__(self, *args: Any, stage: Stage, sessions: Sequence[SessionMoment], **options: Any) -> None:
        super().__init__(*args, **options)
        self.sessions = {_suffix(stage, each): each for each in sessions}
        self.labels = {name: session_label(stage, each.number, each.block) for name, each in self.sessions.items()}
        for name, each in self.sessions.items():
            day = each.day if each.day.year <= LAST_YEAR else None
            self.fields[f"date_{name}"] = DayField(label=self.labels[name], required=False, initial=day)
            self.fields[f"time_{name}"] = ClockField(label=_("Start"), required=False, initial=each.start)

    def rows(self) -> list[tuple[str, forms.BoundField, forms.BoundField]]:
        return [(label, self[f"date_{name}"], self[f"time_{name}"]) for name, label in self.labels.items()]

    def clean(self) -> dict[str, Any]:
        values = super().clean() or self.cleaned_data
        for name in self.sessions:
            if values.get(f"time_{name}") and not values.get(f"date_{name}") and f"date_{name}" not in self.errors:
                self.add_error(f"date_{name}", ValidationError(_("Choose the day too, or take the start away.")))
        if not self.errors and not any(values.get(f"date_{name}") for name in self.sessions):
            raise ValidationError(_("Choose at least one date."))
        return values

    def plan(self) -> SessionPlan:
        days = {name: self.cleaned_data[f"date_{name}"] for name in self.sessions}
        sessions = tuple(
            PlannedSession(each.number, each.block, days[name], self.cleaned_data[f"time_{name}"])
            for name, each in self.sessions.items()
            if days[name]
        )
        return SessionPlan(sessions, self.cleaned_data["venue"], self.cleaned_data["seed"])


def _suffix(stage: Stage, session: SessionMoment) -> str:
    return f"{session.number}_{stage.block_keys.index(session.block) if session.block else 'all'}"
