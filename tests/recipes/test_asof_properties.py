"""`asof` on random small corpora: trees, k, the order of arrival, segments, the future, names of subjects."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.guarantee.histories import merge_some

from asof.corpus.corpus import Corpus
from asof.documents import Document
from asof.recipes import ASOF
from asof.time.moment import read
from asof.wire import encode, replace

pytestmark = pytest.mark.slow

Make = Callable[..., Any]
TODAY = "2024-07-01"
TIGHT = replace(ASOF.replaced({"rerank_window.n": 10}), name="tight")
"""The same with a closer look at ten: small corpora have more."""

SUBJECTS = ("mill", "ferry", "rope", "harbour")
SAID = ("of 2021", "in May 2022", "has ended", "guide", "2.1", "v2", "leads", "new")
QUESTIONS = (
    "what is the current {0} {1}", "when did the {0} burn", "{0} of the {1} in 2021", "how to mend a {0}",
    "who leads the {0} of the {1}", "what is the latest {0} as of 2022", "who led the {0} as of March 2021",
    "{0} guide 2.1 and {1} guide in May 2022", "{1} last year", "what is the {0} now in 2023",
)  # fmt: skip


@dataclass(frozen=True)
class Said:
    """A version of a document: its number, its words and title (places in SUBJECTS and SAID), its date."""

    document: int
    words: tuple[int, ...]
    title: tuple[int, ...]
    date: str | None

    def made(self) -> Document:
        word = (*SUBJECTS, *SAID)
        # the number of the document ends its id: close in time they are a thread
        text, title = (" ".join(word[at] for at in places) for places in (self.words, self.title))
        return Document(f"note/{self.document}", text or "fog", title, self.date)


def alone(said: Said, others: Sequence[Said]) -> bool:
    """Whether a document has one version: of an undated edit only its arrival tells when it came."""
    return sum(other.document == said.document for other in others) == 1


PLACES = st.lists(st.integers(0, len(SUBJECTS) + len(SAID) - 1), max_size=5).map(tuple)
DATES = st.sampled_from(
    [None, "2021", "2021-03-04", "2022-05-06", "2023-01-01T10:00:10", "2023-01-01T10:01:10", "2025"]
)
CORPORA = st.lists(
    st.builds(Said, st.integers(0, 13), PLACES.filter(bool), PLACES, DATES), min_size=4, max_size=16,
    # the same words of a document under another date, told later, correct the date
    unique_by=(lambda said: (said.document, said.date), lambda said: (said.document, said.words, said.title)),
).map(lambda drawn: [said for said in drawn if said.date or alone(said, drawn)])  # fmt: skip
ASKED = st.builds(
    lambda question, subjects: question.format(*subjects),
    st.sampled_from(QUESTIONS), st.permutations(SUBJECTS),
)  # fmt: skip


def seen(corpus: Corpus, question: str, k: int = 99, recipe: Any = "asof", when: str = TODAY) -> list[Any]:
    """What is found, each with its tree, which gives the score again, bit for bit."""
    found = []
    for hit in corpus.at(when).search(question, k=k, recipe=recipe).hits:
        assert hit.why.value == hit.why.recomputed() == hit.score
        assert 0 <= hit.score <= 1
        found.append((hit.id, hit.score, hit.published, hit.text, encode(hit.why)))
    return found


@given(CORPORA, ASKED, st.integers(1, 12), st.sampled_from(["asof", TIGHT]))
def test_trees_k_order_and_segments(
    fresh_island: Make, drawn: list[Said], question: str, k: int, recipe: Any
) -> None:
    """Scores are what their trees say; the first do not depend on k; told at once or one by one backwards, in
    one segment or in many, the same is found."""
    with fresh_island([said.made() for said in drawn]) as corpus:
        whole = seen(corpus, question, recipe=recipe)
        assert [hit[1] for hit in whole] == sorted((hit[1] for hit in whole), reverse=True)
        assert seen(corpus, question, k, recipe) == whole[:k]
    with fresh_island([]) as corpus:
        for said in reversed(drawn):
            corpus.add([said.made()])
        assert seen(corpus, question, recipe=recipe) == whole
        merge_some(corpus, 0, 1_000)
        assert seen(corpus, question, recipe=recipe) == whole


NONSENSE = dict(zip(SUBJECTS, ("zorp", "quibble", "vlim", "drangle"), strict=True))


def renamed(text: str) -> str:
    return re.sub(r"\w+", lambda word: NONSENSE.get(word[0], word[0]), text)


@given(CORPORA, ASKED)
def test_no_rank_depends_on_what_is_spoken_of(fresh_island: Make, drawn: list[Said], question: str) -> None:
    """With other words for all subjects, in notes and questions, the same notes have the same scores."""
    documents = [said.made() for said in drawn]
    with fresh_island(documents) as corpus:
        before = [(hit[1], renamed(hit[3])) for hit in seen(corpus, question)]
    turned = [replace(each, text=renamed(each.text), title=renamed(each.title)) for each in documents]
    with fresh_island(turned) as corpus:
        after = [(hit[1], hit[3]) for hit in seen(corpus, renamed(question))]
    assert [text for _, text in after] == [text for _, text in before]
    assert [score for score, _ in after] == pytest.approx([score for score, _ in before], rel=0, abs=1e-12)


def documents(results: Any) -> list[str]:
    return [hit.document for hit in results.hits]


def notes(*said: tuple[str, str | None, str]) -> Sequence[Document]:
    return [Document(id_, text, published=day) for id_, day, text in said]


FARES = notes(
    ("old", "2021-01-10", "A ferry ticket costs four crowns."),
    ("new", "2023-01-09", "A ferry ticket costs five crowns."),
    ("later", "2025-01-09", "A ferry ticket costs six crowns."),
    ("none", None, "A ferry ticket is bought on board."),
)


def test_as_of_in_words_moves_the_view_and_never_past_the_moment_asked(fresh_island: Make) -> None:
    with fresh_island(FARES) as corpus:
        for words, expected in (("2022", {"old", "none"}), ("2023", {"old", "new", "none"})):
            found = corpus.at(TODAY).search(f"what is the latest ferry ticket as of {words}")
            assert set(documents(found)) == expected
            assert found.view.as_of == read(words).last
            assert any(note.startswith("read as of ") for note in found.notes)
        for words in ("2024", "2025", "2030-01-01"):
            found = corpus.at(TODAY).search(f"what is the latest ferry ticket as of {words}")
            assert found.view.as_of == read(TODAY).last
            assert set(documents(found)) == {"old", "new", "none"}, "what comes later is not visible"


def test_an_undated_statement_is_half_superseded(fresh_island: Make) -> None:
    """Of three that say the same, and one without a date."""
    same = notes(*((name, day, "The ferry ticket.") for name, day in (
        ("a", "2020-01-01"), ("b", "2022-01-01"), ("c", "2024-01-01"), ("none", None),
    )))  # fmt: skip
    with fresh_island(same) as corpus:
        scores = {hit.document: hit.score for hit in corpus.at(TODAY).search("current ferry ticket").hits}
        assert scores["c"] > scores["none"] > scores["b"] == scores["a"]
        plain = {hit.document: hit.score for hit in corpus.at(TODAY).search("how to buy a ferry ticket").hits}
        assert plain["c"] > plain["none"] > plain["b"] == plain["a"], "whatever is asked"
