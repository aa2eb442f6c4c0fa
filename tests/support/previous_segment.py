"""Writers of segment files in other formats than the present one."""

from __future__ import annotations

import json
import zlib
from collections.abc import Collection
from pathlib import Path
from typing import Any

from asof.index.columns import FOOTER

SG1_LACKS = (
    "stem_offsets", "stems", "forward_start", "forward", "forward_tf",
    "title", "title_id", "title_group", "title_start", "title_stems", "title_kinds",
)  # fmt: skip
"""What asof-sg1 did not have."""


def in_format(path: Path, magic: str, without: Collection[str] = (), **facts: Any) -> int:
    """Turn a file of the present format into one of another: without these arrays, and with these facts in
    its table of contents (None: without one). Returns its new checksum."""
    raw = path.read_bytes()
    at, length, _, _ = FOOTER.unpack_from(raw, len(raw) - FOOTER.size)
    table = json.loads(raw[at : at + length])
    table["arrays"] = {name: entry for name, entry in table["arrays"].items() if name not in without}
    table.update(facts)
    encoded = json.dumps({key: value for key, value in table.items() if value is not None}).encode()
    crc = zlib.crc32(encoded)
    path.write_bytes(raw[:at] + encoded + FOOTER.pack(at, len(encoded), crc, magic.encode()))
    return crc


def as_sg1(path: Path) -> int:
    """What asof wrote before a3fcd9c: see `in_format`."""
    return in_format(path, "asof-sg1", SG1_LACKS, format=None, asof=None)
