"""What a corpus is asked at a moment: an observable is a function of the moment and of what is asked."""

from __future__ import annotations

import contextlib
import io
import json
import re
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from zipfile import ZipFile

import pytest
from hypothesis import strategies as st
from tests.guarantee import texts
from tests.guarantee.comparing import difference, plain
from tests.guarantee.histories import Event, History, Played, only_visible
from tests.support.corpora import memory_folder

from asof.cli.formats import content, table
from asof.cli.main import cli, run
from asof.corpus.corpus import Corpus
from asof.corpus.snapshot import Snapshot
from asof.errors import AsofError, DamagedStore
from asof.rank.stage import Recipe
from asof.time.span import iso
from asof.verbs import all_verbs
from asof.wire import encode


class Moment(NamedTuple):
    """A corpus at (T, K)."""

    corpus: Corpus
    as_of: int
    known_at: int

    @property
    def then(self) -> Snapshot:
        return self.corpus.snapshot(self.as_of, self.known_at)

    @property
    def clocks(self) -> dict[str, str]:
        """As a surface is told of it."""
        return {"as_of": iso(self.as_of), "known_at": iso(self.known_at)}


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked for, where an observable needs it. `name`: a document that is visible; `cap`: of the
    evidence graph."""

    question: str = "harbour master"
    name: str = "ferry.md"
    called: str = "ferry"
    link: str = "ferry"
    entity: str = "Quay Ltd"
    period: str = "2020"
    other: str = "2020-02-03"
    options: Mapping[str, Any] = field(default_factory=dict)
    filters: Mapping[str, Any] = field(default_factory=dict)
    tokens: int = 12_000
    depth: int = 1
    cap: int = 2


FILTERS = st.fixed_dictionaries({}, optional={
    **{name: st.sampled_from(texts.DATES) for name in ("since", "until", "about")},
    "source": st.sampled_from(("notes", "wire", "nothing")),
    "path": st.sampled_from(("harbour/*", "*mill*", "*sail*")),
    "tags": st.tuples(st.sampled_from(texts.TAGS)),
    "meta": st.tuples(st.tuples(st.just("site"), st.sampled_from(texts.SITES))),
})  # fmt: skip
OPTIONS = st.fixed_dictionaries({}, optional={
    "unit": st.sampled_from(("passage", "document")), "k": st.sampled_from((1, 3, 40)),
})  # fmt: skip
ASKED = st.builds(
    Asked, st.sampled_from(texts.QUESTIONS), st.sampled_from(texts.NAMES),
    st.sampled_from((*texts.CALLED, *texts.NAMES)), st.sampled_from((*texts.LINKED, *texts.ALIASES)),
    st.sampled_from(texts.ENTITIES), st.sampled_from(texts.PERIODS), st.sampled_from(texts.DATES), OPTIONS,
    st.one_of(st.just({}), st.just({}), FILTERS), st.sampled_from((12_000, 300, 100)),
    st.sampled_from((1, 2, 3)), st.sampled_from((2, 3, 1, 0)),
)  # fmt: skip

Observable = Callable[[Moment, Asked], Any]


# -- kinds of observables ---------------------------------------------------------------------------------


def in_full(then: Snapshot, question: str, **options: Any) -> dict[str, Any]:
    """All that a search shows; each tree gives its score again."""
    found = then.search(question, **options)
    for hit in found.hits:
        assert hit.why.recomputed() == hit.why.value == hit.score
    return {
        "hits": [(hit, encode(hit.why)) for hit in found.hits], "notes": found.notes, "n": found.view.n,
        "as of": found.view.as_of, "query": found.query, "recipe": found.recipe,
    }  # fmt: skip


def search_by(recipe: str | Recipe) -> Observable:
    """A search by a recipe: hits, scores, trees and notes."""

    def observable(moment: Moment, asked: Asked) -> Any:
        return in_full(moment.then, asked.question, recipe=recipe, **asked.options, **asked.filters)

    return observable


def verb(name: str, of: Callable[[Asked], dict[str, Any]] = lambda _: {}) -> Observable:
    """The JSON of a verb, as every surface gives it."""

    def observable(moment: Moment, asked: Asked) -> Any:
        known = all_verbs()[name]
        return known.answer(moment.corpus, known.parameters(**of(asked), **moment.clocks))

    return observable


def tables(**asked_of: Callable[[Asked], dict[str, Any]]) -> Observable:
    """The answers of verbs in every format that they can be carried away in."""

    def observable(moment: Moment, asked: Asked) -> Any:
        return {name: _carried(moment, name, of(asked)) for name, of in asked_of.items()}

    return observable


def _carried(moment: Moment, name: str, asked: dict[str, Any]) -> Any:
    known = all_verbs()[name]
    try:
        made = table(known.run(moment.corpus, known.parameters(**asked, **moment.clocks)))
    except AsofError as error:
        return str(error)
    texts = [content(made, how).decode() for how in ("csv", "markdown")]
    return [*texts, sheet_of(content(made, "xlsx")), *made.notes]


def sheet_of(workbook: bytes) -> str:
    """The XML of the sheet: its ids can be compared with those that documents got later. Not the widths of
    its columns, which go by the lengths of ids."""
    with ZipFile(io.BytesIO(workbook)) as package:
        whole = package.read("xl/worksheets/sheet1.xml").decode()
    return re.sub(r"<cols>.*?</cols>", "", whole)


def command(*lines: tuple[str, ...]) -> Observable:
    """What commands print; `{name}` and the like in their words are what is asked for."""

    def observable(moment: Moment, asked: Asked) -> Any:
        given = {name: getattr(asked, name) for name in ("question", "name", "called", "entity", "period")}
        return [_printed(moment, [word.format(**given) for word in line]) for line in lines]

    return observable


def _printed(moment: Moment, words: list[str]) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    clocks = [f"--{name.replace('_', '-')}={value}" for name, value in moment.clocks.items()]
    before, sys.argv = sys.argv, ["asof", *words, "--index", str(moment.corpus.root), *clocks]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = run(cli)
    finally:
        sys.argv = before
    return code, out.getvalue(), err.getvalue()


class Fault(NamedTuple):
    """A fault, planted by a patch, and what it shows in: in all of `seen`, of a corpus with this history, at
    the end of the date `as_of`, as known `back` writes before the last."""

    name: str
    plant: Callable[[pytest.MonkeyPatch], None]
    seen: tuple[str, ...]
    events: tuple[Event, ...]
    as_of: str
    back: int = 0
    asked: Asked = Asked()

    def __str__(self) -> str:
        return self.name


def put(owner: Any, name: str, wrong: Any) -> Callable[[pytest.MonkeyPatch], None]:
    """Plants a fault in the place of a function, method or query."""
    return lambda patch: patch.setattr(owner, name, wrong)


# -- comparing two corpora --------------------------------------------------------------------------------


def said(observable: Observable, moment: Moment, asked: Asked) -> Any:
    """What a corpus says, as a plain value; an error of ours is what it says too."""
    try:
        return plain(observable(moment, asked))
    except DamagedStore:
        raise
    except AsofError as error:
        return {"error": type(error).__name__, "says": str(error)}


def called(value: Any) -> Any:
    """A plain value with the ids of documents that got them later."""
    return json.loads(texts.later(json.dumps(value)))


def differences(
    observables: Mapping[str, Observable], here: Moment, there: Moment, asked: Asked
) -> dict[str, str]:
    """By the name of an observable, the first place where two corpora differ in it, or how it broke."""
    found = {}
    for name, observable in observables.items():
        try:
            where = difference(said(observable, here, asked), called(said(observable, there, asked)))
        except (AssertionError, LookupError, AsofError):
            where = traceback.format_exc()
        if where is not None:
            found[name] = where
    return found


@contextlib.contextmanager
def pair(
    history: History, at: Callable[[Played], tuple[int, int] | None], look: Callable[[Corpus], None],
    prepare: Callable[[Corpus], None],
) -> Iterator[tuple[Played, Moment, Moment] | None]:  # fmt: skip
    """A corpus to which a history happened, and one that was only told what is visible `at` a moment of it;
    None where there is no such moment. `look`: what is asked in the middle, and at the end."""
    with memory_folder() as folder, contextlib.closing(Played(folder / "all", history, look)) as played:
        played.play()
        moment = at(played)
        if moment is None:
            yield None
            return
        prepare(played.corpus)
        look(played.corpus)
        with only_visible(played, folder / "part", *moment) as part:
            prepare(part)
            yield played, Moment(played.corpus, *moment), Moment(part, *moment)
