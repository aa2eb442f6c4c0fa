"""What `asof papers` prints as JSON, beside the values of other modules."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated

from asof.extensions.systems.arxiv_question import PaperRequest
from asof.extensions.systems.judgements import JudgedRecord, JudgingReport
from asof.extensions.systems.papers import PaperAnswer, PaperStatement, WeightUpdate
from asof.hits import Answer, Hit, Usage
from asof.store.run import IndexReport
from asof.time.span import Instant
from asof.wire import FLAT, one_of

# -- recorded questions and their judgements -----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class RecordedQuery:
    """A recorded query."""

    id: Annotated[str, "names it; so does any beginning that no other has"]
    query: Annotated[str, "as it was asked"]
    as_of: Annotated[Instant, "the moment whose state of the documents was asked"]
    known_at: Annotated[Instant, "the moment whose knowledge of them was asked"]
    recorded_at: Instant
    shown: Annotated[int, "how many hits are kept of what was shown"]
    judged: Annotated[int, "how many of them have a grade"]

    @classmethod
    def of(cls, one: JudgedRecord) -> RecordedQuery:
        question = one.question
        return cls(
            question.id, question.text, question.as_of, question.known_at, question.added,
            len(question.shown), sum(map(bool, one.kinds)),
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class JudgedHit:
    """A hit that was shown, and its grade."""

    rank: int
    id: Annotated[str, "the passage"]
    document: Annotated[str, "its document"]
    score: float
    grade: Annotated[float | None, "that counts, 0 to 3; null: none"]
    by: Annotated[str, one_of("grade", "model", ""), 'who gave it; "": not judged']


@dataclass(frozen=True, slots=True)
class FeedbackResult:
    """A recorded query with its hits."""

    recorded: Annotated[RecordedQuery, FLAT]
    hits: tuple[JudgedHit, ...]
    judging: Annotated[JudgingReport | None, "with `--judge`; else null"]

    @classmethod
    def of(cls, one: JudgedRecord, judging: JudgingReport | None) -> FeedbackResult:
        hits = tuple(
            JudgedHit(hit.rank, hit.hit, hit.document, hit.score, grade, kind)
            for hit, grade, kind in zip(one.question.shown, one.grades, one.kinds, strict=True)
        )  # fmt: skip
        return cls(RecordedQuery.of(one), hits, judging)


@dataclass(frozen=True, slots=True)
class RecordedQueries:
    """The recorded queries."""

    queries: Annotated[tuple[RecordedQuery, ...], "oldest first"]

    @classmethod
    def of(cls, records: Iterable[JudgedRecord]) -> RecordedQueries:
        return cls(tuple(map(RecordedQuery.of, records)))


# -- papers --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FetchedPapers:
    """The papers fetched; null: nothing was asked for, or arXiv could not be reached (see `notes`)."""

    abstracts: IndexReport | None
    full_texts: IndexReport | None


@dataclass(frozen=True, slots=True)
class PaperQuote:
    """A sentence of a paper that was read."""

    paper: Annotated[str, "the document of its abstract"]
    document: Annotated[str, "where the sentence stands: its abstract or its full text"]
    id: Annotated[str, "the passage"]
    section: Annotated[str, "`abstract`, or the page"]
    uri: str
    quote: str

    @classmethod
    def of(cls, one: PaperStatement) -> PaperQuote:
        return cls(one.paper, one.hit.document, one.hit.id, one.place, one.hit.uri, one.quote)


@dataclass(frozen=True, slots=True)
class PapersResult:
    """An answer from new papers of arXiv."""

    question: Annotated[str, "as it was asked"]
    request: PaperRequest
    as_of: Annotated[Instant, "the moment whose state of the documents was asked"]
    known_at: Annotated[Instant, "the moment whose knowledge of them was asked"]
    fetched: FetchedPapers
    papers: Annotated[tuple[Hit, ...], "best first, each with `why`"]
    quotes: Annotated[tuple[PaperQuote, ...], "of the papers that were read"]
    answer: Annotated[Answer | None, "null: there is no paper, or the model failed"]
    learning: WeightUpdate
    recorded: Annotated[str | None, "the id for `asof papers --feedback`; null: it is not recorded"]
    judging: Annotated[JudgingReport | None, "with `--judge`; else null"]
    cost: Annotated[Usage | None, "of all calls of the model for this question; null: no model"]
    incomplete: Annotated[bool, "whether arXiv did not give all that was asked"]
    notes: tuple[str, ...]

    @classmethod
    def of(cls, outcome: PaperAnswer) -> PapersResult:
        results = outcome.results
        return cls(
            outcome.request.question, outcome.parsed, results.view.as_of, results.view.known_at,
            FetchedPapers(outcome.fetched, outcome.texts), results.hits,
            tuple(map(PaperQuote.of, outcome.statements)), outcome.answer, outcome.learned,
            outcome.recorded or None, outcome.judging, outcome.cost, outcome.incomplete,
            (*outcome.notes, *results.notes),
        )  # fmt: skip
