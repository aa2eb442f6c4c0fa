"""What is known of a corpus as it stood: answers, facts, reports."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from asof import engine
from asof.answer.asking import PASSAGES_READ
from asof.data import GLOBAL, MODES, Answer, Filters
from asof.errors import UsageError
from asof.place import Place, refuse_long
from asof.time.bounds import When
from asof.time.moment import read_bounded
from asof.time.span import nearest_moment

if TYPE_CHECKING:
    from asof.answer.ask import Tell
    from asof.index.view import View
    from asof.knowledge.around import Around
    from asof.knowledge.reports.report import PeriodReports
    from asof.knowledge.timeline import FactLine
    from asof.rank.recipe import Recipe


@dataclass(frozen=True, slots=True)
class Knowing(Place):
    """A place in time from which facts are looked up, reports made and questions answered."""

    def ask(
        self, question: str, *, mode: str | None = None, filters: Filters | None = None,
        recipe: str | Recipe | None = None, tokens: int | None = None, tell: Tell | None = None,
    ) -> Answer:  # fmt: skip
        """Answer a question from what was in force, with citations; or refuse, and say why.

        `mode`: "local" from single passages, "global" from reports over the periods that are asked about,
        "auto" whichever fits. `tokens`: how much of what is found is read. By quotes, unless a language model
        is configured; `tell` gets the pieces of what it writes. Raises UsageError, BeforeHorizon, ModelError.
        """
        from asof.answer.ask import AnswerOptions, Pending, RetrievedEvidence, answer, mode_for, written_by
        from asof.answer.asking import TimedQuestion

        asking = self.asked.config.asking
        mode = asking.mode if mode is None else mode
        if mode not in MODES:
            raise UsageError(f"mode is {mode!r}; accepted: {', '.join(MODES)}")
        first, query, chosen = self._asked(
            question, PASSAGES_READ, filters or Filters(), "passage", recipe or asking.recipe, None
        )
        read = TimedQuestion(self._read(question, typed=False) if chosen.typed else first)
        with self.asked.outside.language(asking.budget) as model:
            if model is not None:
                from asof.answer.timing import timed

                read = timed(read.reading, model)
            if not chosen.typed:
                query = replace(query, about=read.reading.query.about)
            way = mode_for(mode, read.reading, " ".join(self.asked.languages))
            if way == GLOBAL:
                self.asked.know()
            manner = AnswerOptions(way, asking.tokens if tokens is None else tokens, model, tell)

            def look(view: View) -> Answer | Pending:
                found = engine.search(query, view, chosen)
                of = RetrievedEvidence(view, read.reading, found.hits, found.rows, read.notes)
                return answer(of, manner, chosen=mode == way)

            made = replace(self, as_of=read.reading.as_of)._use(look)
            if isinstance(made, Pending):
                assert model is not None  # noqa: S101  nothing else is pending
                made = written_by(model, made, manner)
            return made

    def facts(
        self, subject: str, most: int = 40, *, relation: str = "", since: When | None = None,
        until: When | None = None,
    ) -> FactLine:  # fmt: skip
        """What is known of a subject under all of its names: facts with their times, and what replaced what.

        `relation`: only those whose relation has these words. Raises UsageError, BeforeHorizon.
        """
        from asof.knowledge.timeline import timeline_of

        refuse_long(subject, "the subject")
        filters = self.filters(since, until)
        self.asked.know()
        return self._use(
            lambda view: timeline_of(
                view, subject, relation=relation, since=filters.since, until=filters.until, most=most
            )
        )

    def graph(self, around: str, depth: int = 1, most: int = 20) -> Around:
        """The entities and measures up to `depth` facts away from an entity. Raises UsageError."""
        from asof.knowledge.around import around as look_around

        refuse_long(around, "the name")
        self.asked.know()
        return self._use(lambda view: look_around(view, around, depth, most))

    def report(self, period: str, about: str = "") -> PeriodReports:
        """What happened in a period: its central facts, against the period before; `about` a name only.

        Written by the language model where one is configured. Raises BadTime, BeforeHorizon, ModelError.
        """
        from asof.knowledge.reports.of_span import reports
        from asof.knowledge.resolve import Entities
        from asof.knowledge.summarise import ReportSelection

        refuse_long(about, "the name")
        fiscal = self.asked.config.fields.fiscal_start
        span = read_bounded(period, nearest_moment(self.as_of), fiscal_start=fiscal)
        self.asked.know()
        with self.asked.outside.language(self.asked.config.asking.budget) as model:
            return self._use(
                lambda view: reports(view, span, ReportSelection(Entities.of(view).canonical, about), model)
            )
