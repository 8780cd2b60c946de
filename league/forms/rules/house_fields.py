"""The rules of a house as fields of a form, made from the sentences they are on a rule sheet."""

from collections.abc import Iterator, Mapping
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.functional import lazy
from django.utils.translation import gettext_lazy as _

from league.forms.points import SticksField
from league.forms.rules.house_helps import HELPS
from league.forms.rules.rows import ChipCountField, ChipsField
from scoring.core.house import MAX_HOUSE_TEXT_LENGTH, HouseRules, said
from scoring.core.reading import is_unreadable
from scoring.messages import parameter_label
from scoring.messages.house import CLAUSES, OTHERS
from scoring.messages.house.clauses import Clause

PREFIX = "house_"

NONE = "none_of_them"
"""What is ticked to say that a rule has no kind at all, which is more than not to say it."""

SWITCHES = {True: "yes", False: "no"}

COUNTED = ("red_fives", "chips.red", "chips.gold", "chips.ippatsu", "chips.ura", "chips.yakuman_ron", "chips.yakuman_tsumo_each")  # fmt: skip
"""Rules whose number counts things; the others with a number are points that sticks show."""

TEXTS = ("text.ja", "text.en")

NOT_SAID = ("", _("not said"))

PATHS: Mapping[str, str] = {f"{PREFIX}{path.replace('.', '_')}": path for path in (*CLAUSES, *TEXTS)}
"""Which rule each field asks for."""


class PlainTextField(forms.CharField):
    """Lines of plain text: what steers a machine and is not seen goes away, and every line ends in a line feed."""

    def to_python(self, value: Any) -> str:
        typed = super().to_python(value) or ""
        lines = (line.replace("\t", " ") for line in typed.splitlines())
        kept = ("".join(sign for sign in line if not is_unreadable(sign)).rstrip() for line in lines)
        return "\n".join(kept).strip()


class SomeField(forms.MultipleChoiceField):
    """Some of several kinds, none of them at all, or nothing said."""

    widget = forms.CheckboxSelectMultiple

    def clean(self, value: Any) -> list[str]:
        """Return what is ticked. Raises ValidationError for kinds beside none."""
        ticked: list[str] = super().clean(value)
        if NONE in ticked and len(ticked) > 1:
            raise ValidationError(_("Tick either some of them or “none of them”."))
        return ticked


def house_fields() -> Iterator[tuple[str, forms.Field]]:
    for name, path in PATHS.items():
        yield name, _field(path, {"label": _label(path), "help_text": HELPS[path], "required": False})


def _label(path: str) -> Any:
    """Return the name of a rule, looked up when a page is made: labels are older than the language of their reader."""
    return CLAUSES[path].label if path in CLAUSES else lazy(parameter_label, str)(f"house.{path}")


def _field(path: str, options: dict[str, Any]) -> forms.Field:
    if path in TEXTS:
        area = forms.Textarea(attrs={"rows": 6})
        return PlainTextField(max_length=MAX_HOUSE_TEXT_LENGTH, widget=area, **options)
    if path == OTHERS:
        return ChipsField(**options)
    clause = CLAUSES[path]
    if clause.members:
        return SomeField(choices=_kinds(clause), **options)
    if clause.options:
        return forms.ChoiceField(choices=_choices(clause), **options)
    return ChipCountField(**options) if path in COUNTED else SticksField(**options)


def _kinds(clause: Clause) -> list[tuple[str, Any]]:
    return [*clause.members.items(), (NONE, _("none of them"))]


def _choices(clause: Clause) -> list[tuple[str, Any]]:
    return [NOT_SAID, *((_key(value), sentence) for value, sentence in clause.options.items())]


def _key(value: object) -> str:
    return SWITCHES[value] if isinstance(value, bool) else str(value)


def house_from(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the table of a house's rules that the answers mean; what is not said is left out."""
    table: dict[str, Any] = {}
    for name, path in PATHS.items():
        answer = _meant(values[name])
        if answer is None:
            continue
        *above, last = path.split(".")
        held = table.setdefault(above[0], {}) if above else table
        held[last] = answer
    return table


def _meant(answer: Any) -> Any:
    """Return the value of a parameter that an answer stands for, None for nothing."""
    if isinstance(answer, list) and answer and not isinstance(answer[0], dict):
        return [kind for kind in answer if kind != NONE]
    switches = {key: value for value, key in SWITCHES.items()}
    if isinstance(answer, str) and answer in switches:
        return switches[answer]
    return None if answer in ("", None, []) else answer


def house_answers(house: HouseRules | None) -> dict[str, Any]:
    values = said(house) if house else {}
    return {name: _answer(values[path]) for name, path in PATHS.items() if path in values}


def _answer(value: Any) -> Any:
    if isinstance(value, tuple) and value and isinstance(value[0], tuple):
        return value
    if isinstance(value, tuple):
        return list(value) or [NONE]
    return SWITCHES[value] if isinstance(value, bool) else value
