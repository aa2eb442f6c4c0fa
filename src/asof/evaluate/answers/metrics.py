"""The metrics of an answer: refusals, quoted evidence, and words shared with the reference answer."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

from asof.answer.refusal import declines
from asof.data import Answer, Citation
from asof.evaluate.answers.reference import ReferenceAnswer
from asof.evaluate.answers.word_overlap import exact_match, f1, rouge_l, uncited
from asof.text.budget import tokens

METRICS = (
    "answer@1", "answer@3", "refused_when_answerable", "answered_when_not", "evidence", "evidence_share",
    "quotes", "quote_tokens", "exact_match", "f1", "rouge_l",
)  # fmt: skip
JUDGED = ("correct", "refusal", "incorrect")
"""The metrics that a language model as judge adds."""

ALL = (*METRICS, *JUDGED)
COMPARED = tuple(metric for metric in ALL if metric not in ("quotes", "quote_tokens"))
"""The metrics by which recipes are compared."""

QUOTED = 300
"""The characters of a quote in which an accepted answer has to stand."""

MIN_QUOTED = 0.8
"""A quote inside a sentence counts as the sentence if it has at least this share of its characters."""


def scores(
    reference: ReferenceAnswer, answer: Answer, sentences: Sequence[tuple[str, str]]
) -> dict[str, float]:
    """The metrics of an answer; NaN where one does not apply.

    Answerable questions have `refused_when_answerable`, the others `answered_when_not`. Of the answerable
    ones, `answer@1`: an accepted answer stands in the first quote; `answer@3`: in one of the first three;
    `exact_match`: the answer is an accepted one; `f1` and `rouge_l`: words shared with the reference text. A
    refusal gets 0 in all of them. `evidence`: one of the `sentences` (document, sentence) is quoted;
    `evidence_share`: the share that is. `quotes` and `quote_tokens`: how many quotes an answer has, refusals
    left out.
    """
    values = dict.fromkeys(ALL, math.nan)
    answered = not refuses(answer)
    if answered:
        values["quotes"] = float(len(answer.citations))
        values["quote_tokens"] = float(sum(tokens(each.quote) for each in answer.citations))
    if not reference.answerable:
        return {**values, "answered_when_not": float(answered)}
    values["refused_when_answerable"] = float(not answered)
    if reference.text:
        text = uncited(answer.text)
        values["exact_match"] = float(answered and exact_match(text, reference.accepted))
        values["f1"] = f1(text, reference.text) if answered else 0.0
        values["rouge_l"] = rouge_l(text, reference.text) if answered else 0.0
        for count in (1, 3):
            quotes = [each.quote[:QUOTED] for each in answer.citations[:count]] if answered else []
            values[f"answer@{count}"] = float(any(holds(quote, reference.accepted) for quote in quotes))
    if sentences:
        share = evidence_share(answer.citations, sentences) if answered else 0.0
        values["evidence"], values["evidence_share"] = float(share > 0), share
    return values


def refuses(answer: Answer) -> bool:
    """Whether an answer is a refusal: it is marked as one, or says so in the words of TG-RAG's prompt."""
    return answer.refused or declines(answer.text)


def holds(quote: str, accepted: Iterable[str]) -> bool:
    """Whether a quote holds an accepted answer: its words in their order, case and signs apart.

    >>> holds("The “Otter-Mills” depot.", ["otter mills"]), holds("In 2021.", ["202"])
    (True, False)
    """
    words = f" {' '.join(_WORD.findall(quote.casefold()))} "
    return any(f" {' '.join(_WORD.findall(answer.casefold()))} " in words for answer in accepted)


_WORD = re.compile(r"\w+")


def evidence_share(citations: Iterable[Citation], sentences: Sequence[tuple[str, str]]) -> float:
    """The share of the sentences (document, sentence) that a citation of their document quotes."""
    cited = [(each.document, each.quote) for each in citations]
    quoted = sum(
        any(name == document and quotes_sentence(quote, sentence) for name, quote in cited)
        for document, sentence in sentences
    )
    return quoted / len(sentences)


def quotes_sentence(quote: str, sentence: str) -> bool:
    """Whether a quote contains a sentence, or is a part of it with MIN_QUOTED of its characters.

    White space and case do not count.

    >>> quotes_sentence("He said:  The fare IS two euros. Then", "The fare is two euros.")
    True
    >>> quotes_sentence("fare is two", "The fare is two euros.")
    False
    """
    quoted, expected = (" ".join(text.split()).casefold() for text in (quote, sentence))
    if not expected:
        return False
    return expected in quoted or (quoted in expected and len(quoted) >= MIN_QUOTED * len(expected))
