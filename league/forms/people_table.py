import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from hashlib import blake2b

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext, ngettext_lazy
from django.utils.translation import gettext_lazy as _

from league.core.limits import MAX_REASON_LENGTH
from league.core.people_lists import MAX_LINES, ListedPerson, PeopleListError, read_people
from league.core.spreadsheets.tables import ImportFileError
from league.forms.people import PlayerFields
from league.forms.seen import SEEN, SeenWhole, WhatStands
from league.models import League, Player
from league.models.players import PlayerQuerySet
from league.selectors.history.changes import field_changes
from league.selectors.history.subjects import subject_of
from league.selectors.rulebook import RuleChange
from league.services.people import PLAYER_FIELDS, PlayerFacts, facts_of
from league.services.people_lists import ListedLine

SENT = re.compile(rf"p(\d{{1,18}})-{SEEN}")
TEXTS = ("name", "kana", "romanised", "number", "club")


class PlayerRow(PlayerFields):
    use_required_attribute = False

    is_active = forms.BooleanField(label=_("Active"), required=False)

    def __init__(self, data: QueryDict | None, player: Player) -> None:
        self.player = player
        stands = {name: getattr(player, name) for name in (*TEXTS, "is_guest", "is_active")}
        super().__init__(data, prefix=f"p{player.pk}", initial=stands)

    @property
    def differs(self) -> bool:
        return any(self.fields[name].has_changed(self.initial[name], self[name].data) for name in self.initial)

    @property
    def texts(self) -> list[forms.BoundField]:
        return [self[name] for name in TEXTS]

    @property
    def flags(self) -> list[forms.BoundField]:
        return [self["is_guest"], self["is_active"]]

    @property
    def guess(self) -> str:
        """The guessed reading, followed by "…" if it covers only the family name; "" if there is none."""
        guess = self.player.guess
        if guess is None:
            return ""
        return f"{guess.kana}…" if guess.rest else guess.kana

    @property
    def problems(self) -> list[tuple[str, str]]:
        """Error messages, each with the id of its field."""
        found = ((name, text) for name, texts in self.errors.items() for text in texts)
        return [(self[name].id_for_label if name in self.fields else "", str(text)) for name, text in found]

    def facts(self) -> PlayerFacts:
        return replace(facts_of(self.player), **{name: self.cleaned_data[name] for name in self.initial})


def sent_numbers(data: QueryDict) -> list[int]:
    """Return the sorted primary keys of the players whose rows were submitted."""
    return sorted(int(found[1]) for name in data if (found := SENT.fullmatch(name)))


def changed_rows(data: QueryDict, players: Iterable[Player]) -> list[PlayerRow]:
    """Return the changed rows, validated. Concurrent edits are merged or reported as errors."""
    rows = [PlayerRow(data, player) for player in players]
    for row in rows:
        row.full_clean()
    return [row for row in rows if row.differs]


def with_guesses(data: QueryDict, players: Iterable[Player]) -> QueryDict:
    """Fill in blank readings that can be guessed in full, unless the name was edited or has changed since."""
    filled = data.copy()
    for player in players:
        name, kana = (data.get(f"p{player.pk}-{field}", "").strip() for field in ("name", "kana"))
        if not kana and name == player.name and (guess := player.guess) is not None and not guess.rest:
            filled[f"p{player.pk}-kana"] = guess.kana
    return filled


def check_together(league: League, rows: Sequence[PlayerRow]) -> None:
    """Add errors for duplicate member numbers and for new names that are already taken."""
    sound = [row for row in rows if not row.errors]
    _refuse_taken("number", sound, league.players.all(), gettext("Number %(number)s belongs to %(name)s."))
    renamed = [row for row in sound if row.cleaned_data["name"] != row.player.name]
    text = gettext(
        "There is already a player called %(name)s. If this is a different person, say so on the player's edit page."
    )
    _refuse_taken("name", renamed, league.players.active(), text)


def _refuse_taken(field: str, rows: Sequence[PlayerRow], players: PlayerQuerySet, sentence: str) -> None:
    """Add errors to rows whose value belongs to another player or an earlier row."""
    texts = {row.cleaned_data[field] for row in rows} - {""}
    others = players.exclude(pk__in=[row.player.pk for row in rows]).filter(**{f"{field}__in": texts})
    taken: dict[str, str] = dict(others.order_by().values_list(field, "name"))
    for row in rows:
        text = row.cleaned_data[field]
        if text in taken:
            row.add_error(field, sentence % {"number": text, "name": taken[text]})
        elif text:
            taken[text] = row.cleaned_data["name"]


CHOICE = re.compile(r"who-(\d{1,6})")
CHOSEN = re.compile(r"new|skip|row-\d{1,6}|\d{1,18}")

REFUSALS = {
    "empty": _("Paste at least one row."),
    "too_many": ngettext_lazy("Paste at most %(most)s row.", "Paste at most %(most)s rows.", MAX_LINES),
    "no_names": _("No column looks like names. Add a row of headings that includes “name”."),
}


class PeopleListForm(SeenWhole, forms.Form):
    text = forms.CharField(
        label=_("Names"),
        max_length=300_000,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 10, "spellcheck": "false"}),
        error_messages={"required": REFUSALS["empty"]},
        help_text=_(
            "One per line, from a message or a spreadsheet. A reading or member number may be in a second column. For "
            "more columns, paste the headings too: name, kana, romanised, member number, club, guest."
        ),
    )
    guests = forms.BooleanField(label=_("New players are guests"), required=False)
    reason = forms.CharField(
        label=_("Reason"),
        max_length=MAX_REASON_LENGTH,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )

    def clean_text(self) -> str:
        text: str = self.cleaned_data["text"]
        try:
            read_people(text)
        except PeopleListError as error:
            raise forms.ValidationError(REFUSALS[error.code], params={"most": MAX_LINES}) from error
        except ImportFileError as error:
            raise forms.ValidationError(_("These rows could not be read as a table.")) from error
        return text


def people_in(text: str) -> Sequence[ListedPerson]:
    """Return the people in a list; () if it cannot be read."""
    try:
        return read_people(text)
    except (PeopleListError, ImportFileError):
        return ()


def choices_in(data: QueryDict) -> Mapping[int, str]:
    found = ((CHOICE.fullmatch(name), data.get(name, "")) for name in data)
    return {int(line[1]): said for line, said in found if line and CHOSEN.fullmatch(said)}


def in_words(line: ListedLine) -> tuple[RuleChange, ...]:
    """Return the changes of a line as the history will show them."""
    before, after = (asdict(each) | {"aliases": list(each.aliases)} for each in (line.before, line.facts) if each)
    return field_changes(subject_of("player"), before, after)


def what_stands(players: Sequence[Player]) -> WhatStands:
    facts = sorted((player.pk, *(str(getattr(player, name)) for name in PLAYER_FIELDS)) for player in players)
    text = gettext(
        "Someone else has changed a player in this list. Saving would now make these changes. If they are "
        "right, save again."
    )
    return WhatStands(blake2b(repr(facts).encode(), digest_size=16).hexdigest(), text)


def only_looking(data: QueryDict) -> QueryDict:
    """Drop the values seen earlier, as a preview saves nothing that could be overwritten."""
    looking = data.copy()
    looking.pop(SEEN, None)
    return looking
