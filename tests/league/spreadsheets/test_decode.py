"""From bytes to text."""

import codecs
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from league.core.spreadsheets.tables import ImportFileError, decode, is_workbook

TEXT = "日付,選手,素点\r\n2025-11-21,①㈱青木～－髙﨑ⅷ,31700\r\n"


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
    ],
)
def test_encoding_is_found(data: bytes, encoding: str) -> None:
    decoded = decode(data)
    assert (decoded.text, decoded.encoding) == (TEXT, encoding)
    assert decoded.fitting[0] == encoding


def test_what_could_be_two_encodings_says_so() -> None:
    decoded = decode("ﾃｩ,1\n".encode("cp932"))
    assert decoded.fitting == ("utf-8", "cp932")
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
        pytest.param(b"a,\xff\xfe\n", "", "binary", id="no encoding at all"),
        pytest.param(codecs.BOM_UTF16_LE + b"a", "", "binary", id="half a letter"),
        pytest.param(b"a\0b\0c", "utf-8", "binary", id="NUL in a text"),
        pytest.param(b"a", "latin-1", "unknown_encoding", id="unknown"),
        pytest.param("a\n日".encode("cp932"), "utf-8", "not_encoding", id="wrong choice"),
        pytest.param(b"a\n\x80", "cp932", "not_encoding", id="a byte without meaning"),
    ],
)
def test_what_is_no_text_is_refused(data: bytes, encoding: str, code: str) -> None:
    with pytest.raises(ImportFileError) as refusal:
        decode(data, encoding)
    assert refusal.value.code == code


@pytest.mark.parametrize("data", ["a\n日".encode("cp932"), b"a\n\x80"])
def test_wrong_choice_names_the_line(data: bytes) -> None:
    with pytest.raises(ImportFileError) as refusal:
        decode(data, "utf-8")
    assert refusal.value.values == {"encoding": "utf-8", "line": 2}


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
