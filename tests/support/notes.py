"""Notes in Markdown as documents, and what is stale of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from tests.support.corpora import new_corpus

from asof.corpus.corpus import Corpus
from asof.documents import Document, Ended, SourcedTime
from asof.extensions.facts.current import Stale
from asof.index.view import View
from asof.sources.markdown import parse_markdown
from asof.sources.source import InputLimits

Listing = Callable[[View], list[Stale]]

Told = tuple[str, str, str | None]
"""A date, the id of a note, and its text from then on; None where it was removed."""


def note(name: str, text: str, published: SourcedTime | str | None) -> Document:
    """A note as a folder of Markdown files gives it."""
    parsed = parse_markdown(text, name.rpartition("/")[2].removesuffix(".md"), InputLimits())
    return Document(
        name, parsed.text, parsed.title, published, links=parsed.links, aliases=parsed.aliases,
        outline=parsed.outline, meta=parsed.front,
    )  # fmt: skip


def tell(corpus: Corpus, told: Iterable[Told]) -> None:
    """Add what is told, each for itself."""
    for date, name, text in told:
        corpus.add([Ended(name, date) if text is None else note(name, text, date)])


def listed(listing: Listing, told: Sequence[Told], as_of: str) -> list[Stale]:
    """What a listing finds as of a date, by document and place; each tree gives its score again."""
    with new_corpus() as corpus:
        tell(corpus, told)
        found = corpus.at(as_of).use(listing)
    for each in found:
        assert each.why.recomputed() == each.why.value == each.score
        assert 0 < each.score <= 1
    return sorted(found, key=lambda each: (each.quote.document, each.quote.start))
