"""Files that were built to take memory and time: each ends with a sentence, and takes no more than its share."""

import io
import json
import resource
import subprocess
import sys
import threading
import urllib.request
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from django.db import connections
from django.test import Client
from django.urls import reverse
from pytest_django.live_server_helper import LiveServer

from league.core.spreadsheets.tables import FileRow
from league.models import ImportBatch
from league.services.imports import apart, child
from league.services.imports.apart import SMALL, read_file
from league.services.imports.archive import MAX_UNPACKED, checked_archive
from league.services.imports.refusals import ImportFileError
from league.services.imports.rows import FileRows, as_lines, from_lines, rows_of
from tests.deadlines import wait_until
from tests.league.factories import make_league, make_user
from tests.league.imports.files import FOUR, book_of, file_of, game
from tests.league.imports.test_hostile_workbooks import FOOT, HEAD, replaced, rows, workbook

MEBIBYTE = 1024 * 1024

MOST_MEMORY = 100
"""MiB that reading a file may take at its height which is refused before anything in it is looked at."""

PEAK = """
import resource, sys
from league.services.imports import apart
from league.services.imports.refusals import ImportFileError
try:
    apart.read_file(sys.stdin.buffer.read())
except ImportFileError as error:
    code = error.code
print(code, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024)
"""
"""In a process that is small itself: what a child began as counts towards its height."""


def forged(sheet: bytes, said: int = 1000) -> bytes:
    """Return a workbook whose directory says that its sheet is no larger than this."""
    whole = bytearray(workbook(sheet))
    with zipfile.ZipFile(io.BytesIO(whole)) as archive:
        before = archive.getinfo("xl/worksheets/sheet1.xml").header_offset
        size = archive.getinfo("xl/worksheets/sheet1.xml").file_size.to_bytes(4, "little")
    # Once in the directory at the end of the file, and once before the part itself.
    after = whole.rindex(size)
    for place in (whole.rindex(size, 0, after), after) if whole.count(size) > 1 else (after,):
        whole[place : place + 4] = said.to_bytes(4, "little")
    assert whole[before : before + 2] == b"PK"
    return bytes(whole)


def swollen(megabytes: int) -> bytes:
    """Return a sheet as large as this that packs to next to nothing."""
    row = b'<row r="1"><c r="A1"><v>1</v></c></row>'
    return HEAD.encode() + row * (megabytes * MEBIBYTE // len(row)) + FOOT.encode()


def refusal(read: Callable[[], object]) -> str:
    with pytest.raises(ImportFileError) as caught:
        read()
    return caught.value.code


@pytest.mark.long
@pytest.mark.parametrize("lies", [True, False], ids=["forged sizes", "true sizes"])
def test_what_swells_is_stopped_while_it_unpacks(lies: bool) -> None:
    data = forged(swollen(300)) if lies else workbook(swollen(300))
    assert len(data) < 2 * MEBIBYTE
    done = subprocess.run(
        [sys.executable, "-c", PEAK], input=data, capture_output=True, check=True, cwd=Path(apart.ROOT), timeout=60
    )
    code, peak = done.stdout.split()
    assert code == (b"not_a_workbook" if lies else b"too_large_unpacked")
    assert int(peak) < MOST_MEMORY


@pytest.mark.long
def test_pieces_that_lie_over_one_another_are_counted_each_time() -> None:
    part = b"<x>" + b" " * (MAX_UNPACKED // 4) + b"</x>"
    many = replaced(book_of(("a",)), {f"xl/media/{number}.xml": part for number in range(5)})
    assert refusal(lambda: checked_archive(many)) == "too_large_unpacked"


def test_pictures_in_a_workbook_are_not_unpacked() -> None:
    data = replaced(book_of(("a",)), {"xl/media/image.png": b"\0" * (MAX_UNPACKED + 1)})
    assert read_file(data).rows[0].cells == ("a",)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA], ids=["bzip2", "lzma"])
def test_archives_packed_as_no_spreadsheet_does_are_refused(method: int) -> None:
    output = io.BytesIO()
    with zipfile.ZipFile(output, "w", method) as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
    assert refusal(lambda: read_file(output.getvalue())) == "not_a_workbook"


