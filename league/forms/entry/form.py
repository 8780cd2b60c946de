"""The entry form of a finished hanchan, used for saving, checking and the live preview, and how it was submitted.

Buttons other than "save" change the input and show the page again; JavaScript does the same without a reload.
"""

import re
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from django import forms
from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.http import QueryDict
from django.utils import timezone
from django.utils.datastructures import MultiValueDict
from django.utils.dateparse import parse_datetime
from django.utils.translation import gettext as _

from league.core.entry import (
    RawScoreError,
    TypedScores,
    mistaken_unit,
    read_chips,
    read_count,
    read_counts,
    read_scores,
)
from league.core.limits import MAX_CHOMBO, MAX_DEPOSITS, MAX_ROUND, MAX_STICKS
from league.core.numbers import small_number
from league.core.readings import folded
from league.core.spelling import cleaned
from league.forms.entry import fields
from league.forms.entry.prefill import score_text
from league.forms.entry.sentences import count_sentence, result_sentence, score_sentence, sum_sentence, unit_sentence
from league.forms.names import guest_called
from league.messages import plain_name
from league.models import Hanchan, Player
from league.services.entry import Draft, Seated, TypedResult, scored_by
from league.services.held_results import Submission
from league.services.photos import CleanedPhoto
from league.services.results import ResultError, TableAndTime, note_of_as_is
from scoring.core import FinishedGame, ScoringError
from scoring.messages import scoring_error_sentence
from scoring.messages.numbers import WINDS


