"""What counts of all that was said, how trees are kept, and how hits and questions are named."""

from __future__ import annotations

import zlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.errors import DamagedStore, UsageError
from asof.extensions.systems.judgements import (
    CLICK,
    GRADE,
    MODEL,
    RecordedQuestion,
    base_name,
    chosen,
    filters_json,
    hit_of,
    id_of,
    judged,
    pack,
    propensity,
    question_of,
    unpack,
)
from asof.store.feedback import AskedRow, JudgementRow, ShownRow
from asof.values import Filters, Why

TREE = Why.of("sum", "sum", Why("a", 0.1), Why("b", 0.2))
ROW = AskedRow("q", "which lamp", 5, 4, "papers", '{"typed": true}', filters_json(Filters()), "passage", 9)


def shown(rank: int, document: str = "") -> ShownRow:
    name = document or f"d{rank}"
    return ShownRow(rank, rank, f"{name}#{rank:012x}", name, 0.5, b"")


def asked(*hits: ShownRow) -> RecordedQuestion:
    return RecordedQuestion("q", "which lamp", 5, 4, "papers", {}, Filters(), "passage", 9, hits)


def said(*statements: tuple[int, str, float | None]) -> list[JudgementRow]:
    return [JudgementRow("q", *each, added) for added, each in enumerate(statements, 10)]


FOUR = asked(shown(1), shown(2), shown(4), shown(20))


@pytest.mark.parametrize(
    ("statements", "grades", "weights"),
    [
        ([], (None, None, None, None), (0, 0, 0, 0)),
        ([(1, GRADE, 3.0), (2, MODEL, 0.0)], (3.0, 0.0, None, None), (1, 1, 0, 0)),
        # a click weighs 1 / rank^-1 = rank, and 10 where rank^-1 is below 1/10
        ([(1, CLICK, 1.0), (4, CLICK, 1.0), (20, CLICK, 1.0)], (1.0, None, 1.0, 1.0), (1, 0, 4, 10)),
        # a grade before a model before a click, whatever came last
        ([(1, GRADE, 2.0), (1, MODEL, 3.0), (1, CLICK, 1.0)], (2.0, None, None, None), (1, 0, 0, 0)),
        ([(1, MODEL, 0.0), (1, CLICK, 1.0)], (0.0, None, None, None), (1, 0, 0, 0)),
        # the latest of a kind; what is taken back leaves the floor to the others
        ([(2, GRADE, 1.0), (2, GRADE, 2.5)], (None, 2.5, None, None), (0, 1, 0, 0)),
        ([(2, CLICK, 1.0), (2, GRADE, 3.0), (2, GRADE, None)], (None, 1.0, None, None), (0, 2, 0, 0)),
        ([(3, GRADE, 3.0)], (None, None, None, None), (0, 0, 0, 0)),  # its passage was erased
    ],
)
def test_what_counts(statements: Any, grades: Any, weights: Any) -> None:
    found = judged(FOUR, said(*statements))
    assert (found.grades, found.weights) == (grades, weights)
    assert [kind != "" for kind in found.kinds] == [grade is not None for grade in grades]


@given(st.integers(1, 1000))
def test_a_weight_is_bounded(rank: int) -> None:
    assert 0.1 <= propensity(rank + 1) <= propensity(rank) <= 1.0


# -- rows -----------------------------------------------------------------------------------------------


def test_a_question_out_of_its_rows() -> None:
    filters = Filters(1, None, (2, 3), "notes", "a/*", ("x", "y"), (("k", "v"),))
    row = ROW._replace(filters=filters_json(filters))
    found = question_of(row, [hit := ShownRow(2, 7, "d#1", "d", 0.25, pack(TREE, ()))])
    assert (found.filters, found.fields) == (filters, {"typed": True})
    assert found.shown == (hit,)
    assert unpack(hit.why) == TREE


@pytest.mark.parametrize(
    "altered", [{"fields": "{"}, {"fields": "[]"}, {"filters": "7"}, {"filters": '{"colour": "red"}'}]
)
def test_rows_that_cannot_be_read(altered: dict[str, Any]) -> None:
    with pytest.raises(DamagedStore, match="question q"):
        question_of(ROW._replace(**altered), [])


