"""How much memory a step takes at its height: the largest resident size less that before it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

STATUS = Path("/proc/self/status")
RESET = Path("/proc/self/clear_refs")
"""Writing 5 there sets the largest size back to the present one (Linux, proc(5))."""

MEGABYTE = 1e6


def peak_growth() -> Callable[[], float | None]:
    """Begins a step; the function that it returns ends it, and gives megabytes.

    Where the largest size cannot be set back (not on Linux), what an earlier step took at its height is not
    counted again, so a later step can seem to take nothing. None where nothing can be measured.
    """
    try:
        RESET.write_text("5")
        before = _kilobytes("VmRSS")
        return lambda: (_kilobytes("VmHWM") - before) * 1024 / MEGABYTE
    except (OSError, ValueError):
        return _growth_of_the_largest()


def _kilobytes(key: str) -> int:
    """A line of /proc/self/status, in units of 1024 bytes. Raises ValueError where it is missing."""
    for line in STATUS.read_text(encoding="ascii", errors="replace").splitlines():
        name, _, value = line.partition(":")
        if name == key:
            return int(value.split()[0])
    raise ValueError(f"{STATUS} has no {key}")


def _growth_of_the_largest() -> Callable[[], float | None]:
    if sys.platform == "win32":
        return lambda: None
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return lambda: (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * unit / MEGABYTE
