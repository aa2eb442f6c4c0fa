"""Recorded questions and the judgements of their hits: values, trees, recorded scores, a judge, the log.

A grade says how well a passage answers, 0 to 3; somebody gives it, or a language model does. `FeedbackLog`,
at the end, records for `asof papers`; no other search is changed by it.
"""

from __future__ import annotations

import json
import re
import secrets
import sys
import zlib
from base64 import b32encode
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Annotated, Any, Literal

import msgspec
import numpy as np
from msgspec import Meta, Struct

from asof.corpus.session import ModelProvider, Session
from asof.engine import Results
from asof.errors import DamagedStore, UsageError
from asof.extensions.systems import feedback as stored
from asof.extensions.systems.feedback import AskedRow, JudgementRow, ShownRow
from asof.extensions.systems.learning import (
    Box,
    JudgedScores,
    moved_fields,
    numbers,
    replayable,
    thresholds,
    tree_numbers,
    tree_scores,
)
from asof.hits import MadeAt, Usage, Why
from asof.models.ports import Model, Prompt, Reply, delimiter_for, one_line, prompt_text
from asof.rank.gather import query_terms
from asof.rank.stage import Recipe
from asof.schema import plain
from asof.store.reader import StoredPassage, published_of, records
from asof.text.query import parse
from asof.time.moment import When, last_instant
from asof.time.span import iso
from asof.wire import As

if TYPE_CHECKING:
    import sqlite3

    from asof.corpus.corpus import Corpus


# -- questions, hits and judgements ----------------------------------------------------------------


GRADE, MODEL = KINDS = ("grade", "model")
"""The kinds of judgement, the one that counts most first."""

HIGHEST = 3.0
LARGEST_TREE = 64 * 1024 * 1024
"""Bytes of the JSON of a tree."""


@dataclass(frozen=True, slots=True)
class RecordedQuestion:
    """A question as it was recorded at `added`; instants are microseconds since 1970.

    `fields`: all numbers of the recipe that ranked. `shown` is in order of rank, with packed trees
    (`unpack`); a rank is missing where its passage was erased.
    """

    id: str
    text: str
    as_of: int
    known_at: int
    fields: Mapping[str, Any]
    added: int
    shown: tuple[ShownRow, ...] = ()

    @classmethod
    def of(cls, row: AskedRow, shown: Sequence[ShownRow]) -> RecordedQuestion:
        """A question from its rows. Raises DamagedStore."""
        try:
            fields = json.loads(row.fields)
        except (ValueError, RecursionError) as error:
            raise DamagedStore(f"the stored fields of question {row.id} are no JSON: {error}") from error
        if not isinstance(fields, dict):
            raise DamagedStore(f"the fields of question {row.id} are no table: `asof status --check`")
        return cls(row.id, row.question, row.as_of, row.known_at, fields, row.added, tuple(shown))


@dataclass(frozen=True, slots=True)
class JudgedRecord:
    """A question with the grade of each hit of `question.shown` (None: not judged), and the kind of judgement
    it is from ("" without one)."""

    question: RecordedQuestion
    grades: tuple[float | None, ...]
    kinds: tuple[str, ...] = ()


def judged(question: RecordedQuestion, judgements: Sequence[JudgementRow]) -> JudgedRecord:
    """The judgements (oldest first) that count: the latest of each kind (None takes back the earlier ones); a
    grade before a model's grade."""
    latest = {(each.rank, each.kind): each.grade for each in judgements}
    kinds = [
        next((kind for kind in KINDS if latest.get((each.rank, kind)) is not None), "")
        for each in question.shown
    ]
    grades = [latest.get((each.rank, kind)) for each, kind in zip(question.shown, kinds, strict=True)]
    return JudgedRecord(question, tuple(grades), tuple(kinds))


# -- trees -----------------------------------------------------------------------------------------


def pack(why: Why, words: Collection[str], names: Mapping[int, str] | None = None) -> bytes:
    """A tree as it is stored: its JSON, compressed. Of the words that its labels quote, only those of the
    question stay (`words`, in lower case): others may be of passages that are erased later. The parts below
    such a label are left out as well, its value becomes "given". Numbers of the recipe keep their field;
    `names`: those of stages, by their `id`."""
    node = msgspec.to_builtins(_recorded(why, words, names or {}))
    return zlib.compress(json.dumps(node, separators=(",", ":"), allow_nan=False).encode())


