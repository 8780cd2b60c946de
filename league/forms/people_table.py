"""Many players as one table: a form a row, of which only those count that somebody changed."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from league.core import limits
from league.forms.names import NameField
from league.forms.seen import SEEN, SeenValues
from league.models import League, Player
from league.services.people import PlayerFacts

SENT = re.compile(rf"p(\d{{1,18}})-{SEEN}")
TEXTS = ("name", "kana", "romanised", "number", "club")


class PlayerRow(SeenValues, forms.Form):
    use_required_attribute = False

    name = NameField(label=_("Name"), max_length=limits.MAX_NAME_LENGTH)
    kana = NameField(label=_("Reading in kana"), max_length=limits.MAX_READING_LENGTH, required=False)
    romanised = NameField(label=_("Romanised name"), max_length=limits.MAX_READING_LENGTH, required=False)
    number = NameField(label=_("Member number"), max_length=limits.MAX_MEMBER_NUMBER_LENGTH, required=False)
    club = NameField(label=_("Club"), max_length=limits.MAX_CLUB_LENGTH, required=False)
    is_guest = forms.BooleanField(label=_("Guest"), required=False)
    is_active = forms.BooleanField(label=_("Plays"), required=False)

    def __init__(self, data: QueryDict | None, player: Player) -> None:
        self.player = player
        stands = {name: getattr(player, name) for name in (*TEXTS, "is_guest", "is_active")}
        super().__init__(data, prefix=f"p{player.pk}", initial=stands)

    @property
    def differs(self) -> bool:
        """Whether a bound row says something else than what stands."""
        return any(self.fields[name].has_changed(self.initial[name], self[name].data) for name in self.initial)

    @property
    def texts(self) -> list[forms.BoundField]:
        return [self[name] for name in TEXTS]

    @property
    def flags(self) -> list[forms.BoundField]:
        return [self["is_guest"], self["is_active"]]

    @property
    def name_id(self) -> str:
        return str(self["name"].id_for_label)

    @property
    def guess(self) -> str:
        """A guessed reading, with … where it goes no further than the family name; "" for none."""
        guess = self.player.guess
        if guess is None:
            return ""
        return guess.kana if guess.is_whole else f"{guess.kana}…"

    @property
    def seen(self) -> forms.BoundField:
        return self[SEEN]

    @property
    def problems(self) -> list[tuple[str, str]]:
        """What is wrong, each with the identifier of its cell."""
        found = ((name, text) for name, texts in self.errors.items() for text in texts)
        return [(self[name].id_for_label if name in self.fields else "", str(text)) for name, text in found]

    def facts(self) -> PlayerFacts:
        known = {name: getattr(self.player, name) for name in ("visibility",)}
        aliases = tuple(alias.name for alias in self.player.aliases.all())
        return PlayerFacts(**{name: self.cleaned_data[name] for name in self.initial}, **known, aliases=aliases)


def sent_numbers(data: QueryDict) -> list[int]:
    """Return the primary keys of the players whose rows were sent, in order."""
    return sorted(int(found[1]) for name in data if (found := SENT.fullmatch(name)))


def changed_rows(data: QueryDict, players: Iterable[Player]) -> list[PlayerRow]:
    """Return the rows that somebody changed, checked one by one; what others changed meanwhile is taken over or told."""
    rows = [PlayerRow(data, player) for player in players]
    for row in rows:
        row.full_clean()
    return [row for row in rows if row.differs]


def with_guesses(data: QueryDict, players: Iterable[Player]) -> QueryDict:
    """Return the same with every reading filled in that is empty and whose name, as the page showed it, can be guessed."""
    filled = data.copy()
    for player in players:
        name, kana = (data.get(f"p{player.pk}-{field}", "").strip() for field in ("name", "kana"))
        if not kana and name == player.name and (guess := player.guess) is not None and guess.is_whole:
            filled[f"p{player.pk}-kana"] = guess.kana
    return filled


# --- Rows beside each other ------------------------------------------------------------------------------------------


def check_together(league: League, rows: Sequence[PlayerRow]) -> None:
    """Put an error on every row whose number somebody else has or gets, and on a new name that somebody bears already."""
    sound = [row for row in rows if not row.errors]
    _refuse_taken_numbers(league, sound)
    _refuse_taken_names(league, [row for row in sound if row.cleaned_data["name"] != row.player.name])


def _refuse_taken_numbers(league: League, rows: Sequence[PlayerRow]) -> None:
    others = league.players.exclude(pk__in=[row.player.pk for row in rows])
    holders = _holders(others.filter(number__in=_all(rows, "number")), "number")
    for row, holder in _collisions(rows, "number", holders):
        text = gettext("Number %(number)s belongs to %(name)s.")
        row.add_error("number", text % {"number": row.cleaned_data["number"], "name": holder})


def _refuse_taken_names(league: League, rows: Sequence[PlayerRow]) -> None:
    others = league.players.active().exclude(pk__in=[row.player.pk for row in rows])
    holders = _holders(others.filter(name__in=_all(rows, "name")), "name")
    for row, holder in _collisions(rows, "name", holders):
        text = gettext(
            "There is already a player called %(name)s. If this is somebody else, say so on the player's own page."
        )
        row.add_error("name", text % {"name": holder})


def _all(rows: Iterable[PlayerRow], name: str) -> list[str]:
    return [row.cleaned_data[name] for row in rows if row.cleaned_data[name]]


def _holders(players: Any, name: str) -> dict[str, str]:
    return dict(players.order_by().values_list(name, "name"))


def _collisions(rows: Iterable[PlayerRow], name: str, holders: Mapping[str, str]) -> Iterator[tuple[PlayerRow, str]]:
    """Yield the rows whose text somebody has: of another player, or of a row above."""
    taken = dict(holders)
    for row in rows:
        text = row.cleaned_data[name]
        if text in taken:
            yield row, taken[text]
        elif text:
            taken[text] = row.cleaned_data["name"]
