"""Corpora for tests of answers: documents, and what is asked of them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import pytest
from tests.support.corpora import Clock

import asof
from asof.answer.question import ParsedQuestion
from asof.answer.statements import Statement, statements_of
from asof.corpus.corpus import Corpus
from asof.documents import Document
from asof.hits import Answer, Hit
from asof.index.view import View
from asof.store.schema import CorpusSettings


def doc(id_: str, date: str | None, text: str, title: str = "", **more: Any) -> Document:
    return Document(id_, text, title, date, **more)


@contextmanager
def corpus_with(
    folder: Any, *documents: Document, now: str = "2025", model: Any = None, toml: str = ""
) -> Iterator[Corpus]:
    """A corpus of these documents, told at once."""
    if toml:
        (folder / "asof.toml").write_text(toml, encoding="utf-8")
    settings = CorpusSettings(languages=("en", "de"), undated="always")
    with asof.open(folder, settings=settings, model=model) as corpus:
        corpus.session.clock = Clock.at(now)
        corpus.maintenance.background = False
        if documents:
            corpus.add(list(documents))
        yield corpus


def corpus_fixture(*documents: Document) -> Any:
    """A fixture of a module: a corpus of these documents, which no test changes."""

    @pytest.fixture(scope="module")
    def corpus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
        with corpus_with(tmp_path_factory.mktemp("corpus"), *documents) as made:
            yield made

    return corpus


def answered(folder: Any, question: str, *documents: Any, as_of: str | None = None, **options: Any) -> Answer:
    """What a new corpus of these documents answers."""
    with corpus_with(folder, *documents) as corpus:
        return corpus.at(as_of).ask(question, **options)


class Looked(NamedTuple):
    """What was found for a question, and the question taken apart."""

    view: View
    asked: ParsedQuestion
    hits: tuple[Hit, ...]
    said: list[Statement]


def looked(corpus: Corpus, question: str, as_of: str | None = None) -> Looked:
    """The way of a question until its cells are made, from all hits."""
    then = corpus.at(as_of)
    found = then.search(question, k=100)
    view = then.view()
    asked = ParsedQuestion.of(then.read(question))
    return Looked(view, asked, found.hits, statements_of(view, found.hits))
