"""Fakes for tests of answers: what answers by a script, and questions about mayors that say what is right."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from asof.values import Answer, Citation, QuestionUsage

SHOP: list[dict[str, Any]] = [
    {
        "id": "s1",
        "text": "The bakery sold 1,204 loaves in May. It rained.",
        "timestamp": "2001-06-01",
        "year": 1,
    },
    {
        "id": "s2",
        "text": "The bakery sold 1,310 loaves in June. It was hot.",
        "timestamp": "2001-07-01",
        "year": 1,
    },
    {
        "id": "s3",
        "text": "The bakery sold 990 loaves in July. Flour ran out.",
        "timestamp": "2002-08-01",
        "year": 2,
    },
]
ASKED: list[dict[str, Any]] = [
    {"id": "may", "text": "How many loaves in May?", "type": "one", "answer": "1,204 loaves", "hops": 1},
    {
        "id": "both",
        "text": "How many loaves in May and June?",
        "type": "two",
        "answer": ["1,204", "1,310"],
        "hops": 2,
    },
    {"id": "never", "text": "How many loaves in 1950?", "type": "one", "answer": "unanswerable", "hops": 1},
    {
        "id": "gone",
        "text": "How many cakes?",
        "type": "one",
        "answer": "some",
        "answerable": False,
        "hops": 2,
    },
    {"id": "free", "text": "Tell me about loaves", "type": "two"},
]
JUDGED = [("may", "s1", 1), ("both", "s1", 1), ("both", "s2", 1)]
EVIDENCE = [
    {"query_id": "may", "doc_id": "s1", "sentence": "The bakery sold 1,204 loaves in May."},
    {"query_id": "both", "doc_id": "s1", "sentence": "The bakery sold 1,204 loaves in May."},
    {"query_id": "both", "doc_id": "s2", "sentence": "The bakery sold 1,310 loaves in June."},
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
