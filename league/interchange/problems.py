import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

SHOWN = 10
"""Maximum number of problems listed in an error."""

Step = str | int


@dataclass(frozen=True, slots=True)
class FileProblem:
    path: str
    sentence: str

    def __str__(self) -> str:
        return f"{self.path}: {self.sentence}"


class InterchangeError(Exception):
    def __init__(self, *problems: FileProblem) -> None:
        super().__init__("\n".join(map(str, problems)))
        self.problems = problems


def json_path(*steps: Step) -> str:
    """Return the JSON path of a value: `$.sessions[0].hanchan[2].seats[1].raw`."""
    return "$" + "".join(f"[{step}]" if isinstance(step, int) else f".{printable(step)}" for step in steps)


def printable(text: str) -> str:
    """Escape control characters and truncate, so that the text is safe in terminals and logs."""
    shown = "".join(repr(char)[1:-1] if unicodedata.category(char)[0] == "C" else char for char in text[:200])
    return shown + "…" if len(text) > 200 else shown


def refuse(path: Sequence[Step], sentence: str) -> InterchangeError:
    return InterchangeError(FileProblem(json_path(*path), sentence))


def from_pydantic(error: ValidationError) -> InterchangeError:
    # A misspelt key is both unknown and missing; report it as unknown first.
    found = sorted(error.errors(include_url=False), key=lambda each: each["type"] != "extra_forbidden")
    problems = [FileProblem(json_path(*each["loc"]), _sentence(each)) for each in found[:SHOWN]]
    if len(found) > SHOWN:
        problems.append(FileProblem("$", f"{len(found) - SHOWN} more problems; fix these first"))
    return InterchangeError(*problems)


_SENTENCES: Mapping[str, str] = {
    "extra_forbidden": "unknown key; remove it or correct its spelling",
    "missing": "is missing; add it",
    "int_type": "must be a whole number without quotes",
    "int_from_float": "must be a whole number without a decimal point",
    "string_type": "must be text in quotes",
    "string_unicode": "contains half a character, which cannot be stored; remove it",
    "bool_type": "must be true or false",
    "list_type": "must be a list in [ ]",
    "tuple_type": "must be a list in [ ]",
    "dict_type": "must be an object in {{ }}",
    "model_type": "must be an object in {{ }}",
    "string_too_short": "must not be empty",
    "string_too_long": "is too long; use at most {max_length} characters",
    "too_short": "is too short; give at least {min_length}",
    "too_long": "is too long; give at most {max_length}",
    "greater_than_equal": "is too small; use {ge} or more",
    "less_than_equal": "is too large; use {le} or less",
    "literal_error": "must be {expected}",
}


def _sentence(each: Mapping[str, Any]) -> str:
    context = each.get("ctx", {})
    if each["type"] == "value_error":
        return str(context["error"])
    template = _SENTENCES.get(each["type"])
    return template.format(**context) if template else f"{each['msg']}; please correct it"


def first_repeated(values: Iterable[object]) -> int | None:
    seen: set[object] = set()
    for position, value in enumerate(values):
        if value in seen:
            return position
        seen.add(value)
    return None
