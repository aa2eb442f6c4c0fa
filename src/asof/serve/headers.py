"""Headers: what every reply has, and what a request may not have twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from urllib.parse import urlsplit

HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
        " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
"""On every reply that does not set them itself."""

ONCE = ("host", "origin", "authorization", "content-type")

Raw = list[tuple[bytes, bytes]]


def given(raw: Raw) -> tuple[dict[str, str], str]:
    """The headers of a request by name in lower case; the name of one of ONCE that stands there twice."""
    names = Counter(name.decode("latin-1").lower() for name, _ in raw)
    twice = next((name for name in ONCE if names[name] > 1), "")
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in raw}, twice


def longest(raw: Raw) -> int:
    """The bytes of the longest value."""
    return max((len(value) for _, value in raw), default=0)


def is_own(origin: str, host: str) -> bool:
    """Whether an origin is the site that is called."""
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and parts.netloc == host


def host_name(host: str) -> str:
    """A host without its port."""
    name, colon, port = host.rpartition(":")
    return (name if colon and port.isdigit() else host).lower()


def completed(own: Raw, request: str, allowed: str) -> Raw:
    """The headers of a reply with those that all have; `allowed`: the other site whose page may read it."""
    there = {name.lower() for name, _ in own}
    added: Mapping[str, str] = {**HEADERS, "x-request-id": request}
    if allowed:
        added = {
            **added, "access-control-allow-origin": allowed, "vary": "Origin",
            "access-control-allow-headers": "authorization, content-type",
            "access-control-allow-methods": "GET, POST, DELETE",
        }  # fmt: skip
    return own + [
        (name.encode(), value.encode("latin-1"))
        for name, value in added.items()
        if name.encode() not in there
    ]
