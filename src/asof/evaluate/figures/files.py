"""The folder of figures, and files that are written whole or not at all."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from asof.errors import UsageError
from asof.evaluate.figures import canvas


def ready(folder: Path) -> None:
    """Check that figures can be drawn and written, before they are computed.

    Raises MissingExtra without matplotlib, UsageError if the folder cannot be made.
    """
    canvas.require()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder}: a folder for figures cannot be made: {error.strerror}") from error


def as_csv(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """Rows as CSV; the header has the keys of all rows, and a row is empty where it lacks one."""
    out = io.StringIO()
    keys = list(dict.fromkeys(key for row in rows for key in row))
    writer = csv.DictWriter(out, keys, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue().encode()


def written(path: Path, content: bytes) -> Path:
    """Write a file whole or not at all. Raises UsageError."""
    part = path.with_name(f".{path.name}.part")
    try:
        part.write_bytes(content)
        part.replace(path)
    except OSError as error:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise UsageError(f"{path}: cannot be written: {error.strerror}") from error
    return path
