import os
import random
from collections.abc import Iterator

from django.apps import apps
from django.db import connection

from tests.budget import budget

SEED = os.environ.get("SEED", "tenbo")
INPUTS = int(os.environ.get("INPUTS", "0")) or budget(400, least=200)
"""Total number of inputs of all fuzz tests."""

SHARES = {"forms": 5, "addresses": 2, "files": 1, "league files": 1, "commands": 1}

WORDS = (
    "", " ", "\x00", "a\x00b", "\x1b[31m", "\u202e\u200b", "\ud800", "\ufeff", "\U0001f004", "e\u0301" * 200, "ｶﾞ", "٣", "१२",
    "１２３", "0", "-0", "-1", "▲", "▲1.5", "−5", "1e999", "1e-999", "NaN", "Infinity", "0x10", "1_000", "+1", "1.", ".5",
    "9" * 40, "-" + "9" * 400, "1" * 5000, str(2**31), str(2**63), str(-(2**63) - 1), "あ" * 3000,
    "<script>alert(1)</script>", "' OR 1=1 --", "%(name)s %s {0} {name}", "../../etc/passwd", "file:///etc/passwd",
    "//evil.example/", "javascript:alert(1)", "[" * 5000, '{"a":' * 2000, '{"players": 4}', "[1, 2", "null", "true",
    "2025-11-21", "9999-12-31", "0001-01-01", "0000-00-00", "2025-02-30", "24:00", "23:59:60", "2025-11-21T19:00",
    "9999-12-31T23:59:59+14:00", "on", "off", "total", "points", "floating", "none", "all", "2025", "2025-13", "4", "3",
    "1: 2\n3: 4", "\n\n,,\t", "\r\n" * 50, "🀄,うし", "Asia/Tokyo", "Mars/Olympus", "en", "ja", "__proto__", "constructor",
)  # fmt: skip


def numbered(kind: str) -> Iterator[tuple[int, random.Random]]:
    """Yield (number, seeded random generator) for this kind's share of the inputs."""
    for number in range(INPUTS * SHARES[kind] // sum(SHARES.values())):
        yield number, random.Random(f"{SEED} {kind} {number}")


def sendable(word: str) -> str:
    return word.encode("utf-8", "replace").decode()


def spoiled(data: bytes, dice: random.Random) -> bytes:
    found = bytearray(data)
    for _ in range(dice.choice((1, 1, 2, 5, 20))):
        at = dice.randrange(len(found) or 1)
        to = at + dice.choice((1, 2, 8, 100))
        match dice.randrange(6):
            case 0 if found:
                found[at] ^= 1 << dice.randrange(8)
            case 1:
                del found[at:to]
            case 2:
                found[at:at] = found[at:to] * dice.choice((1, 3))
            case 3:
                found[at:at] = sendable(dice.choice(WORDS)).encode()
            case 4:
                del found[at:]
            case _:
                found[at:to] = reversed(found[at:to])
    return bytes(found)


PASSING = {
    "attempts", "sentform", "edition", "editionrise", "sessionedition", "sessionrise", "tournamentedition", "tournamentrise",
}  # fmt: skip
"""Models that only serve caching and rate limits, and hold no facts."""


def fingerprint() -> dict[str, tuple[int, int]]:
    """Return (row count, hash of all rows) by table, for tables that hold facts."""
    tables = [
        model._meta.db_table
        for app in ("league", "tournaments")
        for model in apps.get_app_config(app).get_models()
        if model._meta.model_name not in PASSING
    ]
    each = (f"SELECT '{table}', count(*), coalesce(sum(hashtext(t::text)), 0) FROM {table} t" for table in tables)
    with connection.cursor() as cursor:
        cursor.execute(" UNION ALL ".join(each))
        return {table: (count, int(total)) for table, count, total in cursor.fetchall()}


def changed(before: dict[str, tuple[int, int]]) -> list[str]:
    now = fingerprint()
    return [table for table, figures in before.items() if now[table] != figures]
