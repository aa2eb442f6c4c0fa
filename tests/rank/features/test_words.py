"""Boosts by heading and by tag: each level, the cap, words inside a tag, off."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from asof.extensions.systems.linked_notes import Headings, Tags
from asof.rank.gather import Lexical, Pool, TopK
from asof.values import Document, Heading

Make = Callable[..., Any]
CODE = Headings(1.05, 1.03, 1.02)
"""The values of RAGtriever's code."""


def outlined(id_: str, *titles: str, words: str = "mill rope") -> Document:
    """A document whose words stand under headings of rising level."""
    lines = [f"{'#' * level} {title}" for level, title in enumerate(titles, 1)]
    text, outline = "", []
    for level, (line, title) in enumerate(zip(lines, titles, strict=True), 1):
        outline.append(Heading(len(text), level, title))
        text += line + "\n"
    return Document(id_, text + words, outline=tuple(outline))


def scores(results: Any) -> dict[str, float]:
    """The best passage of each document."""
    found: dict[str, float] = {}
    for hit in results.hits:
        found.setdefault(hit.document, hit.score)
    return found


def factors(run: Make, corpus: Any, question: str, stage: Any, **more: Any) -> dict[str, float]:
    """After and before; exactly their product must be the score."""
    before = scores(run(corpus, question, Lexical(), TopK(), **more))
    results = run(corpus, question, Lexical(), stage, TopK(), **more)
    pooled = run(corpus, question, Lexical(), Pool(), stage, TopK(), **more)
    assert [(hit.id, hit.score, hit.why) for hit in pooled.hits] == [
        (hit.id, hit.score, hit.why) for hit in results.hits
    ]
    for hit in results.hits:
        assert hit.score == hit.why.parts[0].value * hit.why.parts[1].value
    return {name: round(score / before[name], 12) for name, score in scores(results).items()}


# -- headings ----------------------------------------------------------------------------------------


def test_each_level(fresh: Make, run: Make) -> None:
    documents = [
        outlined("first", "Mill", "Rope", "Fog"), outlined("second", "Fog", "The mill", "Bread"),
        outlined("third", "Fog", "Rope", "A mill"), outlined("fourth", "Fog", "Rope", "Bread", "Mill"),
        outlined("none", "Fog", "Rope", "Bread"), Document("plain", "mill rope"),
        outlined("all", "Mill", "Mill", "Mill"),
    ]  # fmt: skip
    with fresh(*documents, chunking="whole") as whole:
        assert set(factors(run, whole, "mill", CODE).values()) == {1.0}, (
            "nothing stands over a whole document"
        )
    with fresh(*documents) as corpus:
        assert factors(run, corpus, "mill", CODE) == {
            "first": 1.05, "second": 1.03, "third": 1.02, "fourth": 1.0, "none": 1.0, "plain": 1.0,
            "all": 1.05,
        }  # fmt: skip
        assert factors(run, corpus, "mill", Headings(1.01, 1.5, 1.0)) == {
            "first": 1.01, "second": 1.5, "third": 1.0, "fourth": 1.0, "none": 1.0, "plain": 1.0, "all": 1.5,
        }  # fmt: skip
        assert factors(run, corpus, "mill", CODE, path="s*") == {"second": 1.03}


def test_stems_of_headings(fresh: Make, run: Make) -> None:
    with fresh(outlined("a", "Milling and mills"), stem=True) as corpus:
        assert factors(run, corpus, "mill", CODE) == {"a": 1.05}
    with fresh(outlined("a", "Milling and mills"), stem=False) as corpus:
        assert factors(run, corpus, "mill", CODE) == {"a": 1.0}


# -- tags --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tags", "question", "factor"),
    [
        (("machine-learning",), "machine learning", 1 + 0.03 * 1),
        (("machine_learning", "learning"), "learning", 1 + 0.03 * 2),
        (("island/machine",), "machine", 1 + 0.03 * 1),
        (("machinery",), "machine", 1.0),
        (("MACHINE",), "Machine", 1 + 0.03 * 1),
        (("machine-a", "machine-b", "machine-c"), "machine", 1 + 0.03 * 3),
        (("machine-a", "machine-b", "machine-c", "machine-d", "x"), "machine", 1 + 0.03 * 3),
        ((), "machine", 1.0),
    ],
)
def test_tags(fresh: Make, run: Make, document: Make, tags: Any, question: str, factor: float) -> None:
    with fresh(document("a", "machine learning", tags=tags)) as corpus:
        assert factors(run, corpus, question, Tags(0.03)) == {"a": pytest.approx(factor)}


def test_the_cap_of_tags(fresh: Make, run: Make, document: Make) -> None:
    with fresh(document("a", "mill", tags=("mill-a", "mill-b")), document("b", "mill")) as corpus:
        assert factors(run, corpus, "mill", Tags(1.0, cap=1)) == {"a": 1 + 1.0 * 1, "b": 1.0}
        assert factors(run, corpus, "mill", Tags(1.0, cap=2), tags=("mill-a",)) == {"a": 1 + 1.0 * 2}


# -- both --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("off", [Headings(), Tags(), Tags(0.0, 9)])
def test_off_changes_nothing(fresh: Make, run: Make, off: Any) -> None:
    with fresh(outlined("a", "Mill"), Document("b", "mill", tags=("mill",))) as corpus:
        before, after = (run(corpus, "mill", Lexical(), *more, TopK()) for more in ((), (off,)))
        assert [(h.id, h.score, h.why) for h in after.hits] == [(h.id, h.score, h.why) for h in before.hits]
        assert after.notes == before.notes


@pytest.mark.parametrize("stage", [CODE, Tags(0.03)])
def test_nothing_and_no_match(fresh: Make, run: Make, stage: Any) -> None:
    with fresh() as corpus:
        assert run(corpus, "mill", Lexical(), stage, TopK()).hits == ()
    with fresh(outlined("a", "Mill"), Document("b", "mill", tags=("mill",))) as corpus:
        assert run(corpus, "boat", Lexical(), stage, TopK()).hits == ()


def test_tags_are_those_of_the_version_in_force(fresh: Make, run: Make, document: Make) -> None:
    with fresh(document("a", "mill", "2001", tags=("fog",))) as corpus:
        corpus.add([document("a", "mill rope", "2003", tags=("mill",))])
        assert factors(run, corpus, "mill", Tags(0.5), as_of="2002") == {"a": 1.0}
        assert factors(run, corpus, "mill", Tags(0.5), as_of="2004") == {"a": 1.5}
