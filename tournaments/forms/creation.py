from copy import copy
from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from django.utils.text import slugify
from django.utils.translation import gettext_lazy as _

from league.core.numbers import small_number
from league.forms.names import NameField
from league.forms.seen import SeenValues
from league.messages import joined
from league.models import League, RulesetVersion
from tournaments.core import reading
from tournaments.core.length import ADJUSTABLE, with_length
from tournaments.core.problems import FormatError
from tournaments.messages.choosing import FormatCard, format_cards
from tournaments.messages.errors import format_problem_sentence
from tournaments.messages.titles import stage_name
from tournaments.models import Tournament
from tournaments.services.setup import DETAILS

OWN = "own"
"""Choice for a custom format instead of a built-in one."""

KEY_LENGTH = 60
MAX_ENTRANTS = 1000
MAX_LENGTH = 100

TIMES = (
    ("", _("Not decided")),
    ("evening", _("One evening, up to 4 hanchan")),
    ("day", _("One day, up to 8 hanchan")),
    ("days", _("Several days or a season")),
)
LENGTHS = {"hanchan": _("Hanchan per player"), "sessions": _("Sessions of four hanchan")}


class DetailsForm(SeenValues, forms.ModelForm):  # type: ignore[type-arg]
    class Meta:
        model = Tournament
        fields: ClassVar[tuple[str, ...]] = DETAILS
        field_classes: ClassVar[dict[str, Any]] = {"name": NameField, "name_en": NameField}
        labels: ClassVar[dict[str, Any]] = {"shows_chances": _("Show chances")}
        widgets: ClassVar[dict[str, Any]] = {"note": forms.Textarea(attrs={"rows": 3})}
        help_texts: ClassVar[dict[str, Any]] = {
            "strict_entry": _(
                "No score is filled in automatically and the total must be right, so typing errors are noticed at "
                "once. If unticked, the league's setting applies. Past sessions are not changed."
            ),
            "shows_chances": _(
                "Show the chances of advancing and winning in percent, and afterwards how likely the outcome was. "
                "Conditions, and who is through or out, are always shown."
            ),
            "note": _("Shown on the tournament page."),
        }

    def __init__(self, *args: Any, league: League, **options: Any) -> None:
        super().__init__(*args, **options)
        self.league = league
        versions = RulesetVersion.objects.filter(ruleset__league=league).select_related("ruleset")
        self.versions = versions.order_by("ruleset__name", "-number")
        rules: Any = self.fields["ruleset_version"]
        rules.queryset = self.versions
        self.rules = rules


class TournamentForm(DetailsForm):
    """Details of a tournament. The form changes a copy of it; saving is up to the service."""

    field_order = ("name", "name_en", "ruleset_version")

    def __init__(self, *args: Any, tournament: Tournament) -> None:
        super().__init__(*args, league=tournament.league, instance=copy(tournament))
        self.rules.empty_label = None
        self.stages = {f"rules_{number}": stage for number, stage in enumerate(tournament.format.stages)}
        if len(self.stages) > 1:
            self.fields |= {
                name: forms.ModelChoiceField(
                    label=_("Rules: %(stage)s") % {"stage": stage_name(stage)},
                    queryset=self.versions,
                    required=False,
                    initial=tournament.stage_rules.get(stage.key),
                    empty_label=_("the tournament's rules"),
                )
                for name, stage in self.stages.items()
            }

    def facts(self) -> dict[str, Any]:
        own = {stage.key: self.cleaned_data.get(name) for name, stage in self.stages.items()}
        return {name: self.cleaned_data[name] for name in DETAILS} | {"stage_rules": own}


