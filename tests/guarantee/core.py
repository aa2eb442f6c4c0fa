"""What the core shows of a corpus at a moment, and faults that would show what is later."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from tests.guarantee.histories import DAY, SMALL, Event, told
from tests.guarantee.observing import (
    Asked,
    Fault,
    Moment,
    Observable,
    command,
    in_full,
    put,
    search_by,
    tables,
    verb,
)
from tests.guarantee.texts import SENTENCES, SITES, TAGS

from asof import engine
from asof.answer import boilerplate
from asof.cli.formats import write_statements
from asof.extensions.systems import latent
from asof.index import segment as index_segment
from asof.index import view as index_view
from asof.index.segment import Prefix
from asof.index.spelling import nearest_words
from asof.index.view import View
from asof.queries import Filters
from asof.recipes import ASOF
from asof.revisions import chains, copies, edits
from asof.revisions.chains import SeriesCache, Succession, succession
from asof.revisions.link import Linker
from asof.revisions.rows import CandidateLimits, GraphLimits, Rows
from asof.store import reader, writing
from asof.store.reader import AsOfReader, PassageHistory
from asof.text.tokens import term_hash, tokenize
from asof.time.moment import read
from asof.time.span import NEVER
from asof.wire import replace

TIGHT = ASOF.replaced({"rerank_window.n": 10, "round_robin_by_document.title_coverage": 0.1})
"""The default recipe with a closer look at ten only."""


def narrowed(moment: Moment, asked: Asked) -> Any:
    """With filters that no surface offers."""
    hard = Filters(any_tags=("harbour", "price"), no_tags=("people",), documents=(asked.name, "mill.md"))
    return in_full(moment.then, asked.question, filters=hard)


def operators(asked: Asked) -> str:
    """A question with operators, of which the words are in some passages."""
    asks = asked.question.replace('"', "").split()
    first, last = asks[0], asks[-1]
    words = f"{asked.question} -{first} NOT closed ferry OR {last}"
    return f'{words} -"mill ferry" path:*.md -tag:people after:2019'


def statistics(moment: Moment, asked: Asked) -> Any:
    """Numbers over all passages that scores are made of."""
    view = moment.then.view()
    words = sorted({word for sentence in SENTENCES for word in tokenize(sentence)})
    terms = [term_hash(term) for word in words for term in view.analyzer.terms(word, "en")]
    rows = view.prefix
    return rows.n, rows.tokens, rows.average_length, rows.dfs(terms), view.count_without_times(Filters())


def spelling(moment: Moment, asked: Asked) -> Any:
    view = moment.then.view()
    return [nearest_words(view, word) for word in ("ferri", "harbor", "brad", "storn", "prise", "quilt")]


def names(moment: Moment, asked: Asked) -> Any:
    then = moment.then
    found: list[Any] = [then.resolve(asked.link.partition("|")[0], origin) for origin in ("", asked.name)]
    return [*found, then.text(asked.name), then.called(asked.called)]


PAST = (
    "since when {}?", "until when {}?", "when was {} removed?", "when did {} change?", "what changed in {}?",
    "how did {} change in 2020?", "who was the harbour master before Marta Quill?", "how many {}?",
    "who was the harbour master after Jon Reed?",
)  # fmt: skip


def of_the_past(moment: Moment, asked: Asked) -> Any:
    """Answers from how documents changed."""
    return [moment.then.ask(each.format(asked.question)) for each in (*PAST, "what changed in 2021?")]


TABLES = (
    "What was the {} in 2019, 2020 and 2021?", "How much was the ticket of the ferry in each year?",
    "What was the revenue of Quay Ltd and Pier Ltd from 2019 to 2021?",
    # an "and" that hits may join; values that no passage on it may give
    "What was the {} and the fare of the ferry in 2020?", "ferry fare 2019, 2020 and 2021",
    "What is the phone number of the {}?", "How has the price of the {} changed?",
    "who was the harbour master in 2020 and in 2021?",
)  # fmt: skip


def cells(moment: Moment, asked: Asked) -> Any:
    """Answers in cells, each asked for on its own, as of its time too."""
    return [moment.then.ask(each.format(asked.question), mode="local") for each in TABLES]


def diff(moment: Moment, asked: Asked) -> Any:
    then = moment.then
    other = replace(then, as_of=min(read(asked.other).last, then.as_of))
    return then.diff(asked.question, other)


def passages(moment: Moment, asked: Asked) -> Any:
    """The passages of hits, and the text that is made of them for a prompt."""
    then = moment.then
    hits = then.search(asked.question, 5, unit="passage").hits
    return [then.passage(hit.id) for hit in hits], then.context(asked.question, asked.tokens)


NARROW = GraphLimits(
    candidates=CandidateLimits(window=2, window_of_words=1, edits=2),
    least_written=1, share_written=10**9, rebuild_share=0, texts_at_once=2, most_postings=12,
    pairs_at_once=3,
)  # fmt: skip
"""Few candidates, so that nearly every passage that comes or goes displaces another; everything in several
batches, files always written, existing chains always updated."""

SMALL.append(lambda corpus: SeriesCache.of(corpus.session.derived, NARROW))


def series(moment: Moment, asked: Asked) -> Any:
    """All that succession says, by what passages say and not by rows."""
    view = moment.then.view()
    found = succession(view)
    rows = np.arange(view.prefix.rows)
    rows = rows[found.nodes(rows) >= 0]
    said = view.column("said", rows).tolist()
    names: dict[int, Any] = {
        row: (record.document, record.key, instant)
        for row, record, instant in zip(rows.tolist(), view.records(rows), said, strict=True)
    }
    names[-1] = ("", b"", 0)
    columns = (found.predecessors(rows), found.successors(rows), found.originals(rows))
    told = {}
    for row, one, other, original in zip(rows.tolist(), *(each.tolist() for each in columns), strict=True):
        assert one < 0 or names[one][2] < names[row][2]
        line = [names[each] for each in found.series(row).tolist()]
        told[str(names[row])] = (names[one], names[other], names[original], line)
    return told


def statements(moment: Moment, asked: Asked) -> Any:
    """All statements as they are exported, and those of filters."""
    found = []
    for options in ({}, {name: asked.filters[name] for name in asked.filters.keys() - {"about"}}):
        out = io.BytesIO()
        count = write_statements(out, "csv", moment.then, moment.then.filters(**options))
        found.append((count, out.getvalue().decode()))
    return found


def _filters(asked: Asked) -> dict[str, Any]:
    return {name: asked.filters[name] for name in ("since", "until", "about") if name in asked.filters}


def _searched(asked: Asked) -> dict[str, Any]:
    return {"q": asked.question, **asked.options, **_filters(asked)}


OBSERVABLES: dict[str, Observable] = {
    **{f"search by {name}": search_by(name) for name in ("asof", "bm25", "dense", "hybrid", "hybrid-rrf")},
    "search by asof, ten looked at": search_by(TIGHT),
    "search with filters": narrowed,
    "search with operators": lambda moment, asked: in_full(moment.then, operators(asked), **asked.filters),
    "answer with operators": lambda moment, asked: moment.then.ask(operators(asked)),
    "answers of the past with operators": lambda moment, asked: [
        moment.then.ask(f"{each.format(asked.question)} -closed path:*.md".replace("?", "")) for each in PAST
    ],
    "verb search": verb("search", lambda asked: {**_searched(asked), "explain": True}),
    "verb ask": verb("ask", lambda asked: {"q": asked.question, **_filters(asked)}),
    "ask, of so many tokens": lambda moment, asked: moment.then.ask(
        asked.question, tokens=asked.tokens, **asked.filters
    ),
    "ask, in force at a date, or with a value of metadata": lambda moment, asked: [
        moment.then.ask(asked.question, in_force=asked.other),
        *(moment.then.ask(asked.question, meta={"site": [each[:-1]]}) for each in SITES),
    ],
    "answers of the past": of_the_past,
    "answers in tables": cells,
    "verb context": verb(
        "context", lambda asked: {"q": asked.question, "tokens": asked.tokens, **_filters(asked)}
    ),
    "verb changes": verb("changes", lambda asked: {"since": asked.other, "k": 3}),
    "verb timeline with operators": verb("timeline", lambda asked: {"q": operators(asked)}),
    "verb changes with operators": verb(
        "changes", lambda asked: {"q": f"{asked.question} -storm -tag:{TAGS[0]} after:2019"}
    ),
    "changes that were learned": lambda moment, asked: moment.then.changes(since=asked.other, learned=True),
    "verb changes about something": verb("changes", lambda asked: {"q": asked.question, "since": "2019"}),
    "verb list": verb("list", lambda asked: {"since": asked.other, "k": 3}),
    "verb timeline": verb("timeline", lambda asked: {"q": asked.question}),
    "verb links": verb("links", lambda asked: {"document": asked.called, "depth": asked.depth}),
    "verb why-not": verb("why-not", lambda asked: {"document": asked.name, **_searched(asked)}),
    "verb why-not, of any name": verb(
        "why-not", lambda asked: {"document": asked.called, **_searched(asked)}
    ),
    "verb when": verb("when", lambda asked: {"q": asked.question}),
    "verb document": verb("document", lambda asked: {"document": asked.called}),
    "verb documents": verb("documents", lambda asked: {"contains": asked.called[:3]}),
    "verb calendar": verb("calendar"),
    "tables": tables(
        search=_searched, ask=lambda asked: {"q": asked.question},
        timeline=lambda asked: {"q": asked.question}, changes=lambda asked: {"since": asked.other},
        list=lambda _: {"k": 3}, links=lambda asked: {"document": asked.called},
    ),
    "statements": statements, "diff": diff, "statistics": statistics, "spelling": spelling, "names": names,
    "passages": passages, "series": series,
    "commands": command(
        ("search", "{question}", "--explain"), ("why-not", "{name}", "{question}"),
        ("why-not", "{called}", "{question}"),
    ),
}  # fmt: skip


# -- planted faults ---------------------------------------------------------------------------------------


right_prefix = Prefix.of
right_passages = reader.visible_passages
right_ends = index_segment.ended_by
right_known = chains.ends_known
right_link = Linker._linked
right_chain = SeriesCache.succession
right_last = copies._last
right_originals = Succession.originals
right_attributes = writing._attributes
right_acts = AsOfReader.acts_on
right_numbers = reader.version_numbers


def of_all_rows(segments: Any, as_of: int, *known: Any, **past: Any) -> Prefix:
    made = right_prefix(segments, as_of, *known, **past)
    made.n = sum(segment.n for segment in segments)
    return made


def one_end_for_a_row(segments: Any, as_of: int, known_at: int) -> Any:
    """The last known end wins, as if each row had a field `ended` that is overwritten."""
    last: dict[int, tuple[int, int]] = {}
    for segment in segments:
        columns = (segment[name].tolist() for name in ("end_passage", "end_at", "end_added"))
        for row, at, added in zip(*columns, strict=True):
            last[row] = max(last.get(row, (-1, 0)), (added, at))
    dead = [row for row, (added, at) in last.items() if at <= as_of and added <= known_at]
    passages = np.array(sorted(dead), np.int64)
    return passages, np.array([last[row][1] for row in sorted(dead)], np.int64)


def takes_ends_of_the_future(patch: pytest.MonkeyPatch) -> None:
    wrong = lambda segments, at, known: right_ends(segments, at + 40 * DAY, known)  # noqa: E731
    for module in (index_segment, latent):
        patch.setattr(module, "ended_by", wrong)


def past_of_all_time(segments: Any, as_of: int, known_at: int = NEVER, *, past: bool = False) -> Prefix:
    """What was visible before is counted among all that was ever published."""
    return right_prefix(segments, NEVER - 1 if past else as_of, known_at, past=past)


def seen_at_any_time(db: Any, passages: Any, as_of: int, known_at: int, *, ended: bool = False) -> Any:
    """Edits are read from passages of all times."""
    return right_passages(db, passages, NEVER - 1, known_at, ended=ended)


def all_ends(rows: Rows, prefix: Prefix) -> Any:
    """An end that was learned later lets a passage be followed by one of its own document."""
    return right_known(rows, Prefix(prefix.as_of, NEVER, prefix.parts, 0, 0, 0))


def latest_successor(self: Linker, made: Any, touched: Any) -> Any:
    """The latest one that follows is taken, and not the earliest."""
    made = right_link(self, made, touched)
    later = np.flatnonzero(made.before >= 0)
    later = later[self.rows.canonical(later)]
    made.after[made.before[later]] = later
    return made


def first_chain(self: Any, view: View) -> Any:
    made = right_chain(self, view)
    return replace(made, chain=self.__dict__.setdefault("first", made.chain))


def followed_later(self: Succession, rows: Any) -> Any:
    """A series is known before it goes on: all passages are looked among."""
    return np.where(self.chain.after[self.nodes(rows)] >= 0, rows, right_originals(self, rows))


def original_at_any_time(rows: Rows, *given: Any, **options: Any) -> Any:
    """A file is the copy of one that was published after it."""
    timeless = {**rows.columns, "visible": np.zeros(rows.n, np.int64)}
    return right_last(replace(rows, columns=timeless), *given, **options)


def words_of_the_id(write: Any, version: int, head: int) -> Any:
    """A passage is searched by what its document was called last, and not then."""
    given = right_attributes(write, version, head)
    document = write.pending["versions"][version - write.ids["versions"].first][1]
    return given._replace(path=next(each.name for each in write.touched.values() if each.id == document))


def acts_as_of(as_of: int | None, known_at: int | None) -> Any:
    """Acts are read as of another moment than that of the view."""

    def wrong(self: AsOfReader, keys: Any, kind: str = "") -> Any:
        then = AsOfReader(self.db, as_of or self.as_of, known_at or self.known_at)
        return right_acts(then, keys, kind)

    return put(AsOfReader, "acts_on", wrong)


def versions_of_all_time(store: AsOfReader, passages: Any) -> Any:
    """Versions are numbered among those that were ever published."""
    return right_numbers(AsOfReader(store.db, NEVER - 1, NEVER), passages)


counts_what_turned_out_wrong = put(Rows, "known", lambda self, _: self.present.copy())


def fee(name: str, date: str, *texts: str, wait: int = DAY) -> Event:
    """A statement of one series, in a passage for each text."""
    parts = (f"## part {number}\n\n{text}" for number, text in enumerate(texts or ("Mill ferry.",)))
    return told(name, date, "\n\n".join(parts), wait, title=f"Fees {name[-4]}")


LOOK = Event("look")
BERTH = "A berth costs 3 euros."
ONE, TWO, THREE = "harbour/1.md", "harbour/2.md", "harbour/3.md"
CURRENT = (
    told("ferry.md", "2020-02-03", "A ticket of the ferry costs 3 euros. See [[mill]]."),
    told("mill.md", "2020-02-03", "The price of bread is 3 euros.", aliases="[The Ledger]"),
)
LATER = (
    told("mill.md", "2021-01-15", "The price of bread is 5 euros. See [[mole]]."),
    told("mole.md", "2021-01-15", "Read [[ferry]].", aliases="[The Ledger]"),
)

NOTED = (told("1.md", "2020-02-03", "A berth costs 3 euros.", title="Note 1"),)

FORM = "Please fill in every part of this form of the harbour."
FORMS = tuple(told(f"harbour/{at}.md", "2020-03-05" if at < 4 else "2021-01-15", FORM) for at in range(6))

FAULTS = [
    Fault("boilerplate is remembered from another time", put(
        boilerplate, "_known", lambda view: view.derived.memo.setdefault("boilerplate", {})
    ),
          ("verb ask",), (
        *FORMS, told("ferry.md", "2020-02-03", "A part of this form is in the harbour of the mill."), LOOK,
    ), "2020", asked=Asked("every part of this form")),
    Fault("a statistic over all rows", put(Prefix, "of", of_all_rows), ("statistics", "search by bm25"),
          CURRENT + LATER, "2020", asked=Asked("ferry ticket")),
    Fault("the past is counted over all times", put(Prefix, "of", past_of_all_time),
          ("answers of the past",), (
        told("ferry.md", "2020-02-03", "A ticket of the ferry costs 3 euros."),
        told("ferry.md", "2020-03-05", "A ticket of the ferry costs 5 euros."),
        *(told(f"{at}.md", "2021-01-15", "A ticket of the mill.") for at in range(5)),
    ), "2020-06", asked=Asked("ferry mill")),
    Fault("edits are read from all times", put(edits, "visible_passages", seen_at_any_time),
          ("verb changes",), (*CURRENT, *LATER), "2020", asked=Asked("price of bread", other="2020-01-01")),
    Fault("one end for each row", put(index_segment, "ended_by", one_end_for_a_row), ("statistics",), (
        told("ferry.md", "2020-03-03", "Mill."), told("ferry.md", "2020-03-08", "Ferry."),
        told("ferry.md", "2020-03-05", "Bread."),
    ), "2020-03-09", 1),
    Fault("an end that is taken from the future", takes_ends_of_the_future, ("statistics", "verb search"),
          (*CURRENT, told("mill.md", "2020-03-05", "Bread.")), "2020-02-20",
          asked=Asked("latest price of bread")),
    Fault("a tie that is broken by row number",
          put(View, "tie_order", lambda _, scores, rows: np.lexsort((rows, -scores))), ("search by bm25",), (
        fee(ONE, "2020-03-01"), fee(TWO, "2020-03-01"), fee(THREE, "2020-03-01"),
    ), "2020", asked=Asked("mill ferry storm")),
    Fault("the store is read as of the end",
          put(engine, "AsOfReader", lambda db, _, known: AsOfReader(db, NEVER - 1, known)), (
        "verb links", "verb document", "verb documents", "verb calendar", "names",
    ), CURRENT + LATER, "2020", asked=Asked("price of bread", "mill.md", "mill.md", "The Ledger")),
    Fault("the store is read as it is known now",
          put(engine, "AsOfReader", lambda db, at, _: AsOfReader(db, at, NEVER)), (
        "verb links", "verb document", "verb documents", "verb calendar", "names",
    ), CURRENT + LATER, "2022", 2, Asked("price of bread", "mill.md", "mill.md", "The Ledger")),
    Fault("a displaced passage is not looked at again",
          put(Linker, "_displaced", lambda *_: np.zeros(0, np.int64)), ("series",), (
        fee(ONE, "2020-03-01"), LOOK, fee(TWO, "2020-03-05"), LOOK, fee(THREE, "2020-03-03"),
    ), "2020-03-09"),
    Fault("an end that was learned later counts", put(chains, "ends_known", all_ends), ("series",), (
        fee(ONE, "2020-03-06", "Ferry."), fee(ONE, "2020-03-04", "Mill."),
        fee(ONE, "2020-03-04", "Storm ferry mill."),
    ), "2020-03-07", 1),
    Fault("rows that were wrong count", counts_what_turned_out_wrong, ("series",), (
        fee(ONE, "2020-03-01"), fee(TWO, "2020-03-03"), Event("correct", name=ONE, date="2020-03-05"),
    ), "2020-03-09"),
    Fault("a successor is not visible yet", put(Linker, "_linked", latest_successor), ("series",), (
        fee(ONE, "2020-03-03", BERTH), fee(TWO, "2020-03-05", BERTH),
        fee(ONE, "2020-03-09", "A berth is free."),
    ), "2020-03-05"),
    Fault("a copy of what is not visible yet", put(copies, "_last", original_at_any_time), ("series",), (
        fee(ONE, "2020-03-01", BERTH), fee("harbour/Copy of 2.md", "2020-03-03", BERTH),
        fee(TWO, "2020-03-09", BERTH),
    ), "2020-03-05"),
    Fault("chains are never brought up to date", put(SeriesCache, "succession", first_chain), ("series",), (
        fee(ONE, "2020-03-01"), LOOK, fee(TWO, "2020-03-03"), LOOK, fee(THREE, "2020-03-05"),
    ), "2020-03-09"),
    Fault("words of an id that a document got later are searched",
          put(writing, "_attributes", words_of_the_id), ("search by bm25",), (
        told("ferry.md", "2020-02-03", "The ferry."), told("mill.md", "2020-02-03", "The mill."),
        Event("rename", name="ferry.md", other="zz1sail.md"),
    ), "2020", asked=Asked("zz1sail ferry")),
    Fault("an act is seen before it is published", acts_as_of(NEVER - 1, None), ("verb search",), (
        *NOTED, told("repeal.md", "2021-01-15", "Note 1 is repealed."),
    ), "2020", asked=Asked("berth costs")),
    Fault("an act counts before it is learned", acts_as_of(None, NEVER), ("verb search",), (
        *NOTED, told("repeal.md", "2020-03-05", "Note 1 is repealed."),
    ), "2022", 1, Asked("berth costs")),
    Fault("a version that is published later counts",
          put(index_view, "version_numbers", versions_of_all_time), ("verb search", "tables", "statements"),
          (*CURRENT, *LATER), "2020", asked=Asked("price of bread")),
    Fault("a version that is learned later counts",
          put(index_view, "version_numbers", versions_of_all_time), ("verb search", "tables", "statements"),
          (*CURRENT, *LATER), "2022", 2, Asked("price of bread")),
    Fault("why-not tells of a document that is published later",
          put(PassageHistory, "was_visible", lambda *_: True), ("verb why-not, of any name", "commands"),
          (*CURRENT, *LATER), "2020", asked=Asked("price of bread", called="mole.md")),
    Fault("why-not tells of a document that is learned later",
          put(PassageHistory, "was_visible", lambda *_: True), ("verb why-not, of any name", "commands"),
          (*CURRENT, *LATER), "2022", 1, Asked("price of bread", called="mole.md")),
    Fault("a series is known before it goes on", put(Succession, "originals", followed_later), ("series",), (
        fee(ONE, "2020-03-01"), fee(TWO, "2020-03-05"),
    ), "2020-03-03"),
]  # fmt: skip
