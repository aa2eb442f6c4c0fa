"""The real server with the example notes, and Debian's Chromium on it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest
from playwright.sync_api import ViewportSize, sync_playwright

CHROMIUM = os.environ.get("ASOF_CHROMIUM", "/usr/bin/chromium")
ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
REST = "\n".join(f"Plank {number} is of oak." for number in range(1, 13))
KIT = """---
date: 2021-03-04
tags: [money/boats, kit]
status: open
---
# Boat kit

## Inventory

- rope
  - hemp
  - nylon
- [x] anchor
- [ ] flag

| item | count |
|---|---|
| oars | 4 |
| [[The Mole\\|mole stones]] | 3 |

> Keep it dry.

```
kit --list
```

Bought at https://shop.example/boats?id=1. See [[The Mole]] and [[No such note]]. ![a drawing](pic.png)

### Care

Wash it with fresh water.
"""
SCRIPT = "<script>window.broken = 1</script><img src=x onerror='window.broken = 1'>"


@pytest.fixture(scope="session")
def served(tmp_path_factory):
    """The address of a server with the example notes as a vault, a document of several versions, a note full
    of scripts, one with a block of each kind, one that is far older than all others, and a plain folder."""
    root = tmp_path_factory.mktemp("page")
    shutil.copytree(str(files("asof") / "example" / "notes"), root / "notes")
    hostile = root / "notes" / "<b onclick=alert(1)>x.md"
    head = f'---\ntitle: "{SCRIPT}"\ndate: 2022-02-02\n---\n'
    hostile.write_text(f"{head}The scripted pier {SCRIPT} is closed.\n")
    (root / "notes" / ".obsidian").mkdir()
    (root / "notes" / "harbour" / "Boat kit.md").write_text(KIT)
    (root / "notes" / "Old chart.md").write_text("---\ndate: 2002-02-02\n---\nThe chart is old.\n")
    (root / "papers").mkdir()
    (root / "papers" / "Lease.md").write_text(
        "---\ndate: 2020-06-01\n---\n# Lease\n\nThe rent is 300 crowns.\n"
    )
    (root / "papers" / "Lease of 2022.md").write_text(
        "---\ndate: 2022-06-01\nsupersedes: Lease\n---\n# Lease of 2022\n\nThe rent is 320 crowns.\n"
    )
    (root / "papers" / "Flat.md").write_text("---\ndate: 2021-01-01\n---\nThe rent stands in [[Lease]].\n")
    lines = [
        json.dumps(
            {"id": "pier", "text": f"The pier is {length} metres long.\nIt is wet.\n{REST}", "date": date}
        )
        for date, length in (("2018-05-01", 10), ("2020-05-01", 20), ("2022-05-01", 30))
    ]
    (root / "pier.jsonl").write_text("\n".join(lines))
    environment = {**os.environ, "HOME": str(root)}
    asof = [sys.executable, "-m", "asof"]
    index = [*asof, "index", "notes", "papers", "pier.jsonl"]
    subprocess.run(index, cwd=root, env=environment, check=True, capture_output=True)
    with subprocess.Popen(
        [*asof, "serve", "--port", "0"], cwd=root, env=environment, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        yield process.stdout.readline().split(" ")[0]
        process.terminate()


@pytest.fixture
def keyed(tmp_path):
    """The address of a server that needs a key, and the key."""
    (tmp_path / "quay.md").write_text("The quay is long.")
    environment = {**os.environ, "HOME": str(tmp_path)}
    asof = [sys.executable, "-m", "asof"]
    subprocess.run(
        [*asof, "index", "quay.md"], cwd=tmp_path, env=environment, check=True, capture_output=True
    )
    add = [*asof, "key", "add", "page"]
    made = subprocess.run(add, cwd=tmp_path, env=environment, check=True, capture_output=True, text=True)
    with subprocess.Popen(
        [*asof, "serve", "--port", "0", "--need-key"], cwd=tmp_path, env=environment,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        yield process.stdout.readline().split(" ")[0], made.stdout.strip()
        process.terminate()


@pytest.fixture(scope="session")
def chromium():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture
def page(chromium, served):
    """A page that fails the test for an error in the console or a request to another host."""
    size = ViewportSize(width=1200, height=900)
    context = chromium.new_context(base_url=served, viewport=size, reduced_motion="reduce")
    opened, faults = context.new_page(), list[str]()

    def console(line):
        refused = line.location["url"].startswith(f"{served}/api/")  # 404 and 422 are answers, shown as such
        if line.type == "error" and not refused:
            faults.append(line.text)

    def request(one):
        if not one.url.startswith((served, "data:")):
            faults.append(one.url)

    opened.on("console", console)
    opened.on("pageerror", lambda error: faults.append(str(error)))
    opened.on("request", request)
    yield opened
    context.close()
    assert faults == []


@pytest.fixture(scope="session")
def axe():
    """The text of axe-core, for which `make browser` asks npm."""
    return Path(os.environ["ASOF_AXE"]).read_text()
