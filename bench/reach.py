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


def reach(figures: Mapping[int, Figures]) -> str:
    """A line for each target that this run has figures for."""
    lines = [["target", "measured", "accepted", ""]]
    for size, systems in figures.items():
        for what, measured, accepted, unit in targets(size, systems):
            least = unit in ("/s", "x")
            met = measured >= accepted if least else measured <= accepted
            lines.append([
                f"{size:>9,}  {what}", f"{measured:,.2f} {unit}",
                f"{'>=' if least else '<='} {accepted:,.2f} {unit}", "met" if met else "missed",
            ])  # fmt: skip
    return aligned(lines)


def targets(size: int, systems: Figures) -> Iterator[Line]:
    own = {**systems.get("asof, vectors", {}), **systems["asof"]}
    yield "build, passages a second", own["rate"], 5_000, "/s"
    yield "open", own["open"], 50, "ms"
    for name in ("lexical", "default", "dense", "fused", "hybrid"):
        if f"{name}, whole" in own:
            yield from narrower(name, [own[f"{name}, {scope}"]["median"] for scope in SCOPES], size)
    if size == 100_000:
        yield "a document added and found", own["added"], 30, "ms"
        if "hybrid, whole" in own:
            yield "hybrid, median", own["hybrid, whole"]["median"], 6, "ms"
    if size == 1_000_000:
        yield "a document added and found", own["added"], 60, "ms"
        yield "lexical, median", own["lexical, whole"]["median"], 8, "ms"
        yield "lexical, 95th percentile", own["lexical, whole"]["p95"], 20, "ms"
        if "hybrid, whole" in own:
            yield "hybrid, median", own["hybrid, whole"]["median"], 60, "ms"
    if size == 5_000 and "published" in systems:
        mine = own.get("fused, whole", own["lexical, whole"])["median"]
        yield (
            "words and vectors fused: times faster than the published stack",
            systems["published"]["fused, whole"]["median"] / mine,
            20,
            "x",
        )


def narrower(name: str, medians: list[float], size: int) -> Iterator[Line]:
    """Less to look at takes less time; at the smallest size the fixed cost of a question is all there is."""
    whole, middle, tenth = medians
    yield f"{name}: as of the middle, share of the whole", middle / whole, NOISE, "of 1"
    if size >= 100_000:
        yield f"{name}: last tenth, share of the whole", tenth / whole, 0.25, "of 1"
