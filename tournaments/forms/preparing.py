"""Drawing blocks, planning dates, and sessions that count in a stage."""

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from league.core.limits import MAX_VENUE_LENGTH
from league.forms.sessions import ClockField, DayField
from league.models import Session
from tournaments.core.format import Format, Stage
from tournaments.messages.titles import block_name, stage_name
from tournaments.models import Entry, StageSession
from tournaments.services.drawing import MAX_SEED
from tournaments.services.planning import PlannedSession, SessionPlan

REASON = 300
MAX_SESSIONS = 200


class SeedField(forms.IntegerField):
    """A number from which lots or seats are worked out."""

    def __init__(self, **options: Any) -> None:
        options.setdefault("widget", forms.NumberInput(attrs={"inputmode": "numeric"}))
        super().__init__(min_value=0, max_value=MAX_SEED, **options)


class LotDrawForm(forms.Form):
    """The number of a draw, and the blocks that the person saw."""

    seed = SeedField(label=_("Number of the draw"), help_text=_("For example a figure that everybody hears of later."))
    shown = forms.CharField(max_length=20_000, widget=forms.HiddenInput, required=False)
    reason = forms.CharField(label=_("Reason"), max_length=REASON, required=False)


class ManualDrawForm(forms.Form):
    """A block for every player of a stage."""

    def __init__(self, *args: Any, stage: Stage, entries: Sequence[Entry], again: bool, **options: Any) -> None:
        super().__init__(*args, **options)
        self.stage, self.entries = stage, entries
        for entry in entries:
            self.fields[f"block_{entry.pk}"] = forms.ChoiceField(
                label=entry.player.name,
                choices=[("", _("choose")), *((key, block_name(key)) for key in stage.block_keys)],
            )
        if again:
            self.fields["reason"] = forms.CharField(label=_("Reason"), max_length=REASON)

    def blocks(self) -> dict[str, list[int]]:
        """Return who was put where."""
        return {
            key: [entry.pk for entry in self.entries if self.cleaned_data[f"block_{entry.pk}"] == key]
            for key in self.stage.block_keys
        }


class SessionPlanForm(forms.Form):
    """A date for every session that is still to be planned; those without one are planned later."""

    venue = forms.CharField(label=_("Venue"), max_length=MAX_VENUE_LENGTH, required=False)
    seed = SeedField(
        label=_("Number of the seating"),
        help_text=_("The same players and the same number always give the same tables. Keep it for the whole stage."),
    )

    def __init__(self, *args: Any, stage: Stage, sessions: Sequence[tuple[int, str]], **options: Any) -> None:
        super().__init__(*args, **options)
        self.sessions = {
            f"date_{number}_{stage.block_keys.index(block) if block else 'all'}": (number, block)
            for number, block in sessions
        }
        for name, (number, block) in self.sessions.items():
            self.fields[name] = DayField(label=session_label(stage, number, block), required=False)
        self.order_fields([*self.sessions, "venue", "seed"])

    def clean(self) -> dict[str, Any]:
        """Check that there is any date."""
        values = super().clean() or self.cleaned_data
        if not self.errors and not any(values.get(name) for name in self.sessions):
            raise ValidationError(_("Choose at least one date."))
        return values

    def plan(self) -> SessionPlan:
        """Return the sessions that have a date."""
        days = {name: self.cleaned_data[name] for name in self.sessions}
        sessions = tuple(
            PlannedSession(number, block, days[name]) for name, (number, block) in self.sessions.items() if days[name]
        )
        return SessionPlan(sessions, self.cleaned_data["venue"], self.cleaned_data["seed"])


def session_label(stage: Stage, number: int, block: str) -> str:
    """Return what a session of a stage is called inside the stage."""
    facts = {"number": number, "block": block}
    if block and len(stage.blocks) > 1:
        return _("Session %(number)s, block %(block)s") % facts
    return _("Session %(number)s") % facts


class PostponeTableForm(forms.Form):
    """Which table is played on another day, when, and why."""

    table = forms.TypedChoiceField(label=_("Table"), coerce=int, choices=())
    to = DayField(label=_("New date"))
    start_time = ClockField(
        label=_("Start"), required=False, help_text=_("By the league's clock. It may be left empty.")
    )
    reason = forms.CharField(label=_("Reason"), max_length=REASON)

    def __init__(self, *args: Any, tables: Sequence[tuple[int, str]], **options: Any) -> None:
        super().__init__(*args, **options)
        choice: Any = self.fields["table"]
        choice.choices = tables


class NextRoundForm(forms.Form):
    """The block whose next hanchan is put together, and the number for what the standings leave open."""

    block = forms.ChoiceField(label=_("Block"), choices=())
    seed = SeedField(label=_("Number of the seating"), initial=1)

    def __init__(self, *args: Any, stage: Stage, **options: Any) -> None:
        super().__init__(*args, **options)
        choice: Any = self.fields["block"]
        choice.choices = [(key, block_name(key)) for key in stage.block_keys]
        if len(stage.blocks) == 1:
            choice.widget = forms.HiddenInput()
            choice.initial = stage.block_keys[0]


class LinkSessionForm(forms.Form):
    """A session of the league, and the stage or block in which its hanchan count."""

    session = forms.ModelChoiceField(label=_("Session"), queryset=Session.objects.none())
    where = forms.ChoiceField(label=_("Counts in"), choices=())
    number = forms.IntegerField(label=_("Number of the session in the stage"), min_value=1, max_value=99, initial=1)

    def __init__(self, *args: Any, format_: Format, sessions: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        listed: Any = self.fields["session"]
        listed.queryset = sessions
        listed.label_from_instance = _session_label
        where: Any = self.fields["where"]
        where.choices = list(_stages_and_blocks(format_))

    def stage_session(self) -> StageSession:
        """Return the session of the stage, not stored."""
        stage, _, block = self.cleaned_data["where"].partition("/")
        return StageSession(stage=stage, block=block, number=self.cleaned_data["number"])


def _session_label(session: Session) -> str:
    day: date = session.date
    return f"{day:%Y/%m/%d} {session}"


def _stages_and_blocks(format_: Format) -> Iterator[tuple[str, Any]]:
    for stage in format_.stages:
        if len(stage.blocks) == 1:
            yield stage.key, stage_name(stage)
        else:
            blocks = [(f"{stage.key}/{key}", f"{stage_name(stage)} · {block_name(key)}") for key in stage.block_keys]
            yield stage_name(stage), [(stage.key, _("all blocks")), *blocks]
