"""A user's own data as JSON, streamed so that memory does not grow with the number of results."""

import json
from collections.abc import Iterator

from django.contrib.auth.models import User
from django.core.serializers.json import DjangoJSONEncoder

from accounts.selectors.own_data import SECTIONS

SCHEMA = "tenbo-own-data/1"


def own_data_chunks(user: User) -> Iterator[str]:
    """Yield the JSON text: an object with a list per section, one row per line."""
    yield f'{{"schema": {json.dumps(SCHEMA)}'
    for name, rows in SECTIONS.items():
        yield f",\n{json.dumps(name)}: ["
        separator = "\n"
        for row in rows(user):
            yield separator + json.dumps(row, cls=DjangoJSONEncoder, ensure_ascii=False)
            separator = ",\n"
        yield "\n]"
    yield "\n}\n"
