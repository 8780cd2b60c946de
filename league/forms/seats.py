from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeAlias

from django import forms
from django.core.exceptions import ValidationError
from django.forms.boundfield import BoundField
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from league.core.limits import MAX_NAME_LENGTH
from league.forms.names import NamesRead, read_names
from league.forms.seen import SeenWhole
from league.messages import plain_name
from league.messages.sessions import WIND_MARKS
from league.models import Player, Session
from league.selectors.people import listing_order
from league.services.people import PlayerFacts
from scoring.messages.numbers import WINDS

Coming: TypeAlias = Player | PlayerFacts

GUEST = "guest:"
MAX_PEOPLE = 200
MAX_SEED = 999_999


class PeopleForm(SeenWhole, forms.Form):
    """Choice of participants: players and guests. `marks`: their attendance by key."""

    people = forms.MultipleChoiceField(
        label=gettext_lazy("Who is coming"), required=False, widget=forms.CheckboxSelectMultiple
    )
    guests = forms.CharField(
        label=gettext_lazy("Or paste names"),
        required=False,
        max_length=MAX_PEOPLE * (MAX_NAME_LENGTH + 2),
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text=gettext_lazy("One per line. Names in the list are selected; other names are added as guests."),
    )
    even = forms.BooleanField(
        label=gettext_lazy("Balance seating across the season"),
        required=False,
        initial=True,
        help_text=gettext_lazy(
            "Separates players who have often met this season and gives everyone the seat they have had least "
            "often. Otherwise seats are drawn purely at random."
        ),
    )
    seed = forms.IntegerField(
        label=gettext_lazy("Draw number"),
        required=False,
        min_value=0,
        max_value=MAX_SEED,
        help_text=gettext_lazy("The same people and number always give the same tables. Leave blank for a new number."),
    )

    def __init__(
        self,
        data: QueryDict | None = None,
        *,
        session: Session,
        marks: Mapping[str, str] = MappingProxyType({}),
        **options: Any,
    ) -> None:
        super().__init__(data, **options)
        self.read = NamesRead()
        players = session.league.players.active().filter(is_active=True).by_reading()
        self.players = {str(player.pk): player for player in players.prefetch_related("aliases")}
        shown = sorted(self.players.values(), key=listing_order)
        choices = [(str(player.pk), _marked(player, marks.get(str(player.pk)))) for player in shown]
        self.fields["people"].choices = choices  # type: ignore[attr-defined]

    def clean_guests(self) -> list[str]:
        self.read = read_names(self.cleaned_data["guests"], self.players.values())
        return self.read.unknown

    def _ask(self, name: str, alike: Player | None) -> None:
        """Ask about a name that looks like another; the player, or else the earlier name, is the likely answer."""
        field, likely = f"who_{'_'.join(name.split())}", str(alike.pk) if alike else "same"
        other = plain_name(alike) if alike else _("the same as an earlier name")
        choices = [(likely, other), ("new", _("a new guest"))]
        self.fields[field] = forms.ChoiceField(label=_("Who is “%(name)s”?") % {"name": name}, choices=choices)
        match self.data.get(field):
            case "new":
                self.cleaned_data["guests"].append(name)
            case said if said != likely:
                self.add_error(field, _("The name looks like another one. Check the answer and continue."))
            case _ if alike:
                self.read.named.append(alike)

    @property
    def questions(self) -> list[BoundField]:
        return [self[name] for name in self.fields if name.startswith("who_")]

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or self.cleaned_data
        for name, alike in self.read.alike.items() if "guests" in values else ():
            self._ask(name, alike)
        named = [str(player.pk) for player in self.read.named]
        values["people"] = list(dict.fromkeys([*values.get("people", []), *named]))
        if len(values["people"]) + len(values.get("guests", [])) > MAX_PEOPLE:
            raise ValidationError(_("A session can have at most %(most)s people."), params={"most": MAX_PEOPLE})
        return values

    def coming(self) -> dict[str, Coming]:
        # In the same order in every language, so that a number always draws the same tables.
        people = {*self.cleaned_data["people"]}
        chosen: dict[str, Coming] = {key: player for key, player in self.players.items() if key in people}
        return chosen | {GUEST + name: PlayerFacts(name, is_guest=True) for name in self.cleaned_data["guests"]}


