"""Parsing and validation of a file; nothing is stored."""

import json
import unicodedata
from decimal import Decimal
from typing import Any, Never, TypeVar

from pydantic import ValidationError

from league.interchange.problems import FileProblem, InterchangeError, from_pydantic, printable
from league.interchange.references import check_references
from league.interchange.schema import SCHEMA, LeagueFile

MAX_BYTES = 64 * 1024 * 1024
"""Enough for a league with a hundred thousand hanchan."""

DEEPEST = 20
"""Maximum nesting depth; a valid file has seven levels."""

File = TypeVar("File", bound=LeagueFile)


def read_league(content: bytes, schema: type[File]) -> File:
    """Parse a file and check the references of the league's own parts. Raise InterchangeError with path and remedy."""
    document = _document(content)
    if isinstance(document, dict) and document.get("schema", SCHEMA) != SCHEMA:
        raise _whole(f'has another schema; this version of Tenbo reads "{SCHEMA}"', "$.schema")
    try:
        file = schema.model_validate(document)
    except ValidationError as error:
        raise from_pydantic(error) from error
    check_references(file)
    return file


def _document(content: bytes) -> object:
    if len(content) > MAX_BYTES:
        raise _whole(f"the file is larger than {MAX_BYTES // 1024 // 1024} MB; export the league again")
    if content.startswith(b"\xef\xbb\xbf"):
        raise _whole("the file begins with a byte order mark; save it as UTF-8 without one")
    try:
        document = json.loads(
            content.decode(), parse_float=Decimal, parse_constant=_no_constant, object_pairs_hook=_object
        )
    except UnicodeDecodeError as error:
        raise _whole(f"the file is not UTF-8 at byte {error.start}; save it as UTF-8") from error
    except json.JSONDecodeError as error:
        raise _whole(f"not JSON at line {error.lineno}, column {error.colno}: {error.msg}; mend it there") from error
    except RecursionError as error:
        raise _too_deep() from error
    except ValueError as error:
        raise _whole("contains a number that is far too long; shorten it") from error
    if _is_deeper_than(document, DEEPEST):
        raise _too_deep()
    return document


def _whole(sentence: str, path: str = "$") -> InterchangeError:
    return InterchangeError(FileProblem(path, sentence))


def _too_deep() -> InterchangeError:
    return _whole(f"the file is nested more than {DEEPEST} levels deep; export the league again")


def _no_constant(name: str) -> Never:
    raise _whole(f"{name} is not a number; write a decimal number")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    for key in found:
        if any(unicodedata.category(char) in {"Cc", "Cs"} for char in key):
            raise _whole(f"the key {printable(key)} contains a character that keys cannot have; remove it")
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for position, key in enumerate(keys) if key in keys[:position])
        raise _whole(f"the key {printable(twice)} appears twice in one object; keep one of them")
    return found


def _is_deeper_than(document: object, limit: int) -> bool:
    level: list[object] = [document]
    for _ in range(limit):
        level = [
            child
            for value in level
            if isinstance(value, dict | list)
            for child in (value.values() if isinstance(value, dict) else value)
        ]
        if not level:
            return False
    return True
