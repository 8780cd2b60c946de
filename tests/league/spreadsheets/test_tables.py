import codecs
import csv
import io
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league.core.spreadsheets import tables
from league.core.spreadsheets.tables import FileRow, ImportFileError, decode, is_workbook, read_table


@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|"])
def test_delimiter_is_found(delimiter: str) -> None:
    text = "\n".join(delimiter.join(line) for line in (["日付", "選手", "素点"], ["11/21", "青木", "31700"]))
    assert read_table(text).rows == (FileRow(1, ("日付", "選手", "素点")), FileRow(2, ("11/21", "青木", "31700")))


def test_blank_rows_and_blank_ends_are_dropped_and_lines_still_count() -> None:
    assert read_table('日付,選手,,\r\n,, ,\r\n\r\n"二\n行",x\r青木\n', ",").rows == (
        FileRow(1, ("日付", "選手")),
        FileRow(4, ("二\n行", "x")),
        FileRow(6, ("青木",)),
    )


def test_lone_quotation_marks_are_text() -> None:
    table = read_table('a,b\n"青木,1\n石田,"2"\n"上"野,""""\n', ",")
    assert table.quotes_ignored
    assert [row.cells for row in table.rows] == [("a", "b"), ('"青木', "1"), ("石田", "2"), ('"上"野', '"')]


def test_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ImportFileError) as wide:
        read_table("a\n" + "x," * 501, ",")
    assert (wide.value.code, wide.value.values) == ("too_many_columns", {"most": 500, "line": 2})
    monkeypatch.setattr(tables, "MAX_ROWS", 2 - tables.BESIDE)
    with pytest.raises(ImportFileError) as long:
        read_table("a\nb\nc", ",")
    assert long.value.code == "too_many_rows"


def test_blank_rows_without_end_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "MAX_BLANK", 3)
    assert len(read_table("a,b\n" + 3 * ",\n" + "1,2").rows) == 2
    with pytest.raises(ImportFileError, match="too_many_rows"):
        read_table("a,b\n" + 4 * ",\n" + "1,2")


ROWS = st.lists(st.lists(st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])), max_size=5))


@given(ROWS, st.sampled_from([",", "\t", ";", "|"]))
def test_quoted_text_is_read_back(rows: list[list[str]], delimiter: str) -> None:
    written = io.StringIO(newline="")
    csv.writer(written, delimiter=delimiter, quoting=csv.QUOTE_ALL).writerows(rows)
    expected = [[cell.strip() for cell in row] for row in rows]
    for row in expected:
        while row and not row[-1]:
            row.pop()
    found = read_table(written.getvalue(), delimiter).rows
    assert [list(row.cells) for row in found] == [row for row in expected if row]


TEXT = "日付,選手,素点\r\n2025-11-21,①㈱青木～－髙﨑ⅷ,31700\r\n"
LATIN = "Jürgen Renée RENÉE Zoé Élodie André Jääskeläinen Åström Þórður Strauß Nuñez"


@pytest.mark.parametrize(
    ("data", "encoding"),
    [
        pytest.param(TEXT.encode(), "utf-8", id="utf-8"),
        pytest.param(codecs.BOM_UTF8 + TEXT.encode(), "utf-8", id="utf-8 with mark"),
        pytest.param(TEXT.encode("cp932"), "cp932", id="cp932 with NEC and IBM letters"),
        pytest.param(codecs.BOM_UTF16_LE + TEXT.encode("utf-16-le"), "utf-16-le", id="unicode text of Excel"),
        pytest.param(TEXT.encode("utf-16-le"), "utf-16-le", id="utf-16 without mark"),
        pytest.param(codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"), "utf-16-be", id="big-endian"),
        pytest.param(TEXT.encode("utf-16-be"), "utf-16-be", id="big-endian without mark"),
        *(pytest.param(f"Datum;{name};57,2\r\n".encode("cp1252"), "cp1252", id=name) for name in LATIN.split()),
        pytest.param("Jürgen ﾊﾅｺ".encode(), "utf-8", id="utf-8 with an accent"),
        pytest.param("Name;林;ｱｵｷ\n".encode("cp932"), "cp932", id="cp932 without kana"),
    ],
)
def test_encoding_is_found(data: bytes, encoding: str) -> None:
    decoded = decode(data)
    assert (decoded.text, decoded.encoding) == (data.decode(encoding).removeprefix("\ufeff"), encoding)
    assert not decoded.is_unsure


def test_text_that_makes_sense_in_two_encodings_is_asked_about() -> None:
    decoded = decode("山;57,2\n".encode("cp932"))
    assert (decoded.fitting, decoded.is_unsure) == (("cp932", "cp1252"), True)
    assert decode("ﾃｩ,1\n".encode("cp932"), "cp932").text == "ﾃｩ,1\n"


@pytest.mark.parametrize(
    ("data", "encoding", "code"),
    [
        pytest.param(b"", "", "empty", id="nothing"),
        pytest.param(b"\0\0\0", "", "empty", id="zeros"),
        pytest.param(codecs.BOM_UTF8, "", "empty", id="a mark alone"),
        pytest.param(" \u3000\n".encode(), "", "empty", id="blanks"),
        pytest.param(b"\xd0\xcf\x11\xe0\xa1\xb1", "", "old_excel", id="xls"),
        pytest.param(b"\x89PNG\r\n\x1a\n\0\0\0\r\xff", "", "binary", id="picture"),
        pytest.param(b"a,\xff\xfe\xff\n", "", "binary", id="no encoding at all"),
        pytest.param(codecs.BOM_UTF16_LE + b"a", "", "binary", id="half a letter"),
        pytest.param(b"a\0b\0c", "utf-8", "binary", id="NUL in a text"),
        pytest.param("a\n日".encode("cp932"), "utf-8", "not_encoding", id="wrong choice"),
        pytest.param(b"a\n\x80", "cp932", "not_encoding", id="a byte without meaning"),
    ],
)
def test_binary_data_is_refused(data: bytes, encoding: str, code: str) -> None:
    with pytest.raises(ImportFileError) as refusal:
        decode(data, encoding)
    assert refusal.value.code == code


def test_workbook_is_known_by_its_first_bytes() -> None:
    assert is_workbook(b"PK\x03\x04rest")
    assert not is_workbook(TEXT.encode())


LETTERS = st.text(
    st.characters(codec="cp932", exclude_characters="\0\ufeff¢£¬‖−〜", exclude_categories=("Cc", "Cs", "Co"))
)


@pytest.mark.long
@given(LETTERS, st.sampled_from(["utf-8", "cp932", "utf-16-le", "utf-16-be"]))
def test_every_text_comes_back_from_the_encoding_it_is_said_to_be_in(text: str, encoding: str) -> None:
    written = f"日付,{text}\r\n"
    data = written.encode(encoding)
    if data.decode(encoding) == written:
        assert decode(data, encoding).text == written


@given(st.binary(max_size=200), st.sampled_from(["", "utf-8", "cp932", "utf-16-le", "utf-16-be"]))
def test_no_bytes_do_more_than_be_refused(data: bytes, encoding: str) -> None:
    with suppress(ImportFileError):
        assert "\0" not in decode(data, encoding).text
