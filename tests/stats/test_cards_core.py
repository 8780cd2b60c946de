import itertools
import re
from xml.etree import ElementTree as ET

import pytest

from stats.core.cards import HEIGHT, WIDTH, CardFigure, CardRow, ShareCard, card_svg, clipped
from stats.exports.cards import card_text

SVG = "{http://www.w3.org/2000/svg}"
ENOUGH = 7


def broad(text: str, size: int) -> int:
    return len(text) * size


def row(rank: int, name: str = "Aoki", detail: str = "") -> CardRow:
    return CardRow(f"#{rank}", name, "+21.7", detail)


BOARD = ShareCard(
    "Camarade", "November 2025", "4 players", tuple(row(rank, "Aoki " * 8, "8 hanchan") for rank in range(1, 9))
)
PLAYER = ShareCard(
    "Camarade", "Aoki", figures=tuple(CardFigure("Average placement " * 3, "2.32" * 9) for _ in range(9))
)
PLAIN = ShareCard("League", "Camarade " * 20, words=tuple("Enter results at the table. " * 9 for _ in range(9)))


@pytest.mark.parametrize(
    ("text", "width", "shown"),
    [
        pytest.param("Aoki", 40, "Aoki", id="fits exactly"),
        pytest.param("Aoki", 39, "Ao…", id="one letter makes way for the dots"),
        pytest.param("Aoki Ishida", 60, "Aoki…", id="no blank before the dots"),
        pytest.param("e\u0301e\u0301e\u0301", 50, "e\u0301e\u0301…", id="an accent stays with its letter"),
        pytest.param("Aoki", 10, "…", id="nothing but dots"),
        pytest.param("Aoki", 9, "", id="not even those"),
        pytest.param("", 0, "", id="nothing"),
    ],
)
def test_text_is_clipped_to_its_width(text: str, width: int, shown: str) -> None:
    assert clipped(text, 10, width, broad) == shown


@pytest.mark.parametrize("card", [BOARD, PLAYER, PLAIN], ids=["board", "player", "plain"])
def test_share_card_texts_do_not_overlap(card: ShareCard) -> None:
    drawn = ET.fromstring(card_svg(card, broad))
    lines: dict[int, list[tuple[int, int]]] = {}
    for text in drawn.iter(f"{SVG}text"):
        size, x = int(text.attrib["font-size"]), int(text.attrib["x"])
        width = broad(text.text or "", size)
        left = x - width if text.attrib["text-anchor"] == "end" else x
        assert left >= 24, text.text
        assert left + width <= WIDTH - 24, text.text
        assert size <= int(text.attrib["y"]) <= HEIGHT - 8
        lines.setdefault(int(text.attrib["y"]), []).append((left, left + width))
    for line in lines.values():
        ordered = sorted(line)
        assert all(before[1] <= after[0] for before, after in itertools.pairwise(ordered)), ordered


def test_share_card_is_limited_to_five_rows_and_six_figures() -> None:
    assert card_svg(BOARD, broad).count(">#") == 5
    assert card_svg(PLAYER, broad).count(">2.3…<") == 6
    assert len(re.findall("<rect", card_svg(PLAYER, broad))) == 1 + 1 + 6


def luminance(colour: str) -> float:
    parts = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("card", [BOARD, PLAYER, PLAIN], ids=["board", "player", "plain"])
def test_share_card_text_contrast_is_sufficient(card: ShareCard) -> None:
    panels: list[tuple[int, int, int, int, str]] = []
    for each in ET.fromstring(card_svg(card, broad)):
        box = each.attrib
        if each.tag == f"{SVG}rect":
            x, y = int(box.get("x", 0)), int(box.get("y", 0))
            panels.append((x, y, x + int(box["width"]), y + int(box["height"]), box["fill"]))
        elif each.tag == f"{SVG}text":
            x, y = int(box["x"]), int(box["y"]) - 4
            behind = [fill for left, top, right, low, fill in panels if left <= x <= right and top <= y <= low][-1]
            assert contrast(box["fill"], behind) >= ENOUGH, (each.text, behind)


def test_share_card_escapes_text() -> None:
    svg = card_svg(ShareCard("<b>&", 'A"o\x00ki\x1b', rows=(row(1, "</text><script>"),)), lambda text, _size: len(text))
    said = [text.text for text in ET.fromstring(svg).iter(f"{SVG}text")]
    assert said[:3] == ["Tenbo", "<b>&", 'A"oki']
    assert "</text><script>" in said


@pytest.mark.parametrize(
    ("card", "said"),
    [
        pytest.param(
            ShareCard("Camarade", "November", rows=tuple(row(rank) for rank in range(1, 7))),
            "Camarade November\n#1 Aoki +21.7\n#2 Aoki +21.7\n#3 Aoki +21.7\n#4 Aoki +21.7\n#5 Aoki +21.7\n#6 Aoki +21.7",
            id="a list",
        ),
        pytest.param(ShareCard("", "Aoki", figures=(CardFigure("Total", "+21.7"),)), "Aoki\nTotal +21.7", id="figures"),
        pytest.param(
            ShareCard("League", "Camarade", words=("4 players", "more")), "League Camarade\n4 players", id="plain"
        ),
    ],
)
def test_share_message_contains_the_rows_of_the_card(card: ShareCard, said: str) -> None:
    assert card_text(card) == said
