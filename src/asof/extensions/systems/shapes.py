"""The JSON of the extension `systems`: what prints it, and its types."""

from __future__ import annotations

from asof.serialize.feedback import FeedbackJson, FeedbackListJson
from asof.serialize.papers import PapersJson
from asof.serialize.schema import Shapes

SHAPES: Shapes = {
    "feedback": ("asof feedback QUERY_ID --json", FeedbackJson),
    "feedback-list": ("asof feedback --json", FeedbackListJson),
    "papers": ("asof papers --json", PapersJson),
}
