"""The figures of one size as a table, systems side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

Row = tuple[str, str, Callable[[float], str], bool]
"""What it is, its key in the figures, how it is written, whether more is better."""

ABSENT = "-"
SCOPES = ("whole", "middle", "last tenth")


def rate(value: float) -> str:
    return f"{value:,.0f}/s"


def megabytes(value: float) -> str:
    return f"{value / 1e6:,.0f} MB"


def milliseconds(value: float) -> str:
    return f"{value:,.2f} ms" if value < 100 else f"{value:,.0f} ms"


ROWS: tuple[Row, ...] = (
    ("build, one core", "rate", rate, True),
    ("  by processor time alone", "rate_busy", rate, True),
    ("build, all processors", "rate_all", rate, True),
    ("build and merge, one core", "rate_merged", rate, True),
    ("the same file again", "again", milliseconds, False),
    ("  by processor time", "again_busy", milliseconds, False),
    ("bytes on disk", "disk", megabytes, False),
    ("  of these the index", "disk_segments", megabytes, False),
    ("peak memory, build", "peak_build", megabytes, False),
    ("peak memory, merge", "peak_merged", megabytes, False),
    ("peak memory, search", "peak_search", megabytes, False),
    ("open", "open", milliseconds, False),
    ("a search as a command, cold", "cold", milliseconds, False),
    ("  by processor time", "cold_busy", milliseconds, False),
    ("questions a second, all processors", "per_second", rate, True),
    ("first question at a new date", "new date", milliseconds, False),
    ("a document added and found", "added", milliseconds, False),
    ("  the slowest of them", "added_most", milliseconds, False),
    ("merges after eight of these", "merging_added", milliseconds, False),
)


def table(figures: Mapping[str, Mapping[str, Any]]) -> str:
    """Lines of text; at the right how many times better asof is, by medians.

    Of a query: median, 95th percentile, and median of processor time (of all threads).
    """
    systems = list(figures)
    peers = [system for system in systems if not system.startswith("asof")]
    lines = [["", *systems, *(f"asof : {peer}" for peer in peers)]]
    for label, key, write, more in ROWS:
        cells = [write(figures[system][key]) if key in figures[system] else ABSENT for system in systems]
        lines.append([label, *cells, *(ratio(figures, peer, key, more) for peer in peers)])
    for name in ("lexical", "default", "dense", "fused", "hybrid"):
        for scope in SCOPES:
            key = f"{name}, {scope}"
            cells = [latency(figures[system].get(key)) for system in systems]
            lines.append([f"query: {key}", *cells, *(ratio(figures, peer, key, False) for peer in peers)])
    return aligned(lines)


def latency(value: Mapping[str, float] | None) -> str:
    return (
        ABSENT if value is None else f"{value['median']:,.2f} / {value['p95']:,.2f} / {value['busy']:,.2f} ms"
    )


def ratio(figures: Mapping[str, Mapping[str, Any]], peer: str, key: str, more: bool) -> str:
    """How many times better asof's figure is (below 1: worse), in whichever of its corpora has one."""
    own = next(
        (figures[system][key] for system in ("asof", "asof, vectors") if key in figures.get(system, {})), None
    )
    other = figures[peer].get(key)
    if own is None or other is None:
        return ABSENT
    if isinstance(own, Mapping):
        own, other = own["median"], other["median"]
    return f"{own / other if more else other / own:,.2f} x"


def aligned(lines: list[list[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if at else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )
