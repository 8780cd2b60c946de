"""All text columns of a league outside its history, found through the model registry so that new models are included."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from django.apps import apps
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.db import models
from django.db.models import Q, QuerySet
from django.db.models.functions import Cast
from django.utils import timezone

from league.core.masking import Mask, masked
from league.models import League, Player, PlayerAlias, SentForm
from league.services.ending import league_path, parent_of

NAMES_OF_THINGS = frozenset({"name", "name_en"})
"""Names of leagues, rulesets and tournaments are not people's; owners can rename them."""

APART = frozenset({Player, PlayerAlias})
"""Models whose names are replaced one by one."""


@dataclass(frozen=True, slots=True)
class TextTable:
    """A model with texts about people: the lookup from a row to its league, and the text columns."""

    model: type[models.Model]
    to_league: str
    columns: tuple[str, ...]

    def of(self, league: League) -> QuerySet[Any]:
        return self.model._base_manager.filter(**{self.to_league: league.pk}).order_by("pk")


TOLD = [
    ("league.Revision", "league", ("by_name", "source", "reason", "before", "after")),
    ("league.Confirmation", "hanchan__league", ("by_name", "device", "source", "note")),
]
"""History models with names in plain text: label, lookup to the league, columns. Other apps append theirs."""


def told() -> list[TextTable]:
    return [TextTable(apps.get_model(label), to_league, columns) for label, to_league, columns in TOLD]


def text_tables() -> Iterator[TextTable]:
    """Yield every model of a league that has text columns, except its history."""
    history = {each.model for each in told()}
    for model in apps.get_models():
        if model in APART | history or not (model is League or parent_of(model) is not None):
            continue
        if columns := tuple(field.name for field in model._meta.concrete_fields if _is_text(field)):
            yield TextTable(model, league_path(model), columns)


def _is_text(field: Any) -> bool:
    if isinstance(field, models.JSONField):
        return True
    is_code = isinstance(field, models.SlugField) or field.unique or field.choices or field.name == "key"
    is_written = isinstance(field, models.CharField | models.TextField) and not is_code
    return is_written and field.name not in NAMES_OF_THINGS


def holding(rows: QuerySet[Any], columns: Sequence[str], wanted: Iterable[str]) -> QuerySet[Any]:
    """Return rows with one of the texts in one of the columns, also where JSON escapes it."""
    texts = {text for each in wanted for text in (each, json.dumps(each)[1:-1])}
    as_text = {f"text_of_{column}": Cast(column, models.TextField()) for column in columns}
    found = Q(pk__in=())
    for name in as_text:
        for text in texts:
            found |= Q(**{f"{name}__icontains": text})
    among: QuerySet[Any] = rows.annotate(**as_text).filter(found)
    return among


def mask_tables(league: League, wanted: Sequence[str], mask: Mask) -> int:
    """Mask all texts of the league outside its history; return how many rows changed.

    `wanted`: spellings of the names, to find the rows.
    """
    return sum(mask_rows(table, table.of(league), wanted, mask) for table in text_tables())


def mask_rows(table: TextTable, rows: QuerySet[Any], wanted: Sequence[str], mask: Mask) -> int:
    changed = 0
    for pk, *values in list(holding(rows, table.columns, wanted).values_list("pk", *table.columns)):
        new = {
            column: _fitting(table.model, column, masked(value, mask))
            for column, value in zip(table.columns, values, strict=True)
            if masked(value, mask) != value
        }
        if new:
            table.model._base_manager.filter(pk=pk).update(**new)
            changed += 1
    return changed


def _fitting(model: type[models.Model], column: str, value: Any) -> Any:
    """Truncate a text to the column's length, because the replacement may be longer than the name."""
    field: Any = model._meta.get_field(column)
    return value[: field.max_length] if isinstance(value, str) and getattr(field, "max_length", None) else value


texts_beside: list[tuple[str, tuple[str, ...]]] = [("admin.LogEntry", ("object_repr", "change_message"))]
"""Models outside leagues with their text columns; other apps append theirs when loaded."""


def mask_beside(wanted: Sequence[str], mask: Mask) -> int:
    """Mask names outside leagues; return the number of rows changed or deleted.

    `wanted`: spellings of the names. Log-in sessions are decoded one by one.
    """
    tables = (TextTable(apps.get_model(label), "", columns) for label, columns in texts_beside)
    changed = sum(mask_rows(table, table.model._base_manager.order_by("pk"), wanted, mask) for table in tables)
    # Stored redirect URLs of submitted forms may contain names.
    quoted = [*wanted, *map(quote, wanted)]
    forms, _ = holding(SentForm.objects.all(), ("answer",), quoted).delete()
    return changed + forms + _mask_sessions(quoted)


def _mask_sessions(wanted: Sequence[str]) -> int:
    """Remove values with a name, such as half-finished forms, from unexpired log-in sessions."""
    lasting = Session.objects.filter(expire_date__gt=timezone.now()).order_by("pk")
    changed = 0
    for each in lasting.iterator(500):
        held = each.get_decoded()
        left = {key: value for key, value in held.items() if not any(form in str(value) for form in wanted)}
        if left != held:
            # Do not overwrite a session that has been saved since.
            same = Session.objects.filter(pk=each.pk, session_data=each.session_data)
            changed += same.update(session_data=SessionStore().encode(left))
    return changed
