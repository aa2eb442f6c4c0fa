"""Facts made by hand, and sentences that state one each: for tests of periods, reports, summaries."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import asof
from asof.corpus.corpus import Corpus
from asof.documents import Document, SourcedTime
from asof.extensions.facts.extraction import extract_all
from asof.extensions.facts.store import EVENT, VALUE, Amount, Extraction, ExtractorInput, Fact
from asof.extensions.facts.visible import StatedFact
from asof.store.reader import VisiblePassage
from asof.time.moment import read
from asof.time.span import Span


def stated(
    when: str | Span | None, sentence: str = "Quay sold rope.", *, subject: str = "Quay",
    relation: str = "sold", object_: str = "", value: float | None = None, unit: str = "USD",
    kind: str = "", by: str = "text", document: str = "d", title: str = "", passage: int = 0,
    number: int = 0, published: int = 0,
) -> StatedFact:  # fmt: skip
    """A fact of that time, which this sentence is all of a passage for."""
    span = read(when) if isinstance(when, str) else when
    amount = None if value is None else Amount(value, unit)
    fact = Fact(
        subject, relation, object_ or ("rope" if value is None else f"${value}"),
        None if span is None else SourcedTime(span, str(when), by), 0, len(sentence),
        kind or (VALUE if amount else EVENT), amount,
    )  # fmt: skip
    sight = VisiblePassage(
        passage, document, document.encode(), title, "", sentence, 0, published, None, None
    )
    return StatedFact(fact, number, sight)


_SENTENCE = re.compile(r"(\w+) (\w+) (?:was )?(\$(\d+)|\w+) in ([\w-]+?)\.")


class Sentences:
    """An extractor: "Quay sold rope in 2024-Q1." is an event, "Quay revenue was $5 in 2024." a value."""

    name = "sentences-1"

    def extract(self, excerpts: Sequence[ExtractorInput]) -> Iterator[Extraction]:
        for excerpt in excerpts:
            facts = [
                Fact(
                    found[1], found[2], found[3], SourcedTime(read(found[5]), found[5], "text"),
                    *found.span(), VALUE if found[4] else EVENT,
                    Amount(float(found[4]), "USD") if found[4] else None,
                )
                for found in _SENTENCE.finditer(excerpt.text)
            ]  # fmt: skip
            yield Extraction(excerpt.passage, tuple(facts))


def corpus_of_texts(folder: Path, texts: Sequence[str], title: str = "", date: str = "2024-12-31") -> Corpus:
    """A corpus in a folder of these texts, each a document of that day, with their facts."""
    corpus = asof.open(folder)
    corpus.maintenance.background = False
    corpus.add([Document(f"d{number}", text, title, date) for number, text in enumerate(texts)])
    with closing(corpus.store.writer()) as db:
        extract_all(corpus.store, db, Sentences())
    return corpus