class NewTournamentForm(DetailsForm):
    entrants = forms.IntegerField(
        label=_("How many people?"),
        min_value=3,
        max_value=MAX_ENTRANTS,
        required=False,
        help_text=_("An estimate is enough."),
    )
    time = forms.ChoiceField(
        label=_("How long do you have?"), choices=TIMES, required=False, initial="", widget=forms.RadioSelect
    )
    format = forms.ChoiceField(
        label=_("Format"),
        choices=(),
        widget=forms.RadioSelect,
        error_messages={"required": _("Choose a format from the list.")},
    )
    document = forms.CharField(
        label=_("Format file"),
        max_length=reading.MAX_FILE_LENGTH,
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 12, "class": "code", "spellcheck": "false"}),
        help_text=_("Change this example. It is checked before it is used."),
    )

    class Meta(DetailsForm.Meta):
        fields = (*DETAILS, "key")
        widgets: ClassVar[dict[str, Any]] = DetailsForm.Meta.widgets | {
            "key": forms.TextInput(attrs={"autocapitalize": "none", "autocomplete": "off", "spellcheck": "false"})
        }
        help_texts: ClassVar[dict[str, Any]] = DetailsForm.Meta.help_texts | {
            "key": _("a-z, 0-9 and hyphens. If blank, it is derived from the English name.")
        }

    field_order = (
        "name",
        "entrants",
        "time",
        "format",
        "document",
        "name_en",
        "key",
        "ruleset_version",
        "strict_entry",
        "shows_chances",
        "note",
    )

    def __init__(self, *args: Any, league: League, **options: Any) -> None:
        super().__init__(*args, league=league, is_new=True, **options)
        self.rules.required = self.fields["key"].required = False
        self.rules.empty_label = _("as shown with the format")
        shipped: Any = self.fields["format"]
        shipped.choices = [*((key, key) for key in reading.format_keys()), (OWN, OWN)]
        self.fields |= {f"adjust_{key}": field for key in reading.format_keys() if (field := _adjusting(key))}
        self.format_document: dict[str, Any] = {}

    @property
    def people(self) -> int | None:
        text = str(self["entrants"].value() or "")
        return int(text) or None if text.isdecimal() and len(text) < 5 else None

    def cards(self) -> list[tuple[FormatCard, Any]]:
        """Return the formats for the people and the time asked for, each with the field of what can be adjusted."""
        given = self.data if self.is_bound else self.initial
        typed = {key: str(given.get(f"adjust_{key}") or "") for key in ADJUSTABLE}
        lengths = {key: small_number(text, 0, digits=len(str(MAX_LENGTH))) for key, text in typed.items()}
        cards = list(format_cards(self.people, self["time"].value() or "", lengths))
        self.initial = {**{f"adjust_{card.format.key}": card.adjusts for card in cards}, **self.initial}
        names = [f"adjust_{card.format.key}" for card in cards]
        return [(card, self[name] if name in self.fields else None) for card, name in zip(cards, names, strict=True)]

    def clean_key(self) -> str:
        """Raise ValidationError if the key is already taken."""
        key: str = self.cleaned_data["key"]
        if key and self.league.tournaments.filter(key=key).exists():
            raise ValidationError(
                _("Another tournament of the league uses the address “%(key)s”. Choose another one."),
                params={"key": key},
            )
        return key

    def clean(self) -> dict[str, Any]:
        values = super().clean() or self.cleaned_data
        if values.get("format"):
            self._read_format(values)
        if not values.get("key") and "key" not in self.errors and values.get("name"):
            values["key"] = self._free_key(values)
        return values

    def tournament(self) -> Tournament:
        found: Tournament = self.instance
        found.league, found.format_key, found.document = self.league, self.cleaned_data["format"], self.format_document
        return found

    def _read_format(self, values: dict[str, Any]) -> None:
        key = values["format"]
        if key == OWN and "document" in self.errors:
            return
        if key == OWN and not (values.get("document") or "").strip():
            self.add_error("document", ValidationError(_("Enter a format, or choose one from the list.")))
            return
        try:
            document = reading.parse_toml(values["document"]) if key == OWN else reading.load_document(key)
            document.pop("example", None)
            self.format_document = self._adjusted(document, values)
            reading.read_format(key, self.format_document)
        except FormatError as error:
            asks_number = any(problem.code == "wrong_entrants" for problem in error.problems)
            field = "entrants" if asks_number else "document"
            self.add_error(field, [ValidationError(format_problem_sentence(problem)) for problem in error.problems])

    def _adjusted(self, document: dict[str, Any], values: dict[str, Any]) -> dict[str, Any]:
        key, numbers = values["format"], reading.entrant_choices(document)
        field = "entrants" if key == OWN else f"adjust_{key}"
        given = values.get(field) or (values.get("entrants") if values.get("entrants") in numbers else None)
        if key in ADJUSTABLE and given:
            return with_length(document, key, given)
        if not numbers or field in self.errors:
            return document
        if given is None:
            text = _("This format is for %(choices)s players. Choose one.")
            self.add_error(field, ValidationError(text, params={"choices": joined(numbers)}))
            return document
        return reading.document_for(document, given)

    def _free_key(self, values: dict[str, Any]) -> str:
        name = slugify(values.get("name_en") or values["name"]) or values.get("format") or "tournament"
        base = name.replace("_", "-").strip("-")[: KEY_LENGTH - 4] or "tournament"
        taken = set(self.league.tournaments.values_list("key", flat=True))
        numbered = (f"{base}-{number}" for number in range(2, len(taken) + 3))
        return next(key for key in (base, *numbered) if key not in taken)


def _adjusting(key: str) -> forms.Field | None:
    if choices := reading.entrant_choices(reading.load_document(key)):
        options = [("", "—"), *((number, number) for number in choices)]
        return forms.TypedChoiceField(
            label=_("Number of players"), choices=options, coerce=int, empty_value=None, required=False
        )
    if key in ADJUSTABLE:
        return forms.IntegerField(label=LENGTHS[ADJUSTABLE[key]], min_value=1, max_value=MAX_LENGTH, required=False)
    return None
