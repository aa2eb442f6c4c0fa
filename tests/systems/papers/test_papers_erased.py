"""What questions about papers leave alone: what was erased; and what they call what they read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support.arxiv_server import Archive
from tests.support.pier_papers import PDFS, PIER, ask, names, opened, requests

from asof.corpus.corpus import Corpus

pytestmark = pytest.mark.slow


@pytest.fixture
def archive() -> Iterator[Archive]:
    with Archive(list(PIER), pdfs=dict(PDFS)) as there:
        yield there


@pytest.fixture
def corpus(archive: Archive, tmp_path: Path) -> Iterator[Corpus]:
    with opened(tmp_path, archive) as made:
        yield made


def test_all_that_questions_read_in_full_is_one_source(corpus):
    ask(corpus)
    ask(corpus, k=5, read=5)
    told = {name: count for name, _, count in corpus.status().sources}
    assert told == {"arxiv:cs.IR": 6, "arxiv: full texts": 5}
    found = corpus.at().search("spoon", source="arxiv: full texts").hits
    assert all(hit.document.endswith("/full") for hit in found)
    assert found


def test_a_paper_that_was_erased_is_not_found_again(archive, corpus):
    assert names(ask(corpus))[:3] == [1, 3, 2]
    corpus.purge("arxiv:2401.00003")
    requests(archive)
    found = ask(corpus)
    assert 3 not in names(found)
    assert not any("2401.00003" in each for each in requests(archive))
    assert found.notes == ()


def test_a_full_text_that_was_erased_is_not_read_again(archive, corpus):
    ask(corpus)
    corpus.purge("arxiv:2401.00003/full")
    requests(archive)
    found = ask(corpus)
    assert names(found)[:3] == [1, 3, 2]
    assert set(requests(archive)) == {"search"}
    assert found.notes == ()
    assert [each.place for each in found.statements if each.paper.endswith("3")] == ["abstract"]
    corpus.add("arxiv:2401.00003", full=True)  # who asks for it by its id gets it
    assert [each.place for each in ask(corpus).statements] == ["Page 2"] * 3
