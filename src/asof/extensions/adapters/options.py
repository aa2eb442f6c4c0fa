"""The options of a search that a retriever takes when it is made and, in place of these, with a question."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, TypedDict

from asof.errors import UsageError

if TYPE_CHECKING:
    from asof.rank.stage import Recipe
    from asof.time.moment import When


class SearchOptions(TypedDict, total=False):
    """Options of a search; None, or absent: not given.

    `k`: how many results. `as_of`, `known_at`: see `Corpus.at`. `since`, `until`, `recipe`, `unit`: see
    `Snapshot.search`. `where`: its other filters by their names, such as `{"tags": "harbour"}`.
    `explain`: whether each result has the tree of its score as `why`.
    """

    k: int | None
    as_of: When | None
    known_at: When | None
    since: When | None
    until: When | None
    recipe: str | Recipe | None
    unit: str | None
    where: Mapping[str, Any] | None
    explain: bool | None


NAMES = tuple(SearchOptions.__annotations__)

FILTERS = ("about", "source", "path", "tags", "meta")
"""What `where` may hold."""


def merged(options: Mapping[str, Any], overrides: Mapping[str, Any]) -> dict[str, Any]:
    """The options that are given, each replaced by the override of its name where that is given.

    Raises UsageError for an unknown name, and for a `where` that is no mapping of filters.
    """
    given = {
        name: value
        for each in (options, overrides)
        for name, value in each.items()
        if _known(name, NAMES, "option") and value is not None
    }
    where = given.get("where", {})
    if not isinstance(where, Mapping):
        raise UsageError(
            f"where is {where!r:.60}; accepted: a mapping of {', '.join(FILTERS)} to their values"
        )
    for name in where:
        _known(name, FILTERS, "filter")
    explain = given.get("explain", False)
    if not isinstance(explain, bool):
        raise UsageError(f"explain is {explain!r:.60}; accepted: True or False")
    return given


def _known(name: str, names: tuple[str, ...], what: str) -> bool:
    """True. Raises UsageError for a name that is not among these."""
    if name not in names:
        near = get_close_matches(str(name), names, 1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise UsageError(f"there is no {what} {str(name)!r:.60}; {hint}accepted: {', '.join(names)}")
    return True
