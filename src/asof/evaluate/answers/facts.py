"""Facts are read before answers are asked for, in the corpus of a dataset as in any other; what it takes."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass

from asof.corpus.corpus import Corpus
from asof.data import KINDS, Document
from asof.evaluate.progress import Progress, silent
from asof.index.view import View
from asof.knowledge.hierarchy import touched
from asof.knowledge.known import StatedFact, facts_of_kind
from asof.knowledge.learning import LearningReport
from asof.models.metered import Usage


@dataclass(frozen=True, slots=True)
class Cost:
    """What it took to take documents in: seconds to index them and to read them for facts; the facts found;
    what a model was asked for that (0 by rules); and the `periods` that the facts that came or went lie in,
    with all above them: their reports are others now.
    """

    documents: int
    index_seconds: float
    facts_seconds: float
    facts: int
    calls: int
    prompt_tokens: int
    reply_tokens: int
    periods: int


def read_facts(corpus: Corpus, tell: Progress = silent) -> LearningReport:
    """Read for facts the passages that the corpus's extractor has not read yet. Raises ModelError."""
    return corpus.learn(lambda done, of: tell("reading facts", done, of))


def taken_in(corpus: Corpus, documents: Iterable[Document], tell: Progress = silent) -> Cost:
    """Add documents to a corpus and read them for facts, without a thread in the background."""
    was = _facts(corpus)
    began = time.perf_counter()
    report = corpus.add(documents, progress=lambda done: tell("indexing", done.added, 0))
    corpus.tidy()
    indexed = time.perf_counter()
    model = read_facts(corpus, tell).cost or Usage()
    over = time.perf_counter()
    now = _facts(corpus)
    came = [now[key] for key in now if key not in was]
    went = [was[key] for key in was if key not in now]
    return Cost(
        report.added + report.changed, indexed - began, over - indexed, len(came), model.calls,
        model.prompt_tokens, model.reply_tokens,        len(touched([*came, *went])),
    )  # fmt: skip


def _facts(corpus: Corpus) -> dict[tuple[str, bytes, int], StatedFact]:
    """All facts that are known now, by document, passage and number."""
    found = all_facts(corpus.at().view())
    return {(each.sight.document, each.sight.key, each.number): each for each in found}


def all_facts(view: View) -> list[StatedFact]:
    """All facts of a view, in canonical order."""
    found = [each for kind in KINDS for each in facts_of_kind(view, kind)]
    return sorted(found, key=lambda each: (each.order, each.sight.key))
