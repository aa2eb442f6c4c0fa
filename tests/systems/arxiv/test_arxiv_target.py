"""What `arxiv:...` names, and what it does not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asof.errors import SourceError
from asof.extensions.systems.arxiv import ArxivTarget, PaperId, category, is_target, paper_id, read


@pytest.mark.parametrize(
    ("text", "name", "query"),
    [
        ("arxiv:cs.IR+cs.CL", "arxiv:cs.CL+cs.IR", "(cat:cs.CL OR cat:cs.IR)"),
        ("ArXiv:cs.ir", "arxiv:cs.IR", "cat:cs.IR"),
        ("arxiv:cs", "arxiv:cs.*", "cat:cs.*"),
        ("arxiv:cs.*+cs.*", "arxiv:cs.*", "cat:cs.*"),
        ("arxiv:hep-th", "arxiv:hep-th", "cat:hep-th"),
        ("arxiv:cond-mat.STR-EL", "arxiv:cond-mat.str-el", "cat:cond-mat.str-el"),
        ("arxiv: physics.flu-dyn ", "arxiv:physics.flu-dyn", "cat:physics.flu-dyn"),
        ("arxiv:astro-ph", "arxiv:astro-ph.*", "(cat:astro-ph.* OR cat:astro-ph)"),
    ],
)
def test_categories(text: str, name: str, query: str):
    found = read(text)
    assert (found.name, found.query, found.papers) == (name, query, ())


@pytest.mark.parametrize(
    ("text", "papers"),
    [
        ("arxiv:2401.13222", [("2401.13222", 0)]),
        ("arxiv:2401.13222v1", [("2401.13222", 1)]),
        ("arxiv:0704.0001v12+0704.0001v2", [("0704.0001", 2), ("0704.0001", 12)]),
        ("arxiv:hep-th/9901001", [("hep-th/9901001", 0)]),
        ("arxiv:math.GT/0309136v2", [("math/0309136", 2)]),
        ("arxiv:2401.13222v1+2401.13222", [("2401.13222", 0)]),  # all versions have the first in them
    ],
)
def test_papers(text: str, papers: list[tuple[str, int]]):
    assert read(text).papers == tuple(PaperId(*each) for each in papers)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("arxiv:", "names nothing at arXiv; accepted are categories"),
        ("arxiv:cs.IR+", "names nothing"),
        ("arxiv:sc.IR", r"'sc.IR' is neither a category nor an id of arXiv; did you mean cs\?"),
        ("arxiv:2413.00001", "neither a category nor an id"),  # there is no month 13
        ("arxiv:2401.001", "neither a category nor an id"),
        ("arxiv:2401.13222v0", "neither a category nor an id"),
        ("arxiv:hep-th.AB", "hep-th is one category, without parts"),
        ("arxiv:cs.IRX", "categories of cs have two letters"),
        ("arxiv:cs.IR+2401.13222", "mixes papers and categories"),
        ("arxiv:cs.IR OR all:x", "neither a category nor an id"),
        ("arxiv:" + "+".join(["cs.IR"] * 201), "201 names in one target; accepted are 200 at most"),
        ("notes", "names nothing"),
    ],
)
def test_what_names_nothing(text: str, said: str):
    with pytest.raises(SourceError, match=said):
        read(text)


@given(st.text(max_size=40))
def test_any_text_is_a_target_or_an_error_of_ours(text: str):
    try:
        found = read("arxiv:" + text)
    except SourceError:
        return
    assert read(found.name) == found  # its name is a target again
    assert bool(found.categories) != bool(found.papers)
    assert all(character.isascii() for character in found.name)


@given(st.text(alphabet="cs.IRhepth-/0123456789v*+ ()", max_size=20))
def test_nothing_but_categories_gets_into_a_query(text: str):
    try:
        assert set(category(text)) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-.*")
    except SourceError:
        assert paper_id(text) is None or "/" in text or "." in text


def test_only_what_begins_with_arxiv_is_a_target():
    assert [is_target(each) for each in ("arxiv:x", "ARXIV:x", "./arxiv:x", "arxiv", "arxivx")] == [
        True, True, False, False, False,
    ]  # fmt: skip
    assert str(PaperId("2401.00001", 3)) == "2401.00001v3"
    assert ArxivTarget(("cs.IR",)).name == "arxiv:cs.IR"
