"""A cluster of this machine alone is closed to everybody else, at whatever addresses Ray listens."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from cluster.support.ray_here import ROOT

import asof

SCRIPT = [sys.executable, "-m", "cluster.support.ray_alone"]


def test_strangers_are_refused_and_actors_listen_at_the_loopback_address(tmp_path: Path) -> None:
    with asof.open(tmp_path, shards=1) as made:
        made.add([{"id": "a", "text": "ferry"}])
    own = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    own["PYTHONPATH"] = os.pathsep.join([str(ROOT), str(ROOT / "src")])
    with subprocess.Popen(
        [*SCRIPT, str(tmp_path)], env=own, cwd=tmp_path, text=True,
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    ) as alone:  # fmt: skip
        assert alone.stdin is not None
        assert alone.stdout is not None
        told = json.loads(alone.stdout.readline())
        assert (told["actor"], told["found"]) == ("127.0.0.1", 1)
        joined = subprocess.run(
            [*SCRIPT, "--join", told["ray"]], env=own, cwd=tmp_path, text=True, check=True,
            capture_output=True,
        ).stdout  # fmt: skip
        alone.stdin.write("end\n")
        alone.stdin.flush()
        assert alone.wait(60) == 0
    assert joined.startswith("refused")
