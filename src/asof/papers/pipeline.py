"""A question about papers: fetch what is new, rank it, read the first in full, answer, record, learn.

Adaptive RAG for arXiv, its README: the ranking of section 1 (recipe `papers`), the loss and the stages of
sections 2 and 3 (`asof.learn`), pages of 100 and the newest of each day (`asof.arxiv`), passages of
400 characters. It uses its own similarity as relevance; here weights are learned from judgements only.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import chain
from typing import TYPE_CHECKING

from asof.arxiv.full_texts import FULL
from asof.arxiv.question import DEFAULT_PAPERS, PaperRequest, by_model, by_rules
from asof.arxiv.scheme import open_arxiv
from asof.arxiv.target import PREFIX
from asof.corpus.corpus import Corpus
from asof.corpus.feedback import NO_JUDGE, FeedbackLog
from asof.corpus.models import ModelProvider
from asof.corpus.snapshot import Snapshot
from asof.data import Answer, Filters, Hit
from asof.engine import Results
from asof.errors import Busy, MissingExtra, ModelError, NoSpace, SourceError, UsageError
from asof.models.ports import Prompt
from asof.papers.answer import PaperAnswer, PaperQuestion
from asof.papers.request import LONGEST, complete_request, expanded, topic_of
from asof.papers.statements import PASSAGES, Sources, best_statements, full_text
from asof.papers.weights import learner
from asof.rank.recipe import Recipe
from asof.recipes import by_document
from asof.time.decay import DAY
from asof.time.span import moment, nearest_moment

if TYPE_CHECKING:
    from pydantic import BaseModel

    from asof.corpus.feedback import JudgingReport
    from asof.models.metered import MeteredModel, Usage
    from asof.store.run import IndexReport

SHOWN = 10
"""Papers that are shown where the question does not say how many."""

MOST_SHOWN = 100

NO_CALLS = "a budget bounds the calls of a language model, and none is named: see [model] in asof.toml"

AS_KNOWN_THEN = "as known then: nothing is fetched, and nothing is learned"

Progress = Callable[["IndexReport"], None]


def ask_papers(corpus: Corpus, request: PaperQuestion, progress: Progress | None = None) -> PaperAnswer:
    """Answer a question about papers. `progress` is called while papers are fetched.

    Raises UsageError, BeforeHorizon, DamagedState, ModelError; SourceError when arXiv cannot be reached and
    the corpus has no paper of these categories yet; Busy, NoSpace.
    """
    budget = corpus.config.asking.budget if request.budget is None else request.budget
    return _Round(corpus, request, progress, corpus.models.metered(budget)).outcome()


@dataclass(slots=True)
class _Round:
    """One question, from its reading to its record."""

    corpus: Corpus
    request: PaperQuestion
    progress: Progress | None
    models: ModelProvider
    notes: list[str] = field(default_factory=list)
    failed: str = ""

    def outcome(self) -> PaperAnswer:
        request = self.request
        if len(request.question) > LONGEST:
            length = len(request.question)
            raise UsageError(f"the question has {length:,} characters; accepted: up to {LONGEST:,}")
        if (request.k is not None and request.k < 1) or request.read < 0:
            raise UsageError(
                f"k is {request.k}, read is {request.read}: k from 1 on and read from 0 on are accepted"
            )
        if request.judge and not self.models.speaks:
            raise UsageError(NO_JUDGE)
        if request.budget is not None and not self.models.speaks:
            raise UsageError(NO_CALLS)
        then = replace(self.corpus.at(request.as_of, request.known_at), models=self.models)
        parsed = self._parsed(then)
        if request.known_at is not None:
            self.notes.append(AS_KNOWN_THEN)
        fetches = request.fetch and request.known_at is None
        fetched = self._fetched(parsed) if fetches else None
        adaptive, learned = learner(self.corpus, self._learned_by(then), self.notes)
        recipe = adaptive.chosen()
        topic = topic_of(then.read(request.question).query.lexical) or request.question
        ranked = self._ranked(then, parsed, recipe, topic)
        if self.failed and not ranked.hits:
            raise SourceError(self.failed)
        recorded, judging = self._recorded(ranked, recipe)
        first = ranked.hits[: request.read]
        texts = self._read(then, first) if first and fetches else None
        sources = self._sources(then, first)
        statements = best_statements(then, topic, sources)
        answer = self._answer(then, topic, sources)
        return PaperAnswer(
            request, parsed, ranked, statements, answer, learned, fetched, texts, recorded, judging,
            tuple(self.notes), bool(self.failed), self._cost(),
        )  # fmt: skip

    def _cost(self) -> Usage | None:
        """What all calls of the language model took; None where there is none."""
        meter = self.models.meter
        return meter.used if meter is not None and self.models.speaks else None

    def _learned_by(self, then: Snapshot) -> datetime | None:
        """The moment until which judgements count: None for now. Later judgements may be of papers that were
        published after the moment of the question, so they do not count there."""
        last = min(then.as_of, then.as_of if then.known_at is None else then.known_at)
        return None if last >= self.corpus.session.clock() or self._is_asked_now() else nearest_moment(last)

    def _is_asked_now(self) -> bool:
        return self.request.as_of is None and self.request.known_at is None

    # -- the request ------------------------------------------------------------------------------------

    def _parsed(self, then: Snapshot) -> PaperRequest:
        """The request parsed from the question, with the options that override it."""
        request = self.request
        with self.models.language() as model:
            read = (
                by_rules(request.question, nearest_moment(then.as_of))
                if model is None
                else self._by_model(model, then)
            )
        parsed = complete_request(request, read, then.as_of, self.corpus.config.fields.fiscal_start)
        self.notes += parsed.notes
        return parsed

    def _by_model(self, model: MeteredModel, then: Snapshot) -> PaperRequest:
        def ask(system: str, user: str, shape: type[BaseModel]) -> BaseModel:
            (reply,) = model.complete([Prompt(system, user, shape)])
            if reply.value is None:
                raise ModelError(reply.problem or "no reply")
            return reply.value

        return by_model(self.request.question, nearest_moment(then.as_of), ask)

    # -- arXiv ------------------------------------------------------------------------------------------

    def _fetched(self, parsed: PaperRequest) -> IndexReport | None:
        """The report on fetching these categories and days; None, with a note, when arXiv cannot be
        reached."""
        since = moment(parsed.since - parsed.since % DAY)  # the same words on one day are one window
        last = self.corpus.session.clock()
        until = None if parsed.until >= last - DAY else moment(parsed.until)
        try:
            return self.corpus.add(
                parsed.target, since=since, until=until, per_day=self.request.per_day, progress=self.progress
            )
        except SourceError as error:
            self.failed = str(error)
            self.notes.append(f"not all papers were fetched, those in the corpus are used: {error}")
            return None

    def _read(self, then: Snapshot, hits: tuple[Hit, ...]) -> IndexReport | None:
        """The report on fetching the full texts of these papers, in their versions; None where all are
        here."""
        here = self._texts(then, hits)
        missing = [version for version in map(_version, hits) if version not in here]
        if not missing:
            return None
        try:
            context = self.corpus.source_context("arxiv")
            source = open_arxiv(PREFIX + "+".join(missing), context, full=True)
            return self.corpus.add(replace(source, reading=True), progress=self.progress)
        except (SourceError, MissingExtra) as error:
            self.failed = str(error)
            self.notes.append(f"not all papers were read in full, the texts in the corpus are used: {error}")
            return None

    def _texts(self, then: Snapshot, hits: tuple[Hit, ...]) -> set[str]:
        """The versions whose full texts are in the corpus."""
        names = [full_text(hit.document) for hit in hits]
        filters = Filters(documents=tuple(names))
        results = then.search("text", len(names), filters=filters, recipe=by_document(PASSAGES), rerank=False)
        return set(map(_version, results.hits))

    def _sources(self, then: Snapshot, hits: tuple[Hit, ...]) -> Sources:
        """The documents of each paper: its abstract, and its full text if that is of the same version."""
        here = self._texts(then, hits) if hits else set()
        return {
            hit.document: (hit.document, full_text(hit.document))[: 1 + (_version(hit) in here)]
            for hit in hits
        }

    # -- ranking and answering --------------------------------------------------------------------------

    def _ranked(self, then: Snapshot, parsed: PaperRequest, recipe: Recipe, topic: str) -> Results:
        shown = SHOWN if parsed.papers == DEFAULT_PAPERS else min(parsed.papers, MOST_SHOWN)
        filters = Filters(
            since=parsed.since, until=min(parsed.until, then.as_of), path=f"{PREFIX}*",
            any_tags=expanded(parsed.categories), no_tags=(FULL,),
        )  # fmt: skip
        return then.search(topic, self.request.k or shown, filters=filters, unit="passage", recipe=recipe)

    def _answer(self, then: Snapshot, topic: str, sources: Sources) -> Answer | None:
        """The answer from the abstracts and full texts of the papers that were read; None, with a note, where
        the model fails."""
        if not sources:
            return None
        filters = Filters(documents=tuple(chain.from_iterable(sources.values())))
        try:
            return then.ask(topic, mode="local", filters=filters, recipe=PASSAGES)
        except ModelError as error:
            self.notes.append(f"the model gave no answer, what the papers say is quoted: {error}")
            return None

    def _recorded(self, ranked: Results, recipe: Recipe) -> tuple[str, JudgingReport | None]:
        """The id of the recorded question, "" with a note where it cannot be recorded now; and the report of
        the judge."""
        request = self.request
        if not request.record or not ranked.hits:
            return "", None
        try:
            recorded = FeedbackLog.of(self.corpus).record(ranked, recipe)
        except (Busy, NoSpace) as error:
            self.notes.append(f"not recorded, nothing can be learned from it: {error}")
            return "", None
        judge = replace(FeedbackLog.of(self.corpus), models=self.models)
        try:
            return recorded, judge.judge(recorded) if request.judge else None
        except ModelError as error:
            self.notes.append(f"not graded: {error}; `asof feedback {recorded} --judge` tries again")
            return recorded, None


def _version(hit: Hit) -> str:
    """The version that a hit is of, as arXiv names it: https://arxiv.org/abs/2401.13222v1 -> 2401.13222v1."""
    paper = hit.document.removeprefix(PREFIX).removesuffix(f"/{FULL}")
    at = hit.uri.rfind(paper)
    return hit.uri[at:] if at >= 0 else paper
