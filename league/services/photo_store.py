"""Client of an S3-compatible store: put, get, list and delete objects by key.

Requests use presigned URLs (core/signed_addresses.py). Only background tasks and commands use the store, never a page.
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
"""Timeouts in seconds."""

LISTED_AT_ONCE = 1000
"""Keys listed per request."""

_NAMES = "{http://s3.amazonaws.com/doc/2006-03-01/}"

_http = urllib3.PoolManager(
    timeout=urllib3.Timeout(connect=CONNECTED_WITHIN, read=ANSWERED_WITHIN), retries=False, maxsize=2
)


class StoreError(Exception):
    """The store does not respond, refuses a request, or lacks an object. The message contains no credentials."""


class ObjectRefusedError(StoreError):
    """The store responds, but refuses the request."""


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
    """Return an object's content, or None if there is none. Raise StoreError."""
    return _ask("GET", key)


def remove_object(key: str) -> None:
    _ask("DELETE", key)


def list_objects(after: str = "", below: str = BELOW) -> list[StoredObject]:
    """Return the next page of objects with the prefix `below` whose key sorts after `after`.

    Raise StoreError.
    """
    query = {"list-type": "2", "prefix": below, "max-keys": str(LISTED_AT_ONCE)}
    told = _ask("GET", "", {**query, "start-after": after} if after else query)
    try:
        # The XML is as trustworthy as the photos in the store; expat loads no external entities.
        found = ElementTree.fromstring(told or b"").iter(f"{_NAMES}Contents")  # noqa: S314
        return [
            StoredObject(
                key=each.findtext(f"{_NAMES}Key", ""),
                size=int(each.findtext(f"{_NAMES}Size", "")),
                written_at=datetime.fromisoformat(each.findtext(f"{_NAMES}LastModified", "")).astimezone(UTC),
            )
            for each in found
        ]
    except (ElementTree.ParseError, ValueError) as error:
        raise StoreError(f"The photo store did not list its objects: {error}") from error


def _ask(
    method: str,
    key: str,
    query: Mapping[str, str] | None = None,
    *,
    body: bytes | None = None,
    headers: Mapping[str, str] | None = None,
) -> bytes | None:
    """Return the body of the store's response; None if the object does not exist. Raise StoreError."""
    store = settings.PHOTO_STORE
    if not store:
        raise StoreError("This site has no photo store; PHOTOS_URL is not set.")
    address = f"{store['address']}/{key}" if key else store["address"]
    signing = SigningKey(store["id"], store["secret"], store["region"])
    asked = signed_address(address, method, signing, timezone.now(), seconds=ASKED_WITHIN, query=query)
    try:
        answer = _http.request(method, asked, body=body, headers=headers, redirect=False, preload_content=False)
        try:
            # Limit memory if the response does not end.
            told = answer.read(MAX_PHOTO_BYTES)
        finally:
            answer.close()
    except (urllib3.exceptions.HTTPError, OSError) as error:
        # The error's text may contain a presigned URL.
        raise StoreError(f"The photo store does not respond: {type(error).__name__}") from error
    if answer.status == 404 and method == "GET" and key and b"NoSuchBucket" not in told:
        return None
    if answer.status not in {200, 204}:
        raise ObjectRefusedError(f"The photo store refuses {method}: {answer.status} {_code(told)}".rstrip())
    return told


def _code(told: bytes) -> str:
    """Return the error code in a response body, or ""."""
    try:
        return ElementTree.fromstring(told).findtext("Code", "")  # noqa: S314
    except ElementTree.ParseError:
        return ""