class EntryForm(forms.Form):
    """The entry form. Its attributes hold what could be read, even if the form is invalid.

    `entry`: the result as scored, once all scores are there and add up.
    """

    def __init__(
        self,
        data: QueryDict | None = None,
        files: MultiValueDict[str, "UploadedFile[Any]"] | None = None,
        *,
        table: fields.EntryTable,
        corrects: bool = False,
        **options: Any,
    ) -> None:
        super().__init__(data, files, **options)
        self.table = table
        self.reading = TypedScores((None,) * len(table.seats), {}, None, None)
        by_key = table.choices.by_key
        self.people: list[Seated | None] = [by_key.get(self.initial.get(f"player_{seat}", "")) for seat in table.seats]
        self.entry: TypedResult | None = None
        self.problems: list[str] = []
        self.sticks_left = 0
        people = fields.people_choices(table.choices)
        self.fields |= fields.table_fields()
        if not corrects:
            self.fields["photo"] = fields.PhotoField(required=False)
        for seat in table.seats:
            self.fields |= fields.seat_fields(seat, table, people)
        if table.asks_riichi_bust:
            self.fields["riichi_bust"] = fields.riichi_bust_field(table)
        if table.takes_as_is:
            self.fields |= fields.as_is_fields()
        if corrects:
            self.fields |= fields.correction_fields()

    def offer(self, table: fields.EntryTable) -> None:
        """Replace the choices of players by those of the same table, when a submitted form is shown again."""
        self.table, people = table, fields.people_choices(table.choices)
        for seat in table.seats:
            self.fields[f"player_{seat}"].choices = people  # type: ignore[attr-defined]

    # --- Reading the input -------------------------------------------------------------------------------------------

    def clean(self) -> dict[str, Any]:
        super().clean()
        self.people = [self._person(seat) for seat in self.table.seats]
        self._refuse_twice()
        sticks = self.sticks_left = self._count("sticks_left", _("Riichi sticks"), MAX_STICKS)
        self._read_scores(sticks)
        scores, check = self.reading.scores, self.reading.check
        if scores is not None and check is not None and (check.adds_up or self.is_as_it_is):
            self.entry = self._scored(scores)
        return self.cleaned_data

    @property
    def is_as_it_is(self) -> bool:
        check = self.reading.check
        asked = self.table.takes_as_is and check is not None and not check.adds_up and self.reading.scores is not None
        return asked and check is not None and self._text("as_is") == str(check.difference)

    def _scored(self, scores: tuple[int, ...]) -> TypedResult:
        busts, unexplained = fields.read_busts(self.table, scores, self.cleaned_data, self.names)
        for error in unexplained:
            self.add_error(error.field, error.reason)
        yakuman = [(seat, self._text(f"yakuman_{seat}").strip()) for seat in self.table.seats]
        game = FinishedGame(
            raw=scores,
            sticks_left=self.sticks_left,
            busts=busts,
            chombo=self._counts("chombo", _("Chombo"), MAX_CHOMBO),
            chips=self._chips(),
            deposits=self._counts("deposits", _("Sticks"), MAX_DEPOSITS) if self.table.asks_deposits else (),
            as_is=self.is_as_it_is,
        )
        where = TableAndTime(
            table=self.cleaned_data.get("table") or self.table.number,
            round=self.cleaned_data.get("round"),
            played_at=self.cleaned_data.get("played_at"),
            client_key=self.cleaned_data.get("client_key") or uuid4(),
        )
        typed = TypedResult(
            seated=tuple(person for person in self.people if person is not None),
            game=game,
            table_and_time=where,
            note=self._text("note").strip(),
            end_reason=self._text("end_reason") or Hanchan.EndReason.NORMAL,
            yakuman=tuple((seat, text) for seat, text in yakuman if text),
            photo=self.picture,
        )
        entry = scored_by(typed, self.table.rules)
        if entry.refusal is not None and not unexplained:
            self.refuse(entry.refusal)
        return entry

    def _person(self, seat: int) -> Seated | None:
        field, guest = f"player_{seat}", cleaned(self._text(f"guest_{seat}"))
        chosen = self._text(field)
        if chosen == fields.GUEST or (guest and not chosen):
            try:
                return guest_called(guest, self.table.choices.by_key.values())
            except ValidationError as error:
                self.add_error(f"guest_{seat}", error)
                return None
        if not chosen and field not in self.errors:
            self.add_error(field, ValidationError(_("%(seat)s: choose a player.") % {"seat": WINDS[seat]}, "missing"))
        return self.table.choices.by_key.get(chosen)

    def _refuse_twice(self) -> None:
        seen: set[object] = set()
        for seat, person in enumerate(self.people):
            who = person.pk if isinstance(person, Player) else person and folded(person.name)
            if who in seen and who is not None:
                self.add_error(f"player_{seat}", result_sentence(ResultError("player_twice", name=self.names[seat])))
            seen.add(who)

    def _read_scores(self, sticks: int) -> None:
        texts = [self._text(f"raw_{seat}") for seat in self.table.seats]
        automatic = self._automatic_seat(texts)
        if automatic is not None:
            texts[automatic] = ""
        self.reading = read_scores(texts, sticks, self.table.rules.start_points or 0, fills=self.table.fills)
        for seat, error in self.reading.errors.items():
            self.add_error(f"raw_{seat}", score_sentence(error, self.names[seat]))
        for seat in self.reading.missing:
            text = _("%(who)s: enter a score.") % {"who": self.names[seat]}
            self.add_error(f"raw_{seat}", ValidationError(text, "missing"))
        self._show_filled(automatic)
        if self.is_as_it_is:
            try:
                self.cleaned_data["note"] = note_of_as_is(self._text("note"), self._text("as_is_why"))
            except ResultError as error:
                self.add_error("as_is_why" if error.code == "as_is_unexplained" else "note", result_sentence(error))
        elif (check := self.reading.check) is not None and not check.adds_up:
            self._problem(unit_sentence(self.mistaken_unit) or sum_sentence(check))

    @property
    def off_by(self) -> int:
        return self.reading.check.difference if self.reading.check else 0

    @property
    def has_wrong_total_alone(self) -> bool:
        return self.off_by != 0 and list(self.errors.values()) == [self.problems[:1]]

    @property
    def mistaken_unit(self) -> str:
        check, scores = self.reading.check, self.reading.scores
        return mistaken_unit(scores, check.expected) if check and scores else ""

    def _automatic_seat(self, texts: list[str]) -> int | None:
        seat, colon, text = self._text("auto").partition(":")
        if not (colon and seat.isdecimal() and int(seat) in self.table.seats and self.table.fills):
            return None
        return int(seat) if texts[int(seat)] == text else None

    def _show_filled(self, before: int | None) -> None:
        """Show the filled-in score, marked so that it is recalculated when others change."""
        filled = self.reading.filled
        if filled is None and before is None:
            return
        values = {"auto": ""} if before is None else {f"raw_{before}": "", "auto": ""}
        if filled is not None:
            text = score_text(self.reading.raw[filled] or 0)
            values |= {f"raw_{filled}": text, "auto": f"{filled}:{text}"}
        self._retype(values)

    def _retype(self, values: Mapping[str, str]) -> None:
        assert isinstance(self.data, QueryDict)
        shown = self.data.copy()
        for field, text in values.items():
            shown[field] = text
        self.data = shown

    def _chips(self) -> tuple[int, ...]:
        if not self.table.asks_chips:
            return ()
        try:
            chips = read_chips([self._text(f"chips_{seat}") for seat in self.table.seats])
        except RawScoreError as error:
            text = _("Chips: “%(text)s” is not a whole number. Enter a number such as 3 or −2.")
            self._problem(text % {"text": error.text})
            return ()
        if sum(chips):
            self._problem(_("The chips add up to %(sum)s instead of 0.") % {"sum": sum(chips)})
        return chips if any(chips) and not sum(chips) else ()

    def _counts(self, kind: str, what: str, most: int) -> tuple[int, ...]:
        try:
            return read_counts([self._text(f"{kind}_{seat}") for seat in self.table.seats], most)
        except RawScoreError as error:
            self._problem(count_sentence(error, what, most))
            return ()

    def _count(self, field: str, what: str, most: int) -> int:
        try:
            return read_count(self._text(field), most)
        except RawScoreError as error:
            self.add_error(field, count_sentence(error, what, most))
            return 0

    def _problem(self, sentence: str) -> None:
        self.problems.append(sentence)
        self.add_error(None, sentence)

    def _text(self, field: str) -> str:
        return str(self.cleaned_data.get(field) or "")

    def clean_played_at(self) -> datetime | None:
        return fields.checked_moment(self.cleaned_data["played_at"], self.initial.get("played_at"))

    # --- Page data ---------------------------------------------------------------------------------------------------

    @property
    def names(self) -> list[str]:
        return [plain_name(person) if person else str(WINDS[seat]) for seat, person in enumerate(self.people)]

    @property
    def messages(self) -> Iterable[tuple[str, str]]:
        for field, errors in self.errors.items():
            target = self[field].auto_id if field in self.fields else ""
            for error in errors:
                yield target, str(error)

    def refuse(self, error: ResultError | ScoringError) -> None:
        self._problem(
            result_sentence(error) if isinstance(error, ResultError) else scoring_error_sentence(error, self.names)
        )

    def saw(self, version: int) -> None:
        """Record the version now shown, so that saving again knowingly overwrites it."""
        self._retype({"seen_version": str(version)})

    @property
    def picture(self) -> CleanedPhoto | None:
        picture: CleanedPhoto | None = self.cleaned_data.get("photo")
        return picture


