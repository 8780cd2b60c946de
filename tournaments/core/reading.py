"""Formats read from files and documents.

A document is a format file as plain values: text, whole numbers, lists and tables, so that it survives JSON. The copy
that a tournament keeps is such a document. Whatever is wrong with one is told at once, in a FormatError.
"""

import tomllib
from collections.abc import Mapping
from decimal import Decimal
from functools import cache
from importlib import resources
from typing import Any

from tournaments.core import values
from tournaments.core.checking import check
from tournaments.core.expanding import expand
from tournaments.core.format import Format, Outcome, Sizes
from tournaments.core.notation import read_outcome, read_stage
from tournaments.core.problems import Fields, FormatError, Problem, Problems, UnknownFormatError

Document = Mapping[str, Any]

LONGEST_FILE = 100_000
TABLE_SIZES = (2, 4)
MOST_STAGES = 60


def read_format(key: str, document: Document, entrants: int | None = None) -> Format:
    """Return the format that a document describes, for so many players where it leaves a choice.

    Raises FormatError with everything that is wrong.
    """
    problems = Problems()
    document = _settled(document, entrants, problems)
    found = _read(key, document, problems)
    if not problems.broken:
        check(found, problems)
    problems.stop()
    return found


def _read(key: str, document: Document, problems: Problems) -> Format:
    fields = Fields(document, "", problems)
    name = fields.need("name", values.names())
    source = fields.take("source", values.names(values.LONGEST_REMARK), {})
    sizes = fields.need("entrants", values.entrants) or Sizes(0, 0)
    ruleset = fields.take("ruleset", values.ruleset)
    table_size = fields.take("table_size", values.whole(*TABLE_SIZES), 4)
    defaults = fields.take("defaults", dict, {})
    stages = [read_stage(row, path, problems, defaults) for path, row in fields.each("stage")]
    outcomes = [read_outcome(row, path, problems) for path, row in fields.each("outcome")]
    order = fields.take("order", values.keys, ())
    remarks = _remarks(fields, problems)
    fields.each("example")
    fields.close()
    return Format(
        key=key,
        name=name,
        source=source,
        entrants=sizes,
        ruleset=ruleset,
        table_size=table_size,
        stages=with_sizes(stages, sizes, problems),
        outcomes=tuple(outcomes),
        order=order,
        open=remarks,
    )
