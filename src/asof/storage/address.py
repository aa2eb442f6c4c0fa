"""Which storage a URL names."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import unquote, urlsplit

from asof.errors import UsageError
from asof.storage.local import LocalObjects
from asof.storage.objects import Objects
from asof.storage.remote import RemoteObjects

CLOUDS = ("s3", "gs", "az")
"""Schemes of buckets."""


def is_address(text: str) -> bool:
    """Whether this names a storage, or means to (`s3:/bucket`), and not a folder with a corpus."""
    return text.partition(":")[0] in (*CLOUDS, "file") and ":" in text


def normal(url: str) -> str:
    """The same for all spellings of one place: without a slash at its end, a local path absolute. Raises
    UsageError for what names no storage."""
    parts = urlsplit(url)
    if not is_address(url) and "://" not in url:
        return Path(url).absolute().as_uri()
    if url.startswith("file://") and parts.netloc in ("", "localhost") and parts.path.strip("/"):
        return Path(unquote(parts.path)).absolute().as_uri()
    if parts.scheme in CLOUDS and parts.netloc and not (parts.query or parts.fragment or parts.password):
        return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"
    raise UsageError(
        f"{url!r} names no storage: give s3://BUCKET/PREFIX, gs://BUCKET/PREFIX, az://CONTAINER/PREFIX or "
        "file:///FOLDER; keys, region and endpoint come from the environment"
    )


ENDPOINTS = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL", "AWS_ENDPOINT")
"""Variables with the address of an S3 server that is not Amazon's."""

_YES = ("1", "true", "on", "yes", "y")


def check_endpoint(url: str, variables: Mapping[str, str]) -> None:
    """Look at the address of the S3 server in these variables, which the library takes as it is. Raises
    UsageError."""
    if not url.startswith("s3:"):
        return
    for name in ENDPOINTS:
        if not (endpoint := variables.get(name, "")):
            continue
        parts = urlsplit(endpoint)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            raise UsageError(f"{name} is {endpoint!r}; accepted: http://HOST:PORT or https://HOST[:PORT]")
        if parts.scheme == "http" and variables.get("AWS_ALLOW_HTTP", "").lower() not in _YES:
            raise UsageError(f"{name} is {endpoint}, without encryption; AWS_ALLOW_HTTP=true allows that")


def open_objects(url: str) -> Objects:
    """The objects at a URL. Nothing is asked of it yet. Raises UsageError, MissingExtra, StorageError."""
    url = normal(url)
    if url.startswith("file:"):
        return LocalObjects(Path(unquote(urlsplit(url).path)))
    return RemoteObjects.open(url)
