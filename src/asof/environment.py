"""Everything that depends on the machine and the user: clock, folders, effective configuration, trust.

No other module reads the wall clock. Elsewhere `asof.cli` reads variables of the terminal, `asof.sources.git`
passes some on to subprocesses, and `asof.layers` and paths with `~` look for the home folder.
"""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from asof import layers
from asof.config import FILE, Config
from asof.errors import UsageError
from asof.files import FOLDER
from asof.layers import owners
from asof.time.span import iso


def variables() -> Mapping[str, str]:
    """The environment variables of this process."""
    return os.environ


def now() -> int:
    """The wall clock, in microseconds since 1970."""
    return time.time_ns() // 1_000


def cache_folder() -> Path:
    """The folder of caches that survive a run: `asof` in $XDG_CACHE_HOME, or in ~/.cache."""
    chosen = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (chosen if chosen.is_absolute() else Path.home() / ".cache") / "asof"


def holds_corpus(folder: Path) -> bool:
    """True if a folder contains a corpus."""
    try:
        return (folder / FOLDER / "corpus.db").is_file()
    except PermissionError:  # opening it reports the missing right
        return True


def find_folder(start: Path, on_note: Callable[[str], None] | None = None) -> Path | None:
    """`.asof` of `start` or of its nearest parent that has one.

    One of another user whose folder is not trusted ends the search, and `on_note` gets a line: who can make a
    folder above this one would choose what is searched.
    """
    for folder in (start, *start.parents):
        if holds_corpus(folder):
            if _is_own_corpus(folder):
                return folder / FOLDER
            if on_note is not None:
                on_note(
                    f"{folder / FOLDER} is of another user and is not used; --index "
                    f"{shlex.quote(str(folder))} uses it, `{layers.command(folder)}` does so for good"
                )
            return None
    return None


def _is_own_corpus(folder: Path) -> bool:
    """True if a corpus belongs to the user, or its folder is trusted. As in git, root also owns what belongs
    to the user who called sudo."""
    mine = owners(os.environ)
    try:
        if all(each.stat().st_uid in mine for each in (folder, folder / FOLDER)):
            return True
        return layers.trusted(os.environ).record(folder) is not None
    except (UsageError, PermissionError):
        return False


def configuration(
    folder: Path, on_note: Callable[[str], None] | None = None, *, trust: bool = False
) -> Config:
    """The effective configuration of a folder: the user's own, and asof.toml as far as the user or `trust`
    trusts it (`asof.layers`). `on_note` gets a line about keys that are ignored. Raises BadConfig."""
    return layers.configured(folder, os.environ, on_note or _silent, trust=trust)


def trust(folder: Path) -> dict[str, str]:
    """Trust asof.toml of a folder until it changes; returns what it names outside, in words by table. Raises
    UsageError, also where there is nothing to trust, and BadConfig."""
    if (
        folder.is_dir()
        and not (folder / FILE).exists()
        and (not holds_corpus(folder) or _is_own_corpus(folder))
    ):
        raise UsageError(f"nothing to trust: {folder} has no {FILE}")
    return layers.allow(folder, os.environ, iso(now()))


def distrust(folder: Path) -> bool:
    """Trust a folder no more; returns True if it was trusted. Raises UsageError."""
    return layers.trusted(os.environ).remove(folder)


def own_configuration() -> Config:
    """The user's own configuration, without any folder's. Raises BadConfig."""
    return layers.own_configured(os.environ)


def user_configuration() -> Path | None:
    """The path of the user's own configuration, which need not exist; None where there can be none. Raises
    BadConfig for an ASOF_CONFIG that names no file."""
    return layers.user_file(os.environ)


def key_file() -> tuple[Path, frozenset[int]]:
    """The path of the keys of servers, and the users who may have written it. Raises UsageError where there
    is no home folder."""
    trusted = layers.trusted(os.environ)
    return trusted.path.with_name("keys.json"), trusted.owners


def trusted_folders() -> dict[str, bool]:
    """The trusted folders, and whether asof.toml is unchanged since. Raises UsageError."""
    records = layers.trusted(os.environ).records()
    return {folder: layers.unchanged(Path(folder), record) for folder, record in records.items()}


def _silent(line: str) -> None:
    """Ignores a note."""
