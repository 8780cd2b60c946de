import pytest

from league.core.pasted_sums import FIGURES, read_sums


def rows(text: str) -> list[str]:
    found = [(row.name, *(row.texts.get(figure, "") for figure in FIGURES)) for row in read_sums(text).rows]
    return ["|".join(row).rstrip("|") for row in found]


WHOLE = ["青木 一郎|+107.4|40|12|11|9|8", "石田|▲4.5|40|10|10|10|10"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "順位\t選手\tポイント\t半荘\t1着\t2着\t3着\t4着\n"
            "1\t青木 一郎\t+107.4\t40\t12\t11\t9\t8\n2\t石田\t▲4.5\t40\t10\t10\t10\t10\n",
            WHOLE,
            id="Japanese headings",
        ),
        pytest.param(
            "Name,4th,3rd,2nd,1st,Avg,Games,Points\n青木 一郎,8,9,11,12,2.33,40,+107.4\n石田,10,10,10,10,2.5,40,▲4.5\n",
            WHOLE,
            id="English headings in another order with an unknown one",
        ),
        ("1位\t青木 一郎\t+107.4\t40\t12\t11\t9\t8\n2位\t石田\t▲4.5\t40\t10\t10\t10\t10\n", WHOLE),
        ("青木\t107.4\n石田\t-4.5", ["青木|107.4", "石田|-4.5"]),
        ("選手\tポイント\t半荘\t1着\t2着\t3着\t4着\n青木\t12\t-\t―\t\t?\t不明\n合計\t12\n", ["青木|12"]),
        ("順位\t名前\t1着\t2着\t3着\t4着\t得失点\n1\t青木\t5\t4\t2\t1\t+107.4\n", ["青木|+107.4||5|4|2|1"]),
        ("名前\t得点\tポイント\tトップ\tラス\n青木\t1240000\t+107.4\t12\t8\n", ["青木|+107.4"]),
        ("春の部\t2025年度\n順位\t選手\tポイント\n1\t青木\t12\n", ["青木|12"]),
        ("1位\t青木\t-\n2位\t石田\t12\n", ["石田|12"]),
        ("合計\t0\n青木\t12\n", ["青木|12"]),
        ("青木\t12,5\n石田\t-12,500\n", ["青木|12.5", "石田|-12.500"]),
        ("青木\t1,234\n石田\t-1,240\n上野\t6\n", ["青木|1234", "石田|-1240", "上野|6"]),
        ("青木\t1,234\n", ["青木|1,234"]),
        ("", []),
        ("いい日だった\n来月も\n", []),
    ],
)
def test_rows_of_a_pasted_table_are_read(text: str, expected: list[str]) -> None:
    assert rows(text) == expected


@pytest.mark.parametrize(
    ("head", "unclear"),
    [
        ("順位\t名前\t半荘\tスコア計", ("スコア計",)),
        ("Rank\tName\tGames\tScore", ("Score",)),
        ("選手\t春\t秋", ("春", "秋")),
        ("順位\tチーム員\t1\t2\t3\t4\t計算", ("チーム員", "1", "2", "3", "4", "計算")),
        ("名前\t1\t2\t3\t4", ("1", "2", "3", "4")),
        ("誰\t1位\t2位\t3位\t4位", ("誰",)),
        ("誰\t何", ("誰", "何")),
        ("選手\tポイント\t合計", ("ポイント", "合計")),
        ("選手\tポイント\t選手\tポイント", ("選手", "ポイント")),
        ("順位\t名前\t半荘", ()),
        ("春の部\n選手\t得点", ("得点",)),
        ("2025\t春の部\n選手\t得点", ("得点",)),
    ],
)
def test_table_needs_headings_for_players_and_points(head: str, unclear: tuple[str, ...]) -> None:
    read = read_sums(f"{head}\n1\t青木\t40\t12\t11\t9\t8\n2\t石田\t40\t10\t10\t10\t10\n")
    assert (read.rows, read.unclear) == ((), unclear)


def test_table_without_headings_has_no_unclear_headings() -> None:
    assert read_sums("青木\t107.4\n石田\t欠場\n").unclear is None


def test_skipped_lines_are_reported() -> None:
    read = read_sums("選手\tポイント\n青木\t1\n\t5\n合計\t6\n石田\t\n")
    assert [row.name for row in read.rows] == ["青木"]
    assert read.ignored == (3, 4, 5)


def test_block_with_too_many_columns_is_not_a_table() -> None:
    assert read_sums("\t".join("x" * 501)).rows == ()
