"""Drawing blocks, tables that are postponed, and sessions that count in a stage."""

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from league.forms.seen import SeenWhole
from league.forms.sessions import ClockField, DayField
from league.models import Session
from tournaments.core.format import Format, Stage
from tournaments.messages.titles import block_name, stage_name
from tournaments.models import Entry, StageSession
from tournaments.services.drawing import MAX_SEED

REASON = 300
MAX_SESSIONS = 200


class SeedField(forms.IntegerField):
    def __init__(self, **options: Any) -> None:
        options.setdefault("widget", forms.NumberInput(attrs={"inputmode": "numeric"}))
        super().__init__(min_value=0, max_value=MAX_SEED, **options)


class LotDrawForm(SeenWhole, forms.Form):
    seed = SeedField(label=_("Number of the draw"), help_text=_("For example a figure that everybody hears of later."))
    shown = forms.CharField(max_length=20_000, widget=forms.HiddenInput, required=False)
    reason = forms.CharField(label=_("Reason"), max_length=REASON, required=False)


class ManualDrawForm(SeenWhole, forms.Form):
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
        return {
            key: [entry.pk for entry in self.entries if self.cleaned_data[f"block_{entry.pk}"] == key]
            for key in self.stage.block_keys
        }


def session_label(stage: Stage, number: int, block: str) -> str:
    facts = {"number": number, "block": block}
    if block and len(stage.blocks) > 1:
        return _("Session %(number)s, block %(block)s") % facts
    return _("Session %(number)s") % facts


class PostponeTableForm(forms.Form):
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


class LinkSessionForm(forms.Form):
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
