"""Recorded questions and the judgements of their hits: as values, and as grades with weights.

A grade says how well a passage answers, 0 to 3. A click says less: the first hits are clicked more often
because they are seen first. Inverse propensity scoring (Joachims, Swaminathan, Schnabel 2017) gives each
click the weight 1 / propensity, propensity(i) = i^-eta being the probability that rank i was seen; sums over
clicks are then unbiased, as far as that model holds. Propensities below 1/10 count as 1/10, which bounds the
variance. A hit without a click counts as not judged: it may not have been seen.
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from asof.data import Filters, Why
from asof.data.why import MAX_NODES
from asof.errors import DamagedStore, UsageError
from asof.store.feedback import AskedRow, JudgementRow, ShownRow

GRADE, MODEL, CLICK = KINDS = ("grade", "model", "click")
"""The kinds of judgement, the one that counts most first."""

HIGHEST = 3.0
CLICKED = 1.0
"""The grade that a click stands for."""

ETA = 1.0
LEAST_PROPENSITY = 0.1
LARGEST_TREE = 64 * 1024 * 1024
"""Bytes of the JSON of a tree."""


@dataclass(frozen=True, slots=True)
class ShownHit:
    """A hit as it was shown; `passage` is its id in the store, `packed` the tree of its score (`pack`)."""

    rank: int
    hit: str
    document: str
    passage: int
    score: float
    packed: bytes

    @property
    def why(self) -> Why:
        """The tree whose root value is `score`. Raises DamagedStore."""
        return unpack(self.packed)


@dataclass(frozen=True, slots=True)
class RecordedQuestion:
    """A question as it was recorded at `added`; instants are microseconds since 1970.

    `recipe` is the name of the recipe that ranked, `fields` all of its numbers, `unit` passage or document.
    `shown` is in order of rank; a rank is missing where its passage was erased.
    """

    id: str
    text: str
    as_of: int
    known_at: int
    recipe: str
    fields: Mapping[str, Any]
    filters: Filters
    unit: str
    added: int
    shown: tuple[ShownHit, ...] = ()


@dataclass(frozen=True, slots=True)
class Judgement:
    """A judgement of the hit at `rank` of a question. `kind` is one of `KINDS`; `grade` None takes back
    the earlier judgements of this kind."""

    query_id: str
    rank: int
    kind: str
    grade: float | None
    added: int


@dataclass(frozen=True, slots=True)
class JudgedRecord:
    """A question with the grade of each hit of `question.shown` (None: not judged), the weight of each grade
    (0 without one), and the kind of judgement it is from ("" without one)."""

    question: RecordedQuestion
    grades: tuple[float | None, ...]
    weights: tuple[float, ...]
    kinds: tuple[str, ...] = ()


def propensity(rank: int, eta: float = ETA) -> float:
    """The probability that a rank (from 1) was seen: rank^-eta, at least 1/10.

    >>> propensity(1), propensity(4), propensity(50)
    (1.0, 0.25, 0.1)
    """
    return float(max(rank**-eta, LEAST_PROPENSITY))


def judged(question: RecordedQuestion, judgements: Sequence[Judgement], eta: float = ETA) -> JudgedRecord:
    """The judgements (oldest first) that count: the latest of each kind; a grade before a model's grade
    before a click."""
    latest = {(each.rank, each.kind): each.grade for each in judgements}
    grades, weights, kinds = [], [], []
    for each in question.shown:
        kind = next((kind for kind in KINDS if latest.get((each.rank, kind)) is not None), "")
        grades.append(latest[each.rank, kind] if kind else None)
        weights.append(1 / propensity(each.rank, eta) if kind == CLICK else float(bool(kind)))
        kinds.append(kind)
    return JudgedRecord(question, tuple(grades), tuple(weights), tuple(kinds))


# -- rows of the store ----------------------------------------------------------------------------------


def question_of(row: AskedRow, shown: Sequence[ShownRow]) -> RecordedQuestion:
    """A question from its rows. Raises DamagedStore."""
    return RecordedQuestion(
        row.id, row.question, row.as_of, row.known_at, row.recipe, _fields(row), _filters(row), row.unit,
        row.added,
        tuple(ShownHit(row.rank, row.hit, row.document, row.passage, row.score, row.why) for row in shown),
    )  # fmt: skip


def judgements_of(rows: Sequence[JudgementRow]) -> list[Judgement]:
    return [Judgement(*row) for row in rows]


def filters_json(filters: Filters) -> str:
    """Filters as they are stored."""
    return json.dumps(asdict(filters), ensure_ascii=False)


def _fields(row: AskedRow) -> dict[str, Any]:
    fields = _json(row.fields, row)
    if not isinstance(fields, dict):
        raise DamagedStore(f"the fields of question {row.id} are no table: `asof status --check`")
    return fields


def _filters(row: AskedRow) -> Filters:
    stored = _json(row.filters, row)
    try:
        return Filters(**{key: _tuples(value) for key, value in stored.items()})
    except (TypeError, AttributeError) as error:
        raise DamagedStore(f"the filters of question {row.id} cannot be read: {error}") from error


def _json(text: str, row: AskedRow) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DamagedStore(f"the stored fields of question {row.id} are no JSON: {error}") from error


def _tuples(value: Any) -> Any:
    return tuple(_tuples(each) for each in value) if isinstance(value, list) else value


# -- trees ----------------------------------------------------------------------------------------------


def pack(
    why: Why, words: Collection[str], *, max_bytes: int = LARGEST_TREE, max_nodes: int = MAX_NODES
) -> bytes:
    """A tree as it is stored: its JSON, compressed. Of the words that its labels quote, only those of the
    question stay (`words`, in lower case): others may be of passages that are erased later. The parts below
    such a label are left out as well, its value becomes "given". Numbers of the recipe keep their field.
    Raises UsageError for a tree with more than `max_nodes` nodes or `max_bytes` bytes of JSON."""
    text = json.dumps(_stored(why, words), separators=(",", ":"), allow_nan=False)
    if len(text) > max_bytes or text.count('"op":') > max_nodes:  # a quote in a label has a backslash
        raise UsageError(f"the tree of {why.label!r:.40} is too large to be recorded")
    return zlib.compress(text.encode())


def unpack(packed: bytes, max_bytes: int = LARGEST_TREE) -> Why:
    """The tree that was packed. Raises DamagedStore, also for more than `max_bytes` bytes of JSON."""
    reader = zlib.decompressobj()
    try:
        text = reader.decompress(packed, max_bytes)
        if not reader.eof:
            raise DamagedStore(f"the tree of a score is cut off, or longer than {max_bytes:,} bytes")
        return Why.from_json(json.loads(text))
    except (zlib.error, ValueError, RecursionError, UsageError) as error:
        raise DamagedStore(f"the tree of a score cannot be read: {error}") from error


_QUOTED = re.compile("“([^”]*)”")


def _stored(why: Why, words: Collection[str]) -> dict[str, Any]:
    label = _label(why.label, words)
    if label != why.label:
        return {"label": label, "value": why.value, "op": "given"}
    node: dict[str, Any] = {"label": label, "value": why.value, "op": why.op}
    if why.constant is not None:
        node["constant"] = ".".join(map(str, why.constant))
    if why.made is not None:
        made = why.made
        node["made"] = {"field": f"{made.stage}.{made.field}", "value": made.value, "of": list(made.of)}
    if why.parts:
        node["parts"] = [_stored(part, words) for part in why.parts]
    return node


def _label(label: str, words: Collection[str]) -> str:
    """A label without the words that are not the question's: an ellipsis in place of “quotes”, and no text of
    facts (`knowledge/local.py`: subject · relation · object) or of the names in them."""
    if " · " in label:
        return "a fact"
    if label.startswith("PageRank of "):
        return "PageRank of a name"
    if "“" in label:
        return _QUOTED.sub(lambda quoted: quoted[0] if quoted[1].casefold() in words else "“…”", label)
    return label
