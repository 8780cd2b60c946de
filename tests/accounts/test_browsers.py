import pytest

from accounts.core.browsers import browser_of


@pytest.mark.parametrize(
    ("said", "called"),
    [
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 19_0) AppleWebKit Mobile Safari/604.1", "iPhone · Safari"),
        ("Mozilla/5.0 (Linux; Android 16) Chrome/150 Mobile Safari/537.36 Line/15.1", "Android · LINE"),
        ("Mozilla/5.0 (Windows NT 10.0) Chrome/150 Safari/537.36 Edg/150", "Windows · Edge"),
        ("Mozilla/5.0 (Macintosh; Intel) Chrome/150 Safari/537.36", "Mac · Chrome"),
        ("Mozilla/5.0 (X11; Linux x86_64) Firefox/150", "Linux · Firefox"),
        ("curl/8.0", ""),
    ],
)
def test_a_device_is_called_what_people_call_it(said: str, called: str) -> None:
    assert browser_of(said) == called
