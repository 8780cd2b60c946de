import io
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import xlsxwriter
from django.test import Client

from league.models import ImportBatch, League
from league.services.history import SYSTEM
from league.services.imports.contents import FileContents, contents_of
from league.services.imports.steps import change_reading, create_batch
from tests.league.factories import make_league, make_user

LIST = "/l/camarade/manage/import/"

HEADER = "日付,節,卓,回戦,席,選手,素点,メモ"
FOUR = ("青木", "石田", "上野", "江口")
RAW = (31700, 31300, 25500, 11500)


def game(
    day: str = "2025-11-21",
    session: str = "",
    table: object = "",
    number: object = "",
    *,
    names: Sequence[str] = FOUR,
    raw: Sequence[int] = RAW,
    memo: str = "",
) -> str:
    seats = "東南西北"
    rows = (
        f"{day},{session},{table},{number},{seats[seat]},{name},{score},{memo}"
        for seat, (name, score) in enumerate(zip(names, raw, strict=True))
    )
    return "\n".join(rows)


def file_of(*games: str, header: str = HEADER) -> str:
    return "\n".join((header, *games)) + "\n"


def batch_of(league: League, text: str | bytes, name: str = "results.csv") -> ImportBatch:
    data = text if isinstance(text, bytes) else text.encode()
    return create_batch(league=league, file_name=name, data=data, by=SYSTEM)


def answer(batch: ImportBatch, **said: Any) -> FileContents:
    return change_reading(batch, replace(contents_of(batch).reading, **said))


def club(client: Client, card: str = "mleague", **options: Any) -> League:
    league = make_league(card=card, **options)
    client.force_login(make_user("organiser", league=league, role="organiser"))
    return league


def answers(review: Any) -> dict[str, Any]:
    values = {field.name: field.value() for field in review["form"]} | {"seen": review["seen"]}
    return {name: value for name, value in values.items() if value is not None and value is not False}


def book_of(*rows: Sequence[Any], title: str = "Sheet1") -> bytes:
    return books_of({title: rows})


def books_of(sheets: Mapping[str, Sequence[Sequence[Any]]]) -> bytes:
    output = io.BytesIO()
    with xlsxwriter.Workbook(output, {"default_date_format": "yyyy-mm-dd hh:mm"}) as book:
        for title, rows in sheets.items():
            sheet = book.add_worksheet(title)
            for at, row in enumerate(rows):
                for column, value in enumerate(row):
                    if isinstance(value, str) and value.startswith("="):
                        sheet.write_formula(at, column, value, None, "")
                    else:
                        sheet.write(at, column, value)
    return output.getvalue()


def at(batch: ImportBatch, step: str = "") -> str:
    return f"{LIST}{batch.pk}/{step and f'{step}/'}"
