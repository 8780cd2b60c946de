from itertools import combinations, pairwise

import pytest

from tournaments.core.bracket.boxes import LINE, MAX_ROWS, WIDER, WIDTH, Box, BoxGroup, spread
from tournaments.core.bracket.layout import BracketLayout, layout
from tournaments.core.format import Format
from tournaments.core.reading import format_keys, load_format
from tournaments.selectors.picture import _lines

SIZES = {"elimination-4": (8, 16, 32, 64), "classes": (20, 64), "season": (4, 200)}
FORMATS = [(key, size) for key in format_keys() for size in SIZES.get(key, (None,))]


def boxes_of(picture: BracketLayout, key: str) -> list[Box]:
    return [box for box in picture.boxes if box.key == key]


def overlap(one: Box | BoxGroup, other: Box | BoxGroup) -> bool:
    across = one.left < other.left + other.width and other.left < one.left + one.width
    return across and one.top < other.bottom and other.top < one.bottom


def runs_through(start: tuple[int, int], end: tuple[int, int], box: Box) -> bool:
    """Return whether part of a line lies inside a box, not only on its edge."""
    (x1, x2), (y1, y2) = sorted((start[0], end[0])), sorted((start[1], end[1]))
    return x1 < box.right and box.left < x2 and y1 < box.bottom and box.top < y2


@pytest.fixture(params=FORMATS, ids=lambda each: f"{each[0]}-{each[1] or 'usual'}")
def format_(request: pytest.FixtureRequest) -> Format:
    key, size = request.param
    return load_format(key, size)


def test_bracket_boxes_do_not_overlap(format_: Format) -> None:
    picture = layout(format_)
    assert not [pair for pair in combinations(picture.boxes, 2) if overlap(*pair)]
    assert all(box.left >= 0 and box.top >= 0 for box in picture.boxes)
    assert all(box.right <= picture.width and box.bottom <= picture.height for box in picture.boxes)


def test_bracket_lines_do_not_cross_boxes(format_: Format) -> None:
    picture = layout(format_)
    for line in picture.lines:
        for start, end in pairwise(line.corners):
            assert start[0] == end[0] or start[1] == end[1]
            assert not [box for box in picture.boxes if runs_through(start, end, box)]
            assert 0 <= end[0] <= picture.width
            assert 0 <= end[1] <= picture.height
        # "10–16位" has room between the boxes.
        words = (line.label[0] + 4, line.label[1] - 8)
        assert not [box for box in picture.boxes if runs_through(words, (words[0] + 42, line.label[1] - 4), box)]


def test_bracket_lines_start_and_end_at_boxes(format_: Format) -> None:
    picture = layout(format_)
    ends: list[Box | BoxGroup] = [*picture.boxes, *picture.frames]
    for line in picture.lines:
        (x, y), (to_x, to_y) = line.corners[0], line.corners[-1]
        start = next(box for box in picture.boxes if (box.key, box.block) == (line.stage, line.block))
        assert x == start.right
        assert start.top < y < start.bottom
        assert any(
            end.left <= to_x <= end.left + end.width and end.top <= to_y <= end.bottom
            for end in ends if (end.key if isinstance(end, Box) else end.boxes[0].key) == line.to
        )  # fmt: skip


def test_bracket_has_a_line_for_every_source(format_: Format) -> None:
    drawn = {(line.stage, line.to, source) for line in layout(format_).lines for source in line.sources}
    for to in format_.destinations():
        for source in to.sources:
            if hasattr(source, "stage"):
                assert (source.stage, to.key, source) in drawn


def test_cinderella_playoffs_are_between_the_blocks() -> None:
    picture = layout(load_format("cinderella"))
    above, below = boxes_of(picture, "qualifying")
    middles = [boxes_of(picture, key)[0].middle for key in ("po1", "po2", "po3", "final", "champion")]
    lefts = [boxes_of(picture, key)[0].left for key in ("qualifying", "po1", "po2", "po3", "final", "champion")]
    assert above.middle < middles[0] < below.middle
    assert max(middles) - min(middles) <= 1
    assert lefts == sorted(lefts)
    final = boxes_of(picture, "final")[0]
    ends = [line.corners[-1][1] for line in picture.lines if line.to == "final" and line.stage == "qualifying"]
    assert ends == [final.top, final.bottom]


def test_drawn_tables_share_a_frame() -> None:
    picture = layout(load_format("cinderella-2018"))
    (frame,) = picture.frames
    assert frame.key == "semi-final"
    assert [box.block for box in frame.boxes] == ["1", "2"]
    assert [len(line.sources) for line in picture.lines if line.to == "po1"] == [2, 2, 2]


def test_knockout_tables_are_fed_by_neighbours() -> None:
    picture = layout(load_format("elimination-4", 16))
    assert not picture.frames
    for table in boxes_of(picture, "semi-final"):
        into = [line for line in picture.lines if line.corners[-1] == (table.left, table.middle)]
        number = int(table.block or 0)
        assert [line.block for line in into] == [str(2 * number - 1), str(2 * number)]


def test_line_skipping_columns_enters_a_lower_box_from_the_side() -> None:
    picture = layout(load_format("classes", 24))
    stays = boxes_of(picture, "a-stays")[0]
    assert [line.corners[-1][0] for line in picture.lines if line.to == "a-stays"] == [stays.left, stays.left]


def test_bracket_box_has_a_row_per_player() -> None:
    swiss = load_format("swiss")
    assert layout(swiss, {("swiss", ""): 5}).boxes[0].rows in {5, 8}
    block = swiss.stages[0].block_keys[0]
    assert layout(swiss, {("swiss", block): 5}).boxes[0].rows == 5
    assert layout(swiss, {("swiss", block): 200}).boxes[0].rows == MAX_ROWS
    assert layout(swiss, {}, {("swiss", block): 2}).boxes[0].height == layout(swiss).boxes[0].height + 2 * LINE
    assert _lines(layout(swiss).boxes[0], "Erika Kurebayashi", 90) == ("Erika", "Kurebayashi")


def test_bracket_of_few_columns_has_room_for_names() -> None:
    widths = {key: layout(load_format(key)).boxes[0].width for key in ("open-final-table", "cinderella")}
    assert widths == {"open-final-table": WIDER, "cinderella": WIDTH}


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        pytest.param([], [], id="nothing"),
        pytest.param([(50, 20), (200, 20)], [40, 190], id="room enough"),
        pytest.param([(50, 20), (50, 20)], [25, 55], id="pushed apart evenly"),
        pytest.param([(50, 20), (60, 20), (85, 20)], [25, 55, 85], id="a run of three"),
    ],
)
def test_overlapping_bracket_boxes_are_spread_evenly(wanted: list[tuple[int, int]], expected: list[int]) -> None:
    assert spread(wanted, 10) == expected
