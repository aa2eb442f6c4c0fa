"""Statements of papers: for each paper the sentence that covers most of a question, with its place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from asof.arxiv.documents import document_id
from asof.arxiv.full_texts import FULL, full_id
from asof.arxiv.target import PREFIX
from asof.corpus.snapshot import Snapshot
from asof.data import Filters, Hit
from asof.engine import Results
from asof.rank.candidates.gather import query_terms
from asof.rank.candidates.top_k import Everything, TopK
from asof.rank.features.latent import Similarity
from asof.rank.recipe import Recipe
from asof.text.sentences import sentences, shown
from asof.text.snippet import snippet
from asof.text.tokens import Analyzer, spans

PASSAGES = Recipe(
    "papers-passages",
    "the passages most similar to the question",
    (Everything(), Similarity("cosine"), TopK()),
    typed=True,
)
"""The recipe that ranks passages of papers."""

EXAMINED = 6
"""The number of passages of a paper, those most similar to the question, that are searched for the
sentence."""

SHORTEST = 20
"""Characters of a sentence that is quoted."""

BESIDE = 600
"""Characters before and after a passage in which a sentence of it may begin and end."""


@dataclass(frozen=True, slots=True)
class PaperStatement:
    """A sentence of a paper (the id of its document): at least a part of it is in the passage `hit`, of its
    abstract or its full text."""

    paper: str
    hit: Hit
    quote: str

    @property
    def place(self) -> str:
        """The place of the sentence: abstract, or the page."""
        if self.hit.document == self.paper:
            return "abstract"
        return self.hit.place.headings[-1] if self.hit.place.headings else FULL


Sources = Mapping[str, tuple[str, ...]]
"""For each paper (the id of its document) the ids of the documents that are searched."""


def full_text(paper: str) -> str:
    """The id of the full text of a paper, by that of its document.

    >>> full_text("arxiv:2401.13222")
    'arxiv:2401.13222/full'
    """
    return document_id(full_id(paper.removeprefix(PREFIX)))


def best_statements(then: Snapshot, topic: str, sources: Sources) -> tuple[PaperStatement, ...]:
    """The best statement of each paper about a topic, in order. Raises UsageError, BeforeHorizon,
    ModelError."""
    return tuple(_best(then, topic, *each) for each in sources.items())


def _best(then: Snapshot, topic: str, paper: str, documents: tuple[str, ...]) -> PaperStatement:
    filters = Filters(documents=documents)
    results = then.search(topic, EXAMINED, filters=filters, unit="passage", recipe=PASSAGES, rerank=False)
    analyzer = results.view.analyzer
    stems = {term.word for term in query_terms(replace(results.query, stop_words=False), analyzer)}
    texts = {name: then.text(name) or "" for name in {hit.document for hit in results.hits}}
    best: tuple[int, PaperStatement] | None = None
    for hit in results.hits:  # of equal shares the first, of the passage most similar
        language = analyzer.detect(hit.text)
        for quote in _quotable(hit, texts[hit.document]):
            share = len(_stems(quote, analyzer, language) & stems)
            if best is None or share > best[0]:
                best = share, PaperStatement(paper, hit, quote)
    return best[1] if best is not None and best[0] else _any(results, paper, stems)


def _any(results: Results, paper: str, words: set[str]) -> PaperStatement:
    """A snippet of the most similar passage, where no sentence has a word of the question."""
    hit, analyzer = results.hits[0], results.view.analyzer
    return PaperStatement(paper, hit, snippet(hit.text, words, analyzer, analyzer.detect(hit.text))[0])


def _quotable(hit: Hit, text: str) -> Iterator[str]:
    """The whole sentences of the document that overlap a passage and are more than a heading or the title of
    the paper."""
    title = " ".join(hit.title.split())
    first, last = hit.place.start, hit.place.end
    begin, stop = max(0, first - BESIDE), min(len(text), last + BESIDE)
    for start, end in sentences(text, begin, stop):
        cut = (start == begin > 0) or (end == stop < len(text))
        if cut or end <= first or start >= last or text[start:end].lstrip().startswith("#"):
            continue
        quote = shown(text[start:end])
        if title and quote.casefold().startswith(title.casefold()):
            quote = quote[len(title) :].lstrip(" .:")
        if len(quote) >= SHORTEST and quote[0].isupper() and quote.rstrip("”\"')]").endswith((".", "?", "!")):
            yield quote


def _stems(text: str, analyzer: Analyzer, language: str) -> set[str]:
    return {analyzer.stem(token, language) for _, _, tokens in spans(text) for token in tokens}
