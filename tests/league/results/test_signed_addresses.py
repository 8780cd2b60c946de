from datetime import UTC, datetime
from urllib.parse import parse_qs, urlsplit

import pytest

from league.core.photos import below_league, digest_in, key_of
from league.core.signed_addresses import SigningKey, signed_address

KEY = SigningKey("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "us-east-1")
"""The key of the example in the AWS documentation."""

AT = datetime(2013, 5, 24, tzinfo=UTC)


def test_signature_of_the_aws_example_is_reproduced() -> None:
    address = signed_address("https://examplebucket.s3.amazonaws.com/test.txt", "GET", KEY, AT, seconds=86400)
    assert address == (
        "https://examplebucket.s3.amazonaws.com/test.txt"
        "?X-Amz-Algorithm=AWS4-HMAC-SHA256"
        "&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request"
        "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host"
        "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"
    )


def test_extra_query_parameters_are_signed() -> None:
    asked = {"response-content-disposition": 'inline; filename="a b.jpg"', "prefix": "photos/1/"}
    address = signed_address("http://127.0.0.1:9000/bucket/a b", "GET", KEY, AT, seconds=60, query=asked)
    parts = urlsplit(address)
    assert parts.path == "/bucket/a%20b"
    assert {name: values[0] for name, values in parse_qs(parts.query).items()}.items() >= asked.items()
    plain = signed_address("http://127.0.0.1:9000/bucket/a b", "GET", KEY, AT, seconds=60)
    assert address[-64:] != plain[-64:]


def test_repr_of_a_key_hides_the_secret() -> None:
    assert KEY.secret not in repr(KEY)


def test_object_key_has_the_league_and_the_digest() -> None:
    digest = "0123456789abcdef" * 4
    key = key_of(12, digest)
    assert key == f"photos/12/{digest}.jpg"
    assert key.startswith(below_league(12))
    assert digest_in(key) == digest


@pytest.mark.parametrize("key", ["", "photos/1/a.jpg", f"photos/x/{'0' * 64}.jpg", f"photos/1/{'0' * 64}.jpg.bak"])
def test_other_object_keys_have_no_digest(key: str) -> None:
    assert digest_in(key) == ""