def unpack(packed: bytes, max_bytes: int = LARGEST_TREE) -> Why:
    """The tree that was packed. Raises DamagedStore, also for more than `max_bytes` bytes of JSON."""
    reader = zlib.decompressobj()
    try:
        text = reader.decompress(packed, max_bytes)
        if not reader.eof:
            raise DamagedStore(f"the tree of a score is cut off, or longer than {max_bytes:,} bytes")
        return read_tree(json.loads(text))
    except (zlib.error, ValueError, RecursionError, UsageError) as error:
        raise DamagedStore(f"the tree of a score cannot be read: {error}") from error


MAX_DEPTH = 100
"""The most levels of a tree that is read: a recursive function can walk it."""
MAX_NODES = 100_000
"""The most nodes of a tree that is read."""

_PARTS: dict[str, tuple[int, int]] = {
    "given": (0, 0), "sum": (0, MAX_NODES), "product": (0, MAX_NODES), "ratio": (2, 2),
    "max": (1, MAX_NODES), "exp": (1, 1), "log": (1, 1),
}  # fmt: skip
"""The number of parts of an op: at least, at most."""

Finite = Annotated[float, Meta(ge=-sys.float_info.max, le=sys.float_info.max)]
StageField = Annotated[str, Meta(pattern=r"\.")]


class RecordedMade(Struct, forbid_unknown_fields=True):
    """`MadeAt` as JSON; `field`: stage.field."""

    field: StageField
    value: Finite
    of: Annotated[tuple[Finite, ...], Meta(min_length=1)]


