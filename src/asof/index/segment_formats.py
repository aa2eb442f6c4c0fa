"""The formats of segment files that this asof knows, and how each is read.

A format is named by the last eight bytes of a file. What may never change, so that every asof can tell a file
that it cannot read from one that is torn: the footer, and a table of contents in JSON with its CRC before it.
The table says the format again (`format`), which asof wrote the file (`asof`), and, where arrays were only
added, the older formats as which the file may be read (`reads_as`). So a reader accepts

- the present format;
- an older one whose missing arrays are made from those that are there (`OlderFormat.derived`), or whose file
  is made anew from the store (`derived` is None);
- a newer one that names a known one in `reads_as`: arrays that are not known are left alone.

Any other one is refused with NewerSchema and never written over: what an upgraded writer has written is not
damaged. What is written, also by a merge, is of the present format.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from asof.corpus_files import NotAFile, open_file
from asof.errors import DamagedSegment, NewerSchema
from asof.version import __version__

MAGIC = b"asof-sg2"
FAMILY = MAGIC[:-1]
FOOTER = struct.Struct("<QII8s")
"""Place, length and CRC-32 of the table of contents; the format."""

Derive = Callable[[Callable[[str], NDArray[Any]], Mapping[str, Any]], NDArray[Any]]
"""Makes an array from others, given a function that reads one by its name, and the facts of the table."""


@dataclass(frozen=True, slots=True)
class OlderFormat:
    """A format that this asof does not write any more.

    `derived`: for each array that files of it lack, how it is made; None: not all can be made from the file,
    so that it is written anew from the store.
    """

    derived: Mapping[str, Derive] | None


OLDER: Mapping[str, OlderFormat] = {
    "asof-sg1": OlderFormat(derived=None),  # it has neither stems nor titles: these are in the texts alone
}
"""By name."""


def stated() -> dict[str, str]:
    """What the table of contents of a new file says of its format."""
    return {"format": MAGIC.decode(), "asof": __version__}


def read_as(
    name: str, magic: bytes, facts: Mapping[str, Any], older: Mapping[str, OlderFormat]
) -> Mapping[str, Derive]:
    """The arrays that the file `name` lacks, each with how it is made; `older`: the formats that are read
    beside the present one, none for a cache. Raises NewerSchema for a format that this asof does not know,
    DamagedSegment for one that has to be made anew, or that the file itself denies."""
    format_ = magic.decode("ascii", "replace")
    if magic != MAGIC and not older:
        raise DamagedSegment(f"{name} is a cache of another version of asof")
    if facts.get("format", format_) != format_:
        raise DamagedSegment(f"{name} ends as a file of another format than its table of contents says")
    offered = facts.get("reads_as")
    candidates = [format_, *(offered if isinstance(offered, list) else [])]
    for each in candidates:
        if each == MAGIC.decode():
            return {}
        found = older.get(each) if isinstance(each, str) else None
        if found is not None and found.derived is not None:
            return found.derived
    if format_ in older or "format" not in facts:
        raise DamagedSegment(f"{name} is in the format {format_}, which is made anew from the store")
    known = ", ".join([MAGIC.decode(), *(each for each, how in older.items() if how.derived is not None)])
    raise NewerSchema(
        f"{name} is in the format {format_}, which asof {_version(facts)} wrote; this asof ({__version__})"
        f" reads {known}: use asof {_version(facts)} or a later one (readers are upgraded before writers)"
    )


def _version(facts: Mapping[str, Any]) -> str:
    version = facts.get("asof")
    plausible = isinstance(version, str) and len(version) < 40 and version.isprintable()
    return version if isinstance(version, str) and plausible else "of a later version"


def format_of(path: Path) -> str:
    """The format of a segment file, from its last bytes alone; "missing" or "damaged" where there is none."""
    try:
        with os.fdopen(open_file(path), "rb") as file:
            file.seek(-FOOTER.size, os.SEEK_END)
            magic = file.read(FOOTER.size)[-len(MAGIC) :]
    except FileNotFoundError:
        return "missing"
    except (NotAFile, OSError):
        return "damaged"
    return magic.decode("ascii") if magic.startswith(FAMILY) and magic.isascii() else "damaged"
