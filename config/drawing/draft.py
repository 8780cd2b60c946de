"""The lines of a function while they are written."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from django.template.base import Template


@dataclass
class Draft:
    """The source of one function for one language. `values`: what it knows by name besides its own variables."""

    template: Template
    language: str
    values: dict[str, Any] = field(default_factory=dict)
    lines: list[str] = field(default_factory=list)
    depth: int = 1
    pending: list[str] = field(default_factory=list)
    including: list[str] = field(default_factory=list)
    asks_addresses: bool = False
    _count: int = 0

    def give(self, value: Any) -> str:
        """Return a name by which the function knows a value."""
        name = self.name("k")
        self.values[name] = value
        return name

    def name(self, letter: str = "v") -> str:
        """Return a variable that the function does not have yet."""
        self._count += 1
        return f"{letter}{self._count}"

    def text(self, text: str) -> None:
        """Write that a text comes out."""
        if text:
            self.pending.append(text)

    def line(self, line: str) -> None:
        """Write a line, after the text that stands before it."""
        self.flush()
        self.lines.append("    " * self.depth + line)

    def out(self, expression: str) -> None:
        """Write that the text of an expression comes out."""
        self.line(f"out({expression})")

    def flush(self) -> None:
        """Write the text that waits, in one piece."""
        if self.pending:
            text, self.pending = "".join(self.pending), []
            self.lines.append("    " * self.depth + f"out({text!r})")

    @contextmanager
    def block(self, head: str) -> Iterator[None]:
        """Write a line that others hang from."""
        self.line(head)
        self.depth += 1
        before = len(self.lines)
        yield
        self.flush()
        if len(self.lines) == before:
            self.line("pass")
        self.depth -= 1

    def open_names(self, names: dict[str, str], at: int, depth: int) -> None:
        """Write, where a level of names begins, that what tags may set there is missing as yet."""
        if names:
            self.lines.insert(at, "    " * depth + " = ".join([*names.values(), "MISSING"]))
