"""Evaluation of answers: reference answers, metrics, runs, costs.

Token F1 and ROUGE-L have the tokens of SQuAD's F1 (Rajpurkar et al. 2016) and of ROUGE (Lin 2004) in lower
case, but figures stay whole: a point or a comma between two digits does not end a token. Nothing is stemmed,
no word is left out.
"""

from __future__ import annotations

import json
import math
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from asof.answer.write import declines
from asof.config import Config
from asof.corpus.corpus import Corpus
from asof.documents import Document
from asof.errors import UsageError
from asof.extensions.facts.extraction import ExtractionReport
from asof.extensions.facts.indexer import precompute_facts
from asof.extensions.facts.model import ExtractionSettings
from asof.extensions.facts.store import KINDS
from asof.extensions.facts.visible import StatedFact, facts_of_kind
from asof.extensions.lab.datasets import Dataset, DatasetQuestion
from asof.extensions.lab.runs import (
    EvaluationOptions,
    Progress,
    Run,
    Runs,
    Scored,
    compared,
    filters,
    no_progress,
    questions_note,
    relevant,
    sample,
)
from asof.hits import Answer, Citation, QuestionUsage, Usage
from asof.index.view import View
from asof.models.ports import Model
from asof.queries import Filters
from asof.rank.stage import Recipe
from asof.wire import field_values, replace

# -- reference answers, and questions that the corpus cannot answer --------------------------------


UNANSWERABLE = "unanswerable"
ABSTRACT = "abstract"


@dataclass(frozen=True, slots=True)
class ReferenceAnswer:
    """A question with its reference answer. `answerable`: the corpus has the answer as of the question.
    `accepted`: its texts, of which one is enough where an answer is quoted."""

    question: DatasetQuestion
    text: str
    answerable: bool

    @property
    def accepted(self) -> tuple[str, ...]:
        answer = self.question.record.get("answer")
        parts = answer if isinstance(answer, list) else [answer]
        return tuple(filter(None, map(answer_text, parts)))


def reference_answers(dataset: Dataset) -> list[ReferenceAnswer]:
    """The questions with a reference answer, in order: `answer`, or `answerable` false.

    An answer of several parts is all of them. A question is unanswerable if its field `answerable` says so;
    without that field, if its answer is the word "unanswerable" or no relevant document was in the corpus
    when it is asked.
    """
    references = []
    for question in dataset.questions:
        text = answer_text(question.record.get("answer"))
        if text or question.record.get("answerable") is False:
            references.append(ReferenceAnswer(question, text, _is_answerable(question, text, dataset)))
    return references


def choose_references(
    dataset: Dataset, options: EvaluationOptions
) -> tuple[list[ReferenceAnswer], list[str]]:
    """The questions whose answers are evaluated, and notes on those that are left out. Raises UsageError if
    there is none."""
    references = reference_answers(dataset)
    count = len(dataset.questions)
    if not references:
        raise UsageError(
            f"none of the {count:,} questions in {', '.join(dataset.files)} has a reference "
            'answer; accepted: {"answer": "..."}, or {"answerable": false}'
        )
    notes = []
    if missing := count - len(references):
        notes.append(f"answers: {questions_note(missing, count)} no reference answer: left out")
    chosen = sampled(references, options)
    if len(chosen) < len(references):
        notes.append(
            f"answers: {len(chosen):,} of {len(references):,} questions, chosen by a hash of their ids"
        )
    return chosen, notes


def sampled(references: Sequence[ReferenceAnswer], options: EvaluationOptions) -> list[ReferenceAnswer]:
    """As many of them as are asked."""
    chosen = {each.id for each in sample([one.question for one in references], options.limit, options.seed)}
    return [each for each in references if each.question.id in chosen]


def is_abstract(question: DatasetQuestion) -> bool:
    """True if a question asks for an overview: its field `abstract` is true, or its type says so."""
    return question.record.get("abstract") is True or ABSTRACT in question.type.casefold()


def answer_text(answer: Any) -> str:
    """A reference answer as a text: parts are joined by commas; "" where there is none.

    >>> answer_text(["Ann", "Bob"]), answer_text(7), answer_text(None)
    ('Ann, Bob', '7', '')
    """
    if answer is None:
        return ""
    if isinstance(answer, str):
        return answer.strip()
    if isinstance(answer, Sequence):
        return ", ".join(text for text in map(answer_text, answer) if text)
    return json.dumps(answer, ensure_ascii=False)


def _is_answerable(question: DatasetQuestion, text: str, dataset: Dataset) -> bool:
    """True if the corpus has the answer as of the question; the rule is in `reference_answers`."""
    stated = question.record.get("answerable")
    if isinstance(stated, bool):
        return stated
    return text.casefold().strip(" .") != UNANSWERABLE and any(
        grade > 0 and _visible(document, dataset, dataset.as_of(question))
        for document, grade in relevant(question, dataset).items()
    )


