"""A process that indexes when told to, in small batches, and says what was committed: to be killed.

    python killable_indexer.py DOCUMENTS_A_BATCH

Each line on standard input is `["folder", "source.jsonl"]`. A child is forked for it, which indexes the
source while another of its threads merges segments. Lines on standard output: `pid N`, then `committed N`
(documents) for each batch, then `ended N`; after one more line of input, `status N`.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import traceback

from asof import engine
from asof.corpus.corpus import open as open_corpus
from asof.store.run import IndexReport


def say(word: str, number: int) -> None:
    os.write(1, f"{word} {number}\n".encode())


def index(folder: str, source: str) -> None:
    done = threading.Event()
    with open_corpus(folder) as corpus:

        def merge() -> None:
            while not done.wait(0.002):
                corpus.tidy()

        def committed(report: IndexReport) -> None:
            say("committed", report.added + report.unchanged)

        merging = threading.Thread(target=merge)
        merging.start()
        try:
            corpus.add(source, progress=committed)
        finally:
            done.set()
            merging.join()


def main() -> None:
    engine.BATCH_DOCUMENTS = int(sys.argv[1])
    while line := sys.stdin.readline():
        child = os.fork()
        if not child:
            status = 1
            try:
                index(*json.loads(line))
                status = 0
            finally:
                if status:
                    traceback.print_exc()
                os._exit(status)
        say("pid", child)
        # the dead child keeps its pid until all have seen that it ended: no other process can be hit
        os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
        say("ended", child)
        sys.stdin.readline()
        say("status", os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


if __name__ == "__main__":
    main()
