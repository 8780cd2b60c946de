"""A list of people out of a spreadsheet: pasted, looked at, answered, stored."""

import re
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext, ngettext_lazy
from django.utils.translation import gettext_lazy as _

from league.core.limits import MAX_REASON_LENGTH
from league.core.people_lists import MAX_LINES, ListedPerson, PeopleListError, read_people
from league.core.spreadsheets.tables import ImportFileError
from league.forms.seen import SEEN, SeenWhole, WhatStands
from league.models import Player, PlayerAlias
from league.services.people import PLAYER_FIELDS

CHOICE = re.compile(r"who-(\d{1,6})")
CHOSEN = re.compile(r"new|skip|\d{1,18}")

REFUSALS = {
    "empty": _("Paste at least one row."),
    "too_many": ngettext_lazy("At most %(most)s row at once.", "At most %(most)s rows at once.", MAX_LINES),
    "no_names": _("No column looks like names. Put a row of headings on top, one of them 名前 or “name”."),
}


class PeopleListForm(SeenWhole, forms.Form):
    text = forms.CharField(
        label=_("Rows out of a spreadsheet"),
        max_length=300_000,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 10, "spellcheck": "false"}),
        error_messages={"required": REFUSALS["empty"]},
        help_text=_(
            "A player a row: name and reading; number, name and reading; or more columns under a row of headings: 名前, ふりがな, ローマ字, 会員番号, 所属, ゲスト. Empty cells change nothing."
        ),
    )
    all_new = forms.BooleanField(label=_("Everybody who is unknown is a new player"), required=False)
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
            raise forms.ValidationError(_("These rows cannot be read as a table.")) from error
        return text


def people_in(text: str) -> Sequence[ListedPerson]:
    """Return the people of a list; nobody where it cannot be read."""
    try:
        return read_people(text).people
    except (PeopleListError, ImportFileError):
        return ()


def choices_in(data: QueryDict) -> Mapping[int, str]:
    found = ((CHOICE.fullmatch(name), data.get(name, "")) for name in data)
    return {int(line[1]): said for line, said in found if line and CHOSEN.fullmatch(said)}


def in_words(changes: Iterable[tuple[str, object, object]]) -> list[tuple[str, str, str]]:
    return [(_label(name), _words(before), _words(after)) for name, before, after in changes]


def _label(name: str) -> str:
    if name == "aliases":
        return str(PlayerAlias._meta.verbose_name_plural)
    return str(Player._meta.get_field(name).verbose_name)  # type: ignore[union-attr]


def _words(value: object) -> str:
    if isinstance(value, bool):
        return gettext("yes") if value else gettext("no")
    return (", ".join(map(str, value)) if isinstance(value, tuple) else str(value)) or "—"


def what_stands(players: Sequence[Player]) -> WhatStands:
    facts = sorted((player.pk, *(str(getattr(player, name)) for name in PLAYER_FIELDS)) for player in players)
    text = gettext(
        "Somebody else has changed a player of this list meanwhile. Here is what would change now; save again to do it."
    )
    return WhatStands(blake2b(repr(facts).encode(), digest_size=16).hexdigest(), text)


def only_looking(data: QueryDict) -> QueryDict:
    """Return the same without what an earlier look showed: nothing is stored yet that could be overwritten."""
    looking = data.copy()
    looking.pop(SEEN, None)
    return looking
