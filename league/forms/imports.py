"""Forms of an import: the file, and all questions about it."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from itertools import chain, combinations, groupby
from operator import itemgetter
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.template.defaultfilters import date as date_format
from django.template.defaultfilters import truncatechars
from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext, ngettext_lazy, pgettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from league.core.imports.records import ABOVE, BY_SESSION, BY_STAMP, STAY, UNDATED
from league.core.numbers import DECIMAL, THOUSANDS, plain_number
from league.core.spreadsheets.columns import SEATS, RowShape
from league.core.spreadsheets.dates import ORDERS, DateOrder
from league.core.spreadsheets.headers import TARGETS, split_target
from league.core.spreadsheets.layouts import TABLE
from league.forms.sessions import DayField
from league.messages import day_text, plain_name
from league.messages.imports import DATE_ORDERS, ENCODINGS, HOW, LAYOUTS, column_label
from league.models import ImportBatch, Player, RulesetVersion
from league.services.imports import values
from league.services.imports.contents import FileContents
from league.services.imports.people import NameMatch
from league.services.rules import choosable_versions
from scoring.core import ScoringRules
from scoring.messages.numbers import joined, raw_text, sentences, short_text
from scoring.messages.rules import describe_ruleset

TOO_MUCH = _("This is too long to paste. Save it as a file and upload it instead.")

FILE_TYPES = ".csv,.tsv,.txt,.xlsx,text/csv,text/tab-separated-values,text/plain"

UNANSWERED = _("Choose an answer.")
NO_DATE, NO_DAY = _("The points have no date. When were the hanchan played?"), _("Choose a day.")

WHICH_RULES = _("Which rules were these hanchan played by?")
ALIKE = _("All hanchan in the file add up to %(sum)s, not to %(expected)s.")
CHOSEN_RULES = _(
    "The league goes on playing by its own rules, and the standings add up points of both as each counts them."
)
PLAYED = _("On %(days)s the league has a session under %(rules)s; these hanchan become a new session of that day.")
RENUMBER = _("Sessions in the file may be from before existing ones. Change the numbers of existing sessions?")
NUMBERS_SHOWN = _("Table cards already printed and links already sent show the old numbers.")
STICKS = _("Count the missing points as riichi sticks left on the table")
STICKS_AND_MORE = _("Count missing thousands as riichi sticks left on the table, import and mark the others")

GIVEN = "day"
"""Answer: all games without a date were played on the day entered below."""

WAYS = {
    ABOVE: _("same day as the row above"),
    BY_SESSION: _("same day as the other rows of the session"),
    BY_STAMP: _("the day on which the form was filled in"),
    STAY: _("leave blank; these rows are listed as errors"),
}
"""Ways to date games without a date."""

COUNTED = {
    "undated": ngettext_lazy(
        "%(count)s hanchan has no date. When was it played?",
        "%(count)s hanchan have no date. When were they played?",
        "count",
    ),
    "busts": ngettext_lazy(
        "%(count)s hanchan has a bust, but the file does not say who won the bust prize.",
        "%(count)s hanchan have a bust, but the file does not say who won the bust prize.",
        "count",
    ),
    "as_is": ngettext_lazy("%(count)s hanchan does not add up.", "%(count)s hanchan do not add up.", "count"),
    "asked": ngettext_lazy(
        "%(count)s hanchan may already exist, or was planned with different players.",
        "%(count)s hanchan may already exist, or were planned with different players.",
        "count",
    ),
    "leave_out_errors": ngettext_lazy(
        "Leave out %(count)s hanchan with errors", "Leave out %(count)s hanchan with errors", "count"
    ),
    "by_date": ngettext_lazy(
        "The file has sessions from before existing ones. Change the number of %(count)s session?",
        "The file has sessions from before existing ones. Change the numbers of %(count)s sessions?",
        "count",
    ),
    "unknown": ngettext_lazy(
        "%(count)s name is not in the league. Add it as", "%(count)s names are not in the league. Add them as", "count"
    ),
}
"""Labels of questions about a number of hanchan."""

MAX_HEADER = 50

LOOKED_AT, SAMPLES, MAX_SAMPLE = 8, 3, 20
"""Rows that are searched for values of a column, how many values are shown, and their length."""

FEW = 8
"""New names that are asked about one by one."""

USUAL = {"date", "session", "table", "game", "player", "raw", "points", "placement", "memo"}
"""Targets in the group "Common"."""


class UploadForm(forms.Form):
    file = forms.FileField(
        label=_("File"),
        required=False,
        allow_empty_file=True,
        help_text=_("CSV, TSV or Excel (.xlsx), at most 8 MB"),
        widget=forms.ClearableFileInput(attrs={"accept": FILE_TYPES}),
    )
    rows = forms.CharField(
        label=_("Or pasted rows"),
        required=False,
        strip=False,
        help_text=_(
            "Copy the cells with their headings in Excel or Google Sheets and paste them here, or paste lines "
            "such as A(+45.0) B(+9.0) C(-20.0) D(-34.0)."
        ),
        widget=forms.Textarea(attrs={"rows": 5, "autocomplete": "off", "spellcheck": "false", "class": "paste"}),
    )

    use_required_attribute = False
    one_is_enough = True

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        given = [bool(cleaned.get("file")), bool((cleaned.get("rows") or "").strip())]
        if not self.errors and not any(given):
            raise ValidationError(_("Choose a file or paste rows."))
        if all(given):
            raise ValidationError(_("Choose a file or paste rows, not both."))
        return cleaned

    @property
    def upload(self) -> tuple[str, bytes]:
        """File name and content; the name is "" for pasted rows."""
        file = self.cleaned_data["file"]
        if file:
            return file.name, file.read()
        return "", self.cleaned_data["rows"].encode()


class NameSelect(forms.RadioSelect):
    """Radio buttons, and a select of the same name with all players, which goes first."""

    def value_from_datadict(self, data: Any, files: Any, name: str) -> str:
        return next(filter(None, reversed(data.getlist(name))), "")


AGAIN, FIRST = "again", "first"
"""The button that shows the check again; with any other button, all questions must be answered. FIRST: its value if the
question about rules must be, because sessions depend on it.
"""


class ReviewForm(forms.Form):
    """How a file is read, and the questions that it leaves open. Questions that do not arise have no field."""

    encoding = forms.ChoiceField(label=_("Encoding"))
    sheet = forms.ChoiceField(label=_("Sheet"), required=False)
    layout = forms.ChoiceField(label=_("Layout"), choices=[("", _("detect")), *LAYOUTS.items()], required=False)
    header_row = forms.IntegerField(
        label=_("Rows above the headings"),
        min_value=0,
        max_value=MAX_HEADER,
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )
    header_rows = forms.TypedChoiceField(
        label=_("Heading rows"), coerce=int, choices=[(0, _("none")), (1, "1"), (2, "2")]
    )
    year = forms.IntegerField(
        label=_("Year for dates without a year"),
        required=False,
        min_value=1900,
        max_value=2200,
        help_text=_(
            "Leave blank to use the year of these hanchan in the league, or else the latest that is not in the future."
        ),
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )
    rules = forms.ChoiceField(label=_("Rules of the new sessions"), required=False)

    use_required_attribute = False

    def __init__(
        self,
        sent: QueryDict | None,
        *,
        preview: FileContents,
        report: values.ImportReport,
        batch: ImportBatch,
        matches: Sequence[NameMatch] = (),
    ) -> None:
        now = preview.reading
        first = {name: getattr(now, name) for name in self.base_fields} | {"year": now.year or None}
        super().__init__(sent, initial=first)
        self.preview, self.report, self.batch = preview, report, batch
        self.year_note = next((note for note in preview.notes if note.code == "year_taken"), None)
        if self.year_note:
            # The remark on the year contains the field, outside the form.
            self.fields["year"].help_text = ""
            self.fields["year"].widget.attrs |= {"form": "check", "placeholder": self.year_note.values["day"][:4]}
        self.versions, self.about_rules = choosable_versions(batch.league), ""
        left_out = {*report.unneeded} if report.leaves_out_errors else set()
        self.matches = {name_field(match): match for match in matches if match.key not in left_out}
        self._offer_ways()
        rules, ways = self.fields.pop("rules"), [*self.fields]
        self._ask_about_file()
        self._ask_about_totals()
        self._ask_about_games()
        self._ask_about_new_names()
        self.asked = [self[name] for name in [*self.fields][len(ways) :]]
        if "rules" not in self.fields:
            self.fields["rules"] = rules
            ways.append("rules")
        self.ways = [self[name] for name in ways]
        self._ask_about_names()
        self.payers = tuple(self._ask_payers())
        self.is_final = sent is not None and AGAIN not in sent
        self.one_is_enough = sent is not None and not self.is_final
        if sent is not None and not self.is_final:
            for name in self.fields:
                is_first = name == "rules" and name not in ways and sent[AGAIN] == FIRST
                self.fields[name].required &= name in ways or is_first
        self.columns = list(self._offer_columns()) if now.layout == TABLE else []

    def _offer_ways(self) -> None:
        preview, fields = self.preview, self.fields
        if preview.sheets:
            del fields["encoding"]
            fields["sheet"].choices = [("", _("all sheets")), *((each, each) for each in preview.sheets)]  # type: ignore[attr-defined]
        else:
            del fields["sheet"]
            fields["encoding"].choices = [(each, ENCODINGS[each]) for each in preview.fitting]  # type: ignore[attr-defined]
        if self.preview.reading.layout != TABLE:
            del fields["header_row"], fields["header_rows"]
        groups = [
            (group, [(key, _said(each)) for key, each in self.versions.items() if bool(each.pk) == is_own])
            for group, is_own in ((_("Rules of the league"), True), (_("Added to the league by the import"), False))
        ]
        fields["rules"].choices = [("", _("as the sessions before")), *groups]  # type: ignore[attr-defined]

    def _ask(self, name: str, label: Any, choices: Any, **more: Any) -> None:
        """Add a question whose answer is the field of FileReading with its name."""
        self.fields[name] = forms.TypedChoiceField(
            label=label,
            choices=choices,
            error_messages={"required": UNANSWERED},
            widget=forms.RadioSelect(attrs={"required": True}),
            **{"initial": getattr(self.preview.reading, name)} | more,
        )

    def _ask_about_file(self) -> None:
        preview, now = self.preview, self.preview.reading
        if preview.guess.dates and (now.date_order or not preview.guess.is_sure):
            orders = [(str(order), f"{DATE_ORDERS[order]} ({self._examples(order)})") for order in ORDERS]
            why = _("The file does not show which number is the day, month or year. Choose once for all dates.")
            more = {"initial": str(now.date_order or preview.guess.order), "coerce": DateOrder, "help_text": why}
            self._ask("date_order", _("How should the dates be read?"), orders, **more)
        if preview.undated:
            self._ask_about_days()
        if text := preview.comma:
            choices = [(comma, plain_number(text, comma)) for comma in (DECIMAL, THOUSANDS)]
            self._ask("comma", _("How many points is “%(text)s” in this file?") % {"text": text}, choices)
        if preview.chips:
            ways = [(values.BESIDE, _("No, chips are added separately")), (values.INCLUDED, _("Yes"))]
            self._ask("chips", _("Do the points in this file include chips?"), ways)

    def _examples(self, order: DateOrder) -> str:
        dated = pgettext("date format without weekday", "j M Y")
        read = ((text, days[order]) for text, days in self.preview.samples)
        told = (f"{text} → {date_format(day, dated) if day else '—'}" for text, day in read)
        return pgettext("between examples", ", ").join(told)

    def _ask_about_days(self) -> None:
        preview, now = self.preview, self.preview.reading
        is_given = now.undated not in {"", *WAYS}
        games = preview.undated - preview.undated_totals
        label = COUNTED["undated"] % {"count": games} if games else NO_DATE
        day = DayField(label=_("Date played"), initial=now.undated if is_given else None)
        day.error_messages["required"] = NO_DAY
        if preview.ways:
            column = {} if preview.day_column else {STAY: _("in a column that I choose below")}
            ways = {GIVEN: _("all on the same day, entered below")}
            ways |= {way: (WAYS | column)[way] for way in preview.ways}
            self._ask("undated", label, ways.items(), initial=GIVEN if is_given else now.undated)
        else:
            day.label = label
        self.fields["undated_day"] = day

    def _ask_about_totals(self) -> None:
        """Ask about wrong totals; if they all agree, which rules give them."""
        report, now, short = self.report, self.preview.reading, self.preview.short
        totals = report.unbalanced + report.as_is + short * (now.as_is == values.MISSING)
        if not totals:
            return
        choices: list[tuple[str, Any]] = [
            (values.AS_IS, _("Import them and mark them")),
            (values.LEAVE_OUT, _("Leave them out")),
        ]
        if short:
            choices = [(values.MISSING, STICKS if short == totals else STICKS_AND_MORE), *choices]
        found, before, alike = report.same_total, list(self._sessions_before()), ""
        if found:
            expected = joined(raw_text(each) for each in sorted({row.expected for row in report.rows if row.expected}))
            alike = ALIKE % {"sum": raw_text(found[0]), "expected": expected}
        if found and (before or not now.rules):
            fitting = self._fitting(*found)
            self.about_rules = "rules" if fitting else "as_is"
            if fitting:
                none = _("None of these: score them by the league's rules and mark them")
                choices = [*fitting, (values.AS_IS, none), choices[-1]]
                self.initial["rules"] = now.rules or now.as_is
                self._ask("rules", WHICH_RULES, choices, help_text=sentences(alike, *before, str(CHOSEN_RULES)))
                return
        self._ask("as_is", COUNTED["as_is"] % {"count": totals}, choices, help_text=alike)

    @property
    def is_first(self) -> bool:
        """Whether the rules must be known before anything else is."""
        now = self.preview.reading
        return self.about_rules == "rules" and not (now.rules or now.as_is)

    def _sessions_before(self) -> Iterator[str]:
        """Yield the days with sessions of the league whose rules reject hanchan of the file, as text."""
        rows = [row for row in self.report.rows if row.is_unbalanced and row.day and row.under]
        for under in dict.fromkeys(row.under for row in rows):
            days = [day_text(day) for day in sorted({row.day for row in rows if row.day and row.under == under})]
            rules = self.versions.get(str(under), "")
            yield PLAYED % {"days": joined([*days[:3], *["…"] * (len(days) > 3)]), "rules": rules}

    def _fitting(self, total: int, players: int) -> list[tuple[str, str]]:
        """Return the rules under which hanchan have this total: the latest version of each rule set and other cards."""
        found: dict[object, tuple[str, RulesetVersion]] = {}
        for key, version in self.versions.items():
            rules = version.read()
            if (rules.players, (rules.start_points or 0) * players) == (players, total):
                found.setdefault(version.ruleset_id or key, (key, version))
        usual = {key: _usual(version.read()) for key, version in found.values()}
        told = {key: _clauses(version.read()) for key, version in found.values()}
        alike = {key: [told[each] for each in usual if each != key and usual[each] == usual[key]] for key in usual}
        labels = (
            (key, f"{_said(each)} ({usual[key]})", _telling(told[key], alike[key])) for key, each in found.values()
        )
        return [
            (key, format_html('<span>{} <span class="soft small">{}</span></span>', *said)) for key, *said in labels
        ]

    def _ask_about_games(self) -> None:
        report, now = self.report, self.preview.reading
        if report.busts and (now.as_is or "rules" not in self.fields):
            unknown = _("Not known: import without a bust prize, with a mark")
            choices = [(values.NO_PRIZE, unknown), (values.ASK, _("I will choose for each hanchan"))]
            label, later = COUNTED["busts"] % {"count": report.busts}, _("You can complete marked hanchan later.")
            self._ask("busts", label, choices, help_text=later)
        if report.asked:
            choices = [(values.TAKE, _("Import them too")), (values.SKIP, _("Leave them out"))]
            self._ask("asked", COUNTED["asked"] % {"count": report.asked}, choices)
        if report.wrong > report.unbalanced:
            self.fields["leave_out_errors"] = forms.BooleanField(
                label=COUNTED["leave_out_errors"] % {"count": report.wrong - report.unbalanced},
                # Other answers about names may leave no errors.
                required=not self._answers_names(),
                initial=now.leaves_out,
                error_messages={"required": _("Tick this to import the others, or correct the file and upload it.")},
            )
        if report.renumbered:
            label, moved = str(RENUMBER), str(_("Yes, number all sessions by date."))
            if not self.is_first:
                label = COUNTED["by_date"] % {"count": len(report.renumbered)}
                moved = _("Yes, number all sessions by date: %(list)s") % {"list": joined(moves(report.renumbered))}
            kept = _("No. The sessions in the file get the next free numbers.")
            self._ask("by_date", label, [("1", moved), ("0", kept)], help_text=NUMBERS_SHOWN)

    def _answers_names(self) -> bool:
        """Return whether names were sent with other answers than those checked."""
        sent = {
            name: NameSelect().value_from_datadict(self.data, {}, name) for name in self.matches if name in self.data
        }
        return any(said and said != self.matches[name].answer for name, said in sent.items())

    def _ask_about_new_names(self) -> None:
        """Ask about all new names together if there are many."""
        new = [match for match in self.matches.values() if match.how in values.MADE and not match.is_asked]
        if len(new) > FEW:
            kinds = [(values.NEW, _("new players")), (values.GUEST, _("new guests"))]
            names = escape(" · ".join(match.written for match in new))
            self._ask("unknown", COUNTED["unknown"] % {"count": len(new)}, kinds, help_text=names)

    def _ask_about_names(self) -> None:
        """Add a question per name, asked or not; without an answer, only a name that is asked about is undecided."""
        for name, match in self.matches.items():
            widget = NameSelect()
            widget.choices = list(self._people_for(match, widget.value_from_datadict(self.data, {}, name)))
            self.fields[name] = forms.CharField(
                label=match.written or "—",
                initial=match.answer or match.likely,
                required=match.how == "ask" and match.key not in self.report.unneeded,
                error_messages={"required": UNANSWERED},
                widget=widget,
            )

    def _people_for(self, match: NameMatch, sent: str) -> Iterator[tuple[str, Any]]:
        """Yield who a name may mean."""
        others = self.batch.league.players.filter(pk=sent) if sent.isdecimal() and sent.isascii() else ()
        people = [*dict.fromkeys((*match.candidates, *filter(None, [match.player]), *others))]
        yield from ((str(player.pk), known_as(player, player.number if people[1:] else "")) for player in people)
        if match.twin:
            yield values.SAME, _("the same as %(name)s") % {"name": match.twin.written}
        yield values.NEW, _("a new player")
        if match.twin or match.how in values.MADE or sent == values.GUEST:
            yield values.GUEST, _("a new guest")

    def _ask_payers(self) -> Iterator[tuple[values.RowStatus, list[forms.BoundField]]]:
        """Add a select per bust, for those who choose each; yield the hanchan with their fields."""
        said = {(number, seat): cause for number, seat, cause in self.preview.reading.payers}
        for row in self.report.rows:
            names = [f"bust_{row.number}_{seat}" for seat in row.busted]
            for seat, name in zip(row.busted, names, strict=True):
                self.fields[name] = forms.ChoiceField(
                    label=_("Who won when %(name)s went bust?") % {"name": row.seats[seat][0]},
                    choices=[("", "—"), *_causes(row, seat)],
                    error_messages={"required": UNANSWERED},
                    initial=said.get((row.number, seat), ""),
                )
            if names:
                yield row, [self[name] for name in names]

    def _offer_columns(self) -> Iterator[forms.BoundField]:
        """Add a select per column of the file, with its first values as help."""
        preview, targets = self.preview, dict(enumerate(self.preview.reading.columns))
        choices = column_choices(self.preview.reading.form)
        for index, header in enumerate(preview.headers):
            cells = (row.cells[index] for row in preview.body[:LOOKED_AT] if index < len(row.cells))
            samples = [truncatechars(cell, MAX_SAMPLE) for cell in cells if cell][:SAMPLES]
            self.fields[f"column_{index}"] = forms.ChoiceField(
                label=header or pgettext_lazy("column of a file", "no heading"),
                choices=choices,
                initial=targets.get(index, ""),
                required=False,
                help_text=escape(" · ".join(samples)),
            )
            yield self[f"column_{index}"]

    def name_rows(self) -> dict[str, list[tuple[NameMatch, forms.BoundField, Any]]]:
        """Return the names by kind ("asked", "new" or "known"), known ones with how they were matched."""
        found: dict[str, list[tuple[NameMatch, forms.BoundField, Any]]] = {"asked": [], "new": [], "known": []}
        for name, match in sorted(self.matches.items(), key=lambda each: bool(each[1].answer or each[1].likely)):
            kind = "asked" if match.is_asked else "new" if match.how in values.MADE else "known"
            found[kind].append((match, self[name], HOW[match.how] if kind == "known" else ""))
        return found

    def others(self) -> SafeString:
        """Return a guest and all players as options; rendered once, since there is a list per name."""
        players = self.batch.league.players.active().by_reading()
        people = [
            (values.GUEST, gettext("a new guest")),
            *((str(each.pk), known_as(each, each.number)) for each in players),
        ]
        return format_html_join("", '<option value="{}">{}</option>', people)

    @property
    def names(self) -> dict[str, str]:
        """Answers about names as for `decide_names`. What a name means anyway is no answer."""
        found = {}
        for name, match in self.matches.items():
            choice = self.cleaned_data[name]
            if choice and (match.key in self.batch.names or match.is_asked or choice != match.answer):
                found[match.key] = choice
        return found

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        if cleaned.get("undated_day") and "undated" not in self.changed_data:
            # A day alone is an answer.
            cleaned["undated"] = GIVEN
            self.errors.pop("undated", None)
        elif "undated" in self.fields:
            self.errors.pop("undated_day", None)
            if cleaned.get("undated") == GIVEN and not cleaned.get("undated_day"):
                self.add_error("undated_day", NO_DAY)
        if cleaned.get("busts") != values.ASK:
            for field in chain.from_iterable(fields for _row, fields in self.payers):
                self.errors.pop(field.name, None)
        return cleaned

    @property
    def reading(self) -> values.FileReading:
        """The chosen reading with the answers; if rows may have changed, header and columns are guessed again."""
        now, cleaned = self.preview.reading, self.cleaned_data
        said = {way.name: cleaned[way.name] for way in self.ways} | {"year": cleaned["year"] or 0}
        said |= {each.name: cleaned[each.name] for each in self.asked if cleaned.get(each.name) not in {None, ""}}
        if self.about_rules == "rules":
            # The totals are explained by rules, then in sessions of their own, or by none.
            answer = said.get("rules", "")
            is_none = answer in {values.AS_IS, values.LEAVE_OUT}
            said |= {"as_is": answer if is_none else answer and values.APART, "rules": "" if is_none else answer}
        if (day := said.pop("undated_day", None)) and cleaned.get("undated") == GIVEN:
            said["undated"] = day.isoformat()
        payers = {(number, seat): cause for number, seat, cause in now.payers}
        if cleaned.get("busts") == values.ASK:
            busts = [(row.number, seat) for row, _ in self.payers for seat in row.busted]
            payers |= {(number, seat): cleaned[f"bust_{number}_{seat}"] for number, seat in busts}
        asked = replace(now, **said, payers=tuple((*bust, cause) for bust, cause in payers.items()))
        changed = {name for name in ("encoding", "sheet", "layout") if getattr(asked, name) != getattr(now, name)}
        if changed:
            # Another sheet may be laid out otherwise.
            layout = asked.layout if "layout" in changed else ""
            return replace(asked, layout=layout, header_row=-1, header_rows=1, columns=())
        if (asked.header_row, asked.header_rows) != (now.header_row, now.header_rows):
            return replace(asked, columns=())
        picked = replace(asked, columns=tuple(cleaned[each.name] for each in self.columns) or now.columns)
        if _days_in(picked) == _days_in(now):
            return picked
        undated = picked.undated if picked.undated not in UNDATED else ""
        return replace(picked, date_order=DateOrder.UNKNOWN, undated=undated)


def name_field(match: NameMatch) -> str:
    """Return the form field name for a name in the file."""
    return f"name-{hashlib.sha256(match.key.encode()).hexdigest()[:16]}"


def known_as(player: Player, *others: str) -> str:
    names = (player.name, player.kana) if get_language() == "ja" else (plain_name(player), player.name)
    return " · ".join(dict.fromkeys(filter(None, (*names, *others))))


def moves(renumbered: Iterable[tuple[date, int, int]]) -> Iterator[str]:
    """Yield the new numbers of sessions; those in a row that move equally together."""
    for _shift, found in groupby(sorted(renumbered, key=itemgetter(1)), key=lambda each: each[2] - each[1]):
        days, *numbers = zip(*found, strict=True)
        told = ["–".join(dict.fromkeys(map(str, (each[0], each[-1])))) for each in (*numbers, [*map(day_text, days)])]
        yield f"{told[0]} → {told[1]} ({told[2]})"


def _causes(row: values.RowStatus, busted: int) -> Iterator[tuple[str, object]]:
    """Yield how a player can have gone bust, as cells of a file with their labels."""
    others = [(seat, each[0]) for seat, each in enumerate(row.seats) if seat != busted]
    for seat, name in others:
        yield f"win:{SEATS[seat]}", _("%(name)s won") % {"name": name}
    for size in range(1, len(others) + 1):
        for chosen in combinations(others, size):
            names = {"names": joined(name for _seat, name in chosen)}
            yield f"draw:{'+'.join(SEATS[seat] for seat, _name in chosen)}", _("draw, tenpai: %(names)s") % names
    yield values.NO_PRIZE, _("not known: no bust prize")


def _said(version: RulesetVersion) -> str:
    return str(version) if version.pk else version.name


def _usual(rules: ScoringRules) -> str:
    uma = " ".join(map(short_text, rules.uma)) if rules.uma else _("floating")
    points = " / ".join(raw_text(each) for each in (rules.start_points, rules.return_points) if each)
    return f"{points}, {_('Uma')} {uma}"


def _clauses(rules: ScoringRules) -> dict[str, str]:
    found = [each for each in describe_ruleset(rules.for_points) if each.parameter not in rules.unset]
    return {each.parameter: f"{each.label}: {each.sentence}" for each in found}


def _telling(own: dict[str, str], others: list[dict[str, str]]) -> str:
    """Return the fewest clauses that tell rules apart from others that are alike at first sight."""
    told = []
    while others:
        best = max(own, key=lambda name: sum(each.get(name) != own[name] for each in others))
        left = [each for each in others if each.get(best) == own[best]]
        if len(left) == len(others):
            break
        told.append(own[best])
        others = left
    return sentences(*told)


def _days_in(reading: values.FileReading) -> tuple[tuple[int, str], ...]:
    return tuple((at, column) for at, column in enumerate(reading.columns) if column in {"date", "stamp"})


def column_choices(form: RowShape) -> list[tuple[str, Any]]:
    """Return all targets as grouped choices: the most common first."""
    groups: dict[str, list[tuple[str, str]]] = {}
    common, rare = gettext("Common"), gettext("Less common")
    for target in TARGETS:
        key, seat = split_target(target)
        of_game = common if key in USUAL else rare
        title = of_game if seat is None else gettext("Seat %(number)s") % {"number": seat + 1}
        groups.setdefault(title, []).append((target, column_label(target)))
    if form == RowShape.WIDE:
        groups[rare] = groups.pop(rare)
    return [("", _("ignored")), *groups.items()]
