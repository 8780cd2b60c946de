from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from scoring.core.reading import shipped_table


@cache
def glossary_groups() -> Sequence[Mapping[str, Any]]:
    """Return all terms in groups, in the order of the glossary page."""
    return shipped_table(__package__, "glossary.toml")["group"]  # type: ignore[no-any-return]
