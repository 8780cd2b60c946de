"""`python -m bench.compare BEFORE.json AFTER.json`: what became better or worse between two kept runs."""

import argparse
import json
from pathlib import Path
from typing import Any

from bench.race import aligned

NOTICED = 1.25
"""Ratios of two runs differ by so much through neighbours alone."""


def main() -> None:
    """Print both runs side by side."""
    parser = argparse.ArgumentParser(prog="bench.compare", description=__doc__)
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    options = parser.parse_args()
    before, after = (json.loads(path.read_text("utf-8")) for path in (options.before, options.after))
    print(aligned([("what", "before", "after", "change", ""), *compared(before["rows"], after["rows"])]))
    if before["size"] != after["size"]:
        print(f"Not the same data: size {before['size']} before, {after['size']} after.")
    print(f"Load of the machine: {before['load']} before, {after['load']} after.")


def compared(before: list[dict[str, Any]], after: list[dict[str, Any]]) -> list[tuple[str, ...]]:
    """Return a line for each row of either run: name, both ratios, their quotient, and a word where it is noticed."""
    old, new = ({row["name"]: row for row in rows} for rows in (before, after))
    return [_line(name, old.get(name), new.get(name)) for name in dict.fromkeys([*old, *new])]


def _line(name: str, old: dict[str, Any] | None, new: dict[str, Any] | None) -> tuple[str, ...]:
    if old is None or new is None:
        only = new or old or {}
        return name, _ratio(old), _ratio(new), "", "only before" if new is None else _verdict(only)
    change = new["ratio"] / old["ratio"] if old["ratio"] else float("inf") if new["ratio"] else 1.0
    noticed = NOTICED if new["is_timing"] else 1.0
    word = "worse" if change > noticed else "better" if change < 1 / noticed else ""
    if old["ok"] != new["ok"]:
        word = f"{word} {_verdict(new)}".strip()
    return name, _ratio(old), _ratio(new), f"{change:.2f}", word


def _verdict(row: dict[str, Any]) -> str:
    return "reached" if row["ok"] else "MISSED"


def _ratio(row: dict[str, Any] | None) -> str:
    if row is None:
        return ""
    return f"{row['ratio']:.2f}x" if row["is_timing"] else f"{row['ratio']:,.0f}"


if __name__ == "__main__":
    main()
