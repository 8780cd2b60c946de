from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from django import forms
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.utils import timezone
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from league.core import limits
from league.core.entry import RawScoreError, parse_whole
from league.core.photos import MAX_PHOTO_BYTES
from league.core.readings import index_row
from league.forms.points import PointsField
from league.forms.sessions import FIRST_YEAR, LAST_YEAR
from league.messages import plain_name
from league.messages.photos import photo_sentence
from league.models import Hanchan, League, Player, RulesetVersion
from league.selectors.entry import SeatingChoices
from league.services.photos import CleanedPhoto, PhotoError, clean_photo
from scoring.core import Bust, ScoringRules
from scoring.core.points import POINT
from scoring.messages.numbers import WINDS

if TYPE_CHECKING:
    from django.utils.functional import _StrPromise

GUEST = "guest"

CLOCKS_DIFFER = timedelta(minutes=5)
"""How far a phone's clock may be ahead of the server."""

SEVERAL, DRAW, OTHER = "several", "draw", "other"
"""Answers about a bust other than a single winner."""

LONG_LIST = 20
"""Longer lists of names are grouped by index row."""

Choice = tuple[str, object]
Words: TypeAlias = "str | _StrPromise"


@dataclass(frozen=True, slots=True)
class EntryTable:
    """The table a result is entered for: its rules and possible players.

    `takes_as_is`: the user may accept a wrong total. `session`: its primary key, for a new result.
    """

    league: League
    number: int
    version: RulesetVersion
    rules: ScoringRules
    choices: SeatingChoices
    is_strict: bool = False
    takes_as_is: bool = False
    session: int = 0

    @property
    def seats(self) -> range:
        return range(self.rules.players or 0)

    @property
    def fills(self) -> bool:
        return not self.is_strict

    @property
    def asks_busts(self) -> bool:
        return self.rules.asks_busts

    @property
    def asks_shares(self) -> bool:
        """Whether the players decide how the prize is split if there was no winner."""
        return self.asks_busts and self.rules.bust is not None and self.rules.bust.other == "manual"

    @property
    def asks_chips(self) -> bool:
        return self.rules.chips is not None

    @property
    def asks_deposits(self) -> bool:
        return self.rules.leftover == "returned"

    @property
    def asks_riichi_bust(self) -> bool:
        return self.rules.bust is not None and self.rules.bust.illegal_riichi


class NoteField(forms.CharField):
    """A multi-line text with LF line ends. Browsers send CR LF, which would count twice towards the length."""

    def to_python(self, value: object) -> str:
        return str(super().to_python(value)).replace("\r\n", "\n")


class MomentField(forms.DateTimeField):
    def __init__(self, **options: Any) -> None:
        widget = forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M")
        super().__init__(label=gettext_lazy("Played at"), required=False, widget=widget, **options)


def checked_moment(moment: datetime | None, before: object) -> datetime | None:
    """Return the time of play, or None if unchanged to the minute.

    Raise ValidationError if it is in the future or out of range.
    """
    if isinstance(before, datetime) and moment == before.replace(second=0, microsecond=0):
        return None
    if moment is not None and not FIRST_YEAR <= moment.year <= LAST_YEAR:
        raise ValidationError(_("Check the year."))
    if moment is not None and moment > timezone.now() + CLOCKS_DIFFER:
        raise ValidationError(_("That time is in the future. Check the date."))
    return moment


ACCEPTED = "image/jpeg,image/png,image/webp"
"""Listed one by one, so that phones convert photos in their own format to one of these."""


class PhotoField(forms.FileField):
    def __init__(self, *, required: bool = True) -> None:
        widget = forms.FileInput(attrs={"accept": ACCEPTED, "data-photo": ""})
        super().__init__(label=gettext_lazy("Photo"), required=required, widget=widget, allow_empty_file=True)

    def clean(self, data: object, initial: object = None) -> CleanedPhoto | None:
        file = cast("UploadedFile[Any] | None", super().clean(data, initial))
        if file is None or file is initial:
            return None
        try:
            return clean_photo(file.read(MAX_PHOTO_BYTES + 1))
        except PhotoError as error:
            raise ValidationError(photo_sentence(error.code), error.code) from error


