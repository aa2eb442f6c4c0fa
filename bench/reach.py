"""The targets, and whether the figures of this run meet them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from bench.table import SCOPES, aligned

NOISE = 1.05
"""Two latencies that differ by less are equal."""

Figures = Mapping[str, Mapping[str, Any]]
Line = tuple[str, float, float, str]
"""What, measured, the most (or, with unit /s or x, the least) that is accepted, its unit."""


def reach(figures: Mapping[str, Figures]) -> str:
    """A line for each target that this run has figures for."""
    lines = [["target", "measured", "accepted", ""]]
    for corpus, systems in figures.items():
        for what, measured, accepted, unit in targets(int(systems["asof"]["passages"]), systems):
            least = unit in ("/s", "x")
            met = measured >= accepted if least else measured <= accepted
            lines.append([
                f"{corpus}: {what}", f"{measured:,.2f} {unit}",
                f"{'>=' if least else '<='} {accepted:,.2f} {unit}", "met" if met else "missed",
            ])  # fmt: skip
    return aligned(lines)


def targets(size: int, systems: Figures) -> Iterator[Line]:
    own = {**systems.get("asof, vectors", {}), **systems["asof"]}
    default, lexical = own["default, whole"], own["lexical, whole"]
    yield "build, passages a second of processor time", own["rate_busy"], 6_000, "/s"
    if size >= 20_000 and "rate_all" in own:
        yield "build by all processors, times one", own["rate_all"] / own["rate"], 1.6, "x"
    yield "open", own["open"], 15, "ms"
    yield "a cold search as a command", own["cold"], 300, "ms"
    yield "default, times the median of its words alone", default["busy"] / lexical["busy"], 4, "of 1"
    yield "default, 95th percentile, times its median", default["p95"] / default["median"], 2, "of 1"
    if "tantivy" in systems:
        share = default["busy"] / systems["tantivy"]["lexical, whole"]["busy"]
        yield "default, times the median of tantivy", share, 3, "of 1"
    for name in ("lexical", "default", "dense", "fused", "hybrid"):
        if f"{name}, whole" in own:
            yield from narrower(name, [own[f"{name}, {scope}"]["median"] for scope in SCOPES], size)
    large = size >= 500_000
    if size >= 90_000:
        yield "a document added and found", own["added"], 25 if large else 10, "ms"
        if "hybrid, whole" in own:
            yield "hybrid, median", own["hybrid, whole"]["median"], 25 if large else 6, "ms"
    if large:
        yield "default, median", default["median"], 12, "ms"
    if size <= 10_000 and "published" in systems:
        stack = systems["published"]["fused, whole"]["median"]
        yield "default: times faster than the published stack", stack / default["median"], 20, "x"


def narrower(name: str, medians: list[float], size: int) -> Iterator[Line]:
    """Less to look at takes less time; at the smallest size the fixed cost of a question is all there is."""
    whole, middle, tenth = medians
    yield f"{name}: as of the middle, share of the whole", middle / whole, NOISE, "of 1"
    if size >= 90_000:
        yield f"{name}: last tenth, share of the whole", tenth / whole, 0.25, "of 1"
