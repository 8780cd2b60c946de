import copy
from collections.abc import Mapping
from itertools import chain, count
from typing import Any, ClassVar

from django import forms
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.utils.dates import MONTHS
from django.utils.text import slugify
from django.utils.translation import gettext_lazy as _

from league.core.limits import MAX_MINIMUM, MAX_PUBLIC_REASON_LENGTH
from league.core.readings import romaji
from league.forms.names import NameField, PlayerField
from league.forms.points import PointsField
from league.forms.seen import SeenValues, SeenWhole
from league.forms.sessions import DayField
from league.messages import TIEBREAKS
from league.models import League, Membership, Player, Revision, Session
from league.selectors.addresses import is_free
from league.selectors.history import subject_choices
from league.services.leagues import LeagueFacts
from scoring.core import load_cards
from scoring.messages.numbers import in_language


class NewLeagueForm(forms.ModelForm):  # type: ignore[type-arg]
    """Name and rules of a new league. Everything else has a default; an empty address is made from the name."""

    card = forms.ChoiceField(label=_("Rules"))

    class Meta:
        model = League
        fields = ("name", "name_en", "slug", "time_zone", "is_public")
        help_texts: ClassVar = {
            "slug": _(
                "Part of every link to the league, such as /l/friday-league/. Letters, digits and hyphens. If blank, "
                "it is chosen for you."
            ),
            "time_zone": _("Determines the day, month and year in which a hanchan counts."),
            "is_public": _("If unticked, only members can see the league."),
        }
        field_classes: ClassVar = {"name": NameField, "name_en": NameField}
        widgets: ClassVar = {"time_zone": forms.TextInput(attrs={"list": "time-zones", "autocomplete": "off"})}

    def __init__(self, *args: object, owner: User, **kwargs: object) -> None:
        super().__init__(*args, **kwargs)  # type: ignore[arg-type]
        self.owner = owner
        self.fields["slug"].required = False
        self.fields["name"].error_messages["required"] = _("Enter the league's name.")
        self.cards = {card.key: card for card in load_cards()}
        self.fields["card"].choices = [(key, in_language(card.name)) for key, card in self.cards.items()]  # type: ignore[attr-defined]

    def clean_slug(self) -> str:
        if slug := self.cleaned_data["slug"]:
            return free_address(slug)
        named = (self.cleaned_data.get("name", ""), self.cleaned_data.get("name_en", ""))
        return suggested_address(*named, f"{self.owner.username}-league")

    def facts(self) -> LeagueFacts:
        values = {name: self.cleaned_data[name] for name in self.Meta.fields}
        card = self.cards[self.cleaned_data["card"]]
        return LeagueFacts(**values, card_key=card.key, card_name=in_language(card.name))


def free_address(slug: str, besides: League | None = None) -> str:
    """Return the slug in lower case. Raise ValidationError if another league has or had it."""
    slug = slug.lower()
    if not is_free(slug, besides):
        raise forms.ValidationError(_("This address is taken. Choose another one."))
    return slug


def suggested_address(*names: str) -> str:
    """Return a free slug from the first of the names that can be written in Latin letters."""
    slugs = (_in_latin(name)[:40].strip("-") for name in names)
    base = next((slug for slug in slugs if len(slug) > 2), "league")
    numbered = chain([base], (f"{base}-{number}" for number in count(2)))
    return next(slug for slug in numbered if is_free(slug))


def _in_latin(name: str) -> str:
    """Return the name as a slug, or "" if a word of it cannot be written in Latin letters."""
    words = [slugify(word) or romaji(word) for word in name.replace("リーグ", " league ").split()]
    return "-".join(words) if all(words) else ""


RECENT_SESSIONS = 60

TIEBREAK_STEPS = 4
ENDINGS = ("shared", "manual")
"""Tie-breaks that settle every tie, so none can follow."""

