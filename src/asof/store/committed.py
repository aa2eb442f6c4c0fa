"""Up to which instant all shards of a corpus have all that was written: the file `committed` of its `.asof`.

Where a process was killed between two shards, some have more than others, and readers stay at that instant.
"""

from __future__ import annotations

from pathlib import Path

from asof import corpus_files
from asof.errors import DamagedStore
from asof.store.shard_layout import write_durably

FILE = "committed"


def committed(folder: Path) -> int | None:
    """What it says; None where nothing is said, as in a corpus in one piece. Raises DamagedStore."""
    try:
        return int(corpus_files.read_file(folder / FILE, 64))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError) as error:
        raise DamagedStore(
            f"{folder / FILE} is not what asof writes ({error}): remove it, and run `asof index` again"
        ) from error


def write_committed(folder: Path, until: int) -> None:
    """Say it."""
    write_durably(folder / FILE, f"{until}\n".encode())
