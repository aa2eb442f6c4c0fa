"""All that is stale in a view, worst first."""

from __future__ import annotations

from collections.abc import Iterable
from fnmatch import fnmatchcase

from asof.index.view import View
from asof.stale.links import stale_links
from asof.stale.passed import passed_times
from asof.stale.values import Stale


def stale(view: View) -> tuple[Stale, ...]:
    """All stale sentences of the current passages of a view, worst first, each once in a document."""
    found = [*stale_links(view), *passed_times(view)]
    best_last = sorted(found, key=order, reverse=True)
    once = {(each.quote.document, each.quote.text): each for each in best_last}
    return tuple(sorted(once.values(), key=order))


def order(each: Stale) -> tuple[float, int, str, int, str]:
    """By score, then the latest cause, then by place: the same whatever else is in the corpus."""
    return -each.score, -each.cause, each.quote.document, each.quote.start, each.id


def of_paths(found: Iterable[Stale], paths: tuple[str, ...]) -> tuple[Stale, ...]:
    """Those in documents whose id is one of the paths, lies below one, or matches one as a glob."""
    if not paths:
        return tuple(found)
    return tuple(each for each in found if any(lies_in(each.quote.document, path) for path in paths))


def lies_in(document: str, path: str) -> bool:
    """Whether the id of a document is a path, lies below it, or matches it as a glob."""
    return document == path or document.startswith(path.rstrip("/") + "/") or fnmatchcase(document, path)
