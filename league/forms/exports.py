from collections.abc import Mapping, Sequence

from django import forms
from django.utils.translation import get_language, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from league import messages
from league.core.periods import ALL_TIME, Period, PeriodError, PeriodKind, parse_period
from league.core.spreadsheets.columns import RowShape
from league.exports.hanchan import FileLayout
from league.exports.table import CSV, FORMATS, XLSX
from league.models import League, Session
from league.selectors.boards import played_periods

HANCHAN = "hanchan"
BOARD = "board"
SHOWN = "shown"
EXACT = "all"
PAGE = "page"

USUAL = {
    "what": HANCHAN,
    "scope": ALL_TIME.key,
    "form": RowShape.LONG.value,
    "columns": SHOWN,
    "headers": PAGE,
    "format": CSV.code,
}
"""Default values of the form."""

FIRST = ("what", "scope", "format")
"""Questions asked at once; the others are folded."""


class ExportForm(forms.Form):
    """Export settings. Missing fields have defaults, to allow short URLs."""

    what = forms.ChoiceField(
        label=_("Data to export"), choices=[(HANCHAN, _("Hanchan with each player's result")), (BOARD, _("Standings"))]
    )
    scope = forms.ChoiceField(label=_("Period"))
    session = forms.ModelChoiceField(
        label=_("One session only"),
        queryset=Session.objects.none(),
        empty_label=_("all sessions in the period"),
        required=False,
        help_text=_("Hanchan only. If set, the period is ignored."),
    )
    form = forms.ChoiceField(
        label=_("Rows"),
        choices=[
            (RowShape.LONG.value, _("one row per player and hanchan")),
            (RowShape.WIDE.value, _("one row per hanchan")),
        ],
        help_text=_("hanchan only"),
    )
    columns = forms.ChoiceField(
        label=_("Columns"),
        choices=[(SHOWN, _("usual columns")), (EXACT, _("everything (can be re-imported)"))],
        help_text=_(
            "“Everything” also includes readings, member numbers, states, keys and voided results, and can be "
            "re-imported without further input."
        ),
    )
    headers = forms.ChoiceField(
        label=_("Headings"),
        choices=[
            (PAGE, _("in this page's language")),
            ("ja", _("Japanese")),
            ("en", _("English")),
            ("both", _("two rows, Japanese and English")),
        ],
    )
    format = forms.ChoiceField(
        label=pgettext_lazy("of a file", "Format"),
        choices=[(each.code, each.label) for each in sorted(FORMATS.values(), key=lambda each: not each.is_workbook)],
    )
    by_month = forms.BooleanField(label=_("One sheet per month"), required=False, help_text=_("Excel workbooks only"))

    use_required_attribute = False

    def __init__(self, asked: Mapping[str, str], *, league: League, may_manage: bool, sent: bool) -> None:
        answers = {**USUAL, **{name: value for name, value in asked.items() if value}}
        super().__init__(answers if sent else None, initial=answers | {"format": asked.get("format") or XLSX.code})
        self.league = league
        self.language = get_language() or "ja"
        self.fields["scope"].choices = self._scopes()  # type: ignore[attr-defined]
        self.fields["session"].queryset = league.sessions.kept()  # type: ignore[attr-defined]
        if not may_manage:
            del self.fields["columns"]

    @property
    def first_fields(self) -> list[forms.BoundField]:
        return [self[name] for name in FIRST]

    @property
    def other_fields(self) -> list[forms.BoundField]:
        return [field for field in self if field.name not in FIRST]

    @property
    def are_others_chosen(self) -> bool:
        """Whether a field other than the first has an error or is not at its default."""
        return any(
            field.errors or field.value() not in (None, "", USUAL.get(field.name)) for field in self.other_fields
        )

    def _scopes(self) -> Sequence[tuple[object, object]]:
        """Return choices: all time, years and months with results, and the period in the query string."""
        keys = played_periods(self.league) - {ALL_TIME.key}
        asked = str((self.data if self.is_bound else self.initial).get("scope") or "")
        periods = [_period(self.league, key) for key in sorted(keys | {asked}, reverse=True)]
        by_kind = {
            kind: [(each.key, messages.period_title(each)) for each in periods if each and each.kind is kind]
            for kind in (PeriodKind.RANGE, PeriodKind.YEAR, PeriodKind.MONTH)
        }
        groups = [(label, by_kind[kind]) for kind, label in _GROUPS if by_kind[kind]]
        return [(ALL_TIME.key, messages.period_title(ALL_TIME)), *by_kind[PeriodKind.RANGE], *groups]

    @property
    def period(self) -> Period:
        return _period(self.league, self.cleaned_data["scope"]) or ALL_TIME

    @property
    def shape(self) -> FileLayout:
        chosen = self.cleaned_data
        return FileLayout(
            form=RowShape(chosen["form"]),
            languages=self.language if chosen["headers"] == PAGE else chosen["headers"],
            exact=chosen.get("columns") == EXACT,
        )


_GROUPS = ((PeriodKind.YEAR, pgettext_lazy("periods", "Years")), (PeriodKind.MONTH, pgettext_lazy("periods", "Months")))


def _period(league: League, key: str) -> Period | None:
    try:
        return parse_period(key, league.first_month)
    except PeriodError:
        return None
