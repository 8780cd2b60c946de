import json
import random
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError
from django.db import transaction

from league.models import League
from tests.fuzz.inputs import WORDS, changed, fingerprint, numbered, spoiled
from tests.league.factories import run
from tests.permissions.world import World

pytestmark = pytest.mark.django_db

VALUES: tuple[Any, ...] = (*WORDS, None, True, 0, -1, 2**31, 2**63, 10**400, 1.5, [], {}, [[]] * 50, ["a", "a"])


def mutated(document: Any, dice: random.Random) -> None:
    place = document
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        if not keys:
            return
        key = dice.choice(keys)
        if isinstance(place[key], dict | list) and place[key] and dice.random() < 0.8:
            place = place[key]
            continue
        break
    match dice.randrange(5):
        case 0:
            del place[key]
        case 1 if isinstance(place, list):
            place.append(json.loads(json.dumps(place[key])))
        case 2 if isinstance(place, dict):
            place[dice.choice(list(place))], place[key] = place[key], place[dice.choice(list(place))]
        case _:
            place[key] = dice.choice(VALUES)


@pytest.mark.long
def test_a_league_file_with_something_wrong_is_refused_with_a_sentence(world: World, tmp_path: Path) -> None:
    whole, file = run("export_league", world.slug), tmp_path / "league.json"
    before = fingerprint()
    for number, dice in numbered("league files"):
        if dice.random() < 0.3:
            file.write_bytes(spoiled(whole.encode(), dice))
        else:
            document = json.loads(whole)
            for _ in range(dice.choice((1, 1, 2, 4))):
                mutated(document, dice)
            file.write_text(json.dumps(document), "utf-8")
        with transaction.atomic():
            try:
                run("import_league", str(file), slug=f"copy-{number}", quiet=True)
            except CommandError:
                assert not changed(before), number
            except Exception as error:
                raise AssertionError((number, repr(error)[:500])) from error
            else:
                assert League.objects.filter(slug=f"copy-{number}").exists(), number
            transaction.set_rollback(True)
