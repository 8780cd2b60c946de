from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from django.forms.boundfield import BoundField
from django.urls import reverse
from django.utils.translation import gettext_lazy

from league.core.entry import read_score_text
from league.forms.entry.fields import busted_seats
from league.forms.entry.form import EntryForm
from league.forms.entry.sentences import score_sentence
from league.messages.sessions import WIND_MARKS
from league.selectors.explained import ExplainedHanchan, TiedSeats
from scoring.core import Ledger, ScoredSeat, format_points
from scoring.messages import describe_ruleset
from scoring.messages.numbers import WINDS

YAKUMAN = (
    gettext_lazy("Thirteen orphans (kokushi)"),
    gettext_lazy("Four concealed triplets (suuankou)"),
    gettext_lazy("Big three dragons (daisangen)"),
    gettext_lazy("Little four winds (shousuushi)"),
    gettext_lazy("Big four winds (daisuushi)"),
    gettext_lazy("All honours (tsuuiisou)"),
    gettext_lazy("All green (ryuuiisou)"),
    gettext_lazy("All terminals (chinroutou)"),
    gettext_lazy("Nine gates (chuuren)"),
    gettext_lazy("Four kans (suukantsu)"),
    gettext_lazy("Blessing of heaven (tenhou)"),
    gettext_lazy("Blessing of earth (chiihou)"),
    gettext_lazy("Counted yakuman (kazoe)"),
)

TO_THE_TOP = {"top", "top_after_rank_points"}


@dataclass(frozen=True, slots=True)
class SeatRow:
    number: int
    fields: Mapping[str, BoundField]
    name: str
    raw: int | None
    is_filled: bool
    problem: str
    scored: ScoredSeat | None
    stored: int | None
    """The raw score that a correction replaces; None if it is unchanged."""

    @property
    def typed(self) -> str:
        return str(self.fields["raw"].value() or "")

    @property
    def wind(self) -> str:
        return str(WINDS[self.number])

    @property
    def mark(self) -> str:
        return str(WIND_MARKS[self.number])

    @property
    def points(self) -> int | None:
        return self.scored.points[Ledger.RANKING] if self.scored else None

    @property
    def settlement(self) -> int | None:
        return self.scored.points[Ledger.SETTLEMENT] if self.scored else None


@dataclass(frozen=True, slots=True)
class Answer:
    name: str
    value: str
    label: str
    is_chosen: bool = False

    @property
    def seat(self) -> str:
        return self.value if self.value.isdigit() else ""


@dataclass(frozen=True, slots=True)
class BustQuestion:
    """The question of who caused a bust. `prize`: points or chips as text; `raw`: None if unknown."""

    seat: int
    name: str
    raw: int | None
    by: tuple[Answer, ...]
    who: tuple[Answer, ...]
    shares: tuple[Answer, ...]
    prize: str
    pays_several: bool
    errors: tuple[str, ...]


