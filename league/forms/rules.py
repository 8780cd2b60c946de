"""The parameters of a rule set as a form: the common ones as questions, all of them as JSON."""

import copy
import json
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from league.core.entry import RawScoreError, parse_raw_score
from league.core.limits import MAX_REASON_LENGTH, MAX_STICKS
from league.forms.points import PointsField, PointsListField, SticksField, TypedField, plain
from league.messages import PARTS as PART_NAMES
from league.selectors.rulebook import SEAT_NAMES
from scoring.core import RulesetError, ScoringRules, format_points, read_ruleset, write_ruleset
from scoring.messages import ruleset_error_sentence

Choices = Sequence[tuple[str, str | Promise]]

OPEN = ("", _("not settled"))
SEATS = 4
MAX_JSON = 20_000

BASES: Choices = (
    ("points", _("Points: the raw score counts, then uma and oka")),
    ("placement", _("Placement only: every place is worth a fixed number of points")),
)
OKAS: Choices = (
    ("auto", _("what the return points leave to the top")),
    ("points", _("a fixed number of points")),
)
UMAS: Choices = (
    ("fixed", _("the same for every hanchan")),
    ("floating", _("depends on how many players finish above a line")),
)
TIE_RANKS: Choices = (
    OPEN,
    ("seat", _("the seat nearer to the first dealer is ahead")),
    ("shared", _("they share the placement")),
)
TIE_POINTS: Choices = (
    OPEN,
    ("seat", _("goes by seat order")),
    ("split", _("is split between them")),
)
SPLIT_UNITS: Choices = (OPEN, ("1", "1"), ("0.1", "0.1"), ("0.001", "0.001"))
REMAINDERS: Choices = (
    OPEN,
    ("one_each_nearest", _("one unit each, nearest to the first dealer first")),
    ("all_nearest", _("all of it to the seat nearest to the first dealer")),
    ("seat_order_if_indivisible", _("no split at all then: seat order decides")),
)
ROUNDINGS: Choices = (
    ("none", _("no rounding")),
    ("trunc", _("towards the return points (cut off)")),
    ("floor", _("down")),
    ("ceil", _("up")),
    ("away", _("away from the return points")),
    ("half_up", _("to the nearest, halves up")),
    ("half_down", _("to the nearest, halves down")),
)
ROUNDING_BASES: Choices = (
    ("diff", _("the difference to the return points")),
    ("raw", _("the raw score itself")),
)
LEFTOVERS: Choices = (
    OPEN,
    ("top", _("to the top")),
    ("split_tops", _("to the top, split between equal tops")),
    ("top_after_rank_points", _("to the top, after all other points")),
    ("void", _("to nobody")),
    ("returned", _("back to those who put them down")),
)
BUST_ENDS: Choices = (
    OPEN,
    ("never", _("nobody can go bust")),
    ("below_zero", _("below zero")),
    ("zero_or_below", _("at zero or below")),
)
BUST_WINS: Choices = (
    ("first", _("the first winner in turn order")),
    ("split", _("all winners, shared out")),
    ("each", _("every winner the whole prize")),
)
BUST_OTHERS: Choices = (
    ("none", _("no prize")),
    ("equal_split", _("split between the other players")),
    ("manual", _("decided by hand")),
)
CHOMBOS: Choices = (
    OPEN,
    ("none", _("nothing beyond the hand")),
    ("mangan", _("a mangan payment at the table")),
    ("flat_each", _("a fixed payment to each player at the table")),
    ("total", _("points off the total")),
)
PARTS: Choices = tuple(PART_NAMES.items())
"""What an account may hold."""

FIELD_OF: Mapping[str, str] = {
    "uma_floating.threshold": "uma_threshold",
    "uma_floating.inclusive": "uma_inclusive",
    "uma_floating": "uma_rows",
    "tie": "tie_rank",
    "split": "split_unit",
    "rounding": "rounding_mode",
    "bust.draw_shares": "bust_shares",
    "bust": "bust_ends",
    "chombo": "chombo_kind",
    "ledgers.ranking": "ranking_parts",
    "ledgers.settlement": "settlement_parts",
}
"""Which field asks for a parameter whose field does not bear its name."""

