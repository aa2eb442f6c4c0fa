"""The metrics of an answer: refusals, quoted evidence, and words shared with the reference answer."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from asof.data import Answer, Citation
from asof.evaluate.answers.reference import ReferenceAnswer
from asof.evaluate.answers.word_overlap import f1, rouge_l, uncited
from asof.text.budget import tokens

METRICS = (
    "attempted", "refused", "evidence", "evidence_share", "quotes", "quote_tokens", "f1", "rouge_l",
)  # fmt: skip
JUDGED = ("correct", "refusal", "incorrect")
"""The metrics that a language model as judge adds."""

ALL = (*METRICS, *JUDGED)
COMPARED = ("attempted", "refused", "evidence", "evidence_share", "f1", "rouge_l", *JUDGED)
"""The metrics by which recipes are compared."""

MIN_QUOTED = 0.8
"""A quote inside a sentence counts as the sentence if it has at least this share of its characters."""


def scores(
    reference: ReferenceAnswer, answer: Answer, sentences: Sequence[tuple[str, str]]
) -> dict[str, float]:
    """The metrics of an answer; NaN where one does not apply.

    Answerable questions have `attempted`, `f1` and `rouge_l` (a refusal gets 0 in all), the others `refused`;
    the overlap of words needs a reference text. `evidence`: one of the `sentences` (document, sentence) is
    quoted; `evidence_share`: the share that is. `quotes` and `quote_tokens`: how many quotes an answer has,
    refusals left out.
    """
    values = dict.fromkeys(ALL, math.nan)
    attempted = not answer.refused
    if attempted:
        values["quotes"] = float(len(answer.citations))
        values["quote_tokens"] = float(sum(tokens(each.quote) for each in answer.citations))
    if not reference.answerable:
        return {**values, "refused": float(answer.refused)}
    values["attempted"] = float(attempted)
    if reference.text:
        text = uncited(answer.text)
        values["f1"] = f1(text, reference.text) if attempted else 0.0
        values["rouge_l"] = rouge_l(text, reference.text) if attempted else 0.0
    if sentences:
        share = evidence_share(answer.citations, sentences) if attempted else 0.0
        values["evidence"], values["evidence_share"] = float(share > 0), share
    return values


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
