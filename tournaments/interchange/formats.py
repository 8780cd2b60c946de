"""The format of a tournament in a file: by its key where it is one that comes with Tenbo, else word for word."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from league.interchange.problems import FileProblem, InterchangeError, Step, json_path, refuse
from tournaments.core.format import Format
from tournaments.core.problems import FormatError, UnknownFormatError
from tournaments.core.reading import document_for, entrant_choices, format_keys, load_document, read_format
from tournaments.interchange.schema import TournamentDocument

Document = dict[str, Any]


def shipped_document(key: str, entered: int) -> Document:
    """Return the document that comes with Tenbo, for so many players. Raises UnknownFormatError.

    Where they do not fit, it is for the next number that does, since people may still enter.
    """
    document = load_document(key)
    numbers = entrant_choices(document)
    number = next((each for each in numbers if each >= entered), numbers[-1]) if numbers else entered
    try:
        return document_for(document, number)
    except FormatError:
        return document


def format_of(entry: TournamentDocument, entered: int, path: tuple[Step, ...]) -> tuple[Document, Format]:
    """Return the document that the tournament keeps and what it says. Raises InterchangeError."""
    try:
        document = plain(entry.document) if entry.document is not None else shipped_document(entry.format, entered)
    except UnknownFormatError as error:
        known = ", ".join(format_keys())
        sentence = f'is no format of this Tenbo; known ones are {known}; or give the whole format as "document"'
        raise refuse((*path, "format"), sentence) from error
    try:
        return document, read_format(entry.format, document)
    except FormatError as error:
        where = json_path(*path, "document" if entry.document is not None else "format")
        raise InterchangeError(*(_problem(where, each.path, each) for each in error.problems)) from error


def _problem(where: str, path: str, problem: object) -> FileProblem:
    complaint = str(problem).removeprefix(f"{path}: ")
    return FileProblem(f"{where}.{path}" if path else where, f"{complaint}; please correct it")


def plain(value: Any) -> Any:
    """Return a value of the file as the database can hold it: decimals become texts."""
    if isinstance(value, Mapping):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return str(value) if isinstance(value, Decimal) else value