def test_an_archive_in_an_archive_stays_packed() -> None:
    inner = replaced(book_of(("a",)), {"xl/x.xml": b" " * MAX_UNPACKED})
    output = io.BytesIO()
    with zipfile.ZipFile(output, "w") as archive:
        archive.writestr("book.xlsx", inner)
    assert refusal(lambda: read_file(output.getvalue())) == "not_a_workbook"


def test_a_workbook_behind_a_password_is_refused() -> None:
    data = bytearray(book_of(("a",)))
    # The flag that a part is encrypted, in the directory and before the part.
    for mark, place in ((b"PK\x01\x02", 8), (b"PK\x03\x04", 6)):
        at = -1
        while (at := data.find(mark, at + 1)) >= 0:
            data[at + place] |= 1
    assert refusal(lambda: read_file(bytes(data))) == "not_a_workbook"


@pytest.mark.long
@pytest.mark.parametrize(
    "text",
    [
        pytest.param(b"," * 2_000_000, id="commas"),
        pytest.param(b"a," * 1_000_000, id="one long row"),
        pytest.param(b'"' * 2_000_001, id="quotation marks"),
        pytest.param(b"\n" * 2_000_000, id="empty lines"),
        pytest.param(b"a\n" * 1_000_000, id="many rows"),
        pytest.param(b"\xff\xfe" + b"\x00\xd8" * 500_000, id="halves of characters"),
        pytest.param(b"[" * 2_000_000, id="brackets"),
    ],
)
def test_a_long_text_is_read_apart_and_refused_the_same_way(text: bytes) -> None:
    assert len(text) > SMALL
    assert outcome(lambda: read_file(text)) == outcome(lambda: rows_of(text))


def outcome(read: Callable[[], FileRows]) -> FileRows | str:
    """Return what was read, or the code of the refusal."""
    try:
        return read()
    except ImportFileError as error:
        return error.code


# --- What comes back -------------------------------------------------------------------------------------------------


def test_a_long_file_is_the_same_read_here_or_apart() -> None:
    long = file_of(*(game(f"2025-11-{day:02}", str(number)) for day in range(1, 31) for number in range(20))).encode()
    assert len(long) > SMALL
    for data in (long, long.decode().encode("cp932"), book_of(("日付", "選手"), *((1.5, name) for name in FOUR * 50))):
        assert read_file(data) == rows_of(data)


@pytest.mark.parametrize("cells", [("\ud800",), ("a\nb\r\u2028", "\x85"), ("", "0", "a", "a"), ('"', "\\", "[1]")])
def test_whatever_stands_in_a_cell_arrives(cells: tuple[str, ...]) -> None:
    found = FileRows((FileRow(3, cells), FileRow(9, cells)), sheet="\ud800", sheets=("*", "a"))
    assert from_lines([line.encode() for line in as_lines(found)]) == found


# --- Limits ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def reader(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Return a function that lets a file be read under limits that are set before, by a line of Python."""

    def limited(line: str) -> None:
        program = f"import sys; from league.services.imports import child; {line}; sys.exit(child.main())"
        monkeypatch.setattr(apart, "COMMAND", (sys.executable, "-c", program))

    return limited


@pytest.mark.long
@pytest.mark.parametrize(
    "line",
    [
        pytest.param("child.LIMITS[child.resource.RLIMIT_AS] = 80 * 1024 * 1024", id="memory"),
        pytest.param("child.rows_of = lambda data, **asked: [0 for _ in iter(int, 1)]; "
                     "child.LIMITS[child.resource.RLIMIT_CPU] = 1", id="the processor's time"),
        pytest.param("child.MAX_ANSWER = 10", id="the answer"),
        pytest.param("import os; child.rows_of = lambda data, **asked: os.abort()", id="a library that gives up"),
    ],
)  # fmt: skip
def test_a_file_that_takes_too_much_ends_with_a_sentence(reader: Callable[[str], None], line: str) -> None:
    reader(line)
    far = '<row r="1"><c r="CV1"><v>1</v></c></row>' + "".join(
        f'<row r="{number}"><c r="A{number}"><v>1</v></c></row>' for number in range(2, 20_000)
    )
    assert refusal(lambda: read_file(rows(far))) == "too_costly"


