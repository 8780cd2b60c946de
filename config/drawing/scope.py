"""Where a name of a template is found while its function is written."""

from dataclasses import dataclass, field


class NotWritableError(Exception):
    """Something stands in a template that only Django itself can read."""


CONSTANTS = {"True", "False", "None"}


@dataclass
class Loop:
    """A loop around: the variables of the function that count it, and the loop around that one."""

    number: str
    length: str
    outer: "Loop | None"

    def expression(self, name: str) -> str:
        """Return what `forloop.<name>` is in Python. Raises NotWritableError."""
        known = {
            "counter0": self.number,
            "counter": f"({self.number} + 1)",
            "revcounter": f"({self.length} - {self.number})",
            "revcounter0": f"({self.length} - {self.number} - 1)",
            "first": f"({self.number} == 0)",
            "last": f"({self.number} == {self.length} - 1)",
        }
        try:
            return known[name]
        except KeyError as error:
            raise NotWritableError(name) from error


@dataclass
class Scope:
    """The names that are variables of the function, and the context that has all others.

    `known`: name in the template -> variable of the function. `maybe`: those that a tag may have set or not; they are
    MISSING until then. `left`: those that Django has set in the context. `context`: the variable of the Django context. `holds`: whether that context has this level of
    names too, so that Django's own nodes find them. `is_alone`: an include that is told all it knows.
    """

    context: str
    holds: bool
    outer: "Scope | None" = None
    is_alone: bool = False
    loop: Loop | None = None
    known: dict[str, str] = field(default_factory=dict)
    maybe: dict[str, str] = field(default_factory=dict)
    left: set[str] = field(default_factory=set)

    def root(self, name: str) -> str:
        """Return the expression of a name, called if it can be; it may be MISSING."""
        if name in CONSTANTS:
            return name
        return self._found(name, f"find({self.context}, {name!r})", "MISSING", is_called=True)

    def as_it_is(self, name: str) -> str:
        """Return the expression of a name for a sentence that is translated."""
        return self._found(name, f"raw({self.context}, {name!r})", "''", is_called=False)

    def _found(self, name: str, elsewhere: str, alone: str, *, is_called: bool) -> str:
        if name in self.left:
            return elsewhere
        if name in self.known:
            return _called(self.known[name]) if is_called else self.known[name]
        if name in self.maybe:
            outer = self._beyond(name, elsewhere, alone, is_called=is_called)
            return f"({self.maybe[name]} if {self.maybe[name]} is not MISSING else {outer})"
        return self._beyond(name, elsewhere, alone, is_called=is_called)

    def _beyond(self, name: str, elsewhere: str, alone: str, *, is_called: bool) -> str:
        if self.is_alone:
            return alone
        if self.outer is not None:
            return self.outer._found(name, elsewhere, alone, is_called=is_called)
        return elsewhere

    def loop_around(self) -> Loop | None:
        """Return the innermost loop whose counters a name in this scope means."""
        if self.loop is not None or self.is_alone or self.outer is None:
            return self.loop
        return self.outer.loop_around()


def _called(variable: str) -> str:
    return f"({variable} if not callable({variable}) else called({variable}))"