def table_fields() -> dict[str, forms.Field]:
    return {
        "client_key": forms.UUIDField(required=False, widget=forms.HiddenInput),
        "auto": forms.CharField(required=False, max_length=20, widget=forms.HiddenInput),
        "sticks_left": typed(gettext_lazy("Riichi sticks left on the table"), inputmode="numeric"),
        "table": counted(gettext_lazy("Table"), limits.MAX_TABLE),
        "round": counted(gettext_lazy("Round"), limits.MAX_ROUND, gettext_lazy("Leave blank for the next round.")),
        "played_at": MomentField(
            help_text=gettext_lazy(
                "Leave blank to use the current time or, in a past session, the end of its last hanchan."
            )
        ),
        "end_reason": forms.ChoiceField(
            label=gettext_lazy("How it ended"), required=False, choices=Hanchan.EndReason.choices
        ),
        "note": NoteField(
            label=gettext_lazy("Note"),
            required=False,
            max_length=limits.MAX_NOTE_LENGTH,
            widget=forms.Textarea(attrs={"rows": 2}),
        ),
    }


def as_is_fields() -> dict[str, forms.Field]:
    return {
        "as_is": typed(gettext_lazy("Accept the wrong total"), max_length=20),
        "as_is_why": typed(
            gettext_lazy("Reason for accepting the wrong total (public)"), max_length=limits.MAX_NOTE_LENGTH
        ),
    }


def correction_fields() -> dict[str, forms.Field]:
    return {
        "seen_version": forms.IntegerField(widget=forms.HiddenInput),
        "reason": forms.CharField(
            label=gettext_lazy("Reason for the correction"),
            max_length=limits.MAX_REASON_LENGTH,
            error_messages={"required": gettext_lazy("Enter a reason for the correction.")},
            widget=forms.TextInput(attrs={"autocomplete": "off"}),
        ),
    }


def seat_fields(seat: int, table: EntryTable, people: Sequence[Choice]) -> dict[str, forms.Field]:
    wind = WINDS[seat]
    fields: dict[str, forms.Field] = {
        f"player_{seat}": forms.ChoiceField(
            label=wind,
            required=False,
            choices=people,
            error_messages={"invalid_choice": gettext_lazy("Choose a player from the list.")},
        ),
        f"guest_{seat}": typed(gettext_lazy("Guest's name"), max_length=limits.MAX_NAME_LENGTH),
        f"raw_{seat}": typed(wind, inputmode="numeric", enterkeyhint="next"),
        f"chombo_{seat}": typed(wind, inputmode="numeric"),
        f"yakuman_{seat}": typed(wind, max_length=limits.MAX_YAKUMAN_LENGTH, list="yakuman"),
    }
    if table.asks_chips:
        fields[f"chips_{seat}"] = typed(wind, inputmode="text")
    if table.asks_deposits:
        fields[f"deposits_{seat}"] = typed(wind, inputmode="numeric")
    if table.asks_busts:
        fields |= _bust_fields(seat, table)
    return fields


def _bust_fields(seat: int, table: EntryTable) -> dict[str, forms.Field]:
    others = [(str(other), WINDS[other]) for other in table.seats if other != seat]
    pays_several = table.rules.bust is not None and table.rules.bust.win != "first"
    several = [(SEVERAL, gettext_lazy("Several players at once"))] if pays_several else []
    rest = [
        (DRAW, gettext_lazy("Noten payment after an exhaustive draw")),
        (OTHER, gettext_lazy("Something else, such as a fine")),
    ]
    fields: dict[str, forms.Field] = {
        f"bust_{seat}_by": forms.ChoiceField(
            required=False, choices=[*others, *several, *rest], widget=forms.RadioSelect
        ),
        f"bust_{seat}_who": forms.MultipleChoiceField(
            required=False, choices=others, widget=forms.CheckboxSelectMultiple
        ),
    }
    if table.asks_shares:
        fields |= {f"bust_{seat}_share_{other}": typed(label, inputmode="text") for other, label in others}
    return fields


def riichi_bust_field(table: EntryTable) -> forms.Field:
    seats = [(str(seat), WINDS[seat]) for seat in table.seats]
    label = gettext_lazy("Riichi without enough points")
    return forms.ChoiceField(label=label, required=False, choices=[("", gettext_lazy("No one")), *seats])


def counted(label: Words, most: int, help_text: Words = "") -> forms.IntegerField:
    """Return a field for a table or round number; blank means the next one."""
    return forms.IntegerField(label=label, help_text=help_text, required=False, min_value=1, max_value=most)


def typed(label: Words, *, max_length: int = 40, **attributes: str) -> forms.CharField:
    widget = forms.TextInput(attrs={"autocomplete": "off", **attributes})
    return forms.CharField(label=label, required=False, max_length=max_length, widget=widget)


