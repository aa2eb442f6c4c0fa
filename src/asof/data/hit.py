"""What a search returns: passages, where they stand, what supersedes them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from asof.data.sourced_time import SourcedTime, shortened
from asof.data.why import Why


@dataclass(frozen=True, slots=True)
class Superseded:
    """The later passage about the same subject that supersedes a hit, and since which instant."""

    at: int
    id: str
    document: str
    title: str


@dataclass(frozen=True, slots=True, repr=False)
class Hit:
    """A passage that was found. Instants are microseconds since 1970 (see `asof.time.span`).

    `id` is the document's id and a digest of what the passage says, so that it survives edits elsewhere in
    the document. `published` is None for an undated passage; `ended` is when it was removed, as far
    as is visible in the view (None while it is current). `place` is where it stands in the document.
    `superseded`: a later passage of the view states the same of the same subject (`asof.graph.succession`).
    """

    rank: int
    score: float
    id: str
    document: str
    title: str
    uri: str
    published: SourcedTime | None
    dated_by: str
    ended: int | None
    about: tuple[SourcedTime, ...]
    place: Location
    text: str
    explain: Callable[[], Why] = field(repr=False, compare=False)
    superseded: Superseded | None = None

    def __repr__(self) -> str:
        return (
            f"Hit({self.rank}, {self.score:.4g}, {self.document!r}, {self.published or 'undated'!s}, "
            f"{shortened(self.text)!r})"
        )

    @property
    def why(self) -> Why:
        """The tree whose root value is `score`."""
        return self.explain()


@dataclass(frozen=True, slots=True)
class Location:
    """Where a passage stands: its number in the document, its characters, its headings from the top."""

    number: int
    start: int
    end: int
    headings: tuple[str, ...] = ()
