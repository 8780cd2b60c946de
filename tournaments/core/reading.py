"""Read formats from files and documents.

A document is a format file as JSON values; each tournament keeps a copy. A FormatError lists all faults at once.
"""

import re
import tomllib
from collections.abc import Mapping
from decimal import Decimal
from functools import cache
from typing import Any

from scoring.core.reading import shipped_texts
from tournaments.core import values
from tournaments.core.format import Format, Names, Sizes
from tournaments.core.notation import StageContext, path_of, read_defaults, read_outcome, read_stage
from tournaments.core.problems import (
    Fields,
    FormatError,
    FormatProblem,
    FormatProblems,
    UnknownFormatError,
    WrongValueError,
    check,
)

Document = Mapping[str, Any]

MAX_FILE_LENGTH = 100_000
MAX_STAGES = 60


def read_format(key: str, document: Document, entrants: int | None = None) -> Format:
    """Return a document's format for a number of players (default: the first one listed). Raise FormatError."""
    problems = FormatProblems()
    found = _read(key, _chosen(document, entrants, problems), problems)
    if not problems.broken:
        check(found, problems)
    problems.stop()
    return found


def document_for(document: Document, entrants: int) -> dict[str, Any]:
    problems = FormatProblems()
    chosen = _chosen(document, entrants, problems)
    problems.stop()
    return dict(chosen)


def entrant_choices(document: Document) -> tuple[int, ...]:
    """Return the numbers of players a format lists, empty if it lists none."""
    numbers = document.get("entrants")
    return tuple(number for number in numbers if isinstance(number, int)) if isinstance(numbers, list) else ()


def parse_toml(text: str) -> dict[str, Any]:
    if len(text) > MAX_FILE_LENGTH:
        raise FormatError([FormatProblem("too_long", "")])
    try:
        document: dict[str, Any] = values.plain(tomllib.loads(text, parse_float=Decimal))
    except (tomllib.TOMLDecodeError, RecursionError, ArithmeticError) as error:
        line = next(iter(re.findall(r"at line (\d+)", str(error))), text.count("\n") + 1)
        raise FormatError([FormatProblem("not_toml", "", {"line": line})]) from error
    return document


@cache
def _texts() -> Mapping[str, str]:
    return shipped_texts("tournaments", "formats")


def format_keys() -> tuple[str, ...]:
    return tuple(_texts())


def load_format(key: str, entrants: int | None = None) -> Format:
    return read_format(key, load_document(key), entrants)


def load_formats() -> tuple[Format, ...]:
    return tuple(load_format(key) for key in format_keys())


def load_document(key: str, entrants: int | None = None) -> dict[str, Any]:
    """Return a built-in format's document without examples.

    Raise UnknownFormatError, or FormatError if the format is not for this number of entrants.
    """
    if key not in format_keys():
        raise UnknownFormatError(f"there is no format {key!r}; there are {', '.join(format_keys())}")
    document = {name: value for name, value in parse_toml(_texts()[key]).items() if name != "example"}
    return document if entrants is None else document_for(document, entrants)


def starting_text() -> str:
    """Return a built-in format's file as an example to change."""
    return _texts()["open-final-table"].partition("[[example]]")[0].strip() + "\n"


def _chosen(document: Any, entrants: int | None, problems: FormatProblems) -> Any:
    if not isinstance(document, Mapping):
        return document
    numbers = entrant_choices(document)
    number = entrants if entrants is not None else next(iter(numbers), None)
    if number is not None and not _is_taken(document, number):
        taken = ", ".join(map(str, numbers)) or _range(document)
        problems.broken = True
        problems.add("wrong_entrants", "entrants", number=number, choices=taken)
        return document
    if numbers and number is not None:
        document = {**document, "entrants": number}
    return _expanded(document, problems)


def _is_taken(document: Document, number: int) -> bool:
    try:
        found = values.entrants(document.get("entrants"))
    except WrongValueError:
        return True
    return number in found


def _range(document: Document) -> str:
    found = document["entrants"]
    return f"{found['min']}-{found['max']}" if isinstance(found, Mapping) else str(found)


def _expanded(document: Document, problems: FormatProblems) -> Document:
    if "knockout" not in document:
        return document
    number = document.get("entrants")
    if "stage" in document:
        problems.add("stages_and_knockout", "knockout")
    elif not isinstance(document["knockout"], Mapping):
        problems.add("not_a_table", "knockout")
    elif not isinstance(number, int):
        problems.add("open_knockout", "entrants")
    else:
        return expand(document, number, problems)
    problems.broken = True
    return {"stage": [], **document, "knockout": None}


