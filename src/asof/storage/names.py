"""Names of objects: what is there of a corpus below its URL.

    manifests/00000000000000000017.json    the state of all shards after the 17th commit
    objects/3f/3f…[-9a…]                   a chunk of truth, a list of chunks, or a segment, by its digest
    pins/NAME.json                         a manifest that is kept until the pin is removed
    pushing/TOKEN.json                     a push that takes long: what it has uploaded is not to be removed
    clock/TOKEN                            put by a vacuum to see the time by the clock of the storage

An object that nobody needs any more may be about to be removed by a vacuum, unseen by a push that needs its
content again. So a push uses objects of the manifest that it starts from, and those that it makes itself;
where one of that digest is there already, whoever made it, the push makes its own, with a token in the name.
"""

from __future__ import annotations

import re
from hashlib import blake2b

MANIFESTS, OBJECTS, PINS, PUSHING = "manifests", "objects", "pins", "pushing"
CLOCK = "clock"

DIGEST_BYTES, TOKEN_BYTES = 16, 8

OBJECT = re.compile(r"[0-9a-f]{32}(-[0-9a-f]{16})?")
"""The name of an object in a manifest: its digest, and a token where it has one."""

PIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")

_MANIFEST = re.compile(rf"{MANIFESTS}/(\d{{20}})\.json")


def digest_of(content: bytes | memoryview) -> str:
    """blake2b of 128 bits, in hexadecimal digits."""
    return blake2b(content, digest_size=DIGEST_BYTES).hexdigest()


def object_path(name: str) -> str:
    """Where an object lies."""
    return f"{OBJECTS}/{name[:2]}/{name}"


def manifest_path(number: int) -> str:
    return f"{MANIFESTS}/{number:020}.json"


def manifest_number(path: str) -> int | None:
    """The number of a manifest; None for the path of something else."""
    found = _MANIFEST.fullmatch(path)
    return int(found[1]) if found else None


def pin_path(name: str) -> str:
    return f"{PINS}/{name}.json"
