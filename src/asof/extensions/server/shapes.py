"""The JSON of the extension `server`: what prints it, and its types."""

from __future__ import annotations

from asof.serialize.feedback import GradedJson, RecordJson
from asof.serialize.schema import Shapes

SHAPES: Shapes = {
    "record": ("POST /api/v1/record", RecordJson),
    "grade": ("POST /api/v1/feedback", GradedJson),
}
