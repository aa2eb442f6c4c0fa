"""The verbs: for each its parameters, the type of its answer, an example, and how it is answered."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from asof.corpus.corpus import Corpus
from asof.corpus.snapshot import Snapshot
from asof.data.json import answer_json
from asof.serialize.corpus import status_json
from asof.serialize.documents import calendar_json, document_json, documents_json
from asof.serialize.history import diff_json, links_json, timeline_json
from asof.serialize.knowledge import facts_json, graph_json
from asof.serialize.question import when_json
from asof.serialize.report import report_json
from asof.serialize.search import search_json, why_not_json
from asof.serialize.stale import stale_json
from asof.stale.find import find_stale
from asof.stale.paths import documents_meant
from asof.stale.report import stale_report
from asof.verbs import parameters as p

OnText = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Verb:
    """`schema`: the name of the JSON Schema of the answer (`asof.serialize.schema.SHAPES`); `example`: its
    parameters in the documentation."""

    name: str
    parameters: type[BaseModel]
    schema: str
    answer: Callable[[Corpus, Any], Mapping[str, Any]]
    example: Mapping[str, Any]

    @property
    def summary(self) -> str:
        return (self.parameters.__doc__ or "").strip()


def _at(corpus: Corpus, asked: p.Parameters) -> Snapshot:
    return corpus.at(asked.as_of, asked.known_at)


def search(corpus: Corpus, asked: p.Search) -> Mapping[str, Any]:
    started = time.perf_counter()
    results = _at(corpus, asked).search(
        asked.q, asked.k, since=asked.since, until=asked.until, about=asked.about, source=asked.source,
        path=asked.path, tags=asked.tag, meta=[_pair(each) for each in asked.meta], unit=asked.unit,
        recipe=asked.recipe,
    )  # fmt: skip
    return search_json(results, 1000 * (time.perf_counter() - started), explain=asked.explain)


def _pair(text: str) -> tuple[str, str]:
    key, _, value = text.partition("=")
    return key, value


def ask(corpus: Corpus, asked: p.Ask, on_text: OnText | None = None) -> Mapping[str, Any]:
    then = _at(corpus, asked)
    return answer_json(then.ask(
        asked.q, mode=asked.mode, filters=then.filters(asked.since, asked.until, about=asked.about),
        recipe=asked.recipe, tokens=asked.tokens, on_text=on_text,
    ))  # fmt: skip


def timeline(corpus: Corpus, asked: p.Timeline) -> Mapping[str, Any]:
    return timeline_json(
        _at(corpus, asked).timeline(
            asked.q, asked.k, since=asked.since, until=asked.until, recipe=asked.recipe
        )
    )


def diff(corpus: Corpus, asked: p.Diff) -> Mapping[str, Any]:
    return diff_json(corpus.at(asked.a).diff(asked.q, corpus.at(asked.b), asked.k, recipe=asked.recipe))


def facts(corpus: Corpus, asked: p.Facts) -> Mapping[str, Any]:
    from asof.knowledge.questions import facts as known_facts

    return facts_json(
        known_facts(
            _at(corpus, asked), asked.subject, asked.k, relation=asked.relation, since=asked.since,
            until=asked.until,
        )
    )  # fmt: skip


def report(corpus: Corpus, asked: p.Report) -> Mapping[str, Any]:
    from asof.knowledge.questions import report as report_on

    return report_json(report_on(_at(corpus, asked), asked.period, asked.about))


def graph(corpus: Corpus, asked: p.Graph) -> Mapping[str, Any]:
    from asof.knowledge.questions import graph as around_entity

    return graph_json(around_entity(_at(corpus, asked), asked.around, asked.depth, asked.k))


def links(corpus: Corpus, asked: p.Links) -> Mapping[str, Any]:
    then = _at(corpus, asked)
    return links_json(then.links(asked.document, asked.depth), then.as_of, then.known_at)


def stale(corpus: Corpus, asked: p.Stale) -> Mapping[str, Any]:
    then = _at(corpus, asked)
    listed = find_stale(then, documents_meant(then, asked.path), since=asked.since, kinds=asked.kind)
    now = asked.as_of is None and asked.known_at is None
    report = stale_report(then, listed, asked.k, files=corpus.root if now else None)
    return stale_json(report, explain=asked.explain)


def why_not(corpus: Corpus, asked: p.WhyNot) -> Mapping[str, Any]:
    then = _at(corpus, asked)
    verdict = then.why_not(
        asked.document, asked.q, asked.k,
        filters=then.filters(asked.since, asked.until, about=asked.about), unit=asked.unit,
        recipe=asked.recipe,
    )  # fmt: skip
    return why_not_json(verdict, then.as_of, then.known_at)


def when(corpus: Corpus, asked: p.When) -> Mapping[str, Any]:
    then = _at(corpus, asked)
    return when_json(then.read(asked.q), then.as_of)


def document(corpus: Corpus, asked: p.Document) -> Mapping[str, Any]:
    then = _at(corpus, asked)
    return document_json(
        then.document(asked.document), then.as_of, then.known_at, asked.offset, asked.characters
    )


def documents(corpus: Corpus, asked: p.Documents) -> Mapping[str, Any]:
    then = _at(corpus, asked)
    page = then.documents(asked.after, asked.k + 1, asked.contains)
    return documents_json(page, asked.k, then.as_of, then.known_at)


def calendar(corpus: Corpus, asked: p.Calendar) -> Mapping[str, Any]:
    then = _at(corpus, asked)
    return calendar_json(then.calendar(), then.as_of, then.known_at)


def status(corpus: Corpus, asked: p.Status) -> Mapping[str, Any]:  # noqa: ARG001
    return status_json(corpus.status())


_WHO = {"q": "who is the harbour master", "as_of": "2019-06-01"}

VERBS = {
    verb.name: verb
    for verb in (
        Verb("search", p.Search, "search", search, {**_WHO, "k": 3}),
        Verb("ask", p.Ask, "ask", ask, _WHO),
        Verb("timeline", p.Timeline, "timeline", timeline, {"q": "harbour master"}),
        Verb("diff", p.Diff, "diff", diff, {"q": "harbour master", "a": "2018", "b": "2022"}),
        Verb("facts", p.Facts, "facts", facts, {"subject": "Runa Osterby"}),
        Verb("report", p.Report, "report", report, {"period": "2021-Q2"}),
        Verb("graph", p.Graph, "graph", graph, {"around": "May Hollis"}),
        Verb("links", p.Links, "links", links, {"document": "The Mole"}),
        Verb("stale", p.Stale, "stale", stale, {"as_of": "2024-06-01", "k": 2}),
        Verb("why-not", p.WhyNot, "why-not", why_not, {**_WHO, "document": "The Mole"}),
        Verb("when", p.When, "when", when, {"q": "the latest fares as of June 2021"}),
        Verb("document", p.Document, "document", document, {"document": "The Mole", "as_of": "2022"}),
        Verb("documents", p.Documents, "documents", documents, {"k": 2}),
        Verb("calendar", p.Calendar, "calendar", calendar, {}),
        Verb("status", p.Status, "status", status, {}),
    )
}  # fmt: skip
"""All verbs that read, by name."""