class EntryPage:
    def __init__(self, form: EntryForm) -> None:
        self.form, self.table, rules = form, form.table, form.table.rules
        # Validation also sets the attributes used here.
        form.is_valid()
        self.scored = form.entry.scored if form.entry else None
        self.check = form.reading.check
        self.expected = len(self.table.seats) * (rules.start_points or 0)
        self.leftover_goes_to_top = rules.leftover in TO_THE_TOP
        self.highest_bust = 0 if rules.is_bust(0) else -100
        self.neighbours = [(str(WINDS[seat]), str(WINDS[seat + 1]), seat) for seat in self.table.seats[:-1]]
        self.yakuman_names = YAKUMAN

    @cached_property
    def seats(self) -> list[SeatRow]:
        return [self._row(seat) for seat in self.table.seats]

    def _row(self, seat: int) -> SeatRow:
        form, reading = self.form, self.form.reading
        error, name = reading.errors.get(seat), form.names[seat]
        kinds = ("player", "guest", "raw", "chombo", "yakuman", "chips", "deposits")
        return SeatRow(
            number=seat,
            fields={kind: form[f"{kind}_{seat}"] for kind in kinds if f"{kind}_{seat}" in form.fields},
            name=name,
            raw=reading.raw[seat],
            is_filled=reading.filled == seat,
            problem=score_sentence(error, name) if error else "",
            scored=self.scored.seats[seat] if self.scored else None,
            stored=self._stored(f"raw_{seat}"),
        )

    def _stored(self, field: str) -> int | None:
        text = self.form.initial.get(field)
        return read_score_text(text).points if text and text != self.form[field].value() else None

    @property
    def focus(self) -> int | None:
        seated = all(self.form[f"player_{seat}"].value() for seat in self.table.seats)
        return 0 if seated and not self.form.is_bound and not self.form["raw_0"].value() else None

    @property
    def stick_fix(self) -> int | None:
        if self.check is None or not self.check.missing_sticks:
            return None
        return (self.form.sticks_left or 0) + self.check.missing_sticks

    @property
    def asked_as_is(self) -> int | None:
        if not self.table.takes_as_is:
            return None
        if not self.form.is_bound:
            return self.form.initial.get("as_is")
        return None if self.check is None or self.check.adds_up else self.check.difference

    @property
    def has_two_accounts(self) -> bool:
        return self.explained is not None and self.explained.has_two_accounts

    @cached_property
    def explained(self) -> ExplainedHanchan | None:
        return ExplainedHanchan(self.scored, self.form.names) if self.scored else None

    @property
    def ties(self) -> tuple[TiedSeats, ...]:
        return self.explained.ties if self.explained else ()

    @property
    def rules_line(self) -> str:
        rules = self.table.rules
        line = f"{self.table.version}\N{NO-BREAK SPACE}· {rules.start_points or 0:,}"
        return f"{line}\N{NO-BREAK SPACE}/\N{NO-BREAK SPACE}{rules.return_points:,}" if rules.return_points else line

    # --- Rarely needed -----------------------------------------------------------------------------------------------

    @property
    def chombo_rule(self) -> str:
        return " ".join(rule.sentence for rule in describe_ruleset(self.table.rules) if rule.parameter == "chombo")

    @property
    def rules_url(self) -> str:
        """The URL where an organiser sets a chombo penalty that the rules lack, or ""."""
        if self.table.rules.chombo is not None or not self.table.takes_as_is:
            return ""
        address = reverse("league:rules_edit", args=[self.table.league.slug, self.table.version.pk])
        back = f"?session={self.table.session}&table={self.table.number}" if self.table.session else ""
        return f"{address}{back}#id_chombo_kind"

    @property
    def has_chombo(self) -> bool:
        return self._is_answered("chombo")

    @property
    def has_notes(self) -> bool:
        return self._is_answered("yakuman") or bool(self.form["note"].value())

    def _is_answered(self, kind: str) -> bool:
        return any(self.form[f"{kind}_{seat}"].value() not in {None, "", "0"} for seat in self.table.seats)

    # --- Busts -------------------------------------------------------------------------------------------------------

    @cached_property
    def busts(self) -> list[BustQuestion]:
        if not self.table.asks_busts:
            return []
        if not self.form.is_bound:
            # A correction starts with the stored answers.
            return [self._bust(seat, None) for seat in self.table.seats if self.form[f"bust_{seat}_by"].value()]
        if self.form.entry is None:
            return []
        scores = self.form.entry.game.raw
        return [self._bust(seat, scores[seat]) for seat in busted_seats(self.table, scores, self.form.cleaned_data)]

    @property
    def possible_busts(self) -> list[tuple[int, list[BustQuestion]]]:
        """The questions for all seats, for a page that works offline."""
        return [(seat, [self._bust(seat, None)]) for seat in self.table.seats] if self.table.asks_busts else []

    def _bust(self, seat: int, raw: int | None) -> BustQuestion:
        field, rule = f"bust_{seat}", self.table.rules.bust
        prize = rule.prize if rule else 0
        others = [other for other in self.table.seats if other != seat]
        return BustQuestion(
            seat=seat,
            name=self.form.names[seat],
            raw=raw,
            by=self._answers(f"{field}_by"),
            who=self._answers(f"{field}_who"),
            shares=tuple(self._share(f"{field}_share_{other}", other) for other in others if self.table.asks_shares),
            prize=format_points(prize) if rule and rule.prize_in == "points" else str(prize),
            pays_several=rule is not None and rule.win != "first",
            errors=tuple(str(error) for name in (f"{field}_by", f"{field}_who") for error in self._errors(name)),
        )

    def _answers(self, field: str) -> tuple[Answer, ...]:
        chosen = self.form[field].value() or ()
        chosen = {chosen} if isinstance(chosen, str) else set(chosen)
        return tuple(
            Answer(self.form.add_prefix(field), value, self._label(value, str(label)), value in chosen)
            for value, label in self.form.fields[field].choices  # type: ignore[attr-defined]
        )

    def _share(self, field: str, other: int) -> Answer:
        return Answer(field, str(self.form[field].value() or ""), self.form.names[other])

    def _label(self, value: str, label: str) -> str:
        return self.form.names[int(value)] if value.isdigit() else label

    def _errors(self, field: str) -> list[str]:
        """Return the errors of an answer, except a missing one."""
        errors = self.form.errors.as_data().get(field, [])
        return [message for error in errors if error.code != "missing" for message in error.messages]

    @property
    def busts_key(self) -> str:
        """A string that changes with the questions, so that the page keeps them while the user is answering."""
        return "|".join(f"{question.seat}:{','.join(self.form.names)}" for question in self.busts)