def _visible(document: str, dataset: Dataset, moment: int) -> bool:
    if document not in dataset.dates:
        return False
    date = dataset.dates[document]
    return date is None or date <= moment


# -- token F1 and ROUGE-L --------------------------------------------------------------------------


_ARTICLES = ("a", "an", "the")
_TOKEN = re.compile(r"\w+(?:(?<=\d)[.,](?=\d)\w+)*")
_CITED = re.compile(r"\s*\[\d+(?:\s*,\s*\d+)*\]")


def words(text: str) -> list[str]:
    """The tokens of a text.

    >>> words("Up 5.1%, to $3.7 billion (Q1).")
    ['up', '5.1', 'to', '3.7', 'billion', 'q1']
    """
    return _TOKEN.findall(text.lower())


def uncited(text: str) -> str:
    """The text of an answer without the numbers of its citations.

    >>> uncited("It is 5% [1], or 6% [2, 3].")
    'It is 5%, or 6%.'
    """
    return _CITED.sub("", text)


def exact_match(answer: str, accepted: Iterable[str]) -> bool:
    """True if an answer is one of the accepted ones, but for case, signs and English articles (the exact
    match of SQuAD, Rajpurkar et al. 2016).

    >>> exact_match("The Harbour Master.", ["harbour master"]), exact_match("It is Ann", ["Ann"])
    (True, False)
    """
    return _plain(answer) in {_plain(each) for each in accepted}


def _plain(text: str) -> str:
    return " ".join(word for word in words(text) if word not in _ARTICLES)


def f1(answer: str, reference: str) -> float:
    """The harmonic mean of precision and recall of the tokens, each as often as it occurs (multisets).

    Two texts without a token are equal (1); one without a token shares nothing with another (0).
    """
    answer_words, reference_words = Counter(words(answer)), Counter(words(reference))
    return _harmonic((answer_words & reference_words).total(), answer_words.total(), reference_words.total())


def rouge_l(answer: str, reference: str) -> float:
    """ROUGE-L with beta 1: the harmonic mean of LCS / answer tokens and LCS / reference tokens."""
    answer_words, reference_words = words(answer), words(reference)
    return _harmonic(longest_common(answer_words, reference_words), len(answer_words), len(reference_words))


def _harmonic(common: int, answer: int, reference: int) -> float:
    """2PR / (P + R) for P = common / answer and R = common / reference: 2 common / (answer + reference)."""
    return 2 * common / (answer + reference) if answer + reference else 1.0


def longest_common(one: Sequence[str], other: Sequence[str]) -> int:
    """The length of the longest common subsequence (bit-parallel, Hyyrö 2004: a row is one integer)."""
    positions: dict[str, int] = {}
    for at, word in enumerate(one):
        positions[word] = positions.get(word, 0) | 1 << at
    all_ones = (1 << len(one)) - 1
    row = all_ones
    for word in other:
        matches = row & positions.get(word, 0)
        row = (row + matches | row - matches) & all_ones
    return len(one) - row.bit_count()


# -- metrics of an answer --------------------------------------------------------------------------


METRICS = (
    "answer@1", "answer@3", "refused_when_answerable", "answered_when_not", "evidence", "evidence_share",
    "exact_match", "f1", "rouge_l",
)  # fmt: skip
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
    `evidence_share`: the share that is.
    """
    values = dict.fromkeys(METRICS, math.nan)
    answered = not refuses(answer)
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
    """True if an answer is a refusal: it is marked as one, or says so in the words of TG-RAG's prompt."""
    return answer.refused or declines(answer.text)


def holds(quote: str, accepted: Iterable[str]) -> bool:
    """True if a quote holds an accepted answer: its words in their order, case and signs apart.

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
    """True if a quote contains a sentence, or is a part of it with MIN_QUOTED of its characters.

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


# -- facts, read before questions are asked; the cost of indexing ----------------------------------


@dataclass(frozen=True, slots=True)
class IndexingCost:
    """The cost of adding documents: the calls of a model that read their facts.

    `facts`: how many were added.
    """

    documents: int
    facts: int
    calls: int
    prompt_tokens: int
    reply_tokens: int


def read_facts(corpus: Corpus, progress: Progress = no_progress) -> ExtractionReport:
    """Read the facts of passages that the corpus's extractor has not read yet. Raises ModelError."""
    return precompute_facts(corpus, lambda done, of: progress("reading facts", done, of))