def test_a_file_that_takes_too_long_ends_with_a_sentence(
    reader: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    reader("import time; child.rows_of = lambda data, **asked: time.sleep(600)")
    monkeypatch.setattr(apart, "MAX_WAIT", 0.5)
    assert refusal(lambda: read_file(book_of(("a",)))) == "too_costly"


def test_a_file_that_brings_up_a_fault_of_the_reader_is_told_to_be_unreadable(
    reader: Callable[[str], None], caplog: pytest.LogCaptureFixture
) -> None:
    reader("child.rows_of = lambda data, **asked: int('a secret of the file')")
    assert refusal(lambda: read_file(book_of(("a",)))) == "unreadable"
    assert "ValueError" in caplog.text
    assert "secret" not in caplog.messages[-1]


def test_where_no_process_can_be_started_somebody_is_told_to_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apart, "COMMAND", (str(apart.ROOT / "nothing-here"),))
    assert refusal(lambda: read_file(book_of(("a",)))) == "busy"


def test_who_comes_when_others_are_read_waits_and_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apart, "_AT_ONCE", threading.BoundedSemaphore(1))
    monkeypatch.setattr(apart, "MAX_TURN", 0.05)
    with apart._AT_ONCE:
        assert refusal(lambda: read_file(book_of(("a",)))) == "busy"
    assert read_file(book_of(("a",))).rows


def test_the_process_that_reads_knows_no_secret(reader: Callable[[str], None], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_KEY", "nobody's business")
    line = "import os; child.rows_of = lambda data, **asked: child.FileRows(encoding=repr(sorted(os.environ)))"
    reader(line.replace("child.FileRows", "__import__('league.services.imports.rows').services.imports.rows.FileRows"))
    known = read_file(book_of(("a",))).encoding
    assert "PYTHONPATH" in known
    assert "SECRET_KEY" not in known
    assert "DATABASE_URL" not in known


@pytest.mark.skipif(not child.GOES_FIRST.exists(), reason="only Linux asks which process to end first")
def test_where_memory_runs_out_the_process_that_reads_goes_before_the_site(reader: Callable[[str], None]) -> None:
    line = "child.rows_of = lambda data, **asked: child.FileRows(encoding=child.GOES_FIRST.read_text())"
    reader(line.replace("child.FileRows", "__import__('league.services.imports.rows').services.imports.rows.FileRows"))
    assert read_file(book_of(("a",))).encoding.strip() == "1000"
    assert child.GOES_FIRST.read_text().strip() != "1000"


def test_the_process_that_reads_loads_nothing_of_the_site() -> None:
    line = "import sys, json; import league.services.imports.child, league.services.imports.workbook; "
    done = subprocess.run(
        [sys.executable, "-c", line + "print(json.dumps(list(sys.modules)))"],
        capture_output=True, check=True, cwd=apart.ROOT, env=apart.SURROUNDINGS,
    )  # fmt: skip
    assert not {"django", "league.models", "psycopg", "pydantic"} & {*json.loads(done.stdout)}


def test_limits_are_those_that_are_kept() -> None:
    assert child.LIMITS[resource.RLIMIT_AS] == 640 * MEBIBYTE
    assert child.MAX_SECONDS < apart.MAX_WAIT


# --- On the page -----------------------------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_the_site_answers_others_while_a_file_is_read(
    reader: Callable[[str], None], live_server: LiveServer, tmp_path: Path
) -> None:
    league = make_league("forged")
    organiser = make_user("organiser", league=league, role="organiser")
    begun = tmp_path / "begun"
    begun.touch()
    (tmp_path / "go").touch()
    reader(
        "import os, time, pathlib; "
        f"child.rows_of = lambda data, **asked: (os.unlink({str(begun)!r}), "
        f"[time.sleep(0.02) for _ in iter(lambda: os.path.exists({str(tmp_path / 'go')!r}), False)], os.abort())"
    )
    client, answers = Client(), []
    client.force_login(organiser)

    def send() -> None:
        try:
            post()
        finally:
            connections.close_all()

    def post() -> None:
        file = io.BytesIO(book_of(("a",)))
        file.name = "a.xlsx"
        answers.append(client.post(reverse("league:import_new", args=[league.slug]), {"file": file}))

    sender = threading.Thread(target=send)
    sender.start()
    assert wait_until(lambda: not begun.exists())
    with urllib.request.urlopen(live_server.url + "/l/forged/", timeout=15) as answer:
        assert answer.status == 200
    (tmp_path / "go").unlink()
    sender.join(30)
    said = "このファイルは読み取りに、成績表にしてはメモリか時間がかかりすぎます"
    assert said in answers[0].content.decode()
    assert not ImportBatch.objects.exists()