# -- trees ----------------------------------------------------------------------------------------------


def leaf(label: str) -> Why:
    return Why.of(label, "product", Why("one half", 0.5), Why("a third", 1 / 3))


def labels(tree: Why) -> list[str]:
    return [tree.label, *(each for part in tree.parts for each in labels(part))]


def test_words_of_texts_are_not_kept() -> None:
    names = ["“lamp”", "idf of “Lamp”", "“vault”", "idf of “oil”", "Ann · owns · a vault (2020)",
             "Ann · owns · a vault: gamma", "1 + gamma of Ann · owns · a vault",
             "PageRank of ann"]  # fmt: skip
    tree = Why.of("all", "sum", *map(leaf, names))
    back = unpack(pack(tree, {"which", "lamp"}))
    assert back.value == tree.value == back.recomputed()
    assert [part.label for part in back.parts] == [
        "“lamp”", "idf of “Lamp”", "“…”", "idf of “…”", "a fact", "a fact", "a fact", "PageRank of a name",
    ]  # fmt: skip
    assert [bool(part.parts) for part in back.parts] == [True] * 2 + [False] * 6
    assert "vault" not in " ".join(labels(back))


@pytest.mark.parametrize(
    "packed", [b"", b"no zlib", zlib.compress(b"{"), zlib.compress(b"{}"), pack(TREE, ())[:-1],
               zlib.compress(b'{"label": "x", "value": NaN, "op": "given"}')],
)  # fmt: skip
def test_a_tree_that_cannot_be_read(packed: bytes) -> None:
    with pytest.raises(DamagedStore, match="the tree of a score"):
        unpack(packed)


def test_a_tree_that_unpacks_to_too_much() -> None:
    with pytest.raises(DamagedStore, match="longer than"):
        unpack(pack(TREE, ()), max_bytes=64)


def test_a_tree_that_is_too_large_is_not_packed() -> None:
    quoting = Why.of('a "op": b', "sum", Why("a", 0.1), Why("b", 0.2))
    assert unpack(pack(quoting, (), max_nodes=3)) == quoting
    for limits in ({"max_nodes": 2}, {"max_bytes": 64}):
        with pytest.raises(UsageError, match="too large to be recorded"):
            pack(quoting, (), **limits)


# -- names ----------------------------------------------------------------------------------------------


def test_ids_follow_from_what_was_asked() -> None:
    assert id_of(ROW) == id_of(ROW)
    different = {id_of(ROW), id_of(ROW, 1), id_of(ROW._replace(added=10)), id_of(ROW._replace(as_of=6))}
    assert len(different) == 4
    assert all(len(each) == 8 and each.isalnum() and each == each.lower() for each in different)


def test_a_question_by_the_beginning_of_its_id() -> None:
    one, other = ROW._replace(id="kaaa2222"), ROW._replace(id="kaab2222")
    assert chosen("kaaa", [one], []) is one
    with pytest.raises(UsageError, match=r"begins 2 questions: kaaa2222 \(which lamp\), kaab2222 \(which"):
        chosen("kaa", [one, other], [])
    with pytest.raises(UsageError, match="did you mean kaaa2222"):
        chosen("kaaa222x", [], ["kaaa2222", "zzzzzzzz"])
    with pytest.raises(UsageError, match="none was recorded"):
        chosen("k", [], [])


def test_hits_by_rank_id_or_document() -> None:
    some = asked(shown(1, "ann"), shown(2, "ben"), shown(3, "ann"))
    one, two, three = some.shown
    assert [hit_of(some, each) for each in (1, "1", "2", 3)] == [one, one, two, three]
    assert hit_of(some, three.hit) is three
    assert hit_of(some, "ben") is two
    with pytest.raises(UsageError, match="shown 2 times, at ranks 1, 3"):
        hit_of(some, "ann")
    for strange in ("cid", "9", 9, "", "-1", "1" * 5000):
        with pytest.raises(UsageError, match=r"shown were 1 \(ann\), 2 \(ben\), 3 \(ann\)"):
            hit_of(some, strange)


def test_the_names_of_recipes_as_they_ran() -> None:
    assert base_name("asof-diverse-reranked") == ("asof", "passage")
    assert base_name("twe-365-documents-diverse") == ("twe-365", "document")
