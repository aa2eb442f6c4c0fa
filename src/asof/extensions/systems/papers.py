"""A question about papers: fetch new ones, rank, read the first in full, answer, record, learn.

Adaptive RAG for arXiv, its README: the ranking of section 1 (recipe `papers`), the loss and the stages of
sections 2 and 3 (`online.py`), pages of 100 and the newest of each day (`arxiv.py`), passages of 400
characters. It uses its own similarity as relevance; here weights are learned from judgements only.
`ask_papers`, at the end, is the pipeline.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain
from typing import TYPE_CHECKING, Annotated

import numpy as np

from asof.corpus.corpus import Corpus
from asof.corpus.session import ModelProvider
from asof.corpus.snapshot import Snapshot
from asof.engine import Results
from asof.errors import (
    BeforeHorizon,
    Busy,
    DamagedState,
    MissingExtra,
    ModelError,
    NoSpace,
    SourceError,
    UsageError,
)
from asof.extensions.systems.arxiv import (
    DEFAULT_DAYS,
    DEFAULT_PAPERS,
    FULL,
    PREFIX,
    category,
    document_id,
    full_id,
)
from asof.extensions.systems.arxiv_question import PaperRequest, by_model, by_rules, table
from asof.extensions.systems.arxiv_source import open_arxiv
from asof.extensions.systems.judgements import NO_JUDGE, FeedbackLog
from asof.extensions.systems.loss import RankingMetrics
from asof.extensions.systems.online import CUTOFF, AdaptiveRecipe
from asof.extensions.systems.stages import Similarity
from asof.hits import Answer, Hit
from asof.queries import Filters
from asof.rank.gather import Everything, TopK, query_terms
from asof.rank.stage import Recipe, value_of
from asof.recipes import by_document
from asof.text.passages import sentences, shown
from asof.text.snippet import snippet
from asof.text.tokens import Analyzer, spans
from asof.time.moment import TimeOptions, When, first_instant, last_instant
from asof.time.span import DAY, iso, moment, nearest_moment
from asof.wire import As, one_of, replace

if TYPE_CHECKING:
    from asof.extensions.systems.judgements import JudgingReport
    from asof.hits import Usage
    from asof.store.run import IndexReport


# -- the question and the answer -------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PaperQuestion:
    """A question about papers. `categories`, `since` and `until` override those in the text of the question;
    `per_day`: the number of newest papers of a day that are fetched (None: the setting of asof.toml).

    `k`: the number of papers that are ranked (None: the number in the question, 10 by default); `read`: how
    many of the first are read in full. Without `fetch` nothing is requested from arXiv; without `record`
    nothing can be learned from it. `judge`: the language model grades the hits. `budget` (US dollars; tokens
    without prices; None: that of [ask] in asof.toml): what all calls of the language model for this question
    may cost, from its reading to the grades.
    """

    question: str
    categories: tuple[str, ...] = ()
    since: When | None = None
    until: When | None = None
    per_day: int | None = None
    k: int | None = None
    read: int = 3
    fetch: bool = True
    record: bool = True
    judge: bool = False
    budget: float | None = None
    as_of: When | None = None
    known_at: When | None = None


@dataclass(frozen=True, slots=True)
class LossReport:
    """A judged query that weights were learned from."""

    id: str
    question: Annotated[str, As("query")]
    numbers: Annotated[Mapping[str, float], As("weights"), "that ranked it"]
    metrics: Annotated[RankingMetrics, "of what was shown, as it is judged now"]


@dataclass(frozen=True, slots=True)
class WeightUpdate:
    """A change of the weights of the ranking. `losses` are those of the latest judged questions."""

    stage: Annotated[str, one_of("baseline", "exploration", "evolution", "bayesian")]
    question: Annotated[int, As("number"), "which of the queries that are learned from this is, from 1"]
    before: Annotated[Mapping[str, float], As("previous_weights"), "that ranked the last judged question"]
    now: Annotated[Mapping[str, float], As("weights"), "that ranked this question"]
    losses: Annotated[tuple[LossReport, ...], As("examples"), "oldest first"] = ()
    compared: Annotated[int, "on how many of the last ones settings are compared"] = 0
    metrics: Annotated[
        RankingMetrics | None, "of `weights` on those, each the mean; null: none is judged"
    ] = None
    initial_metrics: Annotated[RankingMetrics | None, "of the weights of the beginning on those"] = None


@dataclass(frozen=True, slots=True)
class PaperAnswer:
    """The answer to a question: the `parsed` request, the ranked papers (`results`), the best sentence of
    each paper that was read (`statements`), the answer from them (None: no paper, or the model failed), and
    the update of the weights.

    `fetched`: abstracts, `texts`: full texts (None: none was fetched). `recorded`: the id of the recorded
    question, "" if it is not recorded. `incomplete`: arXiv did not deliver all that was requested. `cost`:
    what all calls of the language model took (None: there is no model).
    """

    request: PaperQuestion
    parsed: PaperRequest
    results: Results
    statements: tuple[PaperStatement, ...]
    answer: Answer | None
    learned: WeightUpdate
    fetched: IndexReport | None = None
    texts: IndexReport | None = None
    recorded: str = ""
    judging: JudgingReport | None = None
    notes: tuple[str, ...] = ()
    incomplete: bool = False
    cost: Usage | None = None


# -- the request: categories, a window, words to search --------------------------------------------


LONGEST = 2_000
"""Characters of a question."""

NO_CATEGORY, NO_TIME = "no category is named", "no time is named"
"""The beginnings of the notes of a `PaperRequest` that name assumed values."""

_OF_PAPERS = re.compile(
    r"\b(?:(?:top|best|show me|find|list|the|new|newest|recent|latest|\d+) )*(?:papers|preprints)\b"
    r"|\b(?:(?:top|best|show me|find|list|newest|recent|latest|\d+) )+(?:articles|abstracts)\b",
    re.IGNORECASE,
)
"""Words of a question that ask for papers and do not belong to its topic."""

_ARXIV = re.compile(r"\b(?:(?:on|from|at|of|in) )?arxiv\b(?!\.)", re.IGNORECASE)
_LEFT = re.compile(
    r"\A(?:(?:on|about|of|in|from|for)\b\s*)+|\s*\b(?:(?:on|about|of|in|from|for|and)\s*)+\Z", re.I
)
_CODE = re.compile(r"(?<![\w.-])(?:in )?([a-z-]+\.[A-Za-z-]{2,})(?![\w-])")


def complete_request(
    request: PaperQuestion, read: PaperRequest, as_of: int, how: TimeOptions
) -> PaperRequest:
    """The request parsed from a question (`read`) with the options that override it. Raises UsageError,
    SourceError."""
    parsed, notes = read, list(read.notes)
    if request.categories:
        names = tuple(dict.fromkeys(category(each) for each in request.categories))
        notes = [note for note in notes if not note.startswith(NO_CATEGORY)]
        unknown = [each for each in names if not expanded((each,), known=True)]
        notes += [f"{each} is no category of arXiv that is known here" for each in unknown]
        parsed = replace(parsed, categories=names)
    if request.until is not None:
        until = min(last_instant(request.until, as_of, how), as_of)
        since = until - DEFAULT_DAYS * DAY if any(map(_time, notes)) else parsed.since
        parsed = replace(parsed, since=since, until=until)
    if request.since is not None:
        notes = [note for note in notes if not _time(note)]
        parsed = replace(parsed, since=first_instant(request.since, as_of, how))
    if parsed.since > parsed.until:
        ends = f"ends at {iso(parsed.until)}: that lies before its beginning, {iso(parsed.since)}"
        raise UsageError(f"the time that is asked for {ends}")
    return replace(parsed, notes=tuple(notes))


def _time(note: str) -> bool:
    return note.startswith(NO_TIME)


def expanded(names: tuple[str, ...], *, known: bool = False) -> tuple[str, ...]:
    """The tags of papers of these categories; `cs.*` is a whole archive, with the papers from before it was
    divided. `known`: only those in the table of categories."""
    titles = table().titles
    tags = set()
    for name in names:
        inside = [each for each in titles if each.startswith(name[:-1])] if name.endswith(".*") else []
        tags |= {*inside, name[:-2]} if inside else {name}
    return tuple(sorted(tags & titles.keys() if known else tags))


def topic_of(words: str) -> str:
    """The words of a question without those that ask for papers, or name arXiv or a category; "" if nothing
    is left.

    >>> topic_of("top 5 papers on sparse attention in cs.CL")
    'sparse attention'
    """
    left = _OF_PAPERS.sub(" ", words)
    left = _CODE.sub(lambda match: " " if match[1] in table().titles else match[0], left)
    left = " ".join(_ARXIV.sub(" ", left).split()).strip(" ,;:.?!")
    return _LEFT.sub("", left).strip(" ,;:.?!")


# -- the sentence of each paper that covers most of the question -----------------------------------


PASSAGES = Recipe(
    "papers-passages",
    "the passages most similar to the question",
    (Everything(), Similarity("cosine"), TopK()),
    typed=True,
)
"""The recipe that ranks passages of papers."""

EXAMINED = 6
"""The number of passages of a paper, those most similar to the question, that are searched for the
sentence."""

SHORTEST = 20
"""Characters of a sentence that is quoted."""

BESIDE = 600
"""Characters before and after a passage in which a sentence of it may begin and end."""


@dataclass(frozen=True, slots=True)
class PaperStatement:
    """A sentence of a paper (the id of its document): at least a part of it is in the passage `hit`, of its
    abstract or its full text."""

    paper: str
    hit: Hit
    quote: str

    @property
    def place(self) -> str:
        """The place of the sentence: abstract, or the page."""
        if self.hit.document == self.paper:
            return "abstract"
        return self.hit.place.headings[-1] if self.hit.place.headings else FULL


Sources = Mapping[str, tuple[str, ...]]
"""For each paper (the id of its document) the ids of the documents that are searched."""


def full_text(paper: str) -> str:
    """The id of the full text of a paper, by that of its document.

    >>> full_text("arxiv:2401.13222")
    'arxiv:2401.13222/full'
    """
    return document_id(full_id(paper.removeprefix(PREFIX)))


def best_statements(then: Snapshot, topic: str, sources: Sources) -> tuple[PaperStatement, ...]:
    """The best statement of each paper about a topic, in order. Raises UsageError, BeforeHorizon,
    ModelError."""
    return tuple(_best(then, topic, *each) for each in sources.items())


def _best(then: Snapshot, topic: str, paper: str, documents: tuple[str, ...]) -> PaperStatement:
    filters = Filters(documents=documents)
    results = then.search(topic, EXAMINED, filters=filters, unit="passage", recipe=PASSAGES, rerank=False)
    analyzer = results.view.analyzer
    stems = {term.word for term in query_terms(replace(results.query, stop_words=False), analyzer)}
    texts = {name: then.text(name) or "" for name in {hit.document for hit in results.hits}}
    best: tuple[int, PaperStatement] | None = None
    for hit in results.hits:  # of equal shares the first, of the passage most similar
        language = analyzer.detect(hit.text)
        for quote in _quotable(hit, texts[hit.document]):
            share = len(_stems(quote, analyzer, language) & stems)
            if best is None or share > best[0]:
                best = share, PaperStatement(paper, hit, quote)
    return best[1] if best is not None and best[0] else _any(results, paper, stems)


def _any(results: Results, paper: str, words: set[str]) -> PaperStatement:
    """A snippet of the most similar passage, where no sentence has a word of the question."""
    hit, analyzer = results.hits[0], results.view.analyzer
    return PaperStatement(paper, hit, snippet(hit.text, words, analyzer, analyzer.detect(hit.text))[0])


def _quotable(hit: Hit, text: str) -> Iterator[str]:
    """The whole sentences of the document that overlap a passage and are more than a heading or the title of
    the paper."""
    title = " ".join(hit.title.split())
    first, last = hit.place.start, hit.place.end
    begin, stop = max(0, first - BESIDE), min(len(text), last + BESIDE)
    for start, end in sentences(text, begin, stop):
        cut = (start == begin > 0) or (end == stop < len(text))
        if cut or end <= first or start >= last or text[start:end].lstrip().startswith("#"):
            continue
        quote = shown(text[start:end])
        if title and quote.casefold().startswith(title.casefold()):
            quote = quote[len(title) :].lstrip(" .:")
        if len(quote) >= SHORTEST and quote[0].isupper() and quote.rstrip("”\"')]").endswith((".", "?", "!")):
            yield quote


def _stems(text: str, analyzer: Analyzer, language: str) -> set[str]:
    return {analyzer.stem(token, language) for _, _, tokens in spans(text) for token in tokens}


# -- the learned state stored in the corpus, and the next setting ----------------------------------


RECIPE = "papers"

ANEW = "asof.toml has other numbers for papers than learning began with: it begins anew from them"
DROPPED = "the judgements of then were dropped by `asof vacuum`: ranked by the numbers of asof.toml"


@dataclass(frozen=True, slots=True)
class LearningStart:
    """The numbers that learning begins with, and the instant: questions recorded until then are no steps."""

    numbers: tuple[float, ...]
    since: int = 0

    def dumps(self) -> str:
        return json.dumps({"start": self.numbers, "since": self.since})

    @classmethod
    def loads(cls, text: str) -> LearningStart:
        """What `dumps` wrote. Raises DamagedState."""
        try:
            state = json.loads(text)
            return cls(tuple(map(float, state["start"])), int(state["since"]))
        except (ValueError, RecursionError, TypeError, KeyError) as error:
            raise DamagedState(
                f"where learning began cannot be read ({error!r:.80}); "
                "begin anew with `asof papers --forget`, which leaves the judgements"
            ) from error


def learner(corpus: Corpus, known_at: When | None, notes: list[str]) -> tuple[AdaptiveRecipe, WeightUpdate]:
    """The learner as the corpus knew it at `known_at` (None: now).

    Where it began is stored, unless `known_at` is given or the corpus cannot be written to now. A note is
    added where a vacuum removed the judgements of that moment: then there is nothing to learn from. Raises
    DamagedState.
    """
    log, recipe = FeedbackLog.of(corpus), corpus.config.recipe_named(RECIPE)
    first = AdaptiveRecipe.of(recipe)
    notes += _outside(first)
    numbers = tuple(first.online.start.tolist())
    try:
        text, judged = log.learned(RECIPE, known_at), log.judged(known_at)
    except BeforeHorizon:
        notes.append(DROPPED)
        text, judged = None, []
    start = LearningStart(numbers) if text is None else LearningStart.loads(text)
    if start.numbers != numbers:
        notes.append(ANEW)
        start = LearningStart(
            numbers, max([corpus.session.clock(), *(each.question.added for each in judged)])
        )
    if known_at is None and start.dumps() != text:
        with suppress(Busy, NoSpace):  # the next question stores it
            log.learn_state(RECIPE, start.dumps())
    return _updated(AdaptiveRecipe.of(recipe, judged, start.since))


def _updated(adaptive: AdaptiveRecipe) -> tuple[AdaptiveRecipe, WeightUpdate]:
    box, examples, now = adaptive.online.box, adaptive.examples, adaptive.setting()
    both = np.array([[*now.values()], [value_of(adaptive.recipe, name) for name in now]])
    measured = [each.metrics(both) for each in examples]
    means = (RankingMetrics.mean([each[at] for each in measured]) for at in (0, 1))
    reports = [
        LossReport(
            each.question.id, each.question.text, box.named(each.setting),
            RankingMetrics.of(each.grades, each.gains, CUTOFF),
        )
        for each in adaptive.learned
    ]  # fmt: skip
    before = reports[-1].numbers if reports else now
    return adaptive, WeightUpdate(
        adaptive.online.stage, adaptive.online.evaluations + 1, before, now, tuple(reports), len(examples),
        *means,
    )  # fmt: skip


def _outside(first: AdaptiveRecipe) -> list[str]:
    """A note on numbers of asof.toml that learning cannot begin with."""
    own = [value_of(first.recipe, name) for name in first.online.box.names]
    pairs = zip(first.online.box.names, own, first.online.start, strict=True)
    names = ", ".join(name for name, number, begun in pairs if abs(number - begun) > 1e-9)
    note = f"asof.toml has {names} outside of the learned range: learning begins with the nearest values"
    return [note] if names else []


def forget(corpus: Corpus) -> None:
    """Begin anew with the next question: earlier recorded questions do not move the weights any more.
    Judgements stay, settings are compared on them; where learning began before stays, for questions as known
    then."""
    log = FeedbackLog.of(corpus)
    last = max([corpus.session.clock(), *(each.question.added for each in log.queries())])
    start = AdaptiveRecipe.of(corpus.config.recipe_named(RECIPE)).online.start
    log.learn_state(RECIPE, LearningStart(tuple(start.tolist()), last).dumps())


# -- the pipeline ----------------------------------------------------------------------------------


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
        asked = then.read(request.question).query
        topic = topic_of(asked.lexical) or asked.text
        ranked = self._ranked(then, parsed, recipe, topic, asked.filters)
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
        """The cost of all calls of the language model; None where there is none."""
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
            asked_at = nearest_moment(then.as_of)
            read = (
                by_rules(request.question, asked_at)
                if model is None
                else by_model(request.question, asked_at, model)
            )
        parsed = complete_request(request, read, then.as_of, self.corpus.session.times)
        self.notes += parsed.notes
        return parsed

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

    def _ranked(
        self, then: Snapshot, parsed: PaperRequest, recipe: Recipe, topic: str, asked: Filters
    ) -> Results:  # fmt: skip
        shown = SHOWN if parsed.papers == DEFAULT_PAPERS else min(parsed.papers, MOST_SHOWN)
        filters = Filters(
            since=parsed.since, until=min(parsed.until, then.as_of), paths=(f"{PREFIX}*",),
            any_tags=expanded(parsed.categories), no_tags=(FULL,),
        ).both(asked)  # fmt: skip
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
            self.notes.append(f"not graded: {error}; `asof papers --feedback {recorded} --judge` tries again")
            return recorded, None


def _version(hit: Hit) -> str:
    """The version that a hit is of, as arXiv names it: https://arxiv.org/abs/2401.13222v1 -> 2401.13222v1."""
    paper = hit.document.removeprefix(PREFIX).removesuffix(f"/{FULL}")
    at = hit.uri.rfind(paper)
    return hit.uri[at:] if at >= 0 else paper
