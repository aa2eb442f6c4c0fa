"""Which storage a URL names."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote, urlsplit

from asof.errors import UsageError
from asof.storage.local import LocalObjects
from asof.storage.objects import Objects
from asof.storage.remote import RemoteObjects

CLOUDS = ("s3", "gs", "az")
"""Schemes of buckets."""


def is_address(text: str) -> bool:
    """Whether this names a storage, and not a folder with a corpus."""
    return urlsplit(text).scheme in (*CLOUDS, "file") and "://" in text


def normal(url: str) -> str:
    """The same for all spellings of one place: without a slash at its end, a local path absolute. Raises
    UsageError for what names no storage."""
    parts = urlsplit(url)
    if "://" not in url:
        return Path(url).absolute().as_uri()
    if parts.scheme == "file" and parts.netloc in ("", "localhost") and parts.path.strip("/"):
        return Path(unquote(parts.path)).absolute().as_uri()
    if parts.scheme in CLOUDS and parts.netloc and not (parts.query or parts.fragment or parts.password):
        return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"
    raise UsageError(
        f"{url!r} names no storage: give s3://BUCKET/PREFIX, gs://BUCKET/PREFIX, az://CONTAINER/PREFIX or "
        "file:///FOLDER; keys, region and endpoint come from the environment"
    )


def open_objects(url: str) -> Objects:
    """The objects at a URL. Nothing is asked of it yet. Raises UsageError, MissingExtra, StorageError."""
    url = normal(url)
    if url.startswith("file:"):
        return LocalObjects(Path(unquote(urlsplit(url).path)))
    return RemoteObjects.open(url)
