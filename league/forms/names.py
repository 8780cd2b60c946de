import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from league.core.limits import MAX_NAME_LENGTH, MAX_REASON_LENGTH
from league.core.people_lists import GUEST_WORDS, reading_beside
from league.core.readings import folded
from league.core.spelling import cleaned, without_list_marks
from league.core.spreadsheets.names import SLIP, NameDirectory, WrittenName, looks, same_width
from league.forms.seen import SeenValues
from league.messages import joined, plain_name
from league.models import Player
from league.selectors.people import looking_like, named_person
from league.services.people import PlayerFacts


class NameField(forms.CharField):
    """A name; invisible characters are removed."""

    default_error_messages = {"unseen": _("This name has no visible characters. Enter one that can be displayed.")}  # noqa: RUF012

    def to_python(self, value: Any) -> str:
        """Return the name as stored. Raise ValidationError if it consists of invisible characters."""
        text = str(super().to_python(value) or "")
        kept = cleaned(text)
        if text and not kept:
            raise forms.ValidationError(self.error_messages["unseen"], code="unseen")
        return kept


class PlayerField(forms.ModelChoiceField):  # type: ignore[type-arg]
    def label_from_instance(self, obj: Any) -> str:
        return plain_name(obj)


def lines_of(text: str) -> list[str]:
    """Return the names in `text`, one per line, skipping blank lines and duplicates."""
    return list(dict.fromkeys(name for line in text.splitlines() if (name := cleaned(line))))


@dataclass(slots=True)
class NamesRead:
    """Typed names: players they mean, names not in the league, and names that only look like a player's.

    `alike`: with the player, or None if it looks like an earlier name.
    """

    named: list[Player] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    alike: dict[str, Player | None] = field(default_factory=dict)


def read_names(text: str, players: Iterable[Player]) -> NamesRead:
    """Match names, one per line, with players by name, reading or other known name; aliases are prefetched.

    Raise ValidationError if names are too long or mean several players.
    """
    known = {player.pk: player for player in players}
    named = (named_person(each, [alias.name for alias in each.aliases.all()]) for each in known.values())
    directory = NameDirectory.of(named)
    lines = lines_of(without_list_marks(text))
    short = [reading_beside(line)[0] for line in lines]
    told = (name if short.count(name) == 1 else line for name, line in zip(short, lines, strict=True))
    found = {name: directory.find(WrittenName(name)) for name in told}
    slips, seen = directory.slips(found, SLIP), set[str]()
    read, problems = NamesRead(), []
    for line, match in found.items():
        family = directory.family(line)
        is_apart = _is_apart(line, [known[pk] for pk in family])
        several = match.people or (() if is_apart else family)
        if len(several) > 1:
            names = joined(plain_name(known[pk]) for pk in several)
            sentence = gettext("“%(name)s” matches several players: %(names)s. Choose the right one from the list.")
            problems.append(forms.ValidationError(sentence, params={"name": line, "names": names}))
        elif match.how != "ask":
            read.named.append(known[match.people[0]])
        elif len(line) > MAX_NAME_LENGTH:
            params = {"name": f"{line[:MAX_NAME_LENGTH]}…", "most": MAX_NAME_LENGTH}
            sentence = gettext("“%(name)s” is not a valid name. Use 1 to %(most)s characters.")
            problems.append(forms.ValidationError(sentence, params=params))
        elif not is_apart and (like := match.people or slips.get(line)):
            read.alike[line] = known[like[0]]
        elif not is_apart and not seen.isdisjoint(looks(line)):
            read.alike[line] = None
        else:
            read.unknown.append(line)
            seen.update(looks(line))
    if problems:
        raise forms.ValidationError(problems)
    return read


def _is_apart(line: str, family: Iterable[Player]) -> bool:
    """Return whether 佐藤(ゆか) is another 佐藤 than those of the league, unlike 鈴木(大) beside 鈴木 大輔."""
    found = re.fullmatch(r".*\((.+)\)", same_width(line))
    if found is None or found[1] in GUEST_WORDS:
        return False
    return not any(found[1] in f"{player.name} {player.kana} {player.romanised}" for player in family)


def guest_called(name: str, players: Collection[Player]) -> Player | PlayerFacts:
    """Return the player with this name, or else a new guest.

    Raise ValidationError if the name is missing or too long, or only looks like a player's.
    """
    if not name or len(name) > MAX_NAME_LENGTH:
        raise forms.ValidationError(gettext("Enter the guest's name, up to 40 characters."), "missing")
    known = next((player for player in players if folded(player.name) == folded(name)), None)
    if known is None and (found := looking_like([name], players)):
        sentence = gettext(
            "This looks like %(name)s, who is already in the list. Choose that name, or enter a different name "
            "for the guest."
        )
        raise forms.ValidationError(sentence, params={"name": found[0].name})
    return known or PlayerFacts(name, is_guest=True)


class VisibilityForm(SeenValues, forms.Form):
    visibility = forms.ChoiceField(
        label=_("My name is visible to"),
        choices=Player.Visibility.choices,
        widget=forms.RadioSelect,
        help_text=_("Everyone else sees a number. Results are not affected."),
    )


class ReasonForm(forms.Form):
    reason = forms.CharField(
        label=_("Reason"),
        max_length=MAX_REASON_LENGTH,
        error_messages={"required": _("Enter a reason. It is public.")},
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
