"""Running the server: one process or several on one mapped index, until it is told to stop."""

from __future__ import annotations

import importlib.util
import ipaddress
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from asof.corpus.corpus import open as open_corpus
from asof.errors import UsageError
from asof.serve.app import ServeOptions, create_app
from asof.serve.guard import LOOPBACK
from asof.serve.keys import Keys

if TYPE_CHECKING:
    from asof.corpus.corpus import Corpus
    from asof.serve.app import Beside
    from asof.serve.guard import Guard
    from asof.watch.watch import Notice

DRAIN = 20
"""Seconds that requests under way have at the end."""

LONGEST_HEAD = 64 * 2**10
"""Bytes of a request before its body: its address and its fields."""

_HOST = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?|\[[0-9A-Fa-f:.]{2,45}\]")

SWITCH = 0.0005
"""Seconds after which a thread that works lets others on (Python: 0.005): requests wait for the thread that
receives them."""

VARIABLE = "ASOF_SERVE"
"""How the processes of a server are told what to serve."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where a server listens."""

    host: str
    port: int

    @property
    def loopback(self) -> bool:
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    @property
    def url(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"


def serve_options(
    address: Address, keys: Keys, *, write: bool, names: tuple[str, ...], origins: tuple[str, ...],
    need_key: bool,
) -> ServeOptions:  # fmt: skip
    """The options for an address: loopback needs no key unless `need_key`; any other needs one.

    `names`: further names under which it is called. Raises UsageError where no key could be accepted, and for
    another site that is no origin.
    """
    keyed = need_key or not address.loopback
    if keyed and not keys.all():
        why, else_ = "--need-key asks for a key", "leave out --need-key"
        if not address.loopback:
            why, else_ = f"{address.host} can be reached by others", "stay with --host 127.0.0.1"
        raise UsageError(f"{why}, and there is none: make one with `asof key add NAME`, or {else_}")
    for name in names:
        if not _HOST.fullmatch(name):
            raise UsageError(f"--name {name!r:.80}: a host is expected, such as notes.example")
    for origin in origins:
        if not origin.startswith(("http://", "https://")) or origin.count("/") != 2:
            raise UsageError(f"--origin {origin!r}: a site is expected, such as https://notes.example")
    hosts = LOOPBACK | {address.host.lower()} | {name.lower() for name in names}
    return ServeOptions(write, frozenset(hosts), frozenset(origins), keys if keyed else None)


def application(description: str) -> Guard:
    """The application in a process of its own, as a server's process is told (JSON)."""
    told = json.loads(description)
    keys = Keys(Path(told["keys"]), frozenset({os.geteuid()}))
    options = serve_options(
        Address(told["host"], told["port"]), keys, write=told["write"], names=tuple(told["names"]),
        origins=tuple(told["origins"]), need_key=told["need_key"],
    )  # fmt: skip
    corpus = open_corpus(told["root"], create=False)
    if told["watch"]:
        _follow(corpus)
    log = _silent if told["quiet"] else None
    return create_app(corpus, replace(options, beside=_for_assistants(corpus), log=log))


def _silent(line: str) -> None:
    """No line for a request."""


def _follow(corpus: Corpus) -> None:
    """Keep the corpus in step with its sources in a thread, for as long as the process lives."""
    from asof.watch.watch import Watcher, known_sources

    def notice(one: Notice) -> None:
        if one.text:
            sys.stderr.write(f"{json.dumps({'watch': one.source, 'message': one.text})}\n")

    watcher = Watcher(corpus, known_sources(corpus), notice)
    threading.Thread(target=watcher.run, args=(threading.Event(),), name="asof-watch", daemon=True).start()


def _for_assistants(corpus: Corpus) -> tuple[Beside, ...]:
    """The application for assistants, where the SDK is installed."""
    if importlib.util.find_spec("mcp") is None:
        return ()
    from asof.mcp.server import mounted

    return (("/mcp", *mounted(corpus)),)


@contextmanager
def bound(address: Address) -> Iterator[tuple[socket.socket, Address]]:
    """A socket that listens there, and the address with its port. Raises UsageError where it cannot."""
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((address.host, address.port))
        listening.listen(512)
    except socket.gaierror as error:
        listening.close()
        raise UsageError(f"--host {address.host!r:.80} is no address of this machine") from error
    except OSError as error:
        listening.close()
        raise UsageError(
            f"{address.host}:{address.port} cannot be listened at ({error.strerror}); name another --port"
        ) from error
    with listening:
        listening.set_inheritable(True)
        yield listening, Address(address.host, listening.getsockname()[1])


def serve_processes(
    listening: socket.socket, environment: dict[str, str], told: str, workers: int,
    on_note: Callable[[str], None],
) -> None:  # fmt: skip
    """Serve on this socket until SIGINT or SIGTERM; requests under way have DRAIN seconds. With several
    `workers`, each is a process; one that dies is started again."""
    if workers == 1:
        serve_here(listening, told)
        return
    command = [sys.executable, "-m", "asof.serve.worker", str(listening.fileno())]
    processes = [_started(command, environment, told, listening) for _ in range(workers)]
    stopping = False

    def stop(*_: object) -> None:
        nonlocal stopping
        stopping = True
        for process in processes:
            process.terminate()

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        while not stopping:
            for at, process in enumerate(processes):
                if process.poll() is not None and not stopping:
                    on_note(f"a server process ended with {process.returncode}: another one is started")
                    processes[at] = _started(command, environment, told, listening)
            time.sleep(0.2)
        for process in processes:
            process.wait(DRAIN + 5)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _started(
    command: list[str], environment: dict[str, str], told: str, listening: socket.socket
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603  our own interpreter and module
        command, env={**environment, VARIABLE: told}, pass_fds=(listening.fileno(),), start_new_session=True
    )


def serve_here(listening: socket.socket, told: str) -> None:
    """Serve what it is `told` in this process."""
    import uvicorn

    from asof.serve.connections import PatientConnection

    config = uvicorn.Config(
        application(told), http=PatientConnection, ws="none", proxy_headers=False, log_level="warning",
        access_log=False, lifespan="on", timeout_keep_alive=15, timeout_graceful_shutdown=DRAIN,
        limit_concurrency=2_000, server_header=False, date_header=False,
        h11_max_incomplete_event_size=LONGEST_HEAD,
    )  # fmt: skip
    sys.setswitchinterval(SWITCH)
    server = uvicorn.Server(config)

    def stop(*_: object) -> None:
        server.should_exit = True

    for number in (signal.SIGINT, signal.SIGTERM):  # uvicorn has its own while it serves, and raises it again
        signal.signal(number, stop)
    server.run(sockets=[listening])
