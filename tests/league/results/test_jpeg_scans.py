"""How often a JPEG goes over its picture, counted without looking at the picture."""

import io

import pytest
from PIL import Image

from league.core.photos import scans_in


def jpeg(**how: object) -> bytes:
    output = io.BytesIO()
    Image.effect_mandelbrot((64, 48), (-2, -1.5, 1, 1.5), 50).convert("RGB").save(output, "JPEG", **how)
    return output.getvalue()


def test_an_ordinary_photo_is_gone_over_once() -> None:
    assert scans_in(jpeg()) == 1


def test_a_progressive_photo_is_gone_over_ten_times() -> None:
    assert scans_in(jpeg(progressive=True)) == 10


def test_pieces_that_begin_anew_are_no_scans() -> None:
    assert scans_in(jpeg(restart_marker_blocks=1)) == 1


def test_pictures_in_remarks_and_films_behind_the_end_do_not_count() -> None:
    assert scans_in(jpeg(comment=jpeg(progressive=True)) + b"\xff\xda" * 500) == 1


@pytest.mark.parametrize("data", [b"", b"\xff", b"\xff\xd8\xff\xe0", b"\xff\xd8\xff\xe0\0\0" * 9, b"\xff" * 1000])
def test_what_is_no_photo_has_no_scans(data: bytes) -> None:
    assert scans_in(data) == 0
