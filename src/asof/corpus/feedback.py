"""What `asof papers` records in a corpus: questions, what was shown, what was said of it, what was learned.

What is recorded changes no search but that of `asof papers`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from asof.corpus.models import ModelProvider
from asof.corpus.session import Session
from asof.engine import Results
from asof.errors import UsageError
from asof.learn import feedback, recording
from asof.learn.feedback import CLICK, CLICKED, ETA, GRADE, HIGHEST, MODEL, JudgedRecord
from asof.store import feedback as stored
from asof.store.feedback import JudgementRow
from asof.time.coerce import When, last_instant
from asof.time.span import iso

if TYPE_CHECKING:
    import sqlite3

    from asof.corpus.corpus import Corpus
    from asof.models.metered import Usage
    from asof.rank.recipe import Recipe

PATIENCE = 0.25
"""Seconds that recording waits for another writer: who searches shall not wait."""
LONGEST_STATE = 16_000_000
"""Characters of a state of learning."""


NO_JUDGE = "no model is named that could judge: see [model] in asof.toml"


@dataclass(frozen=True, slots=True)
class JudgingReport:
    """What a model did as judge of a question: how many hits it graded, why it did not grade others, and what
    that took."""

    judge: str
    graded: int
    problems: tuple[str, ...]
    cost: Usage


@dataclass(slots=True)
class FeedbackLog:
    """The questions and judgements that a corpus remembers."""

    session: Session
    models: ModelProvider

    @classmethod
    def of(cls, corpus: Corpus) -> FeedbackLog:
        """Those of a corpus."""
        return cls(corpus.session, corpus.models)

    # -- saying -------------------------------------------------------------------------------------

    def record(self, results: Results, recipe: Recipe | None = None) -> str:
        """Remember a question with what was shown for it; returns its id.

        `recipe`: what ranked, where documents were ranked, or hits put in another order afterwards, by a
        recipe that is not that of its name in asof.toml. Of words, only those of the question are stored.
        Waits a quarter of a second for another writer. Raises UsageError when nothing was shown or another
        recipe ranked; Busy, NoSpace, CorpusError.
        """
        name, _ = recording.base_name(results.recipe)
        own = results.ran if results.ran.name == name else self.session.config.recipe_named(name)
        asked, shown = recording.rows_of(results, recipe or own)
        # what is yet to be learned by a K that lies ahead was not seen
        asked = asked._replace(known_at=min(asked.known_at, self.session.last_write()))
        with self._adding(PATIENCE) as (db, added):
            asked, attempt = asked._replace(added=added), 0
            made = asked._replace(id=recording.id_of(asked))
            while stored.questions_by_prefix(db, made.id):
                attempt += 1
                made = asked._replace(id=recording.id_of(asked, attempt))
            if not stored.insert_question(db, made, shown):
                raise UsageError("what was found was erased meanwhile: there is nothing to record")
        return made.id

    def grade(self, query_id: str, hit: int | str, grade: float | None) -> bool:
        """Say how well a hit answers, 0 to 3; None takes back what was said. Returns whether that is news.

        `query_id`: the id of a question or its beginning; `hit`: a rank, the id of a hit or of a document.
        Raises UsageError for a question that was not recorded, a hit that was not shown for it, another
        grade; Busy, NoSpace, CorpusError.
        """
        if grade is not None and (isinstance(grade, bool) or not 0 <= grade <= HIGHEST):
            raise UsageError(f"grade {grade!r}: a number from 0 to {HIGHEST:g} is expected, or None")
        return self._say(query_id, hit, GRADE, None if grade is None else float(grade))

    def click(self, query_id: str, hit: int | str) -> bool:
        """Say that a hit was opened; see `grade`."""
        return self._say(query_id, hit, CLICK, CLICKED)

    def _say(self, query_id: str, hit: int | str, kind: str, grade: float | None) -> bool:
        asked = self.recorded(query_id).question
        rank = recording.hit_of(asked, hit).rank
        with self._adding() as (db, added):
            return bool(stored.insert_judgements(db, [JudgementRow(asked.id, rank, kind, grade, added)]))

    def judge(self, query_id: str, budget: float | None = None) -> JudgingReport:
        """Let the language model of asof.toml grade all hits of a question, within a `budget` (US dollars;
        tokens without prices). What it replied is kept and not paid for again. Raises UsageError, ModelError,
        Busy, NoSpace."""
        from asof.store.passages import records

        asked = self.recorded(query_id).question
        with self.models.language(budget) as model:
            if model is None:
                raise UsageError(NO_JUDGE)
            from asof.learn.judging import judge  # its shapes need an extra that the model needs as well

            passages = [each.passage for each in asked.shown]
            record_of = self.session.read(lambda db: records(db, passages))
            graded = judge(model, asked, [record_of.get(passage) for passage in passages])
            cost = model.meter
        with self._adding() as (db, added):
            stored.insert_judgements(db, [
                JudgementRow(asked.id, each.rank, MODEL, each.grade, added)
                for each in graded if each.grade is not None
            ])  # fmt: skip
        problems = [f"hit {each.rank}: {each.problem}" for each in graded if each.problem]
        return JudgingReport(model.name, len(graded) - len(problems), tuple(problems), cost)

    # -- looking ------------------------------------------------------------------------------------

    def recorded(self, query_id: str) -> JudgedRecord:
        """One question with what counts of what was said of it. Raises UsageError."""

        def look(db: sqlite3.Connection) -> JudgedRecord:
            wanted = query_id.strip().lower()
            rows = stored.questions_by_prefix(db, wanted) if wanted.isalnum() and wanted.isascii() else []
            row = recording.chosen(query_id, rows, () if len(rows) == 1 else stored.question_ids(db))
            return _judged(db, [row], None, ETA)[0]

        return self.session.read(look)

    def titles(self, one: JudgedRecord) -> dict[int, tuple[str, str]]:
        """By rank, what the documents that were shown are called, and the day on which they were published
        ("undated")."""
        from asof.store.passages import published_of, records

        shown = one.question.shown
        record_of = self.session.read(lambda db: records(db, [each.passage for each in shown]))
        there = {each.rank: record_of[each.passage] for each in shown if each.passage in record_of}
        dates = {rank: published_of(record) for rank, record in there.items()}
        days = {
            rank: "undated" if date is None else iso(date.span.first)[:10] for rank, date in dates.items()
        }
        return {rank: (record.title or record.document, days[rank]) for rank, record in there.items()}

    def queries(self, recipe: str | None = None, known_at: When | None = None) -> list[JudgedRecord]:
        """All questions that were recorded (`recipe`: ranked by the recipe of that name), in order of
        `added`, as they were known at `known_at` (default: now). Raises UsageError, BeforeHorizon."""
        return self._questions(recipe, known_at, ETA)

    def judged(
        self, recipe: str | None = None, known_at: When | None = None, eta: float = ETA
    ) -> list[JudgedRecord]:
        """Those of `queries` of which a hit has a grade. `eta`: how fast attention falls with the rank of a
        click (see `learn/feedback.py`), 0 to 3. What was said after `known_at` is not seen."""
        if not 0 <= eta <= 3:
            raise UsageError(f"eta is {eta}; accepted: numbers from 0 to 3")
        return [each for each in self._questions(recipe, known_at, eta) if any(each.kinds)]

    def _questions(self, recipe: str | None, known_at: When | None, eta: float) -> list[JudgedRecord]:
        known = self._known(known_at)
        return self.session.read(
            lambda db: _judged(db, stored.recorded_questions(db, known, recipe), known, eta)
        )

    # -- what was learned ---------------------------------------------------------------------------

    def learned(self, recipe: str, known_at: When | None = None) -> str | None:
        """What learning knew of a recipe at `known_at` (default: now); None: nothing. Raises UsageError."""
        known = self._known(known_at)
        return self.session.read(lambda db: stored.learned_state(db, recipe, known))

    def learn_state(self, recipe: str, text: str) -> None:
        """Keep what learning knows of a recipe now; earlier states stay, also after a purge: `text` must not
        hold words of documents. Raises UsageError, Busy, NoSpace."""
        if len(text) > LONGEST_STATE:
            raise UsageError(f"a state has {len(text):,} characters; accepted: up to {LONGEST_STATE:,}")
        with self._adding() as (db, added):
            stored.insert_learned(db, recipe, text, added)

    # -- transactions -------------------------------------------------------------------------------

    def _known(self, known_at: When | None) -> int | None:
        session = self.session
        return None if known_at is None else last_instant(known_at, session.clock(), session.fiscal_start)

    @contextmanager
    def _adding(self, wait: float | None = None) -> Iterator[tuple[sqlite3.Connection, int]]:
        store = self.session.store
        patience = None if wait is None else min(wait, store.wait)
        with stored.write_feedback(store, self.session.clock, patience) as (db, added):
            yield db, added


def _judged(
    db: sqlite3.Connection, rows: Sequence[stored.AskedRow], known_at: int | None, eta: float
) -> list[JudgedRecord]:
    ids = [row.id for row in rows]
    shown, grades = stored.shown_hits(db, ids), stored.judgements(db, ids, known_at)
    return [
        feedback.judged(feedback.question_of(row, shown[row.id]), feedback.judgements_of(grades[row.id]), eta)
        for row in rows
    ]
