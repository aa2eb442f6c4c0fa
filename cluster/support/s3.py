"""An S3 server on the loopback interface, and a bucket for a test."""

from __future__ import annotations

import http.client
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from cluster.support.processes import LOOPBACK, answers_http, free_port, server

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Bucket:
    """A bucket: `url` names it for asof, `port` is where its server listens (or a proxy before it)."""

    name: str
    port: int

    @property
    def url(self) -> str:
        return f"s3://{self.name}"

    @property
    def endpoint(self) -> str:
        return f"http://{LOOPBACK}:{self.port}"

    def environment(self) -> dict[str, str]:
        """The variables by which obstore (and every other client of S3) finds the server and may use it."""
        return environment(self.port)

    def keys(self, prefix: str = "") -> list[str]:
        """The names of all objects, in order. It asks the server itself, without asof."""
        import obstore
        from obstore.store import S3Store

        store = S3Store.from_url(
            self.url, endpoint=self.endpoint, region="us-east-1", client_options={"allow_http": True},
            access_key_id="testing", secret_access_key="testing",  # noqa: S106
        )  # fmt: skip
        return sorted(str(each["path"]) for page in obstore.list(store, prefix or None) for each in page)


def environment(port: int) -> dict[str, str]:
    return {
        "AWS_ENDPOINT_URL": f"http://{LOOPBACK}:{port}",
        "AWS_ALLOW_HTTP": "true",
        "AWS_ACCESS_KEY_ID": "testing",
        "AWS_SECRET_ACCESS_KEY": "testing",
        "AWS_REGION": "us-east-1",
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_EC2_METADATA_DISABLED": "true",
    }


@contextmanager
def s3_server() -> Iterator[int]:
    """The port of moto's server, a process of its own."""
    port = free_port()
    with tempfile.TemporaryDirectory(prefix="asof-s3-") as folder:
        path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
        with server(
            [sys.executable, "-m", "cluster.support.moto_server", "-H", LOOPBACK, "-p", str(port)],
            ready=lambda: answers_http(port), log=Path(folder, "log"), env={**os.environ, "PYTHONPATH": path},
        ):  # fmt: skip
            yield port


def make_bucket(port: int, name: str) -> Bucket:
    connection = http.client.HTTPConnection(LOOPBACK, port, timeout=10)
    try:
        connection.request("PUT", f"/{name}")
        answer = connection.getresponse()
        assert answer.status == 200, answer.read()
    finally:
        connection.close()
    return Bucket(name, port)