GROUPS: Sequence[tuple[str | Promise, Sequence[str]]] = (
    (_("The game"), ("players", "start_points", "return_points", "score_basis")),
    (
        _("Uma and oka"),
        ("uma_kind", "uma", "uma_threshold", "uma_inclusive", "uma_rows", "oka_kind", "oka_amount"),
    ),
    (_("Equal raw scores"), ("tie_rank", "tie_uma", "tie_oka", "split_unit", "split_remainder")),
    (_("Rounding"), ("rounding_mode", "rounding_basis", "rounding_unit", "rounding_top_absorbs")),
    (_("Sticks left and the floor"), ("leftover", "below_zero_floor")),
    (_("Bust"), ("bust_ends", "bust_prize", "bust_win", "bust_shares", "bust_other")),
    (_("Chombo and chips"), ("chombo_kind", "chombo_amount", "chips")),
    (
        _("What each account holds"),
        ("ranking_parts", "settlement_parts", "ranking_rounded", "settlement_rounded"),
    ),
)
"""The questions as the page asks them."""


class RowsField(TypedField):
    """Numbered rows of points, one per line: `1: 12 ▲1 ▲3 ▲8`; gives {1: (12000, …)}."""

    default_error_messages: ClassVar[dict[str, Any]] = {
        "unreadable": _("“%(text)s” is not understood. Write a number, a colon and the points."),
    }

    longest = 500

    def __init__(self, **options: Any) -> None:
        super().__init__(widget=forms.Textarea(attrs={"rows": 4, "autocomplete": "off"}), **options)

    def read(self, text: str) -> dict[str, tuple[int, ...]]:
        """Return the rows by number."""
        return dict(self._row(line) for line in text.splitlines() if line.strip())

    def _row(self, line: str) -> tuple[str, tuple[int, ...]]:
        match = re.fullmatch(r"\s*(\d{1,2})\s*[:=]\s*(.+)", plain(line))
        if not match:
            raise ValidationError(self.error_messages["unreadable"], "unreadable", {"text": line[:60]})
        return str(int(match[1])), PointsListField(required=False).clean(match[2])

    def prepare_value(self, value: object) -> object:
        """Return stored rows one per line."""
        if isinstance(value, Mapping):
            rows = sorted(value.items(), key=lambda row: int(row[0]))
            return "\n".join(f"{number}: {'  '.join(map(str, row))}" for number, row in rows)
        return value


