"""Facts in the store: the excerpts that an extractor reads, the facts of each passage, and their names."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, NamedTuple

from msgspec import Struct

from asof.documents import SourcedTime
from asof.store.digest import AboutTime, loads, span_of
from asof.text.query import key
from asof.time.span import Span
from asof.wire import HIDDEN, As

# -- facts ---------------------------------------------------------------------------------------------

VALUE, CHANGE, EVENT, NAME = "value", "change", "event", "name"
KINDS = (VALUE, CHANGE, EVENT, NAME)
"""The kinds of facts: a measure has a value; a measure changed by so much; somebody did something to somebody
or something; two names mean the same (an alias, an acronym that the text defines, a ticker)."""


EXPECTED = "expected"
"""The first word of the relation of a figure that was stated before its time: a forecast."""


class Amount(Struct, frozen=True):
    """A figure.

    "$3.7 billion" is 3.7e9 USD. A decrease is negative where a change is meant ("down 17%" is -17 %). `unit`
    is "" for a bare count; `basis` is "sequentially" or "year over year" for some changes.
    """

    value: Annotated[float, "in whole units"]
    unit: Annotated[str, "`USD`, `%`, `bp`, `shares` ..."]
    basis: Annotated[str, "what a change counts from, as it was written"] = ""


class Fact(Struct, frozen=True):
    """A fact that one sentence of a passage states.

    `subject`, `relation` and `object` are words of the text or of its document's title and metadata. `when`
    is the time that it holds of, with the words and the place that say so (`by`: text, title, heading, the
    name of a metadata field, or `published` where nothing but the date of the version is known); None where
    nothing is known. `start` and `end` are the offsets of the sentence in the passage's text. `confidence` in
    (0, 1] is the extractor's own.
    """

    subject: Annotated[str, HIDDEN]
    relation: Annotated[str, HIDDEN]
    object: Annotated[str, "what the fact states of the subject"]
    when: Annotated[SourcedTime | None, As("time"), "the time that it holds of; null: not known"]
    start: Annotated[int, HIDDEN]
    end: Annotated[int, HIDDEN]
    kind: Annotated[str, "`value`, `change` or `event`"] = EVENT
    amount: Annotated[Amount | None, "the figure; null: none"] = None
    confidence: Annotated[float, "how sure the extractor is, to 1"] = 1.0

    @property
    def span(self) -> Span | None:
        """The time that it holds of."""
        return None if self.when is None else self.when.span


# -- excerpts and facts ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ExtractorInput:
    """The input of an extractor: a passage and the attributes of its document, nothing else, so that facts
    are a function of them.

    `times` are the times that it is about, `published` the date of the first
    version with this passage, None where unknown. `number` is its place in the document.
    """

    passage: int
    document: str
    title: str
    headings: tuple[str, ...]
    text: str
    language: str
    published: Span | None
    times: tuple[AboutTime, ...] = ()
    fiscal_start: int = 1
    number: int = 0
    meta: Mapping[str, Any] = field(default_factory=dict)


class Extraction(NamedTuple):
    """The facts of one passage; `problem`: why it could not be read, "" if it could. `unsent`: the model was
    not asked, because the budget was used up."""

    passage: int
    facts: tuple[Fact, ...]
    problem: str = ""
    unsent: bool = False


_EXCERPT = (
    "SELECT p.id, d.name, h.title, p.headings, p.text, h.language, v.starts, v.ends, p.about,"
    " h.fiscal_start, p.number, h.meta FROM json_each(?) AS requested"
    " JOIN passages AS p ON p.id = requested.value JOIN documents AS d ON d.id = p.document"
    " JOIN versions AS v ON v.id = p.version JOIN heads AS h ON h.id = p.head ORDER BY requested.key"
)


def excerpts(db: sqlite3.Connection, passages: Sequence[int]) -> list[ExtractorInput]:
    """The excerpts of these passages, in their order."""
    rows = db.execute(_EXCERPT, (json.dumps(list(passages)),))
    return [_excerpt(*row) for row in rows]


def _excerpt(
    passage: int, document: str, title: str, headings: str, text: str, language: str, starts: int | None,
    ends: int | None, times: str, fiscal_start: int, number: int, meta: str,
) -> ExtractorInput:  # fmt: skip
    published = None if starts is None or ends is None else span_of(starts, ends)
    above = tuple(headings.split("\n")) if headings else ()
    return ExtractorInput(
        passage, document, title, above, text, language, published, loads(times), fiscal_start, number,
        json.loads(meta),
    )  # fmt: skip


def passages_without_facts(db: sqlite3.Connection, extractor: str = "") -> list[int]:
    """Passages that no extractor has read (or, with its name, that this one has not), in order of id."""
    where = "e.passage IS NULL" if not extractor else "e.extractor IS NOT ?"
    rows = db.execute(
        f"SELECT p.id FROM passages AS p LEFT JOIN extractions AS e ON e.passage = p.id WHERE {where}"
        " ORDER BY p.id",
        (extractor,) if extractor else (),
    )
    return [passage for (passage,) in rows]


def without_facts(db: sqlite3.Connection, passages: Iterable[int]) -> list[int]:
    """Those of these passages that no extractor has read, in their order."""
    rows = db.execute(
        "SELECT CAST(requested.value AS INTEGER) FROM json_each(?) AS requested"
        " LEFT JOIN extractions AS e ON e.passage = requested.value"
        " WHERE e.passage IS NULL ORDER BY requested.key",
        (json.dumps(list(passages)),),
    )
    return [passage for (passage,) in rows]


def save_extractions(db: sqlite3.Connection, extractor: str, extractions: Iterable[Extraction]) -> None:
    """Store the facts of passages in place of earlier ones. Within a transaction."""
    for passage, facts, *_ in extractions:
        db.execute("DELETE FROM facts WHERE passage = ?", (passage,))
        db.execute("INSERT OR REPLACE INTO extractions VALUES (?, ?)", (passage, extractor))
        db.executemany(
            "INSERT INTO facts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [_row(passage, number, fact) for number, fact in enumerate(facts)],
        )


def _row(passage: int, number: int, fact: Fact) -> tuple[object, ...]:
    when = fact.when
    first, last = (None, None) if when is None else (when.span.first, when.span.last)
    amount = fact.amount
    return (
        passage, number, fact.subject, fact.relation, fact.object, key(fact.subject), key(fact.object),
        fact.kind, first, last, when.text if when else "", when.by if when else "", fact.start, fact.end,
        amount.value if amount else None, amount.unit if amount else "", amount.basis if amount else "",
        fact.confidence,
    )  # fmt: skip


class StoredFact(NamedTuple):
    """A fact with the passage that states it, and its number there."""

    passage: int
    number: int
    fact: Fact


_COLUMNS = (
    "f.passage, f.number, f.subject, f.relation, f.object, f.kind, f.first, f.last, f.time_text, f.time_by,"
    " f.start, f.end, f.value, f.unit, f.basis, f.confidence"
)


def facts_in(db: sqlite3.Connection, passages: Iterable[int]) -> list[StoredFact]:
    """The facts of these passages, by passage and number."""
    return _query_facts(
        db,
        f"SELECT {_COLUMNS} FROM json_each(?) AS requested JOIN facts AS f ON f.passage = requested.value",
        json.dumps(list(passages)),
    )


def facts_about(db: sqlite3.Connection, keys: Iterable[str]) -> list[StoredFact]:
    """All facts whose subject or object has one of these keys (`asof.text.query.key`)."""
    return _query_facts(
        db,
        f"SELECT {_COLUMNS} FROM facts AS f WHERE f.subject_key IN (SELECT value FROM json_each(?1))"
        " OR f.object_key IN (SELECT value FROM json_each(?1))",
        json.dumps(list(keys)),
    )


def facts_of_kind(db: sqlite3.Connection, kind: str) -> list[StoredFact]:
    """All facts of a kind."""
    return _query_facts(db, f"SELECT {_COLUMNS} FROM facts AS f WHERE f.kind = ?", kind)


def facts_during(db: sqlite3.Connection, first: int, last: int) -> list[StoredFact]:
    """All facts whose time has an instant in [first, last]."""
    return _query_facts(
        db, f"SELECT {_COLUMNS} FROM facts AS f WHERE f.first <= ?2 AND f.last >= ?1", first, last
    )


def _query_facts(db: sqlite3.Connection, query: str, *values: object) -> list[StoredFact]:
    rows = db.execute(f"{query} ORDER BY f.passage, f.number", values)
    return [StoredFact(row[0], row[1], _fact(*row[2:])) for row in rows]


def _fact(
    subject: str, relation: str, object_: str, kind: str, first: int | None, last: int | None, text: str,
    by: str, start: int, end: int, value: float | None, unit: str, basis: str, confidence: float,
) -> Fact:  # fmt: skip
    when = None
    if first is not None and last is not None:
        when = AboutTime(first, last, text, by).sourced_time()
    amount = None if value is None else Amount(value, unit, basis)
    return Fact(subject, relation, object_, when, start, end, kind, amount, confidence)


# -- names: mentions of entities, and aliases ------------------------------------------------------


CURRENT = (
    " p.visible <= ?1 AND p.added <= ?2 AND NOT EXISTS"
    " (SELECT 1 FROM ends AS e WHERE e.passage = p.id AND e.added <= ?2 AND e.at <= ?1) "
)
"""SQL for a passage `p` that is current at (?1, ?2)."""

_JOINS = " JOIN passages AS p ON p.id = f.passage JOIN documents AS d ON d.id = p.document "
_NAMES = f"f.kind IN ('{EVENT}', '{NAME}') AND f.value IS NULL AND f.object_key <> ''"
"""SQL: the object of a fact is a name, not a figure."""


class AliasFact(NamedTuple):
    """A fact of kind NAME: `object` is another name of `subject`. `start` and `end` are those of its sentence
    in its passage, both 0 for what the head of the document states."""

    passage: int
    document: str
    subject: str
    object: str
    start: int
    end: int


class TitleAlias(NamedTuple):
    """An alias of a current document, with its title; valid since `visible`."""

    document: str
    title: str
    alias: str
    visible: int


class NameMention(NamedTuple):
    """A name in a document, and the key that it is compared by."""

    document: str
    name: str
    key: str


def alias_facts(db: sqlite3.Connection, as_of: int, known_at: int) -> list[AliasFact]:
    """All current facts of kind NAME, in an order that does not depend on the rest of the corpus."""
    rows = db.execute(
        f"SELECT p.id, d.name, f.subject, f.object, f.start, f.end FROM facts AS f{_JOINS}"
        f" WHERE f.kind = '{NAME}' AND{CURRENT}ORDER BY d.name, p.number, p.visible, f.number",
        (as_of, known_at),
    )
    return [AliasFact(*row) for row in rows]


def title_aliases(db: sqlite3.Connection, as_of: int, known_at: int) -> list[TitleAlias]:
    """The aliases of all current documents that have a title, in order of documents and aliases."""
    rows = db.execute(
        "SELECT d.name, h.title, a.alias, v.visible FROM aliases AS a JOIN versions AS v ON v.id = a.version"
        " JOIN documents AS d ON d.id = v.document JOIN heads AS h ON h.id = v.head"
        " WHERE v.visible <= ?1 AND v.added <= ?2 AND (v.retired IS NULL OR v.retired > ?2) AND h.title <> ''"
        " AND NOT EXISTS (SELECT 1 FROM versions AS w WHERE w.document = v.document AND w.visible <= ?1"
        "  AND w.added <= ?2 AND (w.retired IS NULL OR w.retired > ?2)"
        "  AND (w.visible, w.added, w.id) > (v.visible, v.added, v.id)) ORDER BY d.name, a.alias",
        (as_of, known_at),
    )
    return [TitleAlias(*row) for row in rows]


def has_aliases(db: sqlite3.Connection) -> bool:
    """True if any version ever had an alias."""
    return db.execute("SELECT 1 FROM aliases LIMIT 1").fetchone() is not None


def mentions_by_key(
    db: sqlite3.Connection, keys: Iterable[str], as_of: int, known_at: int
) -> list[NameMention]:
    """The distinct names with these keys in current facts, with each document that mentions them."""
    key_list = json.dumps(list(keys))
    rows = db.execute(
        f"SELECT d.name, f.subject, f.subject_key FROM facts AS f{_JOINS}"
        f" WHERE f.subject_key IN (SELECT value FROM json_each(?3)) AND{CURRENT}"
        f" UNION SELECT d.name, f.object, f.object_key FROM facts AS f{_JOINS}"
        f" WHERE f.object_key IN (SELECT value FROM json_each(?3)) AND {_NAMES} AND{CURRENT} ORDER BY 1, 2",
        (as_of, known_at, key_list),
    )
    return [NameMention(*row) for row in rows]


def mentions_by_document(
    db: sqlite3.Connection, documents: Iterable[str], as_of: int, known_at: int
) -> dict[str, list[NameMention]]:
    """The names in current facts of these documents, in text order, with repetitions."""
    rows = db.execute(
        "SELECT d.name, f.subject, f.subject_key, CASE WHEN"
        f" {_NAMES} THEN f.object ELSE '' END, f.object_key FROM json_each(?3) AS requested"
        " JOIN documents AS d ON d.name = requested.value JOIN passages AS p ON p.document = d.id"
        f" JOIN facts AS f ON f.passage = p.id WHERE{CURRENT}"
        "ORDER BY d.name, p.number, p.visible, f.start, f.number",
        (as_of, known_at, json.dumps(list(documents))),
    )
    mentions: dict[str, list[NameMention]] = {}
    for document, subject, subject_key, object_, object_key in rows:
        here = mentions.setdefault(document, [])
        here.append(NameMention(document, subject, subject_key))
        if object_:
            here.append(NameMention(document, object_, object_key))
    return mentions


def all_names(db: sqlite3.Connection, as_of: int, known_at: int) -> list[str]:
    """The distinct names in current facts, sorted."""
    rows = db.execute(
        f"SELECT f.subject FROM facts AS f{_JOINS} WHERE{CURRENT}"
        f"UNION SELECT f.object FROM facts AS f{_JOINS} WHERE {_NAMES} AND{CURRENT} ORDER BY 1",
        (as_of, known_at),
    )
    return [name for (name,) in rows]
