"""What people read in their mail."""

import re
from typing import Any


def code_in(letter: Any) -> str:
    """Return the code that stands alone on a line of a mail."""
    found = re.search(r"^([A-Z0-9-]{6,12})$", str(letter.body), re.MULTILINE)
    assert found, letter.body
    return found[1]