NOT_TYPED = {"csrfmiddlewaretoken", "device", "unsent", "entered_at", "do"}

SAVE, ANOTHER, SEATED = "save", "another", "seated"
"""Buttons that save: as is; as another, equal hanchan; with players other than planned.

Earlier confirmations are submitted along, separated by spaces.
"""

SEAT_FIELD = re.compile(r"(player|guest|raw|chombo|yakuman|chips|deposits|bust)_([0-3])(_\w+)?")
SHARE_FIELD = re.compile(r"(_share_)([0-3])")
ACTION = re.compile(r"(swap|sticks|negate)-(\d{1,2})")

MINUS = "-−▲△"


@dataclass(frozen=True, slots=True)
class Sending:
    data: QueryDict
    client_key: UUID | None
    entered_at: datetime | None
    was_kept: bool
    draft: Draft

    @classmethod
    def read(cls, data: QueryDict) -> "Sending":
        """Parse the submitted data; invalid values count as missing."""
        key = None
        with suppress(ValueError):
            key = UUID(data.get("client_key", ""))
        number = small_number(data.get("for_round", ""), 0, digits=len(str(MAX_ROUND)))
        entered_at, was_kept = _moment(data.get("entered_at", "")), data.get("unsent") == "1"
        meant = number if 1 <= number <= MAX_ROUND else None
        draft = Draft(meant, _moment(data.get("begun_at", "")), entered_at if was_kept else None)
        return cls(data, key, entered_at, was_kept, draft)

    @property
    def saves(self) -> bool:
        return self._said <= {SAVE, ANOTHER, SEATED}

    @property
    def even_if_same(self) -> bool:
        return ANOTHER in self._said

    @property
    def even_if_others(self) -> bool:
        return SEATED in self._said

    def answered(self, entry: TypedResult) -> TypedResult:
        return replace(entry, table_and_time=replace(entry.table_and_time, even_if_others=self.even_if_others))

    @property
    def _said(self) -> set[str]:
        return set(self.data.get("do", SAVE).split())

    @property
    def typed(self) -> QueryDict:
        """The input with the button's action applied: seats swapped, sticks set, or a sign changed."""
        match = ACTION.fullmatch(self.data.get("do", ""))
        if match is None:
            return self.data
        name, number = match[1], int(match[2])
        if name == "swap":
            return _swapped(self.data, number, number + 1)
        changed = self.data.copy()
        if name == "sticks":
            changed["sticks_left"] = str(number)
            return changed
        field = f"raw_{number}"
        text = changed.get(field, "").strip()
        changed[field] = text[1:] if text[:1] in tuple(MINUS) else f"-{text}"
        return changed

    def submission(self, picture: CleanedPhoto | None) -> Submission | None:
        """Return the input so that it can be held if saving fails; None if no phone had stored it."""
        if self.client_key is None or not self.was_kept:
            return None
        typed = {name: texts for name, texts in self.data.lists() if name not in NOT_TYPED}
        return Submission(self.client_key, typed, self.entered_at, picture)


