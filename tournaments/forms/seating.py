"""The seating tool's form: players, rounds and wishes, entered as lines of text."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from league.core.limits import MAX_NAME_LENGTH
from league.core.readings import folded
from league.forms.points import plain
from tournaments.core.seating.problem import Round, Wishes
from tournaments.messages.seating import player_number
from tournaments.selectors.certificates import GeneratedSeating, generate_seating
from tournaments.services.drawing import MAX_SEED

MAX_PLAYERS, MAX_ROUNDS = 200, 40
MAX_HISTORY = 60

_BETWEEN = re.compile(r"[,、\uff0c;\uff1b\t]+")


def _area(label: Any, help_text: Any, most: int = 10_000, *, rows: int = 3, required: bool = False) -> forms.CharField:
    widget = forms.Textarea(attrs={"rows": rows, "spellcheck": "false"})
    return forms.CharField(label=label, help_text=help_text, max_length=most, widget=widget, required=required)


class SeatingForm(forms.Form):
    """Input for a seating; call `seated` after `is_valid`."""

    players = _area(_("Players"), _("A number, or names, one per line."), 20_000, rows=6, required=True)
    rounds = forms.IntegerField(label=_("Hanchan"), min_value=1, max_value=MAX_ROUNDS, initial=4)
    table_size = forms.TypedChoiceField(
        label=_("Players per table"), coerce=int, choices=((4, "4"), (3, "3")), initial=4
    )
    seed = forms.IntegerField(
        label=_("Seed"),
        min_value=1,
        max_value=MAX_SEED,
        initial=1,
        help_text=_("The same number gives the same seating, so anyone can verify it."),
    )
    apart = _area(_("Keep apart"), _("Two names per line, separated by a comma. They never share a table."))
    together = _area(_("Keep together"), _("Two names per line. They share a table as often as possible."))
    groups = _area(
        _("Clubs"), _("One club per line: “club: name, name”. Its members meet as rarely as possible."), 20_000
    )
    history = _area(
        _("Hanchan already played"),
        _("One table per line, East first, with a blank line between hanchan. Their meetings and winds are counted."),
        60_000,
    )

    @property
    def conditions(self) -> list[forms.BoundField]:
        return [self[name] for name in ("apart", "together", "groups", "history", "seed")]

    @property
    def has_conditions(self) -> bool:
        return any(field.errors or str(field.value() or "") not in {"", "1"} for field in self.conditions)

    def clean_players(self) -> list[str]:
        text = self.cleaned_data["players"].strip()
        if re.fullmatch(r"\d{1,6}", plain(text)):
            number = int(plain(text))
            self._check_number(number)
            return [player_number(each) for each in range(1, number + 1)]
        names = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
        self._check_number(len(names))
        seen: set[str] = set()
        for name in names:
            if len(name) > MAX_NAME_LENGTH:
                raise ValidationError(_("“%(name)s…” is too long for a name."), params={"name": name[:MAX_NAME_LENGTH]})
            if folded(name) in seen:
                raise ValidationError(_("%(name)s is listed twice."), params={"name": name})
            seen.add(folded(name))
        return names

    def _check_number(self, number: int) -> None:
        if number > MAX_PLAYERS:
            params = {"number": number, "most": MAX_PLAYERS}
            raise ValidationError(_("%(number)s players are too many; the limit is %(most)s."), params=params)

    def clean(self) -> dict[str, Any]:
        values = super().clean() or self.cleaned_data
        names, size = values.get("players"), values.get("table_size", 4)
        if names is None:
            return values
        if len(names) < size:
            self.add_error("players", _("Too few players for a table."))
            return values
        index = {folded(name): number for number, name in enumerate(names)}
        for field, read in (("apart", _pairs), ("together", _pairs), ("groups", _groups)):
            self._read(field, lambda text, read=read: read(text, index))
        self._read("history", lambda text: _history(text, index, size))
        apart, together = (set(map(frozenset, values.get(name) or ())) for name in ("apart", "together"))
        if both := apart & together:
            one, other = sorted(next(iter(both)))
            params = {"one": names[one], "other": names[other]}
            text = _("%(one)s and %(other)s are also in “Keep apart”.")
            self.add_error("together", ValidationError(text, params=params))
        return values

    def _read(self, field: str, read: Any) -> None:
        if field in self.cleaned_data:
            try:
                self.cleaned_data[field] = read(self.cleaned_data[field])
            except ValidationError as error:
                self.add_error(field, error)

    def seated(self) -> GeneratedSeating:
        """Return the seating. Raise SeatingError if the wishes cannot be met."""
        values = self.cleaned_data
        wishes = Wishes(**{name: values[name] for name in ("apart", "together", "groups", "history")})
        size, seed = values["table_size"], values["seed"]
        return generate_seating(values["players"], values["rounds"], table_size=size, seed=seed, wishes=wishes)


Index = Mapping[str, int]


def _lines(text: str) -> Iterator[str]:
    return (line.strip() for line in text.splitlines() if line.strip())


def _players(text: str, index: Index) -> tuple[int, ...]:
    found = tuple(_player(part.strip(), index) for part in _BETWEEN.split(text) if part.strip())
    if len(set(found)) < len(found):
        raise ValidationError(_("“%(line)s” contains the same person twice."), params={"line": text[:60]})
    return found


def _player(text: str, index: Index) -> int:
    number = index.get(folded(text))
    if number is None and re.fullmatch(r"\d{1,4}", plain(text)) and 1 <= int(plain(text)) <= len(index):
        number = int(plain(text)) - 1
    if number is None:
        raise ValidationError(_("“%(name)s” is not among the players."), params={"name": text[:MAX_NAME_LENGTH]})
    return number


def _pairs(text: str, index: Index) -> tuple[tuple[int, int], ...]:
    pairs = []
    for line in _lines(text):
        players = _players(line, index)
        if len(players) != len(("one", "other")):
            raise ValidationError(_("“%(line)s”: enter two names here."), params={"line": line[:60]})
        pairs.append((players[0], players[1]))
    return tuple(pairs)


def _groups(text: str, index: Index) -> tuple[tuple[int, ...], ...]:
    return tuple(_players(re.split(r"[:\uff1a]", line, maxsplit=1)[-1], index) for line in _lines(text))


def _history(text: str, index: Index, size: int) -> tuple[Round, ...]:
    rounds: list[Round] = []
    for block in re.split(r"\n\s*\n", text.replace("\r", "").strip()):
        tables = tuple(_players(line, index) for line in _lines(block))
        if tables:
            _check_round(tables, len(rounds) + 1, size)
            rounds.append(tables)
    if len(rounds) > MAX_HISTORY:
        params = {"number": len(rounds), "most": MAX_HISTORY}
        raise ValidationError(_("%(number)s hanchan are too many; the limit is %(most)s."), params=params)
    return tuple(rounds)


def _check_round(tables: Sequence[Sequence[int]], number: int, size: int) -> None:
    if any(len(table) != size for table in tables):
        params = {"number": number, "size": size}
        raise ValidationError(_("Round %(number)s: every table needs %(size)s players."), params=params)
    seated = [player for table in tables for player in table]
    if len(set(seated)) < len(seated):
        raise ValidationError(_("Round %(number)s: someone has two seats."), params={"number": number})
