"""How much the longest tests try: by the profile of Hypothesis in which they run, see `tests/conftest.py`.

Properties take the examples of the profile: 25, and 500 in `nightly`.
"""

from __future__ import annotations

from hypothesis import settings

_PROFILE = settings.get_current_profile_name()
_NIGHTLY = _PROFILE == "nightly"

HISTORIES = 200 if _PROFILE == "ci" else settings().max_examples
"""Histories of which the guarantee is asked."""

PARTS = 4 if HISTORIES > 100 else 1
"""Into how many tests they are divided, so that processes share them."""

HISTORIES_OF_PART = HISTORIES // PARTS + (PARTS > 1)
"""Each test begins with the simplest history."""

KILLED_DOCUMENTS, KILLED_BATCH, KILLS, KILLS_IN_SERIES = (600, 12, 50, 10) if _NIGHTLY else (300, 6, 30, 6)
"""Documents that a killed process indexes, in batches; how often it is killed, how often in one corpus."""

DAMAGED_PLACES = (0.0, 0.5, 1.0) if _NIGHTLY else (0.0, 1.0)
"""Where a bit of an array is flipped."""
