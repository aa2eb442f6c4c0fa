"""The JSON of the extension `facts`: what prints it, and its types."""

from __future__ import annotations

from asof.serialize.knowledge import FactsJson, GraphJson, PrecomputedJson
from asof.serialize.report import ReportJson
from asof.serialize.schema import Shapes
from asof.serialize.stale import StaleJson

SHAPES: Shapes = {
    "facts": ("asof facts --json", FactsJson),
    "report": ("asof report --json", ReportJson),
    "graph": ("asof graph --json", GraphJson),
    "stale": ("asof stale --json", StaleJson),
    "precompute": ("asof precompute --json", PrecomputedJson),
}
