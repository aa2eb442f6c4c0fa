"""Storages of corpora: a folder, and moto's S3 server in this process."""

from __future__ import annotations

import itertools
import logging
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from asof.cli.main import cli, run
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
    """No test sees the caches and the configuration of the user."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("ASOF_CONFIG", "/dev/null")


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Runs a command of asof; gives what it prints, on one line."""

    def out(*words: str, code: int = 0) -> str:
        monkeypatch.setattr(sys, "argv", ["asof", *words])
        assert run(cli) == code
        printed = capsys.readouterr()
        return " ".join((printed.out + printed.err).split())

    return out
