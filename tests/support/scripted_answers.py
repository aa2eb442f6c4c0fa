"""Fakes for tests of answers: what answers by a script, and questions about mayors that say what is right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from asof.hits import Answer, Citation, QuestionUsage

SHOP: list[dict[str, Any]] = [
    {"id": id_, "text": text, "timestamp": day, "year": year}
    for id_, day, year, text in (
        ("s1", "2001-06-01", 1, "The bakery sold 1,204 loaves in May. It rained."),
        ("s2", "2001-07-01", 1, "The bakery sold 1,310 loaves in June. It was hot."),
        ("s3", "2002-08-01", 2, "The bakery sold 990 loaves in July. Flour ran out."),
    )
]
ASKED: list[dict[str, Any]] = [
    {"id": id_, "text": text, "type": kind, **more}
    for id_, kind, text, more in (
        ("may", "one", "How many loaves in May?", {"answer": "1,204 loaves", "hops": 1}),
        ("both", "two", "How many loaves in May and June?", {"answer": ["1,204", "1,310"], "hops": 2}),
        ("never", "one", "How many loaves in 1950?", {"answer": "unanswerable", "hops": 1}),
        ("gone", "one", "How many cakes?", {"answer": "some", "answerable": False, "hops": 2}),
        ("free", "two", "Tell me about loaves", {}),
    )
]
JUDGED = [("may", "s1", 1), ("both", "s1", 1), ("both", "s2", 1)]
MAY, JUNE = "The bakery sold 1,204 loaves in May.", "The bakery sold 1,310 loaves in June."
EVIDENCE = [
    {"query_id": question, "doc_id": document, "sentence": sentence}
    for question, document, sentence in (("may", "s1", MAY), ("both", "s1", MAY), ("both", "s2", JUNE))
]


def answer(text: str, *cited: tuple[str, str], cost: QuestionUsage | None = None) -> Answer:
    """An answer with citations (document, quote)."""
    citations = tuple(
        Citation(n, f"{document}#0", document, "", None, (), quote)
        for n, (document, quote) in enumerate(cited, 1)
    )
    return Answer("", text, False, "", "local", 0, 0, citations, cost=cost)


def refusal(reason: str = "nothing is said about it") -> Answer:
    return Answer("", f"No answer: {reason}", True, reason, "local", 0, 0, ())


@dataclass
class Script:
    """Stands where a snapshot would: answers by question, and remembers what it was asked."""

    answers: Mapping[str, Answer]
    asked: list[tuple[str, int, str]] = field(default_factory=list)

    def __call__(self, corpus, as_of, question, filters, recipe):
        self.asked.append((question, as_of, recipe.name))
        return self.answers.get(question, refusal())
