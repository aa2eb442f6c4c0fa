"""Ray on this machine alone: four workers, little memory, nothing beyond the loopback interface."""

from __future__ import annotations

import logging
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
OBJECT_STORE = 200 * 1024 * 1024
_SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_DEDUP_LOGS": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",
}


@contextmanager
def ray_here(cpus: int = 4) -> Iterator[Any]:
    """The module `ray`, initialised. Functions that workers run have to be of asof or of `cluster.support`:
    a worker does not have the tests' modules. The environment of the workers is that of now."""
    os.environ.update(_SETTINGS, RAY_AUTH_MODE="token", RAY_AUTH_TOKEN=secrets.token_hex(32))
    path = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join([str(ROOT), *filter(None, [path])])
    folder = tempfile.mkdtemp(prefix="asof-ray-")  # a short path: those of its sockets have 107 bytes at most
    import ray

    try:
        ray.init(
            num_cpus=cpus, object_store_memory=OBJECT_STORE, include_dashboard=False, log_to_driver=False,
            logging_level=logging.ERROR, configure_logging=False, _temp_dir=folder,
            _node_ip_address="127.0.0.1",
        )  # fmt: skip
        yield ray
    finally:
        ray.shutdown()
        shutil.rmtree(folder, ignore_errors=True)
        if path is None:
            del os.environ["PYTHONPATH"]
        else:
            os.environ["PYTHONPATH"] = path