class RulesForm(forms.Form):
    """The common parameters of a rule set. What the form does not ask keeps the value it has."""

    players = forms.TypedChoiceField(
        label=_("Players"), choices=[(4, _("four")), (3, _("three"))], coerce=int, widget=forms.RadioSelect
    )
    start_points = SticksField(label=_("Start points"), required=False)
    return_points = SticksField(label=_("Return points"), required=False)
    score_basis = forms.ChoiceField(label=_("What is scored"), choices=BASES, widget=forms.RadioSelect)
    uma_kind = forms.ChoiceField(label=_("Uma"), choices=UMAS, widget=forms.RadioSelect)
    uma = PointsListField(
        label=_("Points by placement"), required=False, help_text=_("First place first, for example 10 5 ▲5 ▲10.")
    )
    uma_threshold = SticksField(label=_("The line"), required=False)
    uma_inclusive = forms.BooleanField(label=_("Exactly on the line counts as above"), required=False)
    uma_rows = RowsField(
        label=_("Points by players above the line"),
        required=False,
        help_text=_("One line for each number of players above, for example 1: 12 ▲1 ▲3 ▲8."),
    )
    oka_kind = forms.ChoiceField(label=_("Oka"), choices=OKAS, widget=forms.RadioSelect)
    oka_amount = PointsField(label=_("Oka points"), required=False)
    tie_rank = forms.ChoiceField(label=_("Placement"), choices=TIE_RANKS, required=False)
    tie_uma = forms.ChoiceField(label=_("The uma"), choices=TIE_POINTS, required=False)
    tie_oka = forms.ChoiceField(label=_("The oka"), choices=TIE_POINTS, required=False)
    split_unit = forms.ChoiceField(label=_("Smallest share"), choices=SPLIT_UNITS, required=False)
    split_remainder = forms.ChoiceField(label=_("What does not divide"), choices=REMAINDERS, required=False)
    rounding_mode = forms.ChoiceField(label=_("Rounding"), choices=ROUNDINGS)
    rounding_basis = forms.ChoiceField(label=_("What is rounded"), choices=ROUNDING_BASES, required=False)
    rounding_unit = PointsField(label=_("To steps of"), required=False)
    rounding_top_absorbs = forms.BooleanField(label=_("The top takes the negated sum of the others"), required=False)
    leftover = forms.ChoiceField(label=_("Riichi sticks left at the end go"), choices=LEFTOVERS, required=False)
    below_zero_floor = SticksField(
        label=_("Lowest raw score that counts"), required=False, help_text=_("Empty: there is no floor.")
    )
    bust_ends = forms.ChoiceField(label=_("A player is bust"), choices=BUST_ENDS, required=False)
    bust_prize = PointsField(label=_("Bust prize"), required=False, help_text=_("Empty or 0: there is none."))
    bust_win = forms.ChoiceField(label=_("After a win it goes to"), choices=BUST_WINS, required=False)
    bust_shares = RowsField(
        label=_("After a drawn hand, by players in tenpai"),
        required=False,
        help_text=_("One line each, for example 2: 5 5. Empty: shared out equally."),
    )
    bust_other = forms.ChoiceField(label=_("After anything else"), choices=BUST_OTHERS, required=False)
    chombo_kind = forms.ChoiceField(label=_("A chombo costs"), choices=CHOMBOS, required=False)
    chombo_amount = forms.CharField(
        label=_("Amount"),
        required=False,
        max_length=20,
        widget=forms.TextInput(attrs={"autocomplete": "off", "size": 8}),
        help_text=_("Points off the total, such as ▲40; or the payment to each, such as 3000."),
    )
    chips = PointsField(label=_("Points per chip"), required=False, help_text=_("Empty: chips carry no points."))
    ranking_parts = forms.MultipleChoiceField(
        label=_("Ranking points"), choices=PARTS, required=False, widget=forms.CheckboxSelectMultiple
    )
    ranking_rounded = forms.BooleanField(label=_("Ranking points are rounded"), required=False)
    settlement_parts = forms.MultipleChoiceField(
        label=_("Settlement"), choices=PARTS, required=False, widget=forms.CheckboxSelectMultiple
    )
    settlement_rounded = forms.BooleanField(label=_("The settlement is rounded"), required=False)
    note = forms.CharField(
        label=_("What changed, for the league to read"), max_length=MAX_REASON_LENGTH, required=False
    )

    def __init__(self, data: Mapping[str, Any] | None = None, *, base: Mapping[str, Any]) -> None:
        self.base = base
        super().__init__(data, initial=asked_from(base))

    def groups(self) -> list[tuple[Any, list[Any]]]:
        """Return the questions under their headings."""
        return [(title, [self[name] for name in names]) for title, names in GROUPS]

    def clean(self) -> dict[str, Any]:
        """Refuse parameters that contradict each other, at the field that asks for them."""
        values: dict[str, Any] = super().clean() or self.cleaned_data
        if not self.errors:
            try:
                self.parameters = write_ruleset(read_ruleset(self._typed(values)))
            except RulesetError as error:
                self.add_error(field_of(error.path, self.fields), ruleset_error_sentence(error))
            except ValidationError as error:
                self.add_error("chombo_amount", error)
        return values

    def rules(self) -> ScoringRules:
        """Return the rule set that the questions were answered with."""
        return read_ruleset(self.parameters)

    def _typed(self, values: Mapping[str, Any]) -> dict[str, Any]:
        parameters = copy.deepcopy(dict(self.base))
        for name in ("players", "start_points", "return_points", "score_basis", "leftover", "below_zero_floor"):
            _put(parameters, name, values[name])
        _put_uma(parameters, values)
        _put(parameters, "oka", "auto" if values["oka_kind"] == "auto" else _text(values["oka_amount"]) or "0")
        _put(parameters, "tie", _answers(values, "tie", ("rank", "uma", "oka")))
        _put(parameters, "split", _answers(values, "split", ("unit", "remainder")))
        _put_rounding(parameters, values)
        _put_bust(parameters, values)
        _put_chombo(parameters, values)
        _put(parameters, "chips", values["chips"] is not None and {"value": _text(values["chips"])})
        _put_ledgers(parameters, values)
        return parameters


def field_of(path: str, fields: Mapping[str, Any]) -> str | None:
    """Return the field that asks for a parameter such as `bust.draw_shares.2`, or None."""
    steps = path.split(".")
    for length in range(len(steps), 0, -1):
        part = steps[:length]
        name = re.sub(r"\[\d+\]", "", "_".join(part))
        if name in fields:
            return name
        if ".".join(part) in FIELD_OF:
            return FIELD_OF[".".join(part)]
    return None


