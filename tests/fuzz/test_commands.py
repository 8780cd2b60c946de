import random
from contextlib import redirect_stderr
from io import StringIO

import pytest
from django.core.management import CommandError
from django.db import transaction

from tests.fuzz.inputs import WORDS, changed, fingerprint, numbered, sendable
from tests.league.factories import run
from tests.permissions.world import World

pytestmark = pytest.mark.django_db

OPTIONS = {
    "rebuild_standings": ("--quiet", "--json"),
    "standings": (
        *("--month", "--year", "--all", "--from", "--to", "--tournament", "--stage", "--block", "--after-hanchan"),
    ),
    "export_league": (),
    "import_league": ("--slug", "--by", "--quiet"),
    "verify": ("--quiet",),
}
ALONE = {"--quiet", "--json", "--all"}


def line(dice: random.Random, slug: str) -> list[str]:
    command = dice.choice(sorted(OPTIONS))
    known = (slug, slug, "2025-11", "2025", "2025-11-21", "qualifying", "A", "1")
    words = [command]
    if dice.random() < 0.9:
        words.append(slug if dice.random() < 0.6 else _word(dice, known))
    for option in dice.sample(OPTIONS[command], k=dice.randrange(len(OPTIONS[command]) + 1)):
        words += [option] if option in ALONE else [f"{option}={_word(dice, known)}"]
    return words


def _word(dice: random.Random, known: tuple[str, ...]) -> str:
    if dice.random() < 0.5:
        return dice.choice(known)
    return dice.choice((sendable(dice.choice(WORDS)).replace("\0", ""), "\udcff", "a\udce3"))


@pytest.mark.long
def test_commands_with_anything_behind_them_answer_with_a_sentence(world: World) -> None:
    before = fingerprint()
    for number, dice in numbered("commands"):
        words = line(dice, world.slug)
        with transaction.atomic():
            try:
                with redirect_stderr(StringIO()):
                    run(*words)
            except (CommandError, SystemExit):
                assert not changed(before), (number, words)
            except Exception as error:
                raise AssertionError((number, words, repr(error)[:300])) from error
            if words[0] in {"standings", "export_league"}:
                assert not changed(before), (number, words)
            transaction.set_rollback(True)
