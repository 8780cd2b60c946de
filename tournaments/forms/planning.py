"""Forms for drawing and planning stages: blocks, days, sessions, postponed tables, and the step after a stage."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from league.core.limits import MAX_REASON_LENGTH, MAX_VENUE_LENGTH
from league.forms.names import NameField
from league.forms.seen import SeenWhole
from league.forms.sessions import LAST_YEAR, ClockField, DayField
from league.messages import full_day_text, plain_name
from league.models import Session
from tournaments.core.calendar import BlockDays, DayPattern, PlannedSession
from tournaments.core.format import Format, Stage
from tournaments.messages.titles import block_name, stage_name
from tournaments.models import Entry, StageSession
from tournaments.services.drawing import MAX_SEED
from tournaments.services.planning import SessionPlan

MAX_SESSIONS = 200


class SeedField(forms.IntegerField):
    def __init__(self, **options: Any) -> None:
        options.setdefault("widget", forms.NumberInput(attrs={"inputmode": "numeric"}))
        super().__init__(min_value=0, max_value=MAX_SEED, **options)


class LotDrawForm(SeenWhole, forms.Form):
    seed = SeedField(label=_("Draw number"), help_text=_("For example, a number that is announced later."))
    shown = forms.CharField(max_length=20_000, widget=forms.HiddenInput, required=False)
    reason = forms.CharField(label=_("Reason"), max_length=MAX_REASON_LENGTH, required=False)


class ManualDrawForm(SeenWhole, forms.Form):
    def __init__(self, *args: Any, stage: Stage, entries: Sequence[Entry], again: bool, **options: Any) -> None:
        super().__init__(*args, **options)
        self.stage, self.entries = stage, entries
        for entry in entries:
            self.fields[f"block_{entry.pk}"] = forms.ChoiceField(
                label=plain_name(entry.player),
                choices=[("", _("choose")), *((key, block_name(key)) for key in stage.block_keys)],
            )
        if again:
            self.fields["reason"] = forms.CharField(label=_("Reason"), max_length=MAX_REASON_LENGTH)

    def blocks(self) -> dict[str, list[int]]:
        return {
            key: [entry.pk for entry in self.entries if self.cleaned_data[f"block_{entry.pk}"] == key]
            for key in self.stage.block_keys
        }


def session_label(stage: Stage, number: int, block: str) -> str:
    facts = {"number": number, "block": block}
    if stage.sessions == 1:
        return block_name(block) if block and len(stage.blocks) > 1 else str(_("Date"))
    if block and len(stage.blocks) > 1:
        return str(_("Session %(number)s, block %(block)s") % facts)
    return _("Session %(number)s") % facts


class PostponeTableForm(forms.Form):
    table = forms.TypedChoiceField(label=_("Table"), coerce=int, choices=())
    to = DayField(label=_("New date"))
    start_time = ClockField(label=_("Start"), required=False, help_text=_("In the league's time zone. Optional."))
    reason = forms.CharField(label=_("Reason"), max_length=MAX_REASON_LENGTH)

    def __init__(self, *args: Any, tables: Sequence[tuple[int, str]], **options: Any) -> None:
        super().__init__(*args, **options)
        choice: Any = self.fields["table"]
        choice.choices = tables


class LinkSessionForm(forms.Form):
    session = forms.ModelChoiceField(label=_("Session"), queryset=Session.objects.none())
    where = forms.ChoiceField(label=_("Counts in"), choices=())
    number = forms.IntegerField(label=_("Session number in the stage"), min_value=1, max_value=99, initial=1)

    def __init__(self, *args: Any, format_: Format, sessions: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        listed: Any = self.fields["session"]
        listed.queryset = sessions
        listed.label_from_instance = lambda session: f"{full_day_text(session.date)} {session}"
        where: Any = self.fields["where"]
        where.choices = list(_stages_and_blocks(format_))

    def stage_session(self) -> StageSession:
        stage, _, block = self.cleaned_data["where"].partition("/")
        return StageSession(stage=stage, block=block, number=self.cleaned_data["number"])


def _stages_and_blocks(format_: Format) -> Iterator[tuple[str, Any]]:
    for stage in format_.stages:
        if len(stage.blocks) == 1:
            yield stage.key, stage_name(stage)
        else:
            blocks = [(f"{stage.key}/{key}", f"{stage_name(stage)} · {block_name(key)}") for key in stage.block_keys]
            yield stage_name(stage), [(stage.key, _("all blocks")), *blocks]


STEPS = (
    (7, _("every week")),
    (14, _("every two weeks")),
    (28, _("every four weeks")),
    (1, _("every day")),
    (0, _("all on one day")),
)
"""Days between sessions."""

BLOCKS = (
    (BlockDays.IN_TURN, _("each block on its own day")),
    (BlockDays.SAME_DAY, _("all blocks on one day, one after another")),
    (BlockDays.TOGETHER, _("all blocks in one session")),
)
MAX_MINUTES = 720


class DayPatternForm(forms.Form):
    first = DayField(label=_("First day"))
    step = forms.TypedChoiceField(label=_("Interval"), coerce=int, choices=STEPS)
    blocks = forms.TypedChoiceField(label=_("Block dates"), coerce=BlockDays, choices=BLOCKS)
    start = ClockField(label=_("Start"), required=False)
    minutes = forms.IntegerField(
        label=_("Minutes between starts on the same day"), min_value=10, max_value=MAX_MINUTES, required=False
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
    venue = NameField(label=_("Venue"), max_length=MAX_VENUE_LENGTH, required=False)
    seed = SeedField(
        label=_("Seating number"),
        help_text=_(
            "The same players and number always give the same tables, so anyone can check the draw. "
            "Use one number for the whole stage."
        ),
    )

    def __init__(self, *args: Any, stage: Stage, sessions: Sequence[PlannedSession], **options: Any) -> None:
        super().__init__(*args, **options)
        numbers: dict[str, object] = {key: number for number, key in enumerate(stage.block_keys)} | {"": "all"}
        self.sessions = {f"{each.number}_{numbers[each.block]}": each for each in sessions}
        self.labels = {name: session_label(stage, each.number, each.block) for name, each in self.sessions.items()}
        for name, each in self.sessions.items():
            day = each.date if each.date.year <= LAST_YEAR else None
            self.fields[f"date_{name}"] = DayField(label=self.labels[name], required=False, initial=day)
            self.fields[f"time_{name}"] = ClockField(label=_("Start"), required=False, initial=each.start_time)

    def rows(self) -> list[tuple[str, forms.BoundField, forms.BoundField]]:
        return [(label, self[f"date_{name}"], self[f"time_{name}"]) for name, label in self.labels.items()]

    def clean(self) -> dict[str, Any]:
        values = super().clean() or self.cleaned_data
        for name in self.sessions:
            if values.get(f"time_{name}") and not values.get(f"date_{name}") and f"date_{name}" not in self.errors:
                self.add_error(f"date_{name}", ValidationError(_("Enter a date too, or clear the start time.")))
        if not self.errors and not any(values.get(f"date_{name}") for name in self.sessions):
            raise ValidationError(_("Choose at least one date."))
        return values

    def plan(self) -> SessionPlan:
        values = self.cleaned_data
        sessions = tuple(
            replace(each, date=values[f"date_{name}"], start_time=values[f"time_{name}"])
            for name, each in self.sessions.items()
            if values[f"date_{name}"]
        )
        return SessionPlan(sessions, values["venue"], values["seed"])


class StepForm(forms.Form):
    seen = forms.CharField(widget=forms.HiddenInput, max_length=40)
    day = DayField(
        label=_("Day"), required=False, help_text=_("If blank, only advancement is approved; tables are planned later.")
    )
    start = ClockField(label=_("Start"), required=False)

    def __init__(self, *args: Any, needs_day: bool, **options: Any) -> None:
        super().__init__(*args, **options)
        if not needs_day:
            del self.fields["day"], self.fields["start"]

    def clean(self) -> dict[str, Any]:
        values = super().clean() or self.cleaned_data
        if values.get("start") and not values.get("day") and "day" not in self.errors:
            self.add_error("day", ValidationError(_("Enter a date too, or clear the start time.")))
        return values

    def plan(self, venue: str) -> SessionPlan | None:
        day, start = self.cleaned_data.get("day"), self.cleaned_data.get("start")
        return SessionPlan((PlannedSession(1, "", day, start),), venue) if day else None
