"""Why a corpus cannot be opened or written to: which path lacks which right, and what to do."""

from __future__ import annotations

import os
import pwd
import stat
from pathlib import Path

LOG = "-wal"
"""Ends the name of SQLite's write-ahead log, beside that of the database."""


def log_is_empty(database: Path) -> bool:
    """Whether the database file alone holds all that was written. Raises OSError."""
    try:
        return database.with_name(f"{database.name}{LOG}").stat().st_size == 0
    except FileNotFoundError:
        return True


def missing_right(database: Path, *, write: bool) -> str:
    """The first right that opening a corpus needs and this user lacks, in words; "" if none is missing."""
    database = database.absolute()
    folder = database.parent
    for place in (*reversed(folder.parents), folder):
        if place.exists() and not os.access(place, os.X_OK):
            return lacks(place, "entered")
    log = database.with_name(f"{database.name}{LOG}")
    for place in (folder, database, log):
        if place.exists() and not os.access(place, os.R_OK):
            return lacks(place, "read")
    writable = os.access(folder, os.W_OK)
    shared = database.with_name(f"{database.name}-shm")  # SQLite makes it for a log that is read
    if write:
        within = next((place for place in (folder, *folder.parents) if place.exists()), folder)
        for place in (within, database, log):
            if place.exists() and not os.access(place, os.W_OK):
                return lacks(place, "written")
    elif not writable and not log_is_empty(database) and not shared.exists():
        return (
            f"{log} holds the latest writes, and reading them needs the right to write in {folder}: run "
            "`asof status` there as a user who has it, or copy the folder and name the copy by --index"
        )
    return ""


def lacks(place: Path, verb: str) -> str:
    """Which right this user lacks, in words; `verb`: entered, read or written."""
    about = place.stat()
    if verb == "written" and os.statvfs(place).f_flag & os.ST_RDONLY:
        return f"{place} is on a file system that is mounted for reading only"
    mode, me = stat.filemode(about.st_mode), _user(os.geteuid())
    return (
        f"{place} may not be {verb} by the user {me}: it belongs to {_user(about.st_uid)} ({mode}); "
        "ask for the right, or use a copy"
    )


def _user(number: int) -> str:
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return str(number)
