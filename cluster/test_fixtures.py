"""The servers that the other tests use do what they promise."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import obstore
import pytest
from cluster.support.faults import Fault, Faults
from cluster.support.postgres import Postgres
from cluster.support.processes import free_port, server
from cluster.support.s3 import Bucket
from obstore.exceptions import AlreadyExistsError
from obstore.store import S3Store

SIGNED = {
    "Authorization": "AWS4-HMAC-SHA256 Credential=testing/20260101/us-east-1/s3/aws4_request, Signature=0"
}


def test_a_bucket_of_its_own_for_each_test(s3: Bucket) -> None:
    store = S3Store.from_url(s3.url)
    obstore.put(store, "a/b", b"text")
    assert bytes(obstore.get(store, "a/b").bytes()) == b"text"
    assert s3.keys() == ["a/b"]
    assert s3.keys("c") == []


def test_of_many_that_put_if_absent_one_made_it(s3: Bucket) -> None:
    store = S3Store.from_url(s3.url)

    def create(number: int) -> int | None:
        try:
            obstore.put(store, "one", str(number).encode(), mode="create")
        except AlreadyExistsError:
            return None
        return number

    with ThreadPoolExecutor(16) as threads:
        made = [number for number in threads.map(create, range(64)) if number is not None]
    assert [int(bytes(obstore.get(store, "one").bytes()))] == made


def test_a_proxy_that_fails_on_command(s3: Bucket, faulty_s3: tuple[Bucket, Faults]) -> None:
    bucket, faults = faulty_s3
    url = f"{bucket.endpoint}/{bucket.name}/a"
    client = httpx.Client(headers=SIGNED)
    assert client.put(url, content=b"0123456789").status_code == 200
    assert client.get(url).content == b"0123456789"
    planned = faults.plan(Fault("503", "GET", "/a$", times=2))
    assert [client.get(url).status_code for _ in range(3)] == [503, 503, 200]
    assert planned.hits == 2
    faults.plan(Fault("slow", "GET", seconds=0.2))
    began = time.perf_counter()
    assert client.get(url).status_code == 200
    assert time.perf_counter() - began >= 0.2
    faults.plan(Fault("cut", "GET", keep=4))
    with pytest.raises(httpx.TransportError):
        client.get(url)
    faults.plan(Fault("refuse", "PUT"))
    with pytest.raises(httpx.TransportError):
        client.put(url, content=b"other")
    assert client.get(url).content == b"0123456789"
    faults.plan(Fault("lost", "PUT"))
    with pytest.raises(httpx.TransportError):
        client.put(url, content=b"other")
    assert client.get(url).content == b"other"
    assert faults.requests == {"PUT": 3, "GET": 8}
    assert s3.keys() == ["a"]  # the bucket itself is reached without the proxy
    faults.clear()
    assert faults.requests == {}
    client.close()


def test_obstore_reads_through_the_proxy_again(faulty_s3: tuple[Bucket, Faults]) -> None:
    bucket, faults = faulty_s3
    store = S3Store.from_url(bucket.url)
    obstore.put(store, "a", b"0123456789")
    planned = faults.plan(Fault("503", "GET", "/a$", times=2))
    assert bytes(obstore.get(store, "a").bytes()) == b"0123456789"
    assert planned.hits == 2
    assert obstore.head(store, "a")["size"] == 10


def test_an_empty_database_for_each_test(postgres: str, postgres_process: Postgres) -> None:
    import psycopg

    with psycopg.connect(postgres) as connection:
        connection.execute("CREATE TABLE words (word text)")
        connection.execute("INSERT INTO words VALUES ('b'), ('B'), ('a'), ('_')")
        ordered = connection.execute("SELECT word FROM words ORDER BY word").fetchall()
        as_bytes = connection.execute('SELECT word FROM words ORDER BY word COLLATE "C"').fetchall()
    assert [word for (word,) in ordered] == ["_", "a", "b", "B"]
    assert [word for (word,) in as_bytes] == ["B", "_", "a", "b"]
    with psycopg.connect(postgres) as connection:
        assert postgres_process.disconnect(connection.info.dbname) == 1
        with pytest.raises(psycopg.OperationalError):
            connection.execute("SELECT 1")
        connection.close()


def test_a_database_is_there_after_a_restart(postgres: str, postgres_process: Postgres) -> None:
    import psycopg

    with psycopg.connect(postgres) as connection:
        connection.execute("CREATE TABLE kept (id int)")
    postgres_process.stop()
    with pytest.raises(psycopg.OperationalError):
        psycopg.connect(postgres)
    postgres_process.start()
    with psycopg.connect(postgres) as connection:
        assert connection.execute("SELECT count(*) FROM kept").fetchall() == [(0,)]


def test_ray_runs_tasks_and_actors_in_processes_that_see_the_server(ray_session: Any, s3: Bucket) -> None:
    def where() -> tuple[int, str | None]:
        return os.getpid(), os.getenv("AWS_ENDPOINT_URL")

    class Counter:
        def __init__(self) -> None:
            self.count = 0

        def add(self) -> tuple[int, int]:
            self.count += 1
            return self.count, os.getpid()

    pid, endpoint = ray_session.get(ray_session.remote(where).remote())
    assert pid != os.getpid()
    assert endpoint == s3.endpoint
    actors = [ray_session.remote(Counter).remote() for _ in range(4)]
    [first, second] = [ray_session.get([actor.add.remote() for actor in actors]) for _ in range(2)]
    assert [count for count, _ in first] == [1] * 4
    assert second == [(2, pid) for _, pid in first]
    assert len({pid for _, pid in first}) == 4
    kept = ray_session.remote(Bucket.environment).remote(s3)  # a class of cluster.support is known there
    assert ray_session.get(kept)["AWS_ENDPOINT_URL"] == s3.endpoint
    for actor in actors:
        ray_session.kill(actor)


def test_a_server_ends_with_the_process_that_started_it(tmp_path: Path) -> None:
    """As when the tests are killed: the kernel tells the server."""
    script = f"""
import sys
from pathlib import Path
from cluster.support.processes import server
with server([sys.executable, "-c", "import time; time.sleep(600)"], ready=lambda: True,
            log=Path({str(tmp_path / "log")!r})) as process:
    print(process.pid, flush=True)
    sys.stdin.read()
"""
    tests = subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        cwd=Path(__file__).parents[1],
    )  # fmt: skip
    assert tests.stdout is not None
    assert tests.stdin is not None
    pid = int(tests.stdout.readline())
    os.kill(pid, 0)
    tests.kill()
    tests.wait()
    tests.stdout.close()
    tests.stdin.close()
    deadline = time.monotonic() + 10
    while _runs(pid):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def _runs(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def test_a_server_that_does_not_start_says_what_it_printed(tmp_path: Path) -> None:
    command = [sys.executable, "-c", "raise SystemExit('no licence')"]
    with (
        pytest.raises(RuntimeError, match="no licence"),
        server(command, ready=lambda: False, log=tmp_path / "log", stop=signal.SIGTERM),
    ):
        pass
    assert free_port() > 0
