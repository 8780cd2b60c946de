"""Forms for points of a session without hanchan: all players at once, typed or pasted, or one line corrected."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django import forms
from django.utils.text import Truncator
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from league.core.board_lines import PLACES
from league.core.limits import MAX_PUBLIC_REASON_LENGTH, MAX_SESSION_HANCHAN
from league.core.numbers import small_number
from league.core.pasted_sums import FIGURES, PastedSums, read_sums
from league.core.spreadsheets.names import WrittenName
from league.forms.names import ReasonForm
from league.forms.points import PointsField, TimesField, read_together
from league.forms.seen import SeenValues
from league.messages import plain_name
from league.messages.sessions import session_points_sentence
from league.models import Player, Session, SessionPoints
from league.selectors.planning import plan_of
from league.services.imports.people import league_people
from league.services.people_lists import SURE
from league.services.session_points import PublishedSum, SessionPointsError

MORE_LINES = 4
MAX_LINES = 60
MAX_PASTED = 20_000

TITLES = {"first": _("1st"), "second": _("2nd"), "third": _("3rd"), "fourth": _("4th")}


def places_at(session: Session) -> tuple[str, ...]:
    return PLACES[: int(session.ruleset_version.parameters.get("players", 4))]


def figures_of(places: tuple[str, ...]) -> dict[str, forms.Field]:
    counts = {place: TimesField(label=TITLES[place], most=MAX_SESSION_HANCHAN, required=False) for place in places}
    hanchan = TimesField(label=_("Hanchan"), most=MAX_SESSION_HANCHAN, required=False)
    return {"points": PointsField(label=_("Points"), required=False), "hanchan": hanchan, **counts}


def published_sum(points: int, counts: Mapping[str, int | None], usual: int | None = None) -> PublishedSum:
    """Return a line's PublishedSum. `usual`: default number of hanchan.

    If some placements are given, blank ones count as 0.
    """
    typed = [counts.get(place) for place in PLACES]
    if all(times is None for times in typed):
        return PublishedSum(points, counts.get("hanchan") or usual)
    first, second, third, fourth = (times or 0 for times in typed)
    return PublishedSum(points, counts.get("hanchan"), (first, second, third, fourth))


class SessionPointsForm(forms.Form):
    """Players, points, hanchan and placements; a note is required if the points do not total 0."""

    hanchan = TimesField(
        label=_("Number of hanchan"),
        most=MAX_SESSION_HANCHAN,
        required=False,
        help_text=_("Applies to everyone unless their line says otherwise. Leave blank if unknown."),
    )
    note = forms.CharField(
        label=_("Note"),
        max_length=MAX_PUBLIC_REASON_LENGTH,
        required=False,
        help_text=_("Public. Required if the points do not add up to 0."),
    )

    def __init__(self, data: Mapping[str, Any] | None = None, *, session: Session, **options: Any) -> None:
        super().__init__(data, **options)
        self._players = {str(player.pk): player for player in session.league.players.active().by_reading()}
        choices = [("", "—"), *((key, plain_name(player)) for key, player in self._players.items())]
        self.lines = _lines(data or self.initial)
        self.places = places_at(session)
        for line in range(self.lines):
            self.fields[f"player_{line}"] = forms.ChoiceField(label=_("Player"), choices=choices, required=False)
            for name, field in figures_of(self.places).items():
                self.fields[f"{name}_{line}"] = field
            for name in self.columns:
                self.fields[f"{name}_{line}"].widget.attrs["aria-labelledby"] = f"{name}-head line-{line}"
        read_together(self)

    @property
    def columns(self) -> dict[str, Any]:
        return {"player": _("Player"), **{name: field.label for name, field in figures_of(self.places).items()}}

    def rows(self) -> Iterator[list[forms.BoundField]]:
        return ([self[f"{name}_{line}"] for name in self.columns] for line in range(self.lines))

    def clean(self) -> dict[str, Any]:
        """Collect the filled lines as `lines`: a PublishedSum by player."""
        values: dict[str, Any] = super().clean() or self.cleaned_data
        lines: dict[Player, PublishedSum] = {}
        usual = values.pop("hanchan", None)
        for line in range(self.lines):
            player = self._players.get(values.pop(f"player_{line}", "") or "")
            points, *counts = (values.pop(f"{name}_{line}", None) for name in figures_of(self.places))
            known = dict(zip(("hanchan", *self.places), counts, strict=True))
            if player is None and points is None and not any(known.values()):
                continue
            if player is None:
                self._add_once(f"player_{line}", _("Choose the player for these points."))
            elif points is None:
                self._add_once(f"points_{line}", _("Enter the points, even if 0."))
            elif player in lines:
                self.add_error(f"player_{line}", _("This player is already on a line above."))
            else:
                lines[player] = published_sum(points, known, usual)
        values["lines"] = lines
        return values

    def _add_once(self, name: str, message: Any) -> None:
        if name not in self.errors:
            self.add_error(name, message)

    @property
    def total(self) -> int:
        """The total of all valid lines, in 1/1000 pt."""
        return sum(each.points for each in self.cleaned_data.get("lines", {}).values())

    def refuse(self, error: SessionPointsError) -> None:
        field = {"unbalanced": "note", "hanchan": "hanchan"}.get(error.code)
        whose = error.values.get("player")
        if error.code in {"hanchan", "places"} and isinstance(whose, Player):
            by_player = {self.data.get(f"player_{line}"): line for line in reversed(range(self.lines))}
            field = f"hanchan_{by_player[str(whose.pk)]}"
        self.add_error(field, session_points_sentence(error.code, error.values))


def proposed_lines(session: Session) -> dict[str, Any]:
    """Return initial lines: one for each planned player, or else four blank ones."""
    entered = set(session.points_without_hanchan.filter(withdrawn=False).values_list("player", flat=True))
    planned = {each.pk: each for *_, players in plan_of(session) for each in players if each.pk not in entered}
    lines = {f"player_{line}": pk for line, pk in enumerate(list(planned)[:MAX_LINES])}
    return {**lines, "lines": max(len(lines), MORE_LINES)}


def more_lines(sent: Mapping[str, Any]) -> dict[str, Any]:
    return {**{name: sent.get(name, "") for name in sent}, "lines": min(_lines(sent) + MORE_LINES, MAX_LINES)}


def _lines(values: Mapping[str, Any]) -> int:
    asked = small_number(str(values.get("lines", "")), MORE_LINES, digits=3)
    return max(1, min(asked, MAX_LINES))


class CorrectPointsForm(SeenValues, ReasonForm):
    field_order = ("points", "hanchan", *PLACES, "reason")

    def __init__(self, data: Mapping[str, Any] | None = None, *, points: SessionPoints) -> None:
        super().__init__(data, initial={name: getattr(points, name) for name in ("points", "hanchan", *PLACES)})
        places = places_at(points.session)
        places = PLACES if points.fourth else places
        self.fields |= figures_of(places)
        self.fields["points"].required = True
        self.order_fields(self.field_order)

    @property
    def published(self) -> PublishedSum:
        known = {name: self.cleaned_data.get(name) for name in ("hanchan", *PLACES)}
        return published_sum(self.cleaned_data["points"], known)

    def refuse(self, error: SessionPointsError) -> None:
        field = "hanchan" if error.code in {"hanchan", "places"} else None
        self.add_error(field, session_points_sentence(error.code, error.values))


MOST_NAMED = 10
MAX_HEAD = 40


def pasted_lines(sent: Mapping[str, Any], session: Session) -> tuple[dict[str, Any], list[str]]:
    """Return the form data with the pasted rows added, and messages to the user.

    A player's existing line is updated. If a name is unknown or ambiguous, the line's player is left blank.
    """
    read = read_sums(str(sent.get("paste", ""))[:MAX_PASTED])
    lines = {name: value for name, value in more_lines(sent).items() if name != "paste"}
    directory = league_people(session.league).directory
    problems, unknown = [], []
    for number, row in enumerate(read.rows):
        found = directory.find(WrittenName(row.name))
        who = found.people[0] if found.how in SURE else None
        line = _line_for(lines, who)
        if line is None:
            problems.append(_no_room(len(read.rows) - number))
            break
        if who is None:
            unknown.append(gettext("line %(line)s: %(name)s") % {"line": line + 1, "name": row.name})
        else:
            lines[f"player_{line}"] = str(who)
        lines |= {f"{figure}_{line}": row.texts.get(figure, "") for figure in FIGURES}
    if unknown:
        problems.append(
            gettext(
                "These names match no player, or more than one. Choose a player in each row, or add the players "
                "first: %(names)s."
            )
            % {"names": ", ".join(unknown)}
        )
    return lines, [*_not_read(read), *problems]


def _not_read(read: PastedSums) -> list[str]:
    if read.unclear is not None:
        return [" ".join(_unclear(read.unclear))]
    if not read.rows:
        return [
            gettext(
                "No row with a player and points was found. Copy the table with its headings, or put names before "
                "points."
            )
        ]
    if read.ignored:
        said = _first_of([str(line) for line in read.ignored])
        return [gettext("Lines without a player or points were skipped: %(lines)s.") % {"lines": said}]
    return []


def _unclear(heads: tuple[str, ...]) -> Iterator[str]:
    yield gettext(
        "Nothing was read. The headings must contain one column for players (選手) and one for points (ポイント)."
    )
    if heads:
        short = [Truncator(head).chars(MAX_HEAD) for head in heads]
        yield gettext("Unknown headings: %(heads)s.") % {"heads": _first_of(short)}


def _first_of(texts: Sequence[str]) -> str:
    return ", ".join(texts[:MOST_NAMED]) + (" …" if texts[MOST_NAMED:] else "")


def _no_room(left: int) -> str:
    text = ngettext(
        "There is only room for %(most)s lines, so %(count)s row was left out. Enter these first, then paste the rest.",
        "There is only room for %(most)s lines, so %(count)s rows were left out. Enter these first, then "
        "paste the rest.",
        left,
    )
    return text % {"most": MAX_LINES, "count": left}


def _line_for(lines: dict[str, Any], who: int | None) -> int | None:
    """Return the index of the player's line, or else the first blank one; None if the form is full."""
    own = (line for line in range(MAX_LINES) if who is not None and str(lines.get(f"player_{line}")) == str(who))
    names = ("player", *FIGURES)
    blank = (line for line in range(MAX_LINES) if not any(lines.get(f"{name}_{line}") for name in names))
    line = next(own, next(blank, None))
    if line is not None:
        lines["lines"] = max(int(lines["lines"]), line + 1)
    return line
