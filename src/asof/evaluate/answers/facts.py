"""The facts of a corpus: they are read before questions are asked; what indexing and reading cost."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass

from asof.corpus.corpus import Corpus
from asof.data import KINDS, Document
from asof.evaluate.options import Progress, no_progress
from asof.index.view import View
from asof.knowledge.extraction import ExtractionReport
from asof.knowledge.hierarchy import touched
from asof.knowledge.indexer import learn
from asof.knowledge.visible_facts import StatedFact, facts_of_kind
from asof.models.metered import Usage


@dataclass(frozen=True, slots=True)
class IndexingCost:
    """What adding documents cost: the seconds of indexing and of reading facts, and the calls of a model.

    `facts`: how many were added. `periods`: the periods that added and removed facts lie in, with those above
    them; their reports have to be written anew.
    """

    documents: int
    index_seconds: float
    facts_seconds: float
    facts: int
    calls: int
    prompt_tokens: int
    reply_tokens: int
    periods: int


def read_facts(corpus: Corpus, progress: Progress = no_progress) -> ExtractionReport:
    """Read the facts of passages that the corpus's extractor has not read yet. Raises ModelError."""
    return learn(corpus, lambda done, of: progress("reading facts", done, of))


def add_and_read(
    corpus: Corpus, documents: Iterable[Document], progress: Progress = no_progress
) -> IndexingCost:
    """Add documents to a corpus and read their facts, without a background thread."""
    before = _current_facts(corpus)
    started = time.perf_counter()
    report = corpus.add(documents, progress=lambda done: progress("indexing", done.added, 0))
    corpus.tidy()
    indexed = time.perf_counter()
    usage = read_facts(corpus, progress).cost or Usage()
    finished = time.perf_counter()
    after = _current_facts(corpus)
    added = [after[key] for key in after if key not in before]
    removed = [before[key] for key in before if key not in after]
    return IndexingCost(
        report.added + report.changed, indexed - started, finished - indexed, len(added), usage.calls,
        usage.prompt_tokens, usage.reply_tokens, len(touched([*added, *removed])),
    )  # fmt: skip


def _current_facts(corpus: Corpus) -> dict[tuple[str, bytes, int], StatedFact]:
    """All current facts by document, passage and number."""
    facts = all_facts(corpus.at().view())
    return {(each.passage.document, each.passage.key, each.number): each for each in facts}


def all_facts(view: View) -> list[StatedFact]:
    """All facts of a view, in canonical order."""
    facts = [fact for kind in KINDS for fact in facts_of_kind(view, kind)]
    return sorted(facts, key=lambda fact: (fact.order, fact.passage.key))
