import random

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from django.urls import reverse

from league.models import ImportBatch
from tests.fuzz.inputs import changed, fingerprint, numbered, spoiled
from tests.league.imports.files import book_of, file_of, game
from tests.permissions.world import World

pytestmark = pytest.mark.django_db

TEXT = file_of(*(game(f"2025-11-{day:02}", "春の会", number=1) for day in range(1, 9)))
BOOK = book_of(*(line.split(",") for line in TEXT.splitlines()))
ENCODINGS = ("utf-8", "utf-8", "cp932", "utf-16", "utf-16-le", "utf-16-be", "euc-jp", "iso2022_jp")
STEPS = ("review",)


def broken(dice: random.Random) -> tuple[str, bytes]:
    # A workbook takes a process of its own; one in eight is enough.
    if dice.random() < 0.125:
        return "results.xlsx", spoiled(BOOK, dice)
    rows = [line.split(",") for line in TEXT.splitlines()]
    if dice.random() < 0.5:
        first, second = dice.sample(range(len(rows[0])), 2)
        for row in rows[dice.choice((0, 1)) :]:
            row[first], row[second] = row[second], row[first]
    delimiter = dice.choice((",", "\t", ";", "|", " "))
    data = "\n".join(delimiter.join(row) for row in rows).encode(dice.choice(ENCODINGS), "replace")
    return "results.csv", spoiled(data, dice) if dice.random() < 0.8 else data


@pytest.mark.long
def test_files_that_went_wrong_are_read_or_refused_and_change_nothing_before_they_are_run(world: World) -> None:
    before = fingerprint()
    before.pop(ImportBatch._meta.db_table)
    for number, dice in numbered("files"):
        name, data = broken(dice)
        with transaction.atomic():
            world.be("organiser")
            form = {"file": SimpleUploadedFile(name, data)}
            answer = world.client.post(reverse("league:import_new", args=[world.slug]), form)
            assert answer.status_code in {200, 302}, (number, name, data[:200])
            if answer.status_code == 302:
                pk = ImportBatch.objects.latest("pk").pk
                for step in STEPS:
                    answer = world.client.get(reverse(f"league:import_{step}", args=[world.slug, pk]))
                    assert answer.status_code < 500, (number, step, name, data[:200])
            assert not changed(before), (number, name, data[:200])
            transaction.set_rollback(True)
