"""How an evaluation tells how far it is."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int], None]
"""What is under way, how much of it is done, of how much (0: unknown)."""


def silent(what: str, done: int, of: int) -> None:
    """Progress is no news to a program."""


def counting(tell: Progress, what: str, of: int) -> Callable[[], None]:
    """Tells that one more of something is done, each time it is called."""
    done = 0

    def advance() -> None:
        nonlocal done
        done += 1
        tell(what, done, of)

    tell(what, 0, of)
    return advance
