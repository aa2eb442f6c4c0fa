"""Searches a second over HTTP: `python bench/serve.py INDEX QUERIES.jsonl [--clients 16] [--workers 2]`.

Starts `asof serve` on a free port of this machine and asks it the questions of a dataset, each client one
after the other over one connection. Prints searches a second, the median and the 95th percentile, and the
resident memory of the server's processes at the beginning and after each tenth of the time.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import numpy as np

SLICES = 10
"""Memory is read so often."""


async def client(host: str, port: int, paths: list[str], first: int, until: float, took: list[float]) -> int:
    reader, writer = await asyncio.open_connection(host, port)
    at, wrong = first, 0
    while time.perf_counter() < until:
        request = f"GET {paths[at % len(paths)]} HTTP/1.1\r\nHost: {host}:{port}\r\n\r\n"
        started = time.perf_counter()
        writer.write(request.encode())
        head = await reader.readuntil(b"\r\n\r\n")
        size = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
        await reader.readexactly(size)
        took.append(time.perf_counter() - started)
        wrong += b" 200 " not in head[:16]
        at += 17
    writer.close()
    return wrong


def resident(pid: int) -> int:
    """Bytes of a process and of those that it started."""
    own = int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return own + sum(resident(int(child)) for child in children)


async def load(
    host: str, port: int, paths: list[str], clients: int, seconds: float
) -> tuple[list[float], int]:
    took: list[float] = []
    until = time.perf_counter() + seconds
    done = await asyncio.gather(*(client(host, port, paths, n * 131, until, took) for n in range(clients)))
    return took, sum(done)


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("index")
    options.add_argument("queries")
    options.add_argument("--clients", type=int, default=16)
    options.add_argument("--seconds", type=float, default=20)
    options.add_argument("--workers", type=int, default=2)
    asked = options.parse_args()
    lines = Path(asked.queries).read_text().splitlines()
    records = [json.loads(line) for line in lines]
    paths = [
        "/api/v1/search?"
        + urlencode({"q": each["text"], **({"as_of": day} if (day := each.get("asked_at")) else {})})
        for each in records
    ]
    command = [sys.executable, "-m", "asof", "serve", "--index", asked.index, "--port", "0"]
    command += ["--workers", str(asked.workers)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as server:
        assert server.stdout is not None
        where = urlsplit(server.stdout.readline().split()[0])
        host, port = where.hostname or "", where.port or 0
        time.sleep(3)
        asyncio.run(load(host, port, paths, asked.clients, 3))  # warm
        took, wrong, memory = list[float](), 0, [resident(server.pid)]
        for _ in range(SLICES):
            some, failed = asyncio.run(load(host, port, paths, asked.clients, asked.seconds / SLICES))
            took, wrong, memory = [*took, *some], wrong + failed, [*memory, resident(server.pid)]
        server.terminate()
    milliseconds = 1000 * np.array(took)
    print(
        f"{len(took) / asked.seconds:.0f} searches/s at {asked.clients} clients, median"
        f" {np.median(milliseconds):.1f} ms, 95% {np.percentile(milliseconds, 95):.1f} ms, {wrong} not 200,"
        f" memory {', '.join(f'{each / 2**20:.0f}' for each in memory)} MiB"
    )


if __name__ == "__main__":
    main()
