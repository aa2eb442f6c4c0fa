"""The JSON of the extension `lab`: what prints it, and its types."""

from __future__ import annotations

from asof.evaluate.report.evaluation import EvaluationJson
from asof.evaluate.report.experiment import ExperimentJson, ExperimentsJson
from asof.serialize.schema import Shapes
from asof.serialize.tuning import TuneJson

SHAPES: Shapes = {
    "evaluate": ("asof evaluate --json", EvaluationJson),
    "experiments": ("asof experiments --json", ExperimentsJson),
    "experiment": ("asof experiment NAME --json", ExperimentJson),
    "tune": ("asof tune --json", TuneJson),
}
