"""The JSON of the extension `lab`: what prints it, and its types."""

from __future__ import annotations

from asof.extensions.lab.results import EvaluationJson, ExperimentJson, ExperimentsJson, TuneJson
from asof.results import Shapes

SHAPES: Shapes = {
    "evaluate": ("asof evaluate --json", EvaluationJson),
    "experiments": ("asof experiments --json", ExperimentsJson),
    "experiment": ("asof experiment NAME --json", ExperimentJson),
    "tune": ("asof tune --json", TuneJson),
}