def people_choices(choices: SeatingChoices) -> list[Choice]:
    labels = _labels([*choices.last, *choices.waiting, *choices.recent, *choices.others])
    groups: list[Choice] = [("", "—")]
    at_table = (*choices.last, *choices.waiting)
    for title, players in ((_("This table"), at_table), (_("Recent"), choices.recent)):
        if players:
            groups.append((title, [(str(player.pk), labels[player.pk]) for player in players]))
    groups += _indexed(choices.others, labels)
    return [*groups, (GUEST, _("+ Guest by name"))]


def _indexed(players: Sequence[Player], labels: dict[int, str]) -> list[Choice]:
    if not players:
        return []
    if len(players) <= LONG_LIST:
        return [(_("Everyone"), [(str(player.pk), labels[player.pk]) for player in players])]
    rows: dict[str, list[tuple[str, str]]] = {}
    for player in players:
        rows.setdefault(index_row(player.listed_by), []).append((str(player.pk), labels[player.pk]))
    return list(rows.items())


def _labels(players: Iterable[Player]) -> dict[int, str]:
    names = {player: plain_name(player) for player in players}
    count = Counter(names.values())
    return {
        player.pk: f"{name} ({player.number or player.kana or player.pk})" if count[name] > 1 else name
        for player, name in names.items()
    }


def read_busts(
    table: EntryTable, scores: Sequence[int], answers: Mapping[str, Any], names: Sequence[str]
) -> "tuple[tuple[Bust, ...], list[BustError]]":
    """Return the busts and the errors in their answers; a bust without a valid answer has no prize."""
    busts, errors = [], []
    for seat in busted_seats(table, scores, answers):
        try:
            busts.append(_bust(seat, table, answers, names[seat]))
        except BustError as error:
            busts.append(Bust(seat, OTHER))
            errors.append(error)
    return tuple(busts), errors


class BustError(Exception):
    def __init__(self, field: str, reason: ValidationError) -> None:
        super().__init__(field)
        self.field = field
        self.reason = reason


def busted_seats(table: EntryTable, scores: Sequence[int], answers: Mapping[str, Any]) -> list[int]:
    offender = answers.get("riichi_bust")
    return [
        seat
        for seat in table.seats
        if str(seat) == offender or (table.asks_busts and table.rules.is_bust(scores[seat]))
    ]


def _bust(seat: int, table: EntryTable, answers: Mapping[str, Any], name: str) -> Bust:
    if answers.get("riichi_bust") == str(seat):
        return Bust(seat, "riichi", shares=_shares(seat, table, answers))
    by = answers.get(f"bust_{seat}_by") or ""
    who = tuple(sorted(int(other) for other in answers.get(f"bust_{seat}_who") or ()))
    match by:
        case "":
            text = _("%(name)s is bust. Choose who won the hand, or that it ended in a draw.") % {"name": name}
            raise BustError(f"bust_{seat}_by", ValidationError(text, "missing"))
        case "several" | "draw" if not who:
            text = _("%(name)s is bust. Select the players who caused it.") % {"name": name}
            raise BustError(f"bust_{seat}_who", ValidationError(text, "missing"))
        case "several":
            return Bust(seat, "win", winners=who)
        case "draw":
            return Bust(seat, "draw", tenpai=who)
        case "other":
            return Bust(seat, OTHER, shares=_shares(seat, table, answers))
    return Bust(seat, "win", winners=(int(by),))


def _shares(seat: int, table: EntryTable, answers: Mapping[str, Any]) -> tuple[tuple[int, int], ...]:
    """Return the shares of the prize as entered, in points or chips; () if the rules decide."""
    if not table.asks_shares or table.rules.bust is None:
        return ()
    shares = []
    for other in table.seats:
        field = f"bust_{seat}_share_{other}"
        text = str(answers.get(field) or "").strip()
        if not text:
            continue
        try:
            amount = PointsField().read(text) if table.rules.bust.prize_in == "points" else parse_whole(text) * POINT
        except ValidationError as error:
            raise BustError(field, error) from error
        except RawScoreError as error:
            raise BustError(field, ValidationError(_("Enter a whole number of chips."))) from error
        shares.append((other, amount))
    return tuple(shares)


class PhotoForm(forms.Form):
    photo = PhotoField()

    def picture(self) -> CleanedPhoto:
        return cast("CleanedPhoto", self.cleaned_data["photo"])

    def refuse(self, error: PhotoError) -> None:
        self.add_error("photo", photo_sentence(error.code))


def picture_in(files: MultiValueDict[str, UploadedFile[Any]]) -> CleanedPhoto | None:
    form = PhotoForm(None, files)
    return form.picture() if form.is_valid() else None
