"""The API against its own description: no fault of the server, no reply that is not described."""

from __future__ import annotations

import subprocess
import sys

CHECKS = (
    "not_a_server_error", "status_code_conformance", "content_type_conformance",
    "response_headers_conformance", "response_schema_conformance", "unsupported_method",
)  # fmt: skip


def test_the_description_holds(served, tmp_path):
    options = ["--max-examples", "6", "--phases", "examples,coverage,fuzzing", "--seed", "1", "--no-color"]
    done = subprocess.run(
        [sys.executable, "-m", "schemathesis.cli", "run", f"{served}/api/v1/openapi.json", *options,
         "--checks", ",".join(CHECKS)],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout[-4000:]
