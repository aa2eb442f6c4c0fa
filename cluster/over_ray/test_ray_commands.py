"""`asof search --ray` and `asof serve --ray`."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from cluster.support.s3 import Bucket

import asof

ASOF = [sys.executable, "-m", "asof"]


@pytest.fixture
def url(s3: Bucket) -> str:
    with asof.open(f"{s3.url}/corpus", shards=3, write=True) as corpus:
        corpus.add(
            {"id": f"n{at}", "text": f"The ferry toll is {at} euros.", "published": f"20{at % 20:02}"}
            for at in range(60)
        )
    return f"{s3.url}/corpus"


def address_of(ray: Any) -> str:
    return str(ray.get_runtime_context().gcs_address)


def printed(*arguments: str) -> dict[str, Any]:
    done = subprocess.run([*ASOF, *arguments, "--json"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    shown: dict[str, Any] = json.loads(done.stdout)
    return {key: value for key, value in shown.items() if key not in ("took_ms", "as_of", "known_at")}


def test_search(ray_session: Any, url: str) -> None:
    asked = ("search", "ferry toll", "--as-of", "2012", "--explain", "--index", url)
    assert printed(*asked, "--ray", address_of(ray_session)) == printed(*asked)
    refused = subprocess.run(
        [*ASOF, "search", "x", "--index", url, "--ray", "127.0.0.1:1"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert refused.returncode == 2
    assert "no cluster of Ray at 127.0.0.1:1" in refused.stderr


def test_serve(ray_session: Any, url: str, tmp_path: Path) -> None:
    errors = tmp_path / "errors"
    command = [*ASOF, "serve", "--index", url, "--ray", address_of(ray_session), "--port", "0", "--quiet"]
    with (
        errors.open("w") as said,
        subprocess.Popen([*command, "--replicas", "2"], stdout=subprocess.PIPE, stderr=said) as server,
    ):
        try:
            assert server.stdout is not None
            place = server.stdout.readline().decode().split()[0]
            _until_ready(place, errors)
            found = json.loads(_get(f"{place}/api/v1/search?q=ferry+toll&as_of=2012"))
            expected = printed("search", "ferry toll", "--as-of", "2012", "--index", url)
            assert found["hits"] == expected["hits"]
            metrics = _get(f"{place}/metrics")
            processes = set(re.findall(r'asof_actor_manifest\{process="(\d+)"', metrics))
            assert len(processes) == 6  # two for each of three shards
            assert "asof_current_passages 60.0" in metrics
        finally:
            server.send_signal(signal.SIGTERM)
            assert server.wait(60) in (0, -signal.SIGTERM), errors.read_text()[-2000:]
    deadline = time.monotonic() + 20
    while any(map(_alive, processes)) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not any(map(_alive, processes))


def _get(address: str) -> str:
    with urllib.request.urlopen(address, timeout=30) as answer:  # noqa: S310
        return str(answer.read().decode())


def _until_ready(place: str, errors: Path) -> None:
    deadline = time.monotonic() + 60
    while True:
        try:
            _get(f"{place}/ready")
        except OSError:
            if time.monotonic() > deadline:
                raise AssertionError(errors.read_text()[-2000:]) from None
            time.sleep(0.2)
        else:
            return


def _alive(process: str) -> bool:
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return False
    return True
