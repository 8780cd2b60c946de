from collections.abc import Callable
from datetime import date
from typing import Any
from uuid import uuid4

from django.db import models
from django.utils import timezone


def first_of(model: Any) -> Any:
    return model._base_manager.first()


NUMBERS = (models.IntegerField, models.FloatField, models.BooleanField)


def make_row(model: type[models.Model], neighbour: Callable[[Any], Any] = first_of) -> models.Model:
    """Return a new row with valid values in all columns; foreign keys point at the `neighbour` of their table."""
    values: dict[str, Any] = {}
    for field in model._meta.concrete_fields:
        if isinstance(field, models.ForeignKey) and not field.null:
            values[field.name] = neighbour(field.related_model)
        elif isinstance(field, models.BinaryField):
            values[field.name] = b"x"
        elif isinstance(field, models.UUIDField) and not field.null:
            values[field.name] = uuid4()
        elif isinstance(field, models.JSONField) and not (field.null or field.has_default()):
            values[field.name] = []
        elif isinstance(field, models.DateField) and not (field.null or field.auto_now_add):
            values[field.name] = timezone.now() if isinstance(field, models.DateTimeField) else date(2025, 11, 21)
        elif isinstance(field, NUMBERS) and not (field.null or field.has_default() or field.primary_key):
            values[field.name] = 1
    return model._base_manager.create(**values)
