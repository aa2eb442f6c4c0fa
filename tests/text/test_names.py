"""Words of paths, and numbers in series: of documents and in questions."""

from __future__ import annotations

import pytest
from tests.support.growth import is_linear

from asof.text.names import MOST, document_words, is_label, labels
from asof.text.query import parse
from asof.text.tokens import Analyzer

ENGLISH = Analyzer()


@pytest.mark.parametrize(
    ("document", "title", "headings", "terms"),
    [
        ("peps/pep-0649.rst", "", "", "pep 0649 649 pep#649"),
        ("rfc792.txt", "ICMP", "", "rfc792 rfc#792"),
        ("adr/0003-use-kafka.md", "", "", "adr 0003 3 use kafka adr#3"),
        ("decisions/2/notes.md", "", "", "decis 2 note decis#2"),
        ("keps/sig-node/1287-resize/README.md", "", "", "kep sig node 1287 resiz readm kep#1287 node#1287"),
        ("minutes/2024-05-03.md", "", "", "minut 2024 05 5 03 3 minut#2024"),  # of a date, the year
        ("v1/roof.md", "", "", "v1 roof version#1"),
        ("1.2/roof.md", "", "", "1.2 roof version#1.2 version#1"),
        ("release-2.0.md", "", "", "releas 2.0 version#2.0 version#2"),
        ("session-07", "", "", "session#7"),  # an id that is no path has no words
        ("argo-cd@2.11@2.11.3", "", "", ""),
        ("x", "IPv6", "", ""),
        ("x", "PEP 649 vs PEP 0563", "", "pep#649 pep#563"),
        ("x", "Code", "Part 2\nArticle 16", "part#2 articl#16"),
        ("x", "Fares of May 2023", "In 2024", ""),
    ],
)
def test_the_terms_of_a_document(document: str, title: str, headings: str, terms: str) -> None:
    words = document_words(document, title, headings, ENGLISH.languages)
    assert sorted({ENGLISH.stem(word, "en") for word in words}) == sorted(terms.split())


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("PEP 649", "pep#649"),
        ("what does pep-0649 say", "pep#649"),
        ("pep649 or EIP 1559", "pep#649 eip#1559"),
        ("PEPs 563, 649 and 749", "peps#563 peps#649 peps#749"),
        ("fares of v1.2", ""),  # `tokenize` takes the v from a version with a dot
        ("fares of v1", "version#1"),
        ("release 1.2 or ver 2", "version#1.2 version#2"),
        ("Which PEPs replaced PEP 563?", ""),  # it asks for others of the series
        ("fares in 2023", ""),
        ("fares in May 2023", ""),
        ("the 3 mills", ""),
    ],
)
def test_the_labels_of_a_question(question: str, named: str) -> None:
    assert [word for word, _ in parse(question, ENGLISH).words if is_label(word)] == named.split()
    assert not any(is_label(word) for word, _ in parse(question, ENGLISH, stop_words=True).words)


def test_a_label_is_stemmed_by_its_series() -> None:
    assert ENGLISH.alternatives("peps#649") == ENGLISH.alternatives("pep#649") == ("pep#649",)
    assert [ENGLISH.stem(word, "en") for word in ("c#", "c++", "v2")] == ["c#", "c++", "v2"]


def test_hostile_names() -> None:
    assert is_linear(lambda n: list(labels(["1"] * n, ("en",), ["a"])), 5_000)
    assert len(list(document_words("a1/" * 10_000 + "x.md", "b 2 " * 10_000, "", ("en",)))) <= 2 * MOST
