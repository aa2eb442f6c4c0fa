"""Progress without a terminal, by a clock that is moved by hand."""

from __future__ import annotations

import threading

from asof.cli.terminal import ProgressLines, index_totals
from asof.store.run import IndexReport


class HandClock:
    """Seconds, set by hand."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_line_every_ten_seconds() -> None:
    written: list[str] = []
    clock = HandClock()
    lines = ProgressLines("notes", written.append, clock)
    for seconds, totals in [
        (9.9, ""),
        (10.1, ""),
        (15, "8 documents"),
        (20, "9 documents"),
        (31, "9 documents"),
    ]:
        clock.now = 100 + seconds
        lines.totals = totals or lines.totals
        lines.write_if_due()
    # written at 10.1; 9.9 s later it is 20: not yet; at 31
    assert written == ["notes: nothing yet, 10 s", "notes: 9 documents, 31 s"]


def test_the_totals_are_those_of_the_run() -> None:
    report = IndexReport(added=8_000, changed=190, unchanged=2, ended=3, passages=31_407)
    assert index_totals(report) == "8,192 documents, 31,407 new passages"


def test_lines_come_while_nothing_is_reported() -> None:
    """The thread writes while the one that works does not call."""
    come = threading.Event()
    with ProgressLines("notes", lambda _: come.set(), every=0.0):
        assert come.wait(60)
