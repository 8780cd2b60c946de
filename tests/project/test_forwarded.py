import pytest

from config.middleware import visitor_of


@pytest.mark.parametrize(
    ("forwarded", "proxies", "visitor"),
    [
        pytest.param("198.51.100.7", 0, "", id="no proxy: nobody is believed"),
        pytest.param("198.51.100.7", 1, "198.51.100.7", id="one proxy"),
        pytest.param("203.0.113.9, 198.51.100.7", 1, "198.51.100.7", id="the visitor made one up"),
        pytest.param("203.0.113.9, 198.51.100.7, 192.0.2.1", 2, "198.51.100.7", id="two proxies, and one made up"),
        pytest.param("2001:db8::7", 1, "2001:db8::7", id="IPv6"),
        pytest.param("", 1, "", id="asked from inside"),
        pytest.param("192.0.2.1", 2, "", id="past the first proxy"),
        pytest.param("unknown", 1, "", id="no address"),
    ],
)
def test_client_address_is_read_from_trusted_proxies(forwarded: str, proxies: int, visitor: str) -> None:
    assert visitor_of(forwarded, proxies) == visitor
