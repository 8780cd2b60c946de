import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from typing import Any


@cache
def glossary_groups() -> Sequence[Mapping[str, Any]]:
    """Return all terms in groups, in the order of the glossary page."""
    return tomllib.loads((resources.files(__package__) / "glossary.toml").read_text("utf-8"))["group"]  # type: ignore[no-any-return]
