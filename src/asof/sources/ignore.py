"""What a folder says is not to be read: `.gitignore` and `.asofignore`, as git reads them."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

FILES = (".gitignore", ".asofignore")
"""Read in this order: what the second says counts more."""

LARGEST = 2**20
"""Bytes of such a file that are read."""


@dataclass(slots=True)
class IgnoreRules:
    """The rules of the folders that a walk is in, from its top down, without those above the top."""

    _open: list[tuple[str, GitIgnoreSpec | None]] = field(default_factory=list)

    def enter(self, relative: str, folder: Path) -> None:
        """Take in the rules of a folder, whose path from the top is `relative`. Raises OSError."""
        lines: list[str] = []
        for name in FILES:
            try:
                with (folder / name).open("rb") as file:
                    lines += file.read(LARGEST).decode(errors="replace").splitlines()
            except (FileNotFoundError, IsADirectoryError):
                continue
        self._open.append((f"{relative}/" if relative else "", _spec(lines)))

    def leave(self) -> None:
        self._open.pop()

    def ignore(self, relative: str, *, folder: bool) -> bool:
        """Whether a path below the top is not to be read: the last rule of the innermost folder decides."""
        for prefix, spec in reversed(self._open):
            if spec is not None:
                said = spec.check_file(relative.removeprefix(prefix) + ("/" if folder else "")).include
                if said is not None:
                    return said
        return False


def _spec(lines: list[str]) -> GitIgnoreSpec | None:
    if not any(line.strip() and not line.startswith("#") for line in lines):
        return None
    from pathspec import GitIgnoreSpec
    from pathspec.patterns.gitignore import GitIgnorePatternError

    kept = []
    for line in lines:  # a rule that cannot be read is none, as git has it
        try:
            GitIgnoreSpec.from_lines([line])
        except (GitIgnorePatternError, ValueError):
            continue
        kept.append(line)
    return GitIgnoreSpec.from_lines(kept)
