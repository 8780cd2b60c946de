"""Presigned URLs of S3-compatible stores: AWS Signature Version 4.

Source: Amazon S3 API Reference, "Authenticating Requests: Using Query Parameters (AWS Signature Version 4)".
"""

import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import sha256
from urllib.parse import quote, urlsplit

METHOD = "AWS4-HMAC-SHA256"


@dataclass(frozen=True, slots=True)
class SigningKey:
    key_id: str
    secret: str = field(repr=False)
    region: str

    def of_day(self, scope: str) -> bytes:
        """Derive the signing key for a scope: day/region/service/aws4_request."""
        key = f"AWS4{self.secret}".encode()
        for part in scope.split("/"):
            key = _signed(key, part)
        return key


def signed_address(
    address: str, method: str, key: SigningKey, at: datetime, *, seconds: int, query: Mapping[str, str] | None = None
) -> str:
    """Return a presigned URL valid for `seconds` from `at` (UTC).

    `address`: URL of an object or bucket, unquoted, without a query string.
    """
    parts = urlsplit(address)
    path = quote(parts.path, safe="/~")
    moment = f"{at:%Y%m%dT%H%M%SZ}"
    scope = f"{at:%Y%m%d}/{key.region}/s3/aws4_request"
    asked = {
        **(query or {}),
        "X-Amz-Algorithm": METHOD,
        "X-Amz-Credential": f"{key.key_id}/{scope}",
        "X-Amz-Date": moment,
        "X-Amz-Expires": str(seconds),
        "X-Amz-SignedHeaders": "host",
    }
    words = "&".join(f"{quote(name, safe='~')}={quote(asked[name], safe='~')}" for name in sorted(asked))
    request = "\n".join((method, path, words, f"host:{parts.netloc}", "", "host", "UNSIGNED-PAYLOAD"))
    told = "\n".join((METHOD, moment, scope, sha256(request.encode()).hexdigest()))
    signature = _signed(key.of_day(scope), told).hex()
    return f"{parts.scheme}://{parts.netloc}{path}?{words}&X-Amz-Signature={signature}"


def _signed(key: bytes, text: str) -> bytes:
    return hmac.digest(key, text.encode(), "sha256")
