"""A question as it was read, and what its hits must be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from asof.time.span import Span


@dataclass(frozen=True, slots=True)
class Filters:
    """What a hit must be; typed by the user, therefore hard. Empty means anything.

    `since` and `until` are instants and compare with `published`; an undated passage fails them. `about`, a
    first and a last instant, has to have some time in common with what a passage is about; where that is not
    known, `published` has to lie in it, and a passage that has neither fails.
    `source` is a source's name, `path` a glob over document ids, `tags` must all be there, `meta` maps a key
    to the value that it must have, as text. `any_tags` and `documents` (ids): one of them is enough; of
    `no_tags` none may be there.
    """

    since: int | None = None
    until: int | None = None
    about: tuple[int, int] | None = None
    source: str = ""
    path: str = ""
    tags: tuple[str, ...] = ()
    meta: tuple[tuple[str, str], ...] = ()
    any_tags: tuple[str, ...] = ()
    no_tags: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()

    @property
    def reversed(self) -> bool:
        """Whether `since` is after `until`: nothing lies between."""
        return self.since is not None and self.until is not None and self.since > self.until


@dataclass(frozen=True, slots=True)
class Query:
    """A question as it was read: its words for the index, its wishes about time. There is no clock in it.

    `lexical` is the text that the index is asked, without its stop words unless `stop_words`; `recency` in
    [0, 1] says how much newer is better. `about` are the times that the question speaks of: wishes, not
    filters. `stated`: whether who asks said as of when, and did not mean the present by saying nothing.
    `parts`: the sub-questions that a recipe of several searches goes by; () for a question that is one.
    """

    text: str
    lexical: str
    recency: float = 0.0
    filters: Filters = Filters()
    k: int = 10
    stop_words: bool = False
    about: tuple[Span, ...] = ()
    stated: bool = True
    parts: tuple[str, ...] = ()