def add_and_read(
    corpus: Corpus, documents: Iterable[Document], progress: Progress = no_progress
) -> IndexingCost:
    """Add documents to a corpus and read their facts, without a background thread."""
    before = _current_facts(corpus)
    report = corpus.add(documents, progress=lambda done: progress("indexing", done.added, 0))
    corpus.tidy()
    usage = read_facts(corpus, progress).cost or Usage()
    facts = len(_current_facts(corpus) - before)
    return IndexingCost(
        report.added + report.changed, facts, usage.calls, usage.prompt_tokens, usage.reply_tokens
    )


def _current_facts(corpus: Corpus) -> set[tuple[str, bytes, int]]:
    """All current facts by document, passage and number."""
    facts = all_facts(corpus.at().view())
    return {(each.passage.document, each.passage.key, each.number) for each in facts}


def all_facts(view: View) -> list[StatedFact]:
    """All facts of a view, in canonical order."""
    facts = [fact for kind in KINDS for fact in facts_of_kind(view, kind)]
    return sorted(facts, key=lambda fact: (fact.order, fact.passage.key))


# -- the language model of asof.toml ---------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class EvaluationModels:
    """`config`: the configuration of asof.toml. `writes`: its [model], [facts] and [ask] hold for the corpus
    that is evaluated. `model`: a model in place of the configured one.
    """

    config: Config = field(default_factory=Config)
    writes: bool = False
    model: Model | None = None

    def check(self) -> None:
        """Raises UsageError if a model is needed and none is configured (Untrusted: none that is trusted)."""
        if self.writes and self.model is None and self.config.model is None:
            raise self.config.lacking("model", "--answers model: no language model is named")

    @property
    def writer(self) -> str:
        """A name for the model that writes and its settings, for the key of a cached corpus; "" for none."""
        if not self.writes:
            return ""
        model = self.model.name if self.model is not None else str(self.config.model)
        return f"{model} {ExtractionSettings.of(self.config.tables)}"

    def configure(self, corpus: Corpus) -> None:
        """Give a corpus the configuration of asof.toml, if the model writes."""
        if self.writes:
            own = self.config
            corpus.session.config = replace(
                corpus.config, model=own.model, tables=own.tables, asking=own.asking
            )
            corpus.models.model = self.model


NO_MODELS = EvaluationModels()


# -- runs ------------------------------------------------------------------------------------------


AnswerFunction = Callable[[Corpus, int, str, Filters, Recipe], Answer]
"""Answers a question of a corpus as of an instant."""


def ask_snapshot(corpus: Corpus, as_of: int, question: str, filters: Filters, recipe: Recipe) -> Answer:
    """The answer of the corpus as of an instant."""
    return corpus.snapshot(as_of, None).ask(question, filters=filters, recipe=recipe)


@dataclass(frozen=True, slots=True)
class EvaluatedAnswer(Scored):
    """An answer to a question."""

    reference: ReferenceAnswer
    answer: Answer


AnswerRun = Run[EvaluatedAnswer]


def total_cost(costs: Iterable[QuestionUsage | None]) -> dict[str, float] | None:
    """The sum of costs by field, unknown prices left out; None if there is no cost at all."""
    known = [field_values(cost.usage) for cost in costs if cost is not None]
    if not known:
        return None
    sums = {key: [cost[key] for cost in known if cost[key] is not None] for key in known[0]}
    return {key: math.fsum(values) for key, values in sums.items() if values}


def cost_of(run: AnswerRun) -> dict[str, float] | None:
    """The cost of models for all answers, summed by key; None if none was asked."""
    return total_cost(each.answer.cost for each in run.results)


def answer_all(
    name: str, recipe: Recipe, corpus: Corpus, dataset: Dataset, references: Iterable[ReferenceAnswer],
    filter_by: Sequence[str] = (), ask: AnswerFunction = ask_snapshot,
    advance: Callable[[], None] | None = None,
) -> AnswerRun:  # fmt: skip
    """Ask all questions, each as of its moment."""
    results = []
    for reference in references:
        question = reference.question
        hard = Filters(meta=tuple(filters(question, filter_by)))
        started = time.perf_counter()
        answer = ask(corpus, dataset.as_of(question), question.text, hard, recipe)
        latency = 1000 * (time.perf_counter() - started)
        values = scores(reference, answer, dataset.sentences.get(question.id, []))
        results.append(EvaluatedAnswer(values, latency, reference, answer))
        if advance is not None:
            advance()
    return Run(name, recipe, tuple(results))


# -- results of all runs ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class AnswerRuns(Runs[EvaluatedAnswer]):
    """Answers to the questions of `references`, by each recipe."""

    references: tuple[ReferenceAnswer, ...]


def compare_answers(
    runs: Sequence[AnswerRun], references: Sequence[ReferenceAnswer], seed: int
) -> AnswerRuns:
    """The runs with their comparisons."""
    questions = tuple(each.question for each in references)
    found = compared(questions, runs, METRICS, seed)
    return AnswerRuns(questions, tuple(runs), found, seed, tuple(references))
