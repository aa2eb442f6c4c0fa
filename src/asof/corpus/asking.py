"""A question that is answered: read, searched, and quoted or written from what was found."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from asof import engine
from asof.answer.settings import MAX_PASSAGES
from asof.corpus.dismissals import DismissalLog
from asof.corpus.facts import FactIndexer
from asof.corpus.models import ModelProvider
from asof.corpus.query_reader import QueryReader
from asof.corpus.session import Session
from asof.data import GLOBAL, MODES, Answer, Filters
from asof.errors import UsageError

if TYPE_CHECKING:
    from asof.answer.ask import PendingAnswer, TextCallback
    from asof.index.view import View
    from asof.rank.recipe import Recipe


@dataclass(frozen=True, slots=True)
class Asker:
    """Answers questions as of an instant, as known at one (None: all that is known)."""

    session: Session
    models: ModelProvider
    facts: FactIndexer
    as_of: int
    known_at: int | None

    def ask(
        self, question: str, mode: str | None, filters: Filters, recipe: str | Recipe | None,
        tokens: int | None, on_text: TextCallback | None, stale: bool,
    ) -> Answer:  # fmt: skip
        """See `Snapshot.ask`."""
        from asof.answer.ask import (
            AnswerOptions,
            PendingAnswer,
            RetrievedPassages,
            answer,
            mode_for,
            write_pending,
        )
        from asof.stale.of_passages import StalePassages

        asking = self.session.config.asking
        reader = QueryReader(self.session, self.models, self.as_of, self.known_at)
        mode = asking.mode if mode is None else mode
        if mode not in MODES:
            raise UsageError(f"mode is {mode!r}; accepted: {', '.join(MODES)}")
        first, query, chosen = reader.query_for(
            question, MAX_PASSAGES, filters, "passage", recipe or asking.recipe, None
        )
        reading = reader.read(question) if chosen.typed else first
        notes: tuple[str, ...] = ()
        with self.models.language(asking.budget) as model:
            if model is not None:
                from asof.answer.question_times import times_by_model

                reading, notes = times_by_model(reading, model)
            if not chosen.typed:
                query = replace(query, about=reading.query.about)
            way = mode_for(mode, reading, " ".join(self.session.languages))
            if way == GLOBAL:
                self.facts.ensure_facts()
            options = AnswerOptions(way, asking.tokens if tokens is None else tokens, model, on_text)

            known = DismissalLog(self.session).dismissed(self.known_at) if stale else None

            def look(view: View) -> Answer | PendingAnswer:
                results = engine.search(query, view, chosen)
                retrieved = RetrievedPassages(
                    view, reading, results.hits, results.rows, query.filters, notes,
                    None if known is None else StalePassages(view, known),
                )  # fmt: skip
                return answer(retrieved, options, requested=mode == way)

            made = self.session.use(reading.as_of, self.known_at, look)
            if isinstance(made, PendingAnswer):
                assert model is not None  # noqa: S101  nothing else is pending
                made = write_pending(model, made, options)
            return made
