"""Ray itself, which is imported where it is used: it takes a second and 200 MB of disk."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from asof import environment
from asof.errors import CorpusError, MissingExtra

AUTO = "auto"
"""The address for a cluster that runs already, or else one on this machine alone."""


@cache
def ray() -> Any:
    """The module. Raises MissingExtra."""
    environment.ray_address()  # before it is imported: it sends nothing then
    try:
        import ray as module
        import ray.exceptions
    except ImportError as error:
        raise MissingExtra("Ray is not installed: pip install 'asof[ray]'") from error
    return module


@contextmanager
def connected(address: str = AUTO) -> Iterator[Any]:
    """The module, connected to a cluster; what this process started of it is stopped at the end.

    `address`: `HOST:PORT` or `ray://HOST:PORT` of a cluster; "auto": the one that RAY_ADDRESS names, or one
    of this machine alone. Raises CorpusError where there is none.
    """
    library = ray()
    if library.is_initialized():
        yield library
        return
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    if address != AUTO or environment.ray_address():
        options |= {"address": address}
    else:
        options |= {"include_dashboard": False, "_node_ip_address": "127.0.0.1"}
    try:
        library.init(**options)
    except (ConnectionError, RuntimeError, ValueError, TimeoutError) as error:
        raise CorpusError(
            f"no cluster of Ray at {address}: {str(error).splitlines()[0]:.200}; start one with `ray start "
            "--head`, or leave the address out for one on this machine"
        ) from error
    try:
        yield library
    finally:
        library.shutdown()
