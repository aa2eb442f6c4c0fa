"""Which experiments there are: one module for each, found by name and imported when it is asked for.

`twe/4.3` is `EXPERIMENT` of the module `table_4_3` in the package of the system `twe`.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from importlib import import_module
from pkgutil import iter_modules

from asof.errors import UsageError
from asof.evaluate.experiments.experiment import Experiment

SYSTEMS = {
    "twe": "asof.evaluate.experiments.twe",
    "ragtriever": "asof.evaluate.experiments.ragtriever",
    "tempralm": "asof.evaluate.experiments.tempralm",
    "arxiv": "asof.evaluate.experiments.arxiv",
    "tgrag": "asof.evaluate.experiments.tgrag",
}
"""The package of the experiments of each system. One that needs what lies above `asof.evaluate` lies
there."""

TABLE = "table_"
"""Begins the module of a table that has a number; others have names of words."""


def name_of(system: str, module: str) -> str:
    """The name of the experiment in a module.

    >>> name_of("twe", "table_4_3"), name_of("ragtriever", "each_component")
    ('twe/4.3', 'ragtriever/each-component')
    """
    if module.startswith(TABLE):
        return f"{system}/{module.removeprefix(TABLE).replace('_', '.')}"
    return f"{system}/{module.replace('_', '-')}"


def modules() -> dict[str, str]:
    """The module of each experiment by name, numbers in their order; none is imported."""
    found: dict[str, str] = {}
    for system, package in SYSTEMS.items():
        try:
            paths = import_module(package).__path__
        except ModuleNotFoundError as error:
            if error.name != package:
                raise
            continue
        names = [module.name for module in iter_modules(paths) if _is_experiment(package, module.name)]
        for module in sorted(names, key=_in_order):
            found[name_of(system, module)] = f"{package}.{module}"
    return found


def _is_experiment(package: str, module: str) -> bool:
    """What several experiments of a system share stands in modules that its package names in SHARED."""
    return module not in getattr(import_module(package), "SHARED", ())


def _in_order(module: str) -> list[tuple[int, str]]:
    parts = re.split(r"(\d+)", module)
    return [(int(part), "") if part.isdigit() else (0, part) for part in parts]


def named(name: str) -> Experiment:
    """The experiment of that name. Raises UsageError with the nearest one."""
    known = modules()
    if name not in known:
        near = get_close_matches(name, known, 1, 0.6)
        hint = f"did you mean {near[0]}?" if near else f"accepted: {', '.join(known)}"
        raise UsageError(f"no experiment {name[:80]!r}; {hint}")
    experiment: Experiment = import_module(known[name]).EXPERIMENT
    return experiment


def every() -> list[Experiment]:
    """All experiments, by system and number."""
    return [named(name) for name in modules()]
