"""Ray itself, which is imported where it is used: it takes a second and 200 MB of disk."""

from __future__ import annotations

import logging
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from asof import environment
from asof.errors import CorpusError, MissingExtra

AUTO = "auto"
"""The address for a cluster that runs already, or else one on this machine alone."""

LOOPBACK = "127.0.0.1"

REACHED = 10.0
"""Seconds within which a cluster has to take a connection."""


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


@cache
def msgpack() -> Any:
    """The module that writes messages. Raises MissingExtra."""
    try:
        import msgpack as module
    except ImportError as error:
        raise MissingExtra("msgpack is not installed: pip install 'asof[ray]'") from error
    return module


def address_of_node() -> str:
    """The address of the machine that this process of the cluster runs on, at which others can talk to it."""
    return str(ray().util.get_node_ip_address())


def starts_one(address: str) -> bool:
    """Whether `connected` starts a cluster of this machine alone for this address."""
    if address != AUTO or environment.ray_address():
        return False
    return "ray" not in sys.modules or not ray().is_initialized()


@contextmanager
def connected(address: str = AUTO) -> Iterator[Any]:
    """The module, connected to a cluster; what this process started of it is stopped at the end.

    `address`: `HOST:PORT` or `ray://HOST:PORT` of a cluster; "auto": the one that RAY_ADDRESS names, or one
    of this machine alone. That one takes no stranger: Ray listens at every address of a machine, whatever it
    is told, so it has a key (unless Ray was imported here before). Raises CorpusError where there is none.
    """
    alone = starts_one(address)
    if alone and "ray" not in sys.modules:
        environment.protect_ray()
    library = ray()
    if library.is_initialized():
        yield library
        return
    options: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    if alone:
        options |= {"include_dashboard": False}
    else:
        if address != AUTO:
            _reached(address)
        options |= {"address": address}
    try:
        library.init(**options)
    except (ConnectionError, RuntimeError, ValueError, TimeoutError) as error:
        raise _no_cluster(address, str(error).splitlines()[0]) from error
    try:
        yield library
    finally:
        library.shutdown()


def _reached(address: str) -> None:
    """Raises CorpusError where nothing listens at an address: Ray itself would try for more than a minute."""
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if not colon or not port.isdecimal():
        return  # a name of an address, which Ray knows
    try:
        with socket.create_connection((host.strip("[]"), int(port)), REACHED):
            pass
    except (OSError, OverflowError) as error:
        raise _no_cluster(address, str(error)) from error


def _no_cluster(address: str, why: str) -> CorpusError:
    return CorpusError(
        f"no cluster of Ray at {address}: {why:.200}; start one with `ray start --head`, or give auto for "
        "one on this machine"
    )