def _put(parameters: dict[str, Any], name: str, value: Any) -> None:
    """Set a parameter; what is empty is left open."""
    if value is None or value is False or value in ("", {}):
        parameters.pop(name, None)
    else:
        parameters[name] = value


def _text(points: int | None) -> str | None:
    return None if points is None else format_points(points)


def _answers(values: Mapping[str, Any], table: str, names: Sequence[str]) -> dict[str, Any]:
    return {name: values[f"{table}_{name}"] for name in names if values[f"{table}_{name}"] not in ("", None)}


def _put_uma(parameters: dict[str, Any], values: Mapping[str, Any]) -> None:
    fixed = values["uma_kind"] == "fixed"
    _put(parameters, "uma", [_text(points) for points in values["uma"] or ()] or None if fixed else None)
    floating: dict[str, Any] = {"inclusive": values["uma_inclusive"]}
    _put(floating, "threshold", values["uma_threshold"])
    _put(floating, "rows", _rows(values["uma_rows"]))
    _put(parameters, "uma_floating", None if fixed else floating)


def _rows(rows: Mapping[str, Sequence[int]] | None) -> dict[str, list[str | None]]:
    return {number: [_text(points) for points in row or ()] for number, row in (rows or {}).items()}


def _put_rounding(parameters: dict[str, Any], values: Mapping[str, Any]) -> None:
    if values["rounding_mode"] == "none":
        parameters.pop("rounding", None)
        return
    rounding = _answers(values, "rounding", ("mode", "basis"))
    _put(rounding, "unit", _text(values["rounding_unit"]))
    parameters["rounding"] = rounding | {"top_absorbs": values["rounding_top_absorbs"]}


def _put_bust(parameters: dict[str, Any], values: Mapping[str, Any]) -> None:
    if not values["bust_ends"]:
        parameters.pop("bust", None)
        return
    bust = dict(parameters.get("bust") or {})
    in_chips = bust.get("prize_in") == "chips"
    bust |= _answers(values, "bust", ("ends", "win", "other"))
    _put(bust, "prize", _amount(values["bust_prize"], in_chips=in_chips))
    shares = {
        number: [_amount(points, in_chips=in_chips) for points in row or ()]
        for number, row in (values["bust_shares"] or {}).items()
    }
    bust["draw_shares"] = shares or "equal_split"
    parameters["bust"] = bust


def _amount(points: int | None, *, in_chips: bool) -> int | str | None:
    if points is None or not in_chips:
        return _text(points)
    return points // 1000


def _put_chombo(parameters: dict[str, Any], values: Mapping[str, Any]) -> None:
    kind = values["chombo_kind"]
    if not kind:
        parameters.pop("chombo", None)
        return
    old = dict(parameters.get("chombo") or {})
    chombo = {**old, "kind": kind}
    typed = values["chombo_amount"]
    field = PointsField(required=False) if kind == "total" else SticksField(required=False)
    amount = field.clean(typed) if kind in ("total", "flat_each") else None
    _put(chombo, "amount", _text(amount) if kind == "total" else amount)
    parameters["chombo"] = chombo


def _put_ledgers(parameters: dict[str, Any], values: Mapping[str, Any]) -> None:
    asked = {
        ledger: {"parts": sorted(values[f"{ledger}_parts"]), "rounded": values[f"{ledger}_rounded"]}
        for ledger in ("ranking", "settlement")
    }
    both = {"parts": sorted(PART_NAMES), "rounded": "rounding" in parameters}
    if "ledgers" in parameters or any(ledger != both for ledger in asked.values()):
        parameters["ledgers"] = asked


