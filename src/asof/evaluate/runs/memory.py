"""How much memory a step takes at its height: the largest resident size less that before it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

STATUS = Path("/proc/self/status")
RESET = Path("/proc/self/clear_refs")
"""Writing 5 there sets the largest size back to the present one (Linux, proc(5))."""

MEGABYTE = 1e6


def peak_growth() -> Callable[[], float | None]:
    """Begins a step; the function that it returns ends it, and gives megabytes.

    None where the largest size cannot be set back (not on Linux, nor where the process may not write there):
    what a step takes is then hidden by the height of an earlier one, and would seem to be nothing.
    """
    try:
        RESET.write_text("5")
        before = _kilobytes("VmRSS")
    except (OSError, ValueError):
        return lambda: None
    return lambda: _grown(before)


def _grown(before: int) -> float | None:
    try:
        return (_kilobytes("VmHWM") - before) * 1024 / MEGABYTE
    except (OSError, ValueError):
        return None


def _kilobytes(key: str) -> int:
    """A line of /proc/self/status, in units of 1024 bytes. Raises ValueError where it is missing."""
    for line in STATUS.read_text(encoding="ascii", errors="replace").splitlines():
        name, _, value = line.partition(":")
        if name == key:
            return int(value.split()[0])
    raise ValueError(f"{STATUS} has no {key}")
