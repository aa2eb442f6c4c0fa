"""A question about papers: fetch what is new, rank it, read the first in full, answer, record, learn.

Adaptive RAG for arXiv, its README: the ranking of section 1 (recipe `papers`), the loss and the stages of
sections 2 and 3 (`asof.learn`), pages of 100 and the newest of each day (`asof.arxiv`), passages of
400 characters. Where it takes its own likeness for relevance, here nothing is learned but from judgements.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import chain
from typing import TYPE_CHECKING

from asof.arxiv.full_texts import FULL
from asof.arxiv.question import PAPERS, PaperRequest, by_model, by_rules
from asof.arxiv.scheme import open_arxiv
from asof.arxiv.target import PREFIX
from asof.corpus.corpus import Corpus
from asof.corpus.feedback import NO_JUDGE
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
    from asof.models.metered import MeteredModel
    from asof.store.run import IndexReport

SHOWN = 10
"""Papers that are shown where the question does not say how many."""

MOST_SHOWN = 100

AS_KNOWN_THEN = "as known then: nothing is fetched, and nothing is learned"

Progress = Callable[["IndexReport"], None]


def ask_papers(corpus: Corpus, request: PaperQuestion, progress: Progress | None = None) -> PaperAnswer:
    """Answer a question about papers. `progress` is told how far fetching is.

    Raises UsageError, BeforeHorizon, DamagedState, ModelError; SourceError when arXiv cannot be reached and
    nothing of these categories is here yet; Busy, NoSpace.
    """
    return _Round(corpus, request, progress).outcome()


@dataclass(slots=True)
class _Round:
    """One question, from its reading to its record."""

    corpus: Corpus
    request: PaperQuestion
    progress: Progress | None
    notes: list[str] = field(default_factory=list)
    failed: str = ""

    def outcome(self) -> PaperAnswer:
        request = self.request
        if len(request.question) > LONGEST:
            given = f"{len(request.question):,} characters"
            raise UsageError(f"the question has {given}; accepted: up to {LONGEST:,}")
        if (request.k is not None and request.k < 1) or request.read < 0:
            raise UsageError(
                f"k is {request.k}, read is {request.read}: k from 1 on and read from 0 on are accepted"
            )
        if request.judge and not self.corpus.models.speaks:
            raise UsageError(NO_JUDGE)
        then = self.corpus.at(request.as_of, request.known_at)
        wish = self._wish(then)
        if request.known_at is not None:
            self.notes.append(AS_KNOWN_THEN)
        fetches = request.fetch and request.known_at is None
        fetched = self._fetched(wish) if fetches else None
        found, learned = learner(self.corpus, self._learned_by(then), self.notes)
        recipe = found.chosen()
        topic = topic_of(then.read(request.question).query.lexical) or request.question
        ranked = self._ranked(then, wish, recipe, topic)
        if self.failed and not ranked.hits:
            raise SourceError(self.failed)
        recorded, judging = self._recorded(ranked, recipe)
        first = ranked.hits[: request.read]
        texts = self._read(then, first) if first and fetches else None
        sources = self._sources(then, first)
        says = best_statements(then, topic, sources)
        answer = self._answer(then, topic, sources)
        return PaperAnswer(
            request, wish, ranked, says, answer, learned, fetched, texts, recorded, judging,
            tuple(self.notes), bool(self.failed),
        )  # fmt: skip

    def _learned_by(self, then: Snapshot) -> datetime | None:
        """Until when weights were learned: None for now. Grades may be of papers that were published after
        the moment that is asked about, so what was said after it is not known there either."""
        last = min(then.as_of, then.as_of if then.known_at is None else then.known_at)
        return None if last >= self.corpus.session.clock() or self._asked_now() else nearest_moment(last)

    def _asked_now(self) -> bool:
        return self.request.as_of is None and self.request.known_at is None

    # -- what is wanted ---------------------------------------------------------------------------------

    def _wish(self, then: Snapshot) -> PaperRequest:
        """What the question says, or the request, which stands before it."""
        request = self.request
        with self.corpus.models.language(self.corpus.config.asking.budget) as model:
            read = (
                by_rules(request.question, nearest_moment(then.as_of))
                if model is None
                else self._by_model(model, then)
            )
        wish = complete_request(request, read, then.as_of, self.corpus.config.fields.fiscal_start)
        self.notes += wish.notes
        return wish

    def _by_model(self, model: MeteredModel, then: Snapshot) -> PaperRequest:
        def ask(system: str, user: str, shape: type[BaseModel]) -> BaseModel:
            (reply,) = model.complete([Prompt(system, user, shape)])
            if reply.value is None:
                raise ModelError(reply.problem or "no reply")
            return reply.value

        return by_model(self.request.question, nearest_moment(then.as_of), ask)

    # -- arXiv ------------------------------------------------------------------------------------------

    def _fetched(self, wish: PaperRequest) -> IndexReport | None:
        """What arXiv has of these categories and days; None, with a note, when it cannot be reached."""
        since = moment(wish.since - wish.since % DAY)  # the same words on one day are one window
        last = self.corpus.session.clock()
        until = None if wish.until >= last - DAY else moment(wish.until)
        try:
            return self.corpus.add(
                wish.target, since=since, until=until, per_day=self.request.per_day, progress=self.progress
            )
        except SourceError as error:
            self.failed = str(error)
            self.notes.append(f"not all was fetched, what is here answers: {error}")
            return None

    def _read(self, then: Snapshot, hits: tuple[Hit, ...]) -> IndexReport | None:
        """The full texts of papers, in the versions that were found; None where all of them are here."""
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
            self.notes.append(f"not all was read in full, what is here answers: {error}")
            return None

    def _texts(self, then: Snapshot, hits: tuple[Hit, ...]) -> set[str]:
        """The versions whose full texts are here."""
        names = [full_text(hit.document) for hit in hits]
        filters = Filters(documents=tuple(names))
        found = then.search("text", len(names), filters=filters, recipe=by_document(PASSAGES), rerank=False)
        return set(map(_version, found.hits))

    def _sources(self, then: Snapshot, hits: tuple[Hit, ...]) -> Sources:
        """What there is of each paper: its abstract, and its full text if that is of the same version."""
        here = self._texts(then, hits) if hits else set()
        return {
            hit.document: (hit.document, full_text(hit.document))[: 1 + (_version(hit) in here)]
            for hit in hits
        }

    # -- ranking and answering --------------------------------------------------------------------------

    def _ranked(self, then: Snapshot, wish: PaperRequest, recipe: Recipe, topic: str) -> Results:
        asked = SHOWN if wish.papers == PAPERS else min(wish.papers, MOST_SHOWN)
        filters = Filters(
            since=wish.since, until=min(wish.until, then.as_of), path=f"{PREFIX}*",
            any_tags=expanded(wish.categories), no_tags=(FULL,),
        )  # fmt: skip
        return then.search(topic, self.request.k or asked, filters=filters, unit="passage", recipe=recipe)

    def _answer(self, then: Snapshot, topic: str, sources: Sources) -> Answer | None:
        """Out of the abstracts and full texts of the papers that were read; None, with a note, where the
        model gives none."""
        if not sources:
            return None
        filters = Filters(documents=tuple(chain.from_iterable(sources.values())))
        try:
            return then.ask(topic, mode="local", filters=filters, recipe=PASSAGES)
        except ModelError as error:
            self.notes.append(f"the model gave no answer, what the papers say is quoted: {error}")
            return None

    def _recorded(self, ranked: Results, recipe: Recipe) -> tuple[str, JudgingReport | None]:
        """Its id, "" with a note where it cannot be recorded now; and what the model did as judge."""
        request = self.request
        if not request.record or not ranked.hits:
            return "", None
        try:
            recorded = self.corpus.record(ranked, recipe)
        except (Busy, NoSpace) as error:
            self.notes.append(f"not recorded, nothing can be learned from it: {error}")
            return "", None
        try:
            return recorded, self.corpus.judge(recorded, request.budget) if request.judge else None
        except ModelError as error:
            self.notes.append(f"not graded: {error}; `asof feedback {recorded} --judge` tries again")
            return recorded, None


def _version(hit: Hit) -> str:
    """The version that a hit is of, as arXiv names it: https://arxiv.org/abs/2401.13222v1 -> 2401.13222v1."""
    paper = hit.document.removeprefix(PREFIX).removesuffix(f"/{FULL}")
    at = hit.uri.rfind(paper)
    return hit.uri[at:] if at >= 0 else paper
