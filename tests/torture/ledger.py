"""What was sent and what became of it, line by line: the torture's own memory, which no fault reaches."""

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Line = dict[str, Any]


class Ledger:
    """A file that lines are added to, by several threads."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("a", encoding="utf-8")
        self._lock = threading.Lock()

    def write(self, **line: Any) -> None:
        """Add a line."""
        with self._lock:
            self._file.write(json.dumps(line) + "\n")
            self._file.flush()


def lines_of(path: Path, kind: str = "") -> Iterator[Line]:
    """Yield what stands in a ledger, of a kind or all of it; a line that is just being written is left out."""
    if not path.exists():
        return
    for text in path.read_text("utf-8").split("\n")[:-1]:
        line: Line = json.loads(text)
        if not kind or line["kind"] == kind:
            yield line
