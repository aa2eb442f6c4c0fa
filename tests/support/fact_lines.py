"""Texts that say their facts outright, and the extractor that reads them: what tests of entities share.

A line of a text is a fact: `subject | relation | object | time`. An object that is a figure makes a value, or
a change if it begins with "up" or "down"; "also called" says that two names mean the same. Without a time it
is that of publication. A head with `company` and `ticker` says that these mean the same.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any

from tests.support.corpora import Clock, new_corpus

from asof.corpus.corpus import Corpus
from asof.documents import Document, SourcedTime
from asof.extensions.facts.extraction import extract_all
from asof.extensions.facts.store import CHANGE, EVENT, NAME, VALUE, Amount, Extraction, ExtractorInput, Fact
from asof.index.view import View
from asof.time.moment import read

CALLED = "also called"
_LINE = re.compile(r"^([^|\n]+) \| ([^|\n]+) \| ([^|\n]+?)(?: \| ([^|\n]+))?$", re.MULTILINE)
_FIGURE = re.compile(r"(up |down )?(\$)?([\d.,]+) ?(%|bp|million|billion|euros|stores)?")
_TIMES = {"million": 1e6, "billion": 1e9}
_UNITS = {"%": "%", "bp": "bp", "euros": "EUR", "stores": "stores"}


class Lines:
    """The extractor."""

    name = "lines-1"

    def extract(self, excerpts: Sequence[ExtractorInput]) -> Iterator[Extraction]:
        for excerpt in excerpts:
            yield Extraction(excerpt.passage, tuple(_facts(excerpt)))


def _facts(excerpt: ExtractorInput) -> Iterator[Fact]:
    company, ticker = excerpt.meta.get("company"), excerpt.meta.get("ticker")
    if excerpt.number == 0 and company and ticker:
        yield Fact(company, "ticker", ticker, None, 0, 0, NAME)
    for line in _LINE.finditer(excerpt.text):
        subject, relation, said, time = (part and part.strip() for part in line.groups())
        when = None
        if time is not None:
            when = SourcedTime(read(time), time, "text")
        elif excerpt.published is not None:
            when = SourcedTime(excerpt.published, "", "published")
        kind, amount = _figure(said)
        if relation == CALLED:
            kind = NAME
        yield Fact(subject, relation, said, when, line.start(), line.end(), kind, amount)


def _figure(said: str) -> tuple[str, Amount | None]:
    found = _FIGURE.fullmatch(said)
    if found is None:
        return EVENT, None
    way, dollars, number, unit = found.groups()
    value = float(number.replace(",", "")) * _TIMES.get(unit, 1.0)
    named = "USD" if dollars else _UNITS.get(unit, "")
    return (CHANGE if way else VALUE), Amount(-value if way == "down " else value, named)


def text(*lines: str) -> str:
    return "\n".join(lines)


def note(id_: str, date: str | None, *lines: str, **more: Any) -> Document:
    """A document with a fact in each line."""
    return Document(id_, text(*lines), published=date, **more)


def learn(corpus: Corpus) -> None:
    """Read what nothing has read yet."""
    with closing(corpus.store.writer()) as db:
        extract_all(corpus.store, db, Lines())


def add(corpus: Corpus, *documents: Document, at: str | None = None) -> None:
    """Add documents, at the beginning of a day by the corpus's clock, and read their facts."""
    if at is not None:
        corpus.session.clock.now = read(at).first  # type: ignore[attr-defined]
    corpus.add(list(documents))
    learn(corpus)


@contextmanager
def corpus_of(*documents: Document, now: str = "2025") -> Iterator[Corpus]:
    """A corpus in memory of these documents and their facts."""
    with new_corpus(clock=Clock.at(now), stem=False, undated="always") as corpus:
        if documents:
            add(corpus, *documents)
        yield corpus


def view(corpus: Corpus, as_of: str | None = None, known_at: str | None = None) -> View:
    return corpus.at(as_of, known_at).view()
