"""Reads settings from environment variables. Invalid values raise ImproperlyConfigured with one sentence."""

import os
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

ON = frozenset({"on", "true", "yes", "1"})
OFF = frozenset({"off", "false", "no", "0"})

LONG_ENOUGH = 32
"""Minimum length of a key."""


def text(name: str, default: str = "") -> str:
    """Return the stripped variable; an empty one counts as not set."""
    return os.environ.get(name, "").strip() or default


def switch(name: str, *, default: bool) -> bool:
    """Return whether the variable is "on" or "off". Raise ImproperlyConfigured for other values."""
    value = text(name).lower()
    if not value:
        return default
    if value not in ON | OFF:
        raise ImproperlyConfigured(f"{name} is {value!r}; write on or off.")
    return value in ON


def number(name: str, default: int, *, low: int, high: int) -> int:
    """Return the variable as an integer within bounds. Raise ImproperlyConfigured otherwise."""
    value = text(name, str(default))
    if not value.isascii() or not value.isdigit() or not low <= int(value) <= high:
        raise ImproperlyConfigured(f"{name} is {value!r}; write a whole number from {low} to {high}.")
    return int(value)


def secret(name: str, kept_in: Path, *, may_be_short: bool) -> str:
    """Return the variable, or the key that `make run` stored in a file.

    Raise ImproperlyConfigured if missing or short.
    """
    value = text(name) or (kept_in.read_text("utf-8").strip() if kept_in.is_file() else "")
    if not value:
        raise ImproperlyConfigured(
            f"{name} is not set; give it a long random text, for instance from: openssl rand -hex 32"
        )
    _refuse_short(name, value, may_be_short=may_be_short)
    return value


def secrets(name: str, *, may_be_short: bool) -> list[str]:
    """Return the comma-separated keys. Raise ImproperlyConfigured if one is too short."""
    values = _words(name)
    for value in values:
        _refuse_short(name, value, may_be_short=may_be_short)
    return values


def _refuse_short(name: str, value: str, *, may_be_short: bool) -> None:
    if len(value) < LONG_ENOUGH and not may_be_short:
        raise ImproperlyConfigured(f"{name} is too short; a key needs {LONG_ENOUGH} characters that no one can guess.")


def hosts(name: str) -> list[str]:
    """Return the comma-separated host names. Raise ImproperlyConfigured for full URLs."""
    values = _words(name)
    for value in values:
        if "/" in value or " " in value:
            raise ImproperlyConfigured(f"{name} has {value!r}; write host names only, such as league.example.")
    return values


def origin(name: str) -> str:
    """Return the variable if it is empty or one origin, without a path. Raise ImproperlyConfigured otherwise."""
    value = text(name)
    if "," in value:
        raise ImproperlyConfigured(f"{name} has several origins; write one.")
    scheme, _, host = value.partition("://")
    if value and (scheme not in {"http", "https"} or not host or "/" in host):
        raise ImproperlyConfigured(f"{name} is {value!r}; write an origin such as https://league.example.")
    return value


def address(name: str, schemes: Collection[str], *, several: bool = False) -> str:
    """Return the variable if it is empty or a URL with one of the schemes. Raise ImproperlyConfigured otherwise.

    The message never repeats the value, which may contain a password. `several`: allow comma-separated hosts.
    """
    value = text(name)
    if not value:
        return ""
    if value.partition("://")[0] not in schemes:
        raise ImproperlyConfigured(f"{name} must begin with one of {', '.join(f'{scheme}://' for scheme in schemes)}.")
    try:
        for place in hosts_of(value) if several else [urlsplit(value).netloc]:
            _ = urlsplit(f"//{place}").port
    except ValueError:
        raise ImproperlyConfigured(f"{name} cannot be read; its host or port is invalid.") from None
    return value


def hosts_of(url: str) -> list[str]:
    return urlsplit(url).netloc.rpartition("@")[2].split(",")


def _words(name: str) -> list[str]:
    return [word.strip() for word in text(name).split(",") if word.strip()]