MINIMUMS = ("minimum_month", "minimum_year", "minimum_all")
STEPS = tuple(f"tiebreak_{step}" for step in range(1, TIEBREAK_STEPS + 1))
GROUPS: tuple[tuple[Any, tuple[str, ...], tuple[str, ...]], ...] = (
    (_("Name and description"), ("name", "name_en"), ("description",)),
    (_("Who can see the league"), ("is_public",), ()),
    (_("Dates"), ("time_zone",), ("day_boundary", "first_month")),
    (_("Standings"), ("metric", "ledger"), (*MINIMUMS, *STEPS)),
    (_("Entering results"), ("entry_mode",), ("unbalanced_count",)),
    (_("Confirmation"), ("confirmed_by",), ("disputed_count",)),
)
"""Settings by group: title, the fields whose values the list shows, and the other fields."""

SETTINGS = tuple(name for _title, named, others in GROUPS for name in (*named, *others) if name not in STEPS)

SHORT_TIEBREAKS = {
    "last_hanchan": _("results, latest hanchan first"),
    "last_hanchan_by_placement": _("placements, latest hanchan first"),
    "placement_counts": _("more first places, then second"),
}
"""Tie-breaks that are too long for a choice on a phone."""

STEP_LABELS = (_("First tie-break"), _("Second tie-break"), _("Third tie-break"), _("Fourth tie-break"))


class SettingsForm(SeenValues, forms.ModelForm):  # type: ignore[type-arg]
    """A league's settings. The form changes a copy of the league; saving is up to the service."""

    class Meta:
        model = League
        fields = SETTINGS
        field_classes: ClassVar[dict[str, Any]] = {"name": NameField, "name_en": NameField}
        widgets: ClassVar[dict[str, Any]] = {
            "description": forms.Textarea(attrs={"rows": 4}),
            "day_boundary": forms.TimeInput(format="%H:%M", attrs={"type": "time"}),
            "time_zone": forms.TextInput(attrs={"list": "time-zones", "autocomplete": "off"}),
        }
        help_texts: ClassVar[dict[str, Any]] = {
            "minimum_month": _("Players with fewer hanchan are listed below the ranking."),
            "is_public": _("If unticked, only logged-in members can see the league."),
            "confirmed_by": _(
                "Players tap “Confirm” on their own phone; who entered the result cannot confirm it alone. "
                "An organiser can confirm for absent players."
            ),
            "disputed_count": _("If unticked, disputed results do not count until they are settled."),
            "unbalanced_count": _(
                "Such results are always marked. If unticked, they do not count until they are corrected."
            ),
        }

    def __init__(self, data: Mapping[str, Any] | None = None, *, league: League) -> None:
        super().__init__(data, instance=copy.copy(league))
        self.fields["first_month"] = forms.TypedChoiceField(
            label=self.fields["first_month"].label, choices=[*MONTHS.items()], coerce=int
        )
        for name in MINIMUMS:
            self.fields[name].max_value = MAX_MINIMUM  # type: ignore[attr-defined]
            self.fields[name].widget.attrs["max"] = MAX_MINIMUM
        for name in ("ledger", "metric", "entry_mode", "confirmed_by"):
            self.fields[name].widget = forms.RadioSelect(choices=self.fields[name].choices)  # type: ignore[attr-defined]
        self._add_tiebreaks(league)

    def _add_tiebreaks(self, league: League) -> None:
        known = [*{**TIEBREAKS, **SHORT_TIEBREAKS}.items()]
        for step, label in enumerate(STEP_LABELS):
            current = league.tiebreak[step] if step < len(league.tiebreak) else ""
            choices = [("", "—"), *known] if step else known
            field = forms.ChoiceField(label=label, choices=choices, required=step == 0, initial=current)
            self.fields[f"tiebreak_{step + 1}"] = field
        text = _("The latest hanchan decide only between players with equally many hanchan.")
        self.fields["tiebreak_1"].help_text = text

    def groups(self) -> list[dict[str, Any]]:
        """Return the groups, each with what is set now; those with errors are open."""
        return [
            {
                "title": title,
                "now": [text for name in named if (text := self._now(name))],
                "fields": [self[name] for name in (*named, *others)],
                "is_open": any(name in self.errors for name in (*named, *others)),
            }
            for title, named, others in GROUPS
        ]

    def _now(self, name: str) -> Any:
        """Return the stored value of a field as people read it."""
        value = self.get_initial_for_field(self.fields[name], name)
        if name == "is_public":
            return _("everyone") if value else _("members only")
        return dict(getattr(self.fields[name], "choices", ())).get(value, value) if value else ""

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or self.cleaned_data
        for name in MINIMUMS:
            if (values.get(name) or 0) > MAX_MINIMUM:
                self.add_error(name, ValidationError(_("Enter at most %(most)s."), params={"most": MAX_MINIMUM}))
        chosen = [values.pop(step, "") for step in STEPS]
        steps = [name for name in chosen if name]
        for step, name in enumerate(chosen, start=1):
            if name and steps.count(name) > 1 and name in chosen[: step - 1]:
                self.add_error(f"tiebreak_{step}", _("This tie-break is already in the list."))
            elif name in ENDINGS and any(chosen[step:]):
                self.add_error(f"tiebreak_{step}", _("This settles every tie, so it must be last."))
        values["tiebreak"] = steps
        return values

    def settings(self) -> dict[str, Any]:
        return {name: self.cleaned_data[name] for name in (*SETTINGS, "tiebreak")}


