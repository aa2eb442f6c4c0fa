"""scipy, where it is installed: 143 MB that the default recipe does without."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from asof.errors import MissingExtra


def scipy(name: str = "") -> Any:
    """The module `scipy`, or `scipy.NAME`. Raises MissingExtra where it is not installed."""
    try:
        return import_module(f"scipy.{name}" if name else "scipy")
    except ModuleNotFoundError as missing:
        raise MissingExtra(
            "the recipes twe, vault, papers and tgrag need scipy: pip install 'asof[recipes]'"
        ) from missing
