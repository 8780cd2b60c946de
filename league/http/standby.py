"""Which pages may be read from a standby of the database, where a site has one."""

from collections.abc import Callable
from typing import Any, TypeVar

View = TypeVar("View", bound=Callable[..., Any])


def may_be_late(view: View) -> View:
    """Have a view that only reads answered by a standby: two seconds late at most, and never without what its reader wrote."""
    view.may_be_late = True  # type: ignore[attr-defined]
    return view
