"""The JSON of the extension `facts`: what prints it, and its types."""

from __future__ import annotations

from asof.extensions.facts.results import FactsJson, GraphJson, PrecomputedJson, ReportJson, StaleJson
from asof.results import Shapes

SHAPES: Shapes = {
    "facts": ("asof facts --json", FactsJson),
    "report": ("asof report --json", ReportJson),
    "graph": ("asof graph --json", GraphJson),
    "stale": ("asof stale --json", StaleJson),
    "precompute": ("asof precompute --json", PrecomputedJson),
}