class MemberForm(SeenWhole, forms.Form):
    username = forms.CharField(
        label=_("User name"),
        max_length=150,
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none"}),
    )
    role = forms.ChoiceField(label=_("Role"), choices=Membership.Role.choices, initial=Membership.Role.SCORER)

    user: User | None = None

    def clean_username(self) -> str:
        name: str = self.cleaned_data["username"]
        self.user = User.objects.filter(username=name, is_active=True).first()
        if self.user is None:
            raise ValidationError(
                _("There is no user “%(name)s”. Ask for the exact user name, or invite them with a link."),
                params={"name": name},
            )
        return name


class AdjustmentForm(forms.Form):
    player = PlayerField(label=_("Player"), queryset=Player.objects.none())
    day = DayField(label=_("Date"), help_text=_("Counts towards the month and year of this date."))
    points = PointsField(label=_("Points"), help_text=_("For example −20 or 12.5."))
    reason = forms.CharField(label=_("Reason"), max_length=MAX_PUBLIC_REASON_LENGTH, help_text=_("Public."))

    session = forms.ModelChoiceField(
        label=_("Session"),
        queryset=Session.objects.none(),
        required=False,
        help_text=_("If you choose a session, the points also count in its tournament stage."),
    )

    def __init__(self, *args: Any, league: League, **options: Any) -> None:
        super().__init__(*args, **options)
        players = Player.objects.filter(league=league).active().by_reading()
        self.fields["player"].queryset = players  # type: ignore[attr-defined]
        recent = league.sessions.kept().order_by("-date", "-number").values_list("pk", flat=True)[:RECENT_SESSIONS]
        sessions = league.sessions.filter(pk__in=list(recent))
        self.fields["session"].queryset = sessions.order_by("-date", "-number")  # type: ignore[attr-defined]

    def clean_points(self) -> int:
        points: int = self.cleaned_data["points"]
        if points == 0:
            raise ValidationError(_("Zero points have no effect."))
        return points


class WithdrawForm(forms.Form):
    reason = forms.CharField(label=_("Reason"), max_length=MAX_PUBLIC_REASON_LENGTH)


class HistoryForm(forms.Form):
    subject = forms.ChoiceField(
        label=_("Subject"), choices=lambda: [("", _("all")), *subject_choices()], required=False
    )
    action = forms.ChoiceField(label=_("Action"), choices=[("", _("all")), *Revision.Action.choices], required=False)
