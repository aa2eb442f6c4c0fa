"""What is stale as commands list it, with the verdicts of a language model."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from asof.corpus.snapshot import Snapshot
from asof.corpus.stale_report import PlacedStale, StaleReport
from asof.data.verdict import Verdict
from asof.stale.suggested_edit import moved

if TYPE_CHECKING:
    from asof.models.metered import Usage


def judged_report(then: Snapshot, report: StaleReport) -> tuple[StaleReport, Usage]:
    """The report with verdicts, without what was judged to be unrelated, and what that took; see
    `Snapshot.judged_stale`. Lines of diffs are those of files where those of sentences are."""
    judged = then.judged_stale([each.stale for each in report.found])
    verdicts = {each.stale.id: each.verdict for each in judged.flags}
    found = tuple(
        replace(each, verdict=_in_file(then, each, verdicts[each.stale.id]))
        for each in report.found
        if each.stale.id in verdicts
    )
    return replace(report, found=found, notes=judged.notes), judged.cost


def _in_file(then: Snapshot, placed: PlacedStale, verdict: Verdict | None) -> Verdict | None:
    """A verdict whose diff has the lines of the file: what stands above the text in it is counted."""
    quote = placed.quote.quote
    if verdict is None or not verdict.diff or placed.quote.place.file is None:
        return verdict
    text = then.text(quote.document) or ""
    above = placed.quote.place.line - 1 - text.count("\n", 0, quote.start)
    return replace(verdict, diff=moved(verdict.diff, above))