class RecordedNode(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """A node of a tree as JSON; `constant`: stage.field."""

    label: str
    value: Finite
    op: Literal["given", "sum", "product", "ratio", "max", "exp", "log"]
    parts: tuple[RecordedNode, ...] = ()
    constant: StageField | None = None
    made: RecordedMade | None = None


def read_tree(node: object) -> Why:
    """The tree that `wire.encode` made this of, its numbers bit for bit.

    Values are taken as they are; `recomputed` tests whether they follow from their parts. Raises UsageError
    for anything else, and for more than 100 levels or 100,000 nodes.
    """
    nodes = 0

    def tree(node: RecordedNode, depth: int) -> Why:
        nonlocal nodes
        nodes += 1 + (len(node.made.of) if node.made else 0)
        if depth > MAX_DEPTH or nodes > MAX_NODES:
            raise UsageError(f"the tree has more than {MAX_DEPTH} levels or {MAX_NODES:,} nodes")
        least, most = _PARTS[node.op]
        if not least <= len(node.parts) <= most:
            raise UsageError(f"{node.label!r:.40}: so many parts are not what {node.op} takes")
        if node.constant is not None and node.op != "given":
            raise UsageError(f"{node.label!r:.40}: only a leaf has a constant")
        constant = node.constant.partition(".")[::2] if node.constant else None
        made = None
        if node.made is not None:
            made = MadeAt(*node.made.field.partition(".")[::2], node.made.value, node.made.of)
        parts = tuple(tree(part, depth + 1) for part in node.parts)
        return Why(node.label, node.value, node.op, parts, constant, made)

    try:
        return tree(msgspec.convert(node, RecordedNode), 1)
    except (msgspec.ValidationError, RecursionError) as wrong:
        raise UsageError(f"this is no tree of a score: {wrong}") from wrong


_QUOTED = re.compile("“([^”]*)”")


def _recorded(why: Why, words: Collection[str], names: Mapping[int, str]) -> RecordedNode:
    label = _QUOTED.sub(lambda quoted: quoted[0] if quoted[1].casefold() in words else "“…”", why.label)
    if label != why.label:
        return RecordedNode(label, why.value, "given")

    def field(stage: object, name: str) -> str:
        return f"{names.get(id(stage), stage)}.{name}"

    made = None
    if why.made is not None:
        made = RecordedMade(field(why.made.stage, why.made.field), why.made.value, why.made.of)
    parts = tuple(_recorded(part, words, names) for part in why.parts)
    op: Any = why.op
    return RecordedNode(label, why.value, op, parts, why.constant and field(*why.constant), made)


# -- scores at other numbers of a recipe, from recorded trees --------------------------------------
#
# See `learning.tree_scores`. Numbers that the trees do not hold need another search.


def recorded_scores(
    question: RecordedQuestion, recipe: Recipe, box: Box, gains: Sequence[float]
) -> JudgedScores | None:
    """The hits of `question.shown`, each as a document of its own, with the gain of each.

    None where the recipe or the box differs from what was recorded in numbers that the trees do not hold.
    Raises DamagedStore.
    """
    own, recorded = numbers(recorded_fields(recipe)), numbers(question.fields)
    other = {key for key in own | recorded if own.get(key, []) != recorded.get(key, [])}
    if not {*moved_fields(recipe, box), *other} <= replayable(recipe):
        return None
    trees = [unpack(each.why) for each in question.shown]
    found = [{field for field, _ in tree_numbers(tree)} for tree in trees]
    needed = thresholds(recipe, box)
    if not all(each and needed <= each <= own.keys() for each in found):
        return None
    return JudgedScores(tree_scores(trees, recipe, box), np.arange(len(trees)), np.array(gains), len(trees))


def recorded_fields(recipe: Recipe) -> dict[str, Any]:
    """The fields of a recipe as they are recorded."""
    return {key: plain(value) for key, value in recipe.fields()}


# -- a language model as judge: each passage by itself, 0 to 3 -------------------------------------


LONGEST = 256
"""Tokens of a reply."""


@dataclass(frozen=True, slots=True)
class GradedHit:
    """The grade of the hit at `rank`; None where the reply was of no use, and why (`problem`)."""

    rank: int
    grade: float | None
    problem: str = ""


def judge(
    model: Model, question: RecordedQuestion, records: Sequence[StoredPassage | None]
) -> list[GradedHit]:
    """The grades of the hits of a question, judged in one batch. `records`: the passage of each hit; a hit
    without one (erased meanwhile) is left out. Raises ModelError."""
    existing = [(each.rank, record) for each, record in zip(question.shown, records, strict=True) if record]
    replies = model.complete([prompt(question, record) for _, record in existing])
    return [_graded(rank, reply) for (rank, _), reply in zip(existing, replies, strict=True)]


def prompt(question: RecordedQuestion, record: StoredPassage) -> Prompt:
    """The prompt about one passage.

    A passage can neither close the marks around it nor open others.
    """
    from asof.extensions.systems.replies import RelevanceGrade

    date = record.published or "unknown"
    above = " > ".join(one_line(each) for each in record.headings.split("\n") if each)
    head = [f"Title: {one_line(record.title or record.document)}", f"Published: {one_line(date)}"]
    passage = "\n".join([*head, *([f"Headings: {above}"] if above else []), "", record.text])
    quoted = fenced({"Question": question.text, "Passage": passage})
    user = f"Asked as of: {iso(question.as_of)}\n\n{quoted}"
    return Prompt(
        prompt_text("asof.extensions.systems", "relevance"), user, RelevanceGrade, (record.passage,), LONGEST
    )


def fenced(parts: Mapping[str, str]) -> str:
    """Texts below their names, each between marks that occur in none of them.

    The mark is a digest of the texts: equal texts give equal prompts, and no text can contain its mark.
    """
    mark = delimiter_for("\0".join(parts.values()))
    return "\n\n".join(f"{name}:\n{mark}\n{text}\n{mark}" for name, text in parts.items())


def _graded(rank: int, reply: Reply) -> GradedHit:
    from asof.extensions.systems.replies import RelevanceGrade

    if reply.problem or not isinstance(reply.value, RelevanceGrade):
        return GradedHit(rank, None, reply.problem or "the reply has no grade")
    return GradedHit(rank, float(reply.value.grade))


# -- recording a search ----------------------------------------------------------------------------


ID_BYTES = 5

NEAR = 3


def rows_of(results: Results, recipe: Recipe) -> tuple[AskedRow, list[ShownRow]]:
    """A search that `recipe` ranked as rows of the store, without id and `added`. Raises UsageError when
    nothing was found."""
    if not results.hits:
        raise UsageError("nothing was found, so there is nothing to record")
    query, view = results.query, results.view
    fields = json.dumps(recorded_fields(recipe), ensure_ascii=False)
    row = AskedRow("", query.text, view.as_of, view.known_at, recipe.name, fields, 0)
    words = _words(results)
    passages = view.column("passage", np.array(results.rows, np.int64)).tolist()
    names = {id(stage): name for name, stage in results.ran.stages_by_name().items()}
    shown = [
        ShownRow(hit.rank, passage, hit.id, hit.document, hit.score, pack(hit.why, words, names))
        for hit, passage in zip(results.hits, passages, strict=True)
    ]
    return row, shown


def _words(results: Results) -> frozenset[str]:
    """The words of a question, as they were typed and as the index has them, in lower case."""
    query, analyzer = results.query, results.view.analyzer
    typed = (word for word, _ in parse(query.lexical, analyzer, stop_words=query.stop_words).words)
    stems = (term.word for term in query_terms(query, analyzer))
    return frozenset(word.casefold() for word in (*typed, *stems, *re.findall(r"\w+", query.text)))


def new_id() -> str:
    """The id of a question: eight letters and digits, by chance."""
    return b32encode(secrets.token_bytes(ID_BYTES)).decode().lower()


def chosen(prefix: str, matches: Sequence[AskedRow], known: Sequence[str]) -> AskedRow:
    """The one question whose id begins with `prefix`; `matches` are all such, `known` all ids, latest first.

    Raises UsageError, which lists similar ids or the questions that match.
    """
    if len(matches) == 1:
        return matches[0]
    if matches:
        questions = ", ".join(f"{each.id} ({each.question:.40})" for each in matches[:NEAR])
        more = f" and {len(matches) - NEAR:,} more" if len(matches) > NEAR else ""
        raise UsageError(f"{prefix!r} begins {len(matches):,} questions: {questions}{more}; write more of it")
    if not known:
        raise UsageError("no question was recorded yet: `asof papers QUESTION` does")
    near = get_close_matches(prefix, known, NEAR, 0.5) or list(known[:NEAR])
    raise UsageError(f"no question {prefix!r:.80} was recorded; did you mean {' or '.join(near)}?")


def hit_of(question: RecordedQuestion, name: int | str) -> ShownRow:
    """The hit that a rank (a whole number), a hit's id or a document's id names.

    Raises UsageError, which lists the hits that were shown.
    """
    if isinstance(name, int) or re.fullmatch(r"[0-9]{1,9}", name):
        matches = [each for each in question.shown if each.rank == int(name)]
    else:
        matches = [each for each in question.shown if each.hit == name]
        matches = matches or [each for each in question.shown if each.document == name]
    if len(matches) == 1:
        return matches[0]
    if matches:
        ranks = ", ".join(str(each.rank) for each in matches)
        raise UsageError(f"{name} was shown {len(matches)} times, at ranks {ranks}: name one of them")
    hits = ", ".join(f"{each.rank} ({each.document})" for each in question.shown[:10])
    more = f" and {len(question.shown) - 10:,} more" if len(question.shown) > 10 else ""
    raise UsageError(f"{name!r:.80} was not shown for question {question.id}; shown were {hits}{more}")


# -- the log ---------------------------------------------------------------------------------------


PATIENCE = 0.25
"""Seconds that recording waits for another writer: who searches shall not wait."""

NO_JUDGE = "no model is named that could judge: see [model] in asof.toml"


@dataclass(frozen=True, slots=True)
class JudgingReport:
    """The work of a model as judge."""

    judge: Annotated[str, "the name of the model"]
    graded: Annotated[int, "how many hits"]
    problems: Annotated[tuple[str, ...], As("ungraded"), "why others have no grade"]
    cost: Usage


@dataclass(slots=True)
class FeedbackLog:
    """The questions and judgements that a corpus remembers."""

    session: Session
    models: ModelProvider

    @classmethod
    def of(cls, corpus: Corpus) -> FeedbackLog:
        """Those of a corpus. Raises UsageError for one in several shards."""
        if corpus.session.shards:
            raise UsageError(
                f"{corpus.root} is a folder of shards, which keeps no questions and no judgements: "
                "`asof papers` needs an index in one folder; `--recipe papers` ranks alike"
            )
        return cls(corpus.session, corpus.models)

    # -- saying -------------------------------------------------------------------------------------

    def record(self, results: Results, recipe: Recipe) -> str:
        """Record a question that `recipe` ranked with its shown hits; returns its id.

        Of words, only those of the question are stored. Waits a quarter of a second for another writer.
        Raises UsageError when nothing was shown; Busy, NoSpace, CorpusError.
        """
        asked, shown = rows_of(results, recipe)
        # what is yet to be learned by a K that lies ahead was not seen
        asked = asked._replace(known_at=min(asked.known_at, self.session.last_write()))
        with self._adding(PATIENCE) as (db, added):
            while stored.questions_by_prefix(db, id_ := new_id()):
                pass
            if not stored.insert_question(db, asked._replace(id=id_, added=added), shown):
                raise UsageError("what was found was erased meanwhile: there is nothing to record")
        return id_

    def grade(self, query_id: str, hit: int | str, grade: float | None) -> bool:
        """Grade a hit, 0 to 3; None removes its grade. Returns True if that changes anything.

        `query_id`: the id of a question or its beginning; `hit`: a rank, the id of a hit or of a document.
        Raises UsageError for a question that was not recorded, a hit that was not shown for it, another
        grade; Busy, NoSpace, CorpusError.
        """
        if grade is not None and (isinstance(grade, bool) or not 0 <= grade <= HIGHEST):
            raise UsageError(f"grade {grade!r}: a number from 0 to {HIGHEST:g} is expected, or None")
        asked = self.recorded(query_id).question
        row = JudgementRow(
            asked.id, hit_of(asked, hit).rank, GRADE, None if grade is None else float(grade), 0
        )
        with self._adding() as (db, added):
            return bool(stored.insert_judgements(db, [row._replace(added=added)]))

    def judge(self, query_id: str, budget: float | None = None) -> JudgingReport:
        """Let the language model of asof.toml grade all hits of a question, within a `budget` (US dollars;
        tokens without prices). What it replied is kept and not paid for again. Raises UsageError, ModelError,
        Busy, NoSpace."""
        asked = self.recorded(query_id).question
        with self.models.language(budget) as model:
            if model is None:
                raise UsageError(NO_JUDGE)

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
        """One question with the judgements of it that count. Raises UsageError."""

        def look(db: sqlite3.Connection) -> JudgedRecord:
            wanted = query_id.strip().lower()
            rows = stored.questions_by_prefix(db, wanted) if wanted.isalnum() and wanted.isascii() else []
            row = chosen(query_id, rows, () if len(rows) == 1 else stored.question_ids(db))
            return _judged(db, [row], None)[0]

        return self.session.read(look)

    def titles(self, one: JudgedRecord) -> dict[int, tuple[str, str]]:
        """The titles of the documents that were shown, by rank, and the day on which they were published
        ("undated")."""
        shown = one.question.shown
        record_of = self.session.read(lambda db: records(db, [each.passage for each in shown]))
        there = {each.rank: record_of[each.passage] for each in shown if each.passage in record_of}
        dates = {rank: published_of(record) for rank, record in there.items()}
        days = {
            rank: "undated" if date is None else iso(date.span.first)[:10] for rank, date in dates.items()
        }
        return {rank: (record.title or record.document, days[rank]) for rank, record in there.items()}

    def queries(self, known_at: When | None = None) -> list[JudgedRecord]:
        """All questions that were recorded, in order of `added`, as they were known at `known_at` (default:
        now). Raises UsageError, BeforeHorizon."""
        known = self._known(known_at)
        return self.session.read(lambda db: _judged(db, stored.recorded_questions(db, known), known))

    def judged(self, known_at: When | None = None) -> list[JudgedRecord]:
        """Those of `queries` of which a hit has a grade. What was said after `known_at` is not seen."""
        return [each for each in self.queries(known_at) if any(each.kinds)]

    # -- what was learned ---------------------------------------------------------------------------

    def learned(self, recipe: str, known_at: When | None = None) -> str | None:
        """The stored state of a recipe at `known_at` (default: now), or None. Raises UsageError."""
        known = self._known(known_at)
        return self.session.read(lambda db: stored.learned_state(db, recipe, known))

    def learn_state(self, recipe: str, text: str) -> None:
        """Store a state of a recipe; earlier states stay, also after a purge: `text` must not hold words of
        documents. Raises Busy, NoSpace."""
        with self._adding() as (db, added):
            stored.insert_learned(db, recipe, text, added)

    # -- transactions -------------------------------------------------------------------------------

    def _known(self, known_at: When | None) -> int | None:
        session = self.session
        return None if known_at is None else last_instant(known_at, session.clock(), session.times)

    @contextmanager
    def _adding(self, wait: float | None = None) -> Iterator[tuple[sqlite3.Connection, int]]:
        store = self.session.store
        patience = None if wait is None else min(wait, store.wait)
        with stored.write_feedback(store, self.session.clock, patience) as (db, added):
            yield db, added


def _judged(db: sqlite3.Connection, rows: Sequence[AskedRow], known_at: int | None) -> list[JudgedRecord]:
    ids = [row.id for row in rows]
    shown, grades = stored.shown_hits(db, ids), stored.judgements(db, ids, known_at)
    return [judged(RecordedQuestion.of(row, shown[row.id]), grades[row.id]) for row in rows]