def asked_from(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answers that stored parameters give to the questions of the form."""
    rules = read_ruleset(parameters)
    floating: Mapping[str, Any] = parameters.get("uma_floating") or {}
    rounding: Mapping[str, Any] = parameters.get("rounding") or {}
    bust: Mapping[str, Any] = parameters.get("bust") or {}
    chombo: Mapping[str, Any] = parameters.get("chombo") or {}
    plain_names = ("players", "start_points", "return_points", "leftover", "below_zero_floor")
    answers = {name: parameters.get(name) for name in plain_names}
    answers |= {f"tie_{name}": answer for name, answer in (parameters.get("tie") or {}).items()}
    answers |= {f"split_{name}": answer for name, answer in (parameters.get("split") or {}).items()}
    answers |= {
        "score_basis": rules.score_basis,
        "uma_kind": "floating" if floating else "fixed",
        "uma": "  ".join(map(str, parameters.get("uma") or ())),
        "uma_threshold": floating.get("threshold"),
        "uma_inclusive": floating.get("inclusive", True),
        "uma_rows": floating.get("rows"),
        "oka_kind": "auto" if rules.oka is None else "points",
        "oka_amount": rules.oka,
        "rounding_mode": rounding.get("mode", "none"),
        "rounding_basis": rounding.get("basis", "diff"),
        "rounding_unit": rules.rounding.unit if rules.rounding else 1000,
        "rounding_top_absorbs": rounding.get("top_absorbs", False),
        "bust_ends": bust.get("ends", ""),
        "bust_prize": str(bust.get("prize", "")),
        "bust_win": bust.get("win", "first"),
        "bust_shares": bust.get("draw_shares") if isinstance(bust.get("draw_shares"), Mapping) else None,
        "bust_other": bust.get("other", "none"),
        "chombo_kind": chombo.get("kind", ""),
        "chombo_amount": chombo.get("amount"),
        "chips": rules.chips,
    }
    for ledger, held in rules.accounts:
        answers |= {f"{ledger}_parts": [str(part) for part in held.parts], f"{ledger}_rounded": held.rounded}
    return answers


class JsonForm(forms.Form):
    """All parameters of a rule set, for those the questions do not ask."""

    json = forms.CharField(
        label=_("All parameters as JSON"),
        max_length=MAX_JSON,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 18, "spellcheck": "false", "autocomplete": "off", "class": "code"}),
        help_text=_('Points are decimal texts such as "7.5". What is left out is not settled.'),
    )
    note = forms.CharField(
        label=_("What changed, for the league to read"), max_length=MAX_REASON_LENGTH, required=False
    )

    def clean_json(self) -> dict[str, Any]:
        """Return the parameters in their canonical form. Raises ValidationError with the parameter at fault."""
        try:
            typed = json.loads(self.cleaned_data["json"], parse_float=Decimal, parse_constant=_refuse_constant)
            json.dumps(typed, ensure_ascii=False, default=str).encode()
        except (ValueError, RecursionError) as error:
            raise ValidationError(_("This is not JSON: %(error)s"), params={"error": str(error)[:200]}) from error
        try:
            return write_ruleset(read_ruleset(typed))
        except RulesetError as error:
            raise ValidationError(ruleset_error_sentence(error)) from error


def _refuse_constant(name: str) -> None:
    raise ValueError(name)


def as_json(parameters: Mapping[str, Any]) -> str:
    """Return parameters as people edit them."""
    return json.dumps(parameters, ensure_ascii=False, indent=2, sort_keys=False)


class ExampleForm(forms.Form):
    """Raw scores to try the rules on."""

    sticks_left = forms.IntegerField(
        label=_("Sticks on the table"), min_value=0, max_value=MAX_STICKS, required=False, initial=0
    )

    def __init__(self, *args: Any, scores: Sequence[int], **options: Any) -> None:
        super().__init__(*args, **options)
        attributes = {"inputmode": "numeric", "autocomplete": "off", "size": 7}
        for seat in range(SEATS):
            self.fields[f"raw_{seat}"] = forms.CharField(
                label=SEAT_NAMES[seat],
                required=False,
                max_length=40,
                initial=scores[seat] if seat < len(scores) else "",
                widget=forms.TextInput(attrs=attributes),
            )
        self.order_fields([f"raw_{seat}" for seat in range(SEATS)])

    def clean(self) -> dict[str, Any]:
        """Return the numbers that were typed, seat by seat."""
        values: dict[str, Any] = super().clean() or self.cleaned_data
        for seat in range(SEATS):
            typed = values.get(f"raw_{seat}")
            if typed:
                try:
                    values[f"raw_{seat}"] = parse_raw_score(typed)
                except RawScoreError:
                    self.add_error(f"raw_{seat}", _("This is no raw score. Write for example 31700 or 317."))
        return values

    def scores(self, players: int) -> tuple[int, ...] | None:
        """Return one raw score per player, or None while some are missing."""
        typed = [self.cleaned_data.get(f"raw_{seat}") for seat in range(players)]
        known = tuple(score for score in typed if isinstance(score, int))
        return known if len(known) == players else None


class ChooseForm(forms.Form):
    """Which card the league wants to play by."""

    card = forms.SlugField(max_length=60)
