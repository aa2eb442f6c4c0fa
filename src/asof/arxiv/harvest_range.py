"""What a run over arXiv is asked for, and what it got."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class HarvestRange:
    """Which papers of the categories to fetch: instants between which they were submitted (None: since the
    last run, or a week ago; until now), and how many of a day's newest (0: all). `wording`: the words that
    the instants were read from; a run that broke off is gone on with when the same is asked again."""

    since: int | None = None
    until: int | None = None
    per_day: int = 0
    wording: str = ""

    @property
    def key(self) -> str:
        """What is equal when the same is asked again, even where "2 weeks ago" is another instant by then."""
        times = self.wording or f"{self.since} {self.until}"
        return f"{times}, {self.per_day} a day"


@dataclass(slots=True)
class Figures:
    """What a run asked for and got: requests, pages of results, versions that were stated, papers all of
    whose versions were known, pages that a run before had done, and full texts."""

    requests: int = 0
    pages: int = 0
    stated: int = 0
    known: int = 0
    resumed: int = 0
    texts: int = 0

    def summary(self) -> str:
        """A line for the user."""
        counts = [_counted(self.stated, "new version of papers", "new versions of papers")]
        if self.texts:
            counts.append(_counted(self.texts, "full text"))
        if self.known:
            counts.append(f"{self.known:,} paper{'s' * (self.known != 1)} known before")
        before = f" (and {self.resumed:,} by the run that broke off)" if self.resumed else ""
        cost = f"{_counted(self.pages, 'page')}{before}, {_counted(self.requests, 'request')}"
        return f"arXiv: {', '.join(counts)}; {cost}"


def _counted(count: int, one: str, more: str = "") -> str:
    return f"{count:,} {one if count == 1 else more or one + 's'}"
