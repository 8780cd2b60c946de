from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from league.core.sessions import MAX_WORD_LENGTH
from league.forms.names import NameField
from league.forms.seen import SeenValues
from league.forms.sessions import ClockField, DayAndClockField
from league.messages import plain_name
from league.models import Attendance, Player
from league.services.attendance import AnswerFacts

Answer = Attendance.Answer

SAID = (
    (Answer.COMING.value, pgettext_lazy("attendance, to choose", "Coming")),
    (Answer.LATE.value, pgettext_lazy("attendance, to choose", "Late")),
    (Answer.ABSENT.value, pgettext_lazy("attendance, to choose", "Not coming")),
)
NOTHING = (Answer.NONE.value, pgettext_lazy("attendance, to choose", "No answer"))


class AnswerForm(SeenValues, forms.Form):
    """A player's answer for a session; organisers may also remove it.

    `of`: primary key of the session. `reads_word`: if False, the user may not see the comment, and it is kept.
    """

    answer = forms.ChoiceField(
        label=gettext_lazy("Answer"),
        choices=SAID,
        widget=forms.RadioSelect,
        error_messages={"required": gettext_lazy("Choose one of the three answers.")},
    )
    arrives_at = ClockField(label=gettext_lazy("Arrives at"), required=False)
    word = NameField(label=gettext_lazy("Comment"), max_length=MAX_WORD_LENGTH, required=False)

    def __init__(
        self,
        *args: Any,
        of: int,
        standing: Attendance | None,
        takes_back: bool = False,
        reads_word: bool = True,
        **options: Any,
    ) -> None:
        said: dict[str, Any] = {"answer": "", "arrives_at": None, "word": ""}
        if standing is not None:
            said = {name: getattr(standing, name) for name in said}
        self.kept_word = "" if reads_word else said["word"]
        said["word"] = said["word"] if reads_word else ""
        super().__init__(*args, initial=said, auto_id=f"answer-{of}-%s", **options)
        self.standing = standing
        if takes_back:
            field = self.fields["answer"]
            field.choices, field.required = (*SAID, NOTHING), False  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        """Drop the arrival time unless the answer is "late"."""
        values: dict[str, Any] = super().clean() or self.cleaned_data
        if values.get("answer") != Answer.LATE:
            values["arrives_at"] = None
        return values

    def facts(self) -> AnswerFacts:
        said = self.cleaned_data
        return AnswerFacts(said["answer"], said["arrives_at"], said["word"] or self.kept_word)


class RosterForm(forms.Form):
    """The answers of all members, for organisers. Only what differs from the answers on the page sent is stored."""

    def __init__(self, typed: QueryDict | None, people: Iterable[Player], answers: Mapping[int, Attendance]) -> None:
        super().__init__(typed, auto_id="roster-%s")
        self._answers = answers
        self._people = {str(player.pk): player for player in people}
        for name, player in self._people.items():
            row = answers.get(player.pk)
            self.fields[name] = forms.ChoiceField(
                label=plain_name(player),
                choices=(*SAID, NOTHING),
                required=False,
                widget=forms.RadioSelect,
                initial=row.answer if row else "",
                show_hidden_initial=True,
            )

    @property
    def rows(self) -> Iterator[tuple[Player, Attendance | None, forms.BoundField]]:
        return ((player, self._answers.get(player.pk), self[name]) for name, player in self._people.items())

    @property
    def changes(self) -> Iterator[tuple[Player, AnswerFacts]]:
        """Changed answers; comments stay, and so does the arrival time of those who still come late."""
        for name in sorted(self.changed_data, key=int):
            answer, player = self.cleaned_data[name], self._people[name]
            row = self._answers.get(player.pk)
            arrives_at = row.arrives_at if row and answer == Answer.LATE else None
            yield player, AnswerFacts(answer, arrives_at, row.word if row else "")


class UntilForm(SeenValues, forms.Form):
    answers_until = DayAndClockField(
        label=gettext_lazy("Answers accepted until"),
        help_text=gettext_lazy("In the league's time zone. Leave blank to accept answers until the session starts."),
    )

    def __init__(self, *args: Any, ends: datetime, **options: Any) -> None:
        super().__init__(*args, auto_id="until-%s", **options)
        self._ends = ends

    def clean_answers_until(self) -> datetime | None:
        until: datetime | None = self.cleaned_data["answers_until"]
        if until is not None and until > self._ends:
            text = _("The session has begun by then. Choose a time up to %(moment)s.")
            raise ValidationError(text, params={"moment": timezone.localtime(self._ends).strftime("%Y-%m-%d %H:%M")})
        return until
