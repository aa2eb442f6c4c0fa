"""The commands of the extension `lab`: evaluation and experiments."""

from __future__ import annotations

from asof.cli.commands import CommandEntry

COMMANDS = {
    "evaluate": CommandEntry(
        "asof.extensions.lab.cli:evaluate", "Measure",
        "Measure recipes on a dataset, and check for leaks from the future.",
        "asof evaluate dataset --leakage 20",
    ),
    "experiment": CommandEntry(
        "asof.extensions.lab.cli_experiments:experiment", "Measure",
        "List the experiments of the papers, or run one: its table beside ours.",
        "asof experiment twe/4.1 dataset",
    ),
}  # fmt: skip

SHAPES = {
    "evaluate": ("asof evaluate --json", "asof.extensions.lab.results:EvaluationResult"),
    "experiment": ("asof experiment NAME --json", "asof.extensions.lab.results:ExperimentResult"),
}
"""The JSON of these commands: what prints it, and its type by name."""
