"""A batch that is killed in the middle: what was paid for is kept, and is not asked for again."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.openai_server import ModelServer, slow

import asof
from asof.values import Document

pytestmark = pytest.mark.slow

KEY = "sk-Tell-Nobody-42"
PROMPTS, THREADS = 30, 4

RUN = f"""
import sys
from pathlib import Path
from asof.models.metered import CachedModel
from asof.models.chat import LanguageModelConfig, language_from
from asof.models.metered import MeteredModel
from asof.models.ports import Prompt
from asof.store.calls import StoredCalls
from asof.store.store import Store

table = {{"url": sys.argv[2], "model": "mill-7b", "key_variable": "MILL_KEY", "concurrency": {THREADS}}}
chat = language_from(LanguageModelConfig.read(table), {{"MILL_KEY": "{KEY}"}})
with StoredCalls(Store.open(Path(sys.argv[1])), lambda: 42) as calls:
    model = MeteredModel(CachedModel(chat, calls))
    replies = model.complete([Prompt("", f"reply {{n}}", passages=(1,)) for n in range({PROMPTS})])
    assert [reply.text for reply in replies] == [f"reply {{n}}" for n in range({PROMPTS})]
    print(model.meter.calls, model.meter.cached)
"""


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(way=slow(0.04)) as there:
        yield there


def test_a_batch_that_is_killed(server: ModelServer, memory_folder: Path) -> None:
    with asof.open(memory_folder) as corpus:
        corpus.maintenance.background = False
        corpus.add([Document("ann", "Ann keeps the light.")])
        folder = corpus.store.folder
    command = [sys.executable, "-c", RUN, str(folder), server.url]
    killed = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    give_up = time.monotonic() + 60
    while server.answered < PROMPTS // 2 and killed.poll() is None and time.monotonic() < give_up:
        time.sleep(0.005)
    killed.send_signal(signal.SIGKILL)
    assert killed.wait() == -signal.SIGKILL
    while server.busy:  # what was under way is answered into the void
        time.sleep(0.005)
    before = server.answered
    assert PROMPTS // 2 <= before < PROMPTS

    server.way = None
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    calls, kept = map(int, done.stdout.split())
    assert len(server.prompts) == PROMPTS
    twice = [prompt for prompt, times in server.prompts.items() if times > 1]
    assert len(twice) <= 2 * THREADS  # under way, or answered and not yet taken from the queue
    assert calls == PROMPTS - kept
    assert server.answered == before + calls

    third = subprocess.run(command, capture_output=True, text=True, check=True)
    assert third.stdout.split() == ["0", str(PROMPTS)]
    assert server.answered == PROMPTS + len(twice)
    for file in folder.rglob("*"):
        assert not file.is_file() or KEY.encode() not in file.read_bytes()
