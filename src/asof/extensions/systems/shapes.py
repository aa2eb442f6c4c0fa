"""The JSON of the extension `systems`: what prints it, and its types."""

from __future__ import annotations

from asof.extensions.systems.results import FeedbackJson, FeedbackListJson, PapersJson
from asof.results import Shapes

SHAPES: Shapes = {
    "feedback": ("asof feedback QUERY_ID --json", FeedbackJson),
    "feedback-list": ("asof feedback --json", FeedbackListJson),
    "papers": ("asof papers --json", PapersJson),
}
