"""What current documents say that rests on what is no longer so."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase

from asof.arguments import checked
from asof.corpus.snapshot import Snapshot
from asof.data.coerce import texts
from asof.errors import UsageError
from asof.index.view import View
from asof.stale.links import stale_links
from asof.stale.passed import passed_times
from asof.stale.values import STALE_KINDS, Stale
from asof.time.coerce import When


@checked
def find_stale(
    then: Snapshot, paths: str | Iterable[str] = (), *, since: When | None = None,
    kinds: str | Iterable[str] = (),
) -> tuple[Stale, ...]:  # fmt: skip
    """What current passages say that rests on what is no longer so, worst first.

    `paths`: only in documents whose id is one of these, lies below one, or matches a glob. `since`: only what
    became stale from the first instant of that time on. `kinds`: only these of
    `asof.stale.values.STALE_KINDS`. Raises UsageError, BeforeHorizon.
    """
    wanted, below = texts(kinds, "kinds"), texts(paths, "paths")
    if unknown := [kind for kind in wanted if kind not in STALE_KINDS]:
        raise UsageError(f"kind is {unknown[0]!r}; accepted: {', '.join(STALE_KINDS)}")
    begin = then.filters(since=since).since
    return tuple(
        each for each in then.use(stale)
        if (begin is None or each.cause >= begin) and (not wanted or each.kind in wanted)
        and (not below or any(lies_in(each.quote.document, path) for path in below))
    )  # fmt: skip


def stale(view: View) -> tuple[Stale, ...]:
    """All stale sentences of the current passages of a view, worst first, each once in a document."""
    found = [*stale_links(view), *passed_times(view)]
    best_last = sorted(found, key=order, reverse=True)
    once = {(each.quote.document, each.quote.text): each for each in best_last}
    return tuple(sorted(once.values(), key=order))


def order(each: Stale) -> tuple[float, int, str, int, str]:
    """By score, then the latest cause, then by place: the same whatever else is in the corpus."""
    return -each.score, -each.cause, each.quote.document, each.quote.start, each.id


def lies_in(document: str, path: str) -> bool:
    """Whether the id of a document is a path, lies below it, or matches it as a glob."""
    return document == path or document.startswith(path.rstrip("/") + "/") or fnmatchcase(document, path)
