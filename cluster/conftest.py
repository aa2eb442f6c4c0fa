"""The servers of the cluster: each starts once, where a test first wants it, and stops with the tests."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy is imported
os.environ["ASOF_CONFIG"] = os.devnull

from cluster.support.faults import Faults, faulty_proxy
from cluster.support.postgres import PASSWORD, Postgres, postgres_server
from cluster.support.ray_here import ray_here
from cluster.support.s3 import Bucket, environment, make_bucket, s3_server

settings.register_profile(
    "cluster", deadline=None, print_blob=True,
    suppress_health_check=[
        HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture,
    ],
)  # fmt: skip
settings.load_profile("cluster")

_NUMBERS = itertools.count()


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test sees the configuration, the state or the cache of whoever runs it."""
    folder = tmp_path_factory.mktemp("home")
    for variable in ("CONFIG", "STATE", "CACHE"):
        monkeypatch.setenv(f"XDG_{variable}_HOME", str(folder / variable.lower()))


@pytest.fixture(scope="session")
def s3_port() -> Iterator[int]:
    """Moto's S3 server; the environment of this process (and of what it starts) points at it."""
    with s3_server() as port, pytest.MonkeyPatch.context() as patch:
        patch.delenv("AWS_PROFILE", raising=False)
        for name, value in environment(port).items():
            patch.setenv(name, value)
        yield port


@pytest.fixture
def s3(s3_port: int) -> Bucket:
    """A bucket for this test, which the environment leads to."""
    return make_bucket(s3_port, f"bucket-{next(_NUMBERS)}")


@pytest.fixture
def faulty_s3(s3: Bucket, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Bucket, Faults]]:
    """The bucket, reached through a proxy that fails on command (`faults.plan(Fault("503", times=2))`), and
    the commands. `s3` is the same bucket without the proxy."""
    with faulty_proxy(s3.port) as faults:
        monkeypatch.setenv("AWS_ENDPOINT_URL", environment(faults.port)["AWS_ENDPOINT_URL"])
        yield Bucket(s3.name, faults.port), faults


@pytest.fixture(scope="session")
def postgres_process() -> Iterator[Postgres]:
    """The server; a test that stops it has to start it again."""
    with postgres_server() as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("PGPASSWORD", PASSWORD)
        yield server


@pytest.fixture
def postgres(postgres_process: Postgres) -> Iterator[str]:
    """The DSN of an empty database of this test; the password is in the environment."""
    name = postgres_process.new_database()
    yield postgres_process.dsn(name)
    postgres_process.drop(name)


@pytest.fixture(scope="session")
def ray_session(s3_port: int) -> Iterator[Any]:
    """The module `ray`, initialised; its workers reach the S3 server."""
    with ray_here() as ray:
        yield ray
