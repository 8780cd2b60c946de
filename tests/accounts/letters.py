"""What people read in their mail."""

import re
from typing import Any


def code_in(letter: Any) -> str:
    """Return the code that stands alone on a line of a mail."""
    return code_within(str(letter.body))


def code_within(text: str) -> str:
    """Return the code that stands alone on a line."""
    found = re.search(r"^([A-Z0-9-]{6,12})\r?$", text, re.MULTILINE)
    assert found, text
    return found[1]