class TablesForm(forms.Form):
    """The dealt tables, with every seat editable. `shape`: number of people at each table."""

    def __init__(
        self,
        data: QueryDict | None = None,
        *,
        coming: dict[str, Coming],
        shape: Sequence[int],
        size: int,
        marks: Mapping[str, str] = MappingProxyType({}),
        **options: Any,
    ) -> None:
        super().__init__(data, **options)
        self.coming, self.shape, self.size = coming, tuple(shape), size
        choices = [("", "—"), *((key, _marked(person, marks.get(key))) for key, person in coming.items())]
        self.names = dict(choices)
        for table, count in enumerate(self.shape, 1):
            for seat in range(count):
                called = WINDS[seat] if seat < self.size else _("sits out first")
                label = _("Table %(table)s, %(seat)s") % {"table": table, "seat": called}
                field = forms.ChoiceField(label=label, choices=choices, required=False)
                field.widget.attrs["aria-label"] = label
                self.fields[f"seat_{table}_{seat}"] = field

    def tables(self) -> Iterator[tuple[int, list[dict[str, Any]]]]:
        for table, count in enumerate(self.shape, 1):
            yield table, [self._seat(table, seat) for seat in range(count)]

    def seated(self) -> list[list[str]]:
        return [
            [str(self[f"seat_{table}_{seat}"].value() or "") for seat in range(count)]
            for table, count in enumerate(self.shape, 1)
        ]

    def with_the_rest(self) -> tuple[list[list[str]], list[str]] | None:
        """Return the seats with those who come and have none, who sit out first, and their names.

        Return None if all have one, or if a seat of those who sit out was emptied by hand.
        """
        dealt = self.seated()
        left = [key for key in self.coming if not any(key in keys for keys in dealt)]
        if not left or any("" in keys for keys in dealt):
            return None
        for key in left:
            min(dealt, key=len).append(key)
        return dealt, [_name(self.coming[key]) for key in left]

    def _seat(self, table: int, seat: int) -> dict[str, Any]:
        field = self[f"seat_{table}_{seat}"]
        mark = str(WIND_MARKS[seat]) if seat < self.size else ""
        return {"field": field, "mark": mark, "name": self.names.get(str(field.value() or ""), "")}

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or self.cleaned_data
        seen: set[str] = set()
        for name in self.fields:
            key = values.get(name, "")
            if not key and name not in self.errors and int(name.rpartition("_")[2]) < self.size:
                self.add_error(name, _("This seat is empty."))
            elif key and key in seen:
                self.add_error(name, _("%(name)s already has a seat.") % {"name": _name(self.coming[key])})
            seen.add(key)
        values["dealt"] = [
            [key for seat in range(count) if (key := values.get(f"seat_{table}_{seat}", ""))]
            for table, count in enumerate(self.shape, 1)
        ]
        return values


def shape_in(data: QueryDict, size: int) -> tuple[int, ...]:
    """Return the table sizes implied by the field names; () if they are inconsistent."""
    tables: dict[int, set[int]] = {}
    for name in data:
        kind, _, rest = name.partition("_")
        table, _, seat = rest.partition("_")
        if kind == "seat" and table.isdecimal() and seat.isdecimal() and len(table) < 4 and len(seat) < 2:
            tables.setdefault(int(table), set()).add(int(seat))
    numbers = sorted(tables)
    if not numbers or numbers != list(range(1, len(numbers) + 1)) or len(numbers) > MAX_PEOPLE:
        return ()
    counts = tuple(len(tables[number]) for number in numbers)
    return counts if all(size <= count for count in counts) else ()


def _name(person: Coming) -> str:
    return plain_name(person)


def _marked(person: Coming, mark: str | None) -> str:
    return _("%(name)s (%(mark)s)") % {"name": _name(person), "mark": mark} if mark else _name(person)
