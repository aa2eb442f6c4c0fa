"""What facts, stale links and passed times show at a moment, and faults that would show what is later."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from tests.guarantee.histories import told
from tests.guarantee.observing import Asked, Fault, Moment, Observable, command, put, search_by, tables, verb
from tests.guarantee.texts import ENTITIES, RENAMED

from asof.corpus.corpus import Corpus
from asof.extensions.facts import store
from asof.extensions.facts.current import lives
from asof.extensions.facts.dated_documents import of_their_day
from asof.extensions.facts.hierarchy import Hierarchy
from asof.extensions.facts.indexer import ensure_facts, precompute_facts
from asof.extensions.facts.model import ExtractionSettings
from asof.extensions.facts.names import EntityResolver
from asof.extensions.facts.stale_links import moved_to
from asof.extensions.facts.store import KINDS
from asof.extensions.facts.visible import facts_about, facts_during, facts_of_kind
from asof.extensions.lab.tgrag import QD_RAG
from asof.store import reader
from asof.text.query import key
from asof.time.moment import read
from asof.time.span import NEVER

NAMES = (
    *ENTITIES, "Northern Harbour Authority", "National Horse Association", "QUA", "The Ledger", "Quai Ltd",
)  # fmt: skip


def prepare(corpus: Corpus) -> None:
    """Read what was added for facts, before anything is asked."""
    if ExtractionSettings.of(corpus.config.tables).extractor == "model":
        precompute_facts(corpus)
    ensure_facts(corpus.session)


def known(moment: Moment, asked: Asked) -> Any:
    """Facts, and their times."""
    view, span = moment.then.view(), read(asked.period)
    keys = sorted({key(name) for name in NAMES})
    return (
        [facts_of_kind(view, kind) for kind in KINDS], Hierarchy.of_view(view),
        [facts_about(view, [each], ended=ended) for each in keys for ended in (False, True)],
        facts_during(view, span.first, span.last),
    )  # fmt: skip


def named(moment: Moment, asked: Asked) -> Any:
    """What names mean."""
    entities = EntityResolver.of(moment.then.view())
    documents = (asked.name, "mill.md", "")
    return entities.statements, entities.merged.root, entities.merged.local, entities.merged.owners, [
        (entities.names_of(name), entities.why(name), entities.near(name), entities.roots_in_documents(name),
         [(entities.root_of(name, each), entities.canonical(name, each)) for each in documents])
        for name in NAMES
    ]  # fmt: skip


REPORT = verb("report", lambda asked: {"period": asked.period})


def asked_for_all(moment: Moment, asked: Asked) -> Any:
    """An answer from reports on periods, with the pieces in which it came. A model has written all of them,
    as it may have when they were looked at before."""
    REPORT(moment, asked)
    pieces: list[str] = []
    return moment.then.ask(f"What happened in {asked.period}?", mode="global", on_text=pieces.append), pieces


def asked_for_a_year(moment: Moment, asked: Asked) -> Any:
    """An answer to a question that is only a time; its reports are written before, as in `asked_for_all`."""
    verb("report", lambda _: {"period": "2020"})(moment, asked)
    return moment.then.ask("what happened in 2020?")


def moves(moment: Moment, asked: Asked) -> Any:
    """Documents of their day, and where removed ones went; by their ids."""
    view = moment.then.view()
    known = lives(view)
    called = {number: life.name for number, life in known.items()}
    removed = [number for number, life in known.items() if life.ended is not None]
    return (
        {called[number] for number in of_their_day(view) if number in called},
        sorted((called[old], called[new]) for old, new in moved_to(view, known, removed).items()),
    )  # fmt: skip


STALE = verb("stale", lambda _: {"explain": True})
UNWRITTEN = verb("stale", lambda _: {"explain": True, "kind": ("unwritten",)})


def stale(moment: Moment, asked: Asked) -> Any:
    """Without the ids of sentences of documents that got their own ids later, of which they are made."""
    told: Any = [STALE(moment, asked), UNWRITTEN(moment, asked)]
    for each in told[0]["stale"] + told[1]["stale"]:
        if any(name in json.dumps(each) for pair in RENAMED.items() for name in pair):
            each["id"] = ""
    return told


OBSERVABLES: dict[str, Observable] = {
    "facts": known, "entities": named, "global answer": asked_for_all,
    "answer for a year": asked_for_a_year,
    "search by tgrag": search_by("tgrag"), "search by qd-rag": search_by(QD_RAG),
    "verb facts": verb("facts", lambda asked: {"subject": asked.entity}),
    "verb report": REPORT,
    "verb report about": verb("report", lambda asked: {"period": asked.period, "about": asked.entity}),
    "verb stale": stale, "moves": moves,
    "tables of facts": tables(
        facts=lambda asked: {"subject": asked.entity}, report=lambda asked: {"period": asked.period},
    ),
    "command facts": command(("facts", "{entity}", "--why")),
}  # fmt: skip


# -- planted faults ---------------------------------------------------------------------------------------


def forgets(module: Any, name: str, right: str, wrong: str = "") -> Callable[[pytest.MonkeyPatch], None]:
    """A query without a condition."""
    query = getattr(module, name)
    assert right in query
    return put(module, name, query.replace(right, wrong))


right_aliases, right_mentions = store.alias_facts, store.mentions_by_document


YESTERDAY = "Pier Ltd reported revenue of $4 million yesterday."
REVENUE = "Quay Ltd's revenue was ${} million on 2020-03-05."
BROAD, SMALL = (f"The {name} (NHA) bought Pier Ltd on 2020-03-05." for name in (
    "Northern Harbour Authority", "National Horse Association",
))  # fmt: skip

FAULTS = [
    Fault("facts that were learned later", forgets(reader, "_VISIBLE", " AND p.added <= ?3"), ("facts",), (
        told("ferry.md", "2020-02-03", REVENUE.format(3)), told("mill.md", "2020-02-03", REVENUE.format(4)),
    ), "2020", 1),
    Fault("ends that were learned later", forgets(reader, "_VISIBLE", "AND e.added <= ?3"), ("facts",), (
        told("ferry.md", "2020-02-03", REVENUE.format(3)), told("ferry.md", "2020-03-05", REVENUE.format(4)),
    ), "2021", 1),
    Fault("a date that was learned later", forgets(
        store, "_EXCERPT", "v.id = p.version", "v.id = coalesce(d.current, p.version)",
    ), ("facts",), (
        told("ferry.md", "2020-02-03", f"## part 1\n\n{YESTERDAY}\n\n## part 2\n\nMill."),
        told("ferry.md", "2020-03-05", f"## part 1\n\n{YESTERDAY}\n\n## part 2\n\nFerry."),
    ), "2020-02-20"),
    Fault("names over all facts",
          put(store, "alias_facts", lambda db, _, known_at: right_aliases(db, NEVER - 1, known_at)),
          ("entities",), (
        told("ferry.md", "2020-02-03", REVENUE.format(3)), told("mill.md", "2021-01-15", BROAD),
    ), "2020"),
    # what was kept for one moment is taken for all that have the same passages
    Fault("aliases are looked at once", put(store, "has_aliases", lambda _: False), ("entities",), (
        told("ferry.md", "2020-02-03", REVENUE.format(3)),
        told("ferry.md", "2020-03-05", REVENUE.format(3), aliases="[The Ledger]"),
    ), "2020-02-20"),
    Fault("surnames of all times", put(
        store, "mentions_by_document",
        lambda db, documents, *_: right_mentions(db, documents, NEVER - 1, NEVER),
    ), ("entities",), (
        told("ferry.md", "2020-02-03", "Quill left Mole Inc."),
        told("ferry.md", "2021-01-15", "Marta Quill left Mole Inc. Quill left Mole Inc."),
    ), "2020"),
]  # fmt: skip