def _read(key: str, document: Document, problems: FormatProblems) -> Format:
    fields = Fields(document, "", problems)
    fields.take("knockout", values.anything)
    name = fields.need("name", values.names())
    about, source = (fields.take(each, values.names(values.MAX_REMARK_LENGTH), {}) for each in ("about", "source"))
    entrants = fields.need("entrants", values.entrants)
    sizes = entrants if isinstance(entrants, Sizes) else Sizes(0, 0)
    ruleset = fields.take("ruleset", values.ruleset)
    table_size = fields.take("table_size", values.whole_number(3, 4), 4)
    context = StageContext(sizes, read_defaults(fields.take("defaults", values.anything, {}), problems), {}, problems)
    stages = [read_stage(row, path, context) for path, row in _rows(fields, "stage")]
    outcomes = [read_outcome(row, path, problems) for path, row in _rows(fields, "outcome")]
    if not stages and not problems.broken:
        problems.broken = True
        problems.add("incomplete", "stage")
    order = fields.take("order", values.keys, ())
    remarks = _remarks(fields, problems)
    fields.take("example", values.anything)
    fields.close()
    return Format(key, name, source, sizes, ruleset, table_size, tuple(stages), tuple(outcomes), order, remarks, about)


def _rows(fields: Fields, name: str) -> list[tuple[str, Any]]:
    rows = fields.each(name)
    if len(rows) > MAX_STAGES:
        fields.problems.broken = True
        fields.problems.add("too_many", name, count=len(rows), most=MAX_STAGES)
        return []
    return [(path_of(name, number, row), row) for number, (_, row) in enumerate(rows)]


def _remarks(fields: Fields, problems: FormatProblems) -> dict[str, Names]:
    remarks = Fields(fields.take("open", values.anything, {}), "open", problems)
    found = {name: remarks.take(name, values.names(values.MAX_REMARK_LENGTH)) for name in sorted(remarks.table)}
    return {name: text for name, text in found.items() if text}


LAST_ROUNDS = (
    ("final", {"ja": "決勝", "en": "Final"}),
    ("semi-final", {"ja": "準決勝", "en": "Semi-final"}),
    ("quarter-final", {"ja": "準々決勝", "en": "Quarter-final"}),
)
"""Key and name of the last rounds, final first; earlier rounds are numbered from the first."""


def expand(document: Document, entrants: int, problems: FormatProblems) -> dict[str, Any]:
    knockout = dict(document["knockout"])
    table = document.get("table_size", 4)
    advance = knockout.pop("advance", 2)
    sizes = round_sizes(entrants, table, advance)
    if not isinstance(knockout.get("final", {}), Mapping):
        problems.broken = True
        problems.add("not_a_table", "knockout.final")
        knockout["final"] = {}
    if not sizes:
        problems.broken = True
        problems.add("no_knockout", "knockout", number=entrants, table=table, advance=advance)
    rest = {name: value for name, value in document.items() if name != "knockout"}
    return rest | {"entrants": entrants, "stage": _stages(knockout, sizes, table, advance)}


def round_sizes(entrants: int, table: object, advance: object) -> list[int]:
    """Return the number of players in each round down to one table, empty if the sizes do not work out."""
    if not isinstance(table, int) or not isinstance(advance, int) or not 1 <= advance < table:
        return []
    sizes = [entrants]
    while sizes[-1] > table and sizes[-1] % table == 0:
        sizes.append(sizes[-1] // table * advance)
    return sizes if sizes[-1] == table else []


def _stages(knockout: dict[str, Any], sizes: list[int], table: int, advance: int) -> list[dict[str, Any]]:
    final, first_fill = knockout.pop("final", {}), knockout.pop("first_fill", "draw")
    stages: list[dict[str, Any]] = []
    for number, size in enumerate(sizes, start=1):
        key, name = _round(number, len(sizes))
        blocks = {"blocks": size // table} if size > table else {}
        places: dict[str, Any] = {"from": [{"entrants": "all"}], "fill": first_fill}
        if stages:
            ranks = "1" if advance == 1 else f"1-{advance}"
            places = {"from": [{"stage": stages[-1]["key"], "ranks": ranks}], "fill": "bracket"}
        stages.append({"key": key, "name": name} | blocks | places | knockout | (final if size == table else {}))
    return stages


def _round(number: int, count: int) -> tuple[str, dict[str, str]]:
    left = count - number
    if left < len(LAST_ROUNDS) and (number > 1 or left < 2):
        key, name = LAST_ROUNDS[left]
        return key, dict(name)
    return f"round-{number}", {"ja": f"{number}回戦", "en": f"Round {number}"}
