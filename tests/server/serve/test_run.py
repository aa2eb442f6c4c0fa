"""The server as a process: where it listens, whom it lets in, how it ends, what a kill leaves behind."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import httpx
import pytest
from tests.support.forked_commands import Forked, command_of, run_command

import asof
from asof.extensions.server.app import Address, bound

DEADLINE = 30.0
EVERYWHERE = "0.0.0.0"  # noqa: S104
END = b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


@contextmanager
def serving(folder: Path, *options: str) -> Iterator[tuple[Forked, str, int]]:
    """A server of this corpus: its process, host and port."""
    with closing(command_of("serve", "--index", folder, "--port", "0", *options)) as process:
        where = urlsplit(process.stdout.readline().split(" ")[0])
        yield process, where.hostname or "", where.port or 0


def get(port: int, path: str, **headers: str) -> tuple[int, bytes]:
    """The status and body of a GET; waits for a server that is just starting."""
    end = time.monotonic() + DEADLINE
    while True:
        try:
            reply = httpx.get(
                f"http://127.0.0.1:{port}{path}", headers=headers, timeout=DEADLINE, trust_env=False
            )
        except httpx.TransportError:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)
        else:
            return reply.status_code, reply.content


def test_a_server_answers_and_ends_after_the_requests_under_way(example_folder):
    with serving(example_folder) as (process, _, port):
        status, body = get(port, "/api/v1/search?" + urlencode({"q": "harbour master", "as_of": "2019"}))
        assert (status, json.loads(body)["query"]["as_of"][:4]) == (200, "2019")
        process.send_signal(signal.SIGTERM)
        assert process.wait(DEADLINE) == 0


def test_several_processes_share_an_index(example_folder):
    """Each worker is a new interpreter."""
    command = [
        sys.executable,
        "-m",
        "asof",
        "serve",
        "--index",
        example_folder,
        "--port",
        "0",
        "--workers",
        "2",
    ]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        try:
            assert process.stdout is not None
            port = urlsplit(process.stdout.readline().split(" ")[0]).port or 0
            assert {get(port, "/api/v1/status")[0] for _ in range(20)} == {200}
            children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
            assert len(children) == 2
            os.kill(int(children[0]), signal.SIGKILL)
            assert {get(port, "/api/v1/status")[0] for _ in range(20)} == {200}
            process.send_signal(signal.SIGINT)
            assert process.wait(DEADLINE) == 0
        finally:
            process.kill()
    for child in children:
        assert not Path(f"/proc/{child}").exists()


def test_others_need_a_key(example_folder):
    refused = run_command("serve", "--host", EVERYWHERE, "--port", "0", cwd=example_folder)
    assert refused.returncode == 2
    assert "asof key add" in refused.stderr
    made = run_command("key", "add", "laptop", cwd=example_folder)
    secret = made.stdout.strip()
    assert "laptop  read" in run_command("key", "list", cwd=example_folder).stdout
    with serving(example_folder, "--host", EVERYWHERE) as (_, _, port):
        assert get(port, "/api/v1/status")[0] == 401
        assert get(port, "/api/v1/status", Authorization=f"Bearer {secret}")[0] == 200
        assert run_command("key", "remove", "laptop", cwd=example_folder).returncode == 0
        assert get(port, "/api/v1/status", Authorization=f"Bearer {secret}")[0] == 401


def test_a_port_in_use(example_folder):
    with socket.create_server(("127.0.0.1", 0)) as other:
        refused = run_command("serve", "--port", other.getsockname()[1], cwd=example_folder)
    assert refused.returncode == 2
    assert "name another --port" in refused.stderr


def test_replies_leave_at_once():
    """Without TCP_NODELAY, the body of a reply waits 40 ms for the client to acknowledge its head."""

    async def delayed(listening, address):
        accepted = asyncio.get_running_loop().create_future()
        async with await asyncio.start_server(lambda _, writer: accepted.set_result(writer), sock=listening):
            _, client = await asyncio.open_connection(address.host, address.port)
            writer = await accepted
            option = writer.get_extra_info("socket").getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
            writer.close()
            client.close()
            return option == 0

    with bound(Address("127.0.0.1", 0)) as (listening, address):
        assert not asyncio.run(delayed(listening, address))


def test_a_kill_loses_nothing_that_was_acknowledged(tmp_path):
    acknowledged: list[int] = []

    def write(port: int) -> None:
        documents = f"http://127.0.0.1:{port}/api/v1/documents"
        with httpx.Client(timeout=DEADLINE, trust_env=False) as web, suppress(httpx.TransportError):
            for number in range(10_000):
                record = {"id": f"d{number}", "text": f"The quay {number}.", "published": "2020-01-01"}
                if web.post(documents, json={"documents": [record]}).status_code == 200:
                    acknowledged.append(number)

    with serving(tmp_path, "--write") as (process, _, port):
        get(port, "/health")
        writer = threading.Thread(target=write, args=(port,))
        writer.start()
        end = time.monotonic() + DEADLINE
        while len(acknowledged) < 20 and time.monotonic() < end:
            time.sleep(0.01)
        process.kill()
        writer.join(DEADLINE)
    assert len(acknowledged) >= 20
    with asof.open(tmp_path, create=False) as corpus:
        there = {each.id for each in corpus.at().documents(most=10_000)}
        assert {f"d{number}" for number in acknowledged} <= there
        assert corpus.check() == []


@pytest.mark.slow
def test_a_server_that_watches_follows_its_folder(tmp_path):
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "quay.md").write_text("The quay is long.")
    assert run_command("index", "notes", cwd=tmp_path).returncode == 0
    with serving(tmp_path, "--watch") as (_, _, port):
        get(port, "/health")
        time.sleep(0.5)
        (tmp_path / "notes" / "pier.md").write_text("The pier is new.")
        end = time.monotonic() + DEADLINE
        while json.loads(get(port, "/api/v1/documents")[1])["documents"][0]["document"] != "notes/pier.md":
            assert time.monotonic() < end
            time.sleep(0.05)


HOSTILE = [
    b"GET / HTTP/1.1\r\nHost: localhost\r\n" + b"X: y\r\n" * 20_000 + b"\r\n",
    b"GET /" + b"x" * 100_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"\x00\xff\x00\xff\r\n\r\n",
    b"GET /api/v1/document?document=..%2f..%2fetc%2fpasswd" + END,
    b"GET /page/..%2f..%2fapp.py" + END,
    b"GET /page/../../app.py" + END,
    b"POST /api/v1/search HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10000000\r\n\r\n"
    + b"x" * 10_000_000,
    b"TRACE /" + END,
    b"GET /api/v1/status HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
    b"GET /api/v1/status HTTP/1.1\r\nHost: localhost\r\nOrigin: null\r\nConnection: close\r\n\r\n",
]


def test_hostile_requests_get_an_error_and_disturb_nobody(example_folder):
    with serving(example_folder) as (process, _, port):
        get(port, "/health")
        slow = [socket.create_connection(("127.0.0.1", port)) for _ in range(100)]
        for each in slow:  # heads that never end
            each.sendall(b"GET /api/v1/status HTTP/1.1\r\nHost: localhost\r\nX-")
        for request in HOSTILE:
            with socket.create_connection(("127.0.0.1", port), timeout=DEADLINE) as connection:
                try:
                    connection.sendall(request)
                    reply = connection.recv(65_536)
                except ConnectionError:  # the server hung up in the middle
                    reply = b""
            assert not reply or reply.split(b" ")[1][:1] == b"4", (request[:80], reply[:200])
            assert b"Traceback" not in reply
            started = time.monotonic()
            assert get(port, "/api/v1/status")[0] == 200
            assert time.monotonic() - started < 5
        for each in slow:
            each.close()
        process.send_signal(signal.SIGTERM)
        assert "Traceback" not in process.stderr.read()


def test_clients_that_read_nothing_hold_no_place(example_folder):
    """Each asks for many large replies one after the other, and takes none. Nor does anybody read the log."""
    request = b"GET /page/style.css HTTP/1.1\r\nHost: localhost\r\n\r\n"
    with serving(example_folder, "--quiet") as (_, _, port), ExitStack() as deaf:
        get(port, "/health")
        for _ in range(6):
            connection = deaf.enter_context(socket.socket())
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.connect(("127.0.0.1", port))
            connection.sendall(request * 300)
        time.sleep(0.5)
        started = time.monotonic()
        assert [get(port, "/api/v1/status")[0] for _ in range(5)] == [200] * 5
        assert time.monotonic() - started < 15


def test_silent_connections_are_closed_and_an_address_has_so_many(example, monkeypatch):
    import asyncio

    import uvicorn

    from asof.extensions.server import app
    from asof.extensions.server.app import ServeOptions, create_app
    from asof.extensions.server.guard import Limits

    monkeypatch.setattr(app, "LIMITS", Limits(patience=0.4, connections=3))
    config = uvicorn.Config(
        create_app(example, ServeOptions(log=lambda _: None)), port=0, http=app.PatientConnection,
        log_level="error", lifespan="on",
    )  # fmt: skip
    server = uvicorn.Server(config)
    thread = threading.Thread(target=lambda: asyncio.run(server.serve()))
    thread.start()
    try:
        end = time.monotonic() + DEADLINE
        while not server.started:
            assert time.monotonic() < end
            time.sleep(0.01)
        port = server.servers[0].sockets[0].getsockname()[1]
        silent = [socket.create_connection(("127.0.0.1", port), timeout=5) for _ in range(3)]
        fourth = socket.create_connection(("127.0.0.1", port), timeout=5)
        assert hung_up(fourth)  # at once: three are open
        assert all(hung_up(each) for each in silent)  # after 0.4 s
        assert get(port, "/health")[0] == 200
    finally:
        server.should_exit = True
        thread.join(DEADLINE)


def hung_up(connection: socket.socket) -> bool:
    """Whether the other side ends a connection, or resets it."""
    with closing(connection):
        try:
            return connection.recv(1) == b""
        except ConnectionError:
            return True


@pytest.mark.parametrize("missing", ["starlette", "uvicorn"])
def test_what_is_missing_is_named(example_folder, missing):
    hides = (
        "from importlib import util\n"
        "find = util.find_spec\n"
        f"util.find_spec = lambda name, *of, find=find: None if name == {missing!r} else find(name, *of)"
    )
    done = run_command("serve", before=hides, cwd=example_folder)
    assert f"a server needs {missing}: install asof with its extra `server`" in " ".join(done.stderr.split())
