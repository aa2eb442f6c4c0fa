"""What programs that read sources (git, the process of formats) get of this process's environment."""

from __future__ import annotations

import os
from collections.abc import Iterable


def inherited(names: Iterable[str]) -> dict[str, str]:
    """The variables of these names, as far as they are set."""
    return {name: os.environ[name] for name in names if name in os.environ}
