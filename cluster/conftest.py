"""Storages of corpora: a folder, and moto's S3 server in this process."""

from __future__ import annotations

import itertools
import logging
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.support.local_server import free_port

from asof.cli.main import cli, run
from asof.extensions.cluster import gather
from asof.extensions.cluster.storage import Storage

NUMBERS = itertools.count()


@pytest.fixture(scope="session")
def bucket() -> Iterator[str]:
    """A bucket of an S3 server."""
    import boto3
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {
            "AWS_ENDPOINT_URL": f"http://{host}:{port}", "AWS_ALLOW_HTTP": "true", "AWS_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret",
        }.items():  # fmt: skip
            patch.setenv(name, value)
        boto3.client("s3", region_name="us-east-1").create_bucket(Bucket="notes")
        yield "s3://notes"
    server.stop()


@pytest.fixture(scope="session")
def ray_cluster(bucket: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of Ray Serve, on a cluster of this machine whose processes know the S3 server."""
    import ray
    from ray import serve

    port = free_port()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("caches")))
        patch.setenv("ASOF_CONFIG", "/dev/null")
        ray.init(num_cpus=4, include_dashboard=False, log_to_driver=False, object_store_memory=100 * 2**20)
        serve.start(http_options={"host": "127.0.0.1", "port": port})
    yield f"http://127.0.0.1:{port}"
    serve.shutdown()
    ray.shutdown()


@pytest.fixture(params=["file", "s3"])
def storage(request: pytest.FixtureRequest, tmp_path: Path) -> Storage:
    """An empty storage."""
    if request.param == "file":
        return Storage(f"file://{tmp_path}/objects", make=True)
    return Storage(f"{request.getfixturevalue('bucket')}/corpora/{next(NUMBERS)}")


@pytest.fixture
def objects(tmp_path: Path) -> Path:
    """The folder of the objects of `local`."""
    return tmp_path / "objects"


@pytest.fixture
def local(objects: Path) -> Storage:
    """An empty storage in a folder."""
    return Storage(f"file://{objects}", make=True)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test sees the caches and the configuration of the user; shards are asked for any few rows."""
    monkeypatch.setattr(gather.Threads, "least", 0)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("ASOF_CONFIG", "/dev/null")


@pytest.fixture
def out(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Runs a command of asof; gives what it prints, on one line."""

    def printed(*words: str, code: int = 0) -> str:
        monkeypatch.setattr(sys, "argv", ["asof", *words])
        assert run(cli) == code
        said = capsys.readouterr()
        return " ".join((said.out + said.err).split())

    return printed