def _swapped(data: QueryDict, first: int, second: int) -> QueryDict:
    """Swap two players with all their fields, including answers about busts."""
    turned = {str(first): str(second), str(second): str(first)}
    changed = QueryDict(mutable=True, encoding=data.encoding)
    for name, values in data.lists():
        match = SEAT_FIELD.fullmatch(name)
        if match is None:
            seat, _, text = (values[0] if values else "").partition(":")
            changed.setlist(name, [f"{turned.get(seat, seat)}:{text}"] if name == "auto" else values)
            continue
        rest = SHARE_FIELD.sub(lambda share: share[1] + turned.get(share[2], share[2]), match[3] or "")
        is_answer = match[1] == "bust" and "share" not in rest
        answers = [turned.get(value, value) for value in values] if is_answer else values
        changed.setlist(f"{match[1]}_{turned.get(match[2], match[2])}{rest}", answers)
    return changed


def _moment(text: str) -> datetime | None:
    """Parse a time of entry; None if invalid, in the future or more than a year off."""
    moment, now = None, timezone.now()
    with suppress(ValueError):
        moment = parse_datetime(text)
    if moment is None or timezone.is_naive(moment) or abs(moment.year - now.year) > 1:
        return None
    return moment if moment <= now + fields.CLOCKS_DIFFER else None
