"""An S3-compatible store beside the database, in which pictures lie under their names: to write, read, list and remove.

Every request carries its signature in its address (core/signed_addresses.py), so a store sees nothing but addresses that are
good for a minute. Only background work and commands speak with it: nobody waits for it with a page.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from xml.etree import ElementTree

import urllib3
from django.conf import settings
from django.utils import timezone

from league.core.photos import BELOW, MAX_PHOTO_BYTES
from league.core.signed_addresses import SigningKey, signed_address

ASKED_WITHIN = 60

CONNECTED_WITHIN, ANSWERED_WITHIN = 2.0, 5.0
"""Seconds after which a store counts as away."""

LISTED_AT_ONCE = 1000
"""So many names a store tells at most."""

_NAMES = "{http://s3.amazonaws.com/doc/2006-03-01/}"

_http = urllib3.PoolManager(
    timeout=urllib3.Timeout(connect=CONNECTED_WITHIN, read=ANSWERED_WITHIN), retries=False, maxsize=2
)


class StoreError(Exception):
    """A store that does not answer, refuses, or does not have what it should; the sentence has no key in it."""


class ObjectRefusedError(StoreError):
    """The store answers, and does not take or give this object."""


@dataclass(frozen=True, slots=True)
class StoredObject:
    key: str
    size: int
    written_at: datetime


def has_store() -> bool:
    return bool(settings.PHOTO_STORE)


def put_object(key: str, data: bytes) -> None:
    _ask("PUT", key, body=data, headers={"Content-Type": "image/jpeg"})


def read_object(key: str) -> bytes | None:
    """Return what an object holds, or None if there is none. Raises StoreError."""
    return _ask("GET", key)


def remove_object(key: str) -> None:
    _ask("DELETE", key)


def list_objects(after: str = "", below: str = BELOW) -> list[StoredObject]:
    """Return the objects whose names begin so and stand behind `after`, by name, as many as are told at once.

    Raises StoreError.
    """
    query = {"list-type": "2", "prefix": below, "max-keys": str(LISTED_AT_ONCE)}
    told = _ask("GET", "", {**query, "start-after": after} if after else query)
    try:
        # What the store sends is as trustworthy as the pictures in it, and is read by expat, which follows no entity outward.
        found = ElementTree.fromstring(told or b"").iter(f"{_NAMES}Contents")  # noqa: S314
        return [_object(each) for each in found]
    except (ElementTree.ParseError, ValueError) as error:
        raise StoreError(f"The store of photos told no list of its objects: {error}") from error


def _object(told: ElementTree.Element) -> StoredObject:
    return StoredObject(
        key=told.findtext(f"{_NAMES}Key", ""),
        size=int(told.findtext(f"{_NAMES}Size", "")),
        written_at=datetime.fromisoformat(told.findtext(f"{_NAMES}LastModified", "")).astimezone(UTC),
    )


def _ask(
    method: str,
    key: str,
    query: Mapping[str, str] | None = None,
    *,
    body: bytes | None = None,
    headers: Mapping[str, str] | None = None,
) -> bytes | None:
    """Return what the store answers, None where there is nothing of this name."""
    store = settings.PHOTO_STORE
    if not store:
        raise StoreError("This site has no store for photos; PHOTOS_URL names none.")
    address = f"{store['address']}/{key}" if key else store["address"]
    signing = SigningKey(store["id"], store["secret"], store["region"])
    asked = signed_address(address, method, signing, timezone.now(), seconds=ASKED_WITHIN, query=query)
    try:
        answer = _http.request(method, asked, body=body, headers=headers, redirect=False, preload_content=False)
        try:
            # A store that sends without an end fills no memory.
            told = answer.read(MAX_PHOTO_BYTES)
        finally:
            answer.close()
    except (urllib3.exceptions.HTTPError, OSError) as error:
        # The text of the error may hold a signed address.
        raise StoreError(f"The store of photos does not answer: {type(error).__name__}") from error
    if answer.status == 404 and method == "GET" and key and b"NoSuchBucket" not in told:
        return None
    if answer.status not in {200, 204}:
        raise ObjectRefusedError(f"The store of photos refuses {method}: {answer.status} {_code(told)}".rstrip())
    return told


def _code(told: bytes) -> str:
    """Return the word by which a store says what is wrong."""
    try:
        return ElementTree.fromstring(told).findtext("Code", "")  # noqa: S314
    except ElementTree.ParseError:
        return ""
