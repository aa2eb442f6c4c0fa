"""The scheme `arxiv:`, as the entry point names it."""

from __future__ import annotations

import re
from collections.abc import Collection

from asof.arguments import checked
from asof.arxiv.documents import document_id, full_id
from asof.arxiv.erasure import forgetting
from asof.arxiv.harvest_log import HarvestLog
from asof.arxiv.harvest_range import HarvestRange
from asof.arxiv.settings import ACCEPTED, MAX_PER_DAY, ArxivSettings
from asof.arxiv.source import Arxiv
from asof.arxiv.target import PREFIX, is_target, paper_id, read
from asof.errors import UsageError
from asof.sources.scheme import Erasure, SourceContext, SourceScheme
from asof.time.coerce import When, first_instant, last_instant


@checked
def open_arxiv(
    target: str,
    context: SourceContext,
    *,
    since: When | None = None,
    until: When | None = None,
    per_day: int | None = None,
    full: bool = False,
) -> Arxiv:
    """The source that `arxiv:cs.IR+cs.CL` or `arxiv:2401.13222` names; arXiv is asked when it is added.

    `since`, `until`: when papers of categories were submitted (default: since the last run, at first for a
    week; until now). `per_day`: only a day's newest. `full`: also the texts of the PDFs of papers that are
    named by their ids. A run that broke off goes on when it is opened with the same words.

    Raises SourceError for a target that names nothing at arXiv, UsageError for options that do not go with
    it, BadTime, and MissingExtra for `full` where PDFs cannot be read.
    """
    named, settings = read(target), ArxivSettings.read(context.settings)
    if full:
        from asof.sources.pdf import installed

        installed()
    if per_day is not None and not 0 <= per_day <= MAX_PER_DAY:
        raise UsageError(f"per day: {per_day} papers; accepted are 1 to {MAX_PER_DAY}, and 0 for all")
    if per_day is None:
        per_day = 0 if named.papers else settings.per_day
    fiscal = context.fields.fiscal_start
    window = HarvestRange(
        None if since is None else first_instant(since, context.now, fiscal),
        None if until is None else last_instant(until, context.now, fiscal),
        per_day,
        f"{since} to {until}",
    )
    log = _log(context, f"{named.name}, {per_day} a day")
    return Arxiv(named, window, context.now, settings, log, full=full)


def _log(context: SourceContext, name: str) -> HarvestLog | None:
    """Where it is kept how far a run came; None in a context without a folder: each run begins anew then."""
    if context.folder is None or context.stored is None:
        return None
    stored = context.stored

    def numbers(papers: Collection[str]) -> dict[str, Collection[int]]:
        stored_versions = stored([document_id(each) for each in papers])
        return {name.removeprefix(PREFIX): versions for name, versions in stored_versions.items()}

    return HarvestLog(context.folder, name, numbers)


def paper_of(document: str) -> str:
    """The id of the paper that a document is of, "" if it is of none."""
    paper = paper_id(document[len(PREFIX) :].removesuffix("/full")) if is_target(document) else None
    return "" if paper is None or paper.version else paper.id


def _group(document: str) -> tuple[str, ...]:
    """The abstract and the full text of a paper."""
    paper = paper_of(document)
    return (document_id(paper), document_id(full_id(paper))) if paper else ()


def _rename(source: str, document: str) -> str:
    """`arxiv:2401.00001v1+2401.00002` without 2401.00001 is `arxiv:2401.00002`."""
    named, paper = source.partition(":")[2].split("+"), paper_of(document)
    left = [each for each in named if re.sub(r"v[0-9]+\Z", "", each) != paper]
    return PREFIX + "+".join(left) if left else ""


def _unknown_categories(target: str) -> list[str]:
    """Lines about categories that are not listed here, which may be new ones."""
    from asof.arxiv.question import table

    return [
        f"{each} is no category that is known here; arXiv is asked for it all the same"
        for each in read(target).categories
        if each not in table().titles and not each.endswith(".*")
    ]


SCHEME = SourceScheme(
    open_arxiv,
    ACCEPTED,
    frozenset({"delay", "attempts", "timeout", "patience", "per_day"}),
    ArxivSettings.read,
    Erasure(_group, lambda folder, document: forgetting(folder, paper_of(document)), _rename, lasting=True),
    _unknown_categories,
    ArxivSettings,
)
