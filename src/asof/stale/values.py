"""What a current passage says that rests on what is no longer so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import blake2b

from asof.data.why import Why

QUOTED, LINK, PASSED = "quote", "link", "time"
STALE_KINDS = (QUOTED, LINK, PASSED)
"""Why a sentence is stale: it embeds a passage that was edited since; it links to what is gone, was renamed
or was edited since; it speaks of a time to come that has passed."""


@dataclass(frozen=True, slots=True)
class Quote:
    """A sentence of a current passage, as it is written.

    `passage` is the id of the hit that it stands in, `start` and `end` its characters in the text of the
    document. `since` is the instant since which the document says it without a break, and `dated` whether
    that is a date of publication (else it is when the corpus learned it).
    """

    document: str
    title: str
    passage: str
    text: str
    start: int
    end: int
    since: int
    dated: bool = True


@dataclass(frozen=True, slots=True)
class Stale:
    """A sentence that is stale: `quote`, and `by`, the first sentence of what it links to or embeds, where
    that is there.

    `kind` is one of STALE_KINDS. `score` in (0, 1] orders them; `why` is the tree of it. `cause` is the
    instant since which it is stale. `change` says in one sentence what changed.
    """

    kind: str
    score: float
    quote: Quote
    by: Quote | None
    cause: int
    change: str
    explain: Callable[[], Why] = field(repr=False, compare=False)

    @property
    def id(self) -> str:
        """A name for the two sentences: it is another one as soon as either is edited."""
        other = (self.by.document, self.by.text) if self.by else ()
        parts = (self.kind, self.quote.document, self.quote.text, *other)
        digest = blake2b(digest_size=6)
        for part in parts:
            data = part.encode("utf-8", "surrogatepass")
            digest.update(b"%d:" % len(data) + data)
        return digest.hexdigest()

    @property
    def why(self) -> Why:
        """The tree whose root value is `score`."""
        return self.explain()