def origins_of(hosts: Iterable[str]) -> list[str]:
    return [f"https://{'*' if host.startswith('.') else ''}{host}" for host in hosts if host != "*"]


def services(scopes: dict[str, list[str]]) -> dict[str, dict[str, object]]:
    """Return allauth's provider settings for services whose NAME_KEY variable is set, as id:secret.

    `scopes`: requested scopes by service. Raise ImproperlyConfigured.
    """
    found: dict[str, dict[str, object]] = {}
    for name, scope in scopes.items():
        key, _, kept = text(f"{name.upper()}_KEY").partition(":")
        if key and not kept:
            raise ImproperlyConfigured(f"{name.upper()}_KEY cannot be read; write it as id:secret.")
        if key:
            found[name] = {"APP": {"client_id": key, "secret": kept}, "SCOPE": scope}
    return found


@dataclass(frozen=True, slots=True)
class MailServer:
    """The outgoing mail server; disabled without a host."""

    host: str = ""
    port: int = 587
    user: str = ""
    password: str = ""
    tls: bool = True
    sender: str = "tenbo@localhost"


def mail(name: str) -> MailServer:
    """Read smtp://user:password@host:587?tls=on&from=…; empty if the variable is not set.

    Raise ImproperlyConfigured without repeating the value.
    """
    value = address(name, ("smtp",))
    if not value:
        return MailServer()
    parts = urlsplit(value)
    options = dict(parse_qsl(parts.query))
    tls = options.pop("tls", "on")
    sender = options.pop("from", MailServer().sender)
    if not parts.hostname or parts.path.strip("/") or options or tls not in {"on", "off"} or "@" not in sender:
        raise ImproperlyConfigured(f"{name} cannot be read; write smtp://user:password@host:587?tls=on&from=name@host.")
    return MailServer(
        host=parts.hostname,
        port=parts.port or 587,
        user=unquote(parts.username or ""),
        password=unquote(parts.password or ""),
        tls=tls == "on",
        sender=sender,
    )


BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")

STORE_OPTIONS = frozenset({"endpoint", "region", "public"})

DEFAULT_REGION = "us-east-1"


def store(name: str) -> dict[str, str]:
    """Read an S3-compatible store: bucket URLs for the site and for browsers, region, key; empty if unset.

    Format: s3://id:secret@bucket?endpoint=https://…&region=…&public=https://…; without options Amazon S3 in us-east-1.
    Raise ImproperlyConfigured without repeating the value.
    """
    value = address(name, ("s3",))
    if not value:
        return {}
    parts = urlsplit(value)
    bucket, options = parts.netloc.rpartition("@")[2], dict(parse_qsl(parts.query))
    if not BUCKET.fullmatch(bucket) or parts.path.strip("/") or not options.keys() <= STORE_OPTIONS:
        raise ImproperlyConfigured(f"{name} cannot be read; write s3://id:secret@bucket?endpoint=https://store.example")
    if not parts.username or not parts.password:
        raise ImproperlyConfigured(f"{name} has no key for the store; write s3://id:secret@bucket?…")
    region = options.get("region", DEFAULT_REGION)
    place = f"https://{bucket}.s3.{region}.amazonaws.com"
    if "endpoint" in options:
        place = f"{_origin(name, options['endpoint'])}/{bucket}"
    public = f"{_origin(name, options['public'])}/{bucket}" if "public" in options else place
    key = {"id": unquote(parts.username), "secret": unquote(parts.password)}
    return {"address": place, "public": public, "region": region, **key}


def _origin(name: str, value: str) -> str:
    scheme, _, host = value.rstrip("/").partition("://")
    if scheme not in {"http", "https"} or not re.fullmatch(r"[A-Za-z0-9.:\[\]-]+", host):
        raise ImproperlyConfigured(f"{name} cannot be read; its endpoint is an origin such as https://store.example.")
    # Browsers omit the default port from the Host header, which is part of the signature.
    usual = {"http": ":80", "https": ":443"}[scheme]
    return f"{scheme}://{host.lower().removesuffix(usual)}"
