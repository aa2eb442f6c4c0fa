"""What stands around a passage, in its document or in a thread."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.rows import db_of

from asof.index.build import merge
from asof.rank.gather import Lexical
from asof.rank.words import NeighbouringText, ThreadLimits
from asof.values import Document, Heading
from asof.wire import encode

Make = Callable[..., Any]
STAGES = (Lexical(), NeighbouringText(document=1.0))


def parts(document: Make, id_: str, texts: list[str], date: str) -> Document:
    """A document of one passage for each text."""
    text, outline = "", []
    for said in texts:
        outline.append(Heading(len(text), 1, said.split()[0]))
        text += f"# {said}\n"
    made: Document = replace(document(id_, text, date), outline=tuple(outline))
    return made


def merge_all(corpus: Any) -> None:
    db = corpus.store.writer()
    manifest, entries = corpus.manifest, corpus.manifest.entries(db)
    manifest.replace(db, entries, lambda path: merge(path, [manifest.open(entry) for entry in entries]))
    db.close()


def test_the_passages_before_and_after(fresh: Make, column: Make, document: Make) -> None:
    """Each passage has three words, so its share of the best is its count of "mill" through BM25: 1 or 0.

    The third of five has one neighbour with the word next to it, and one next but one: 1 + 1 / 2.
    """
    texts = ["a mill x", "b mill x", "c boat x", "d boat x", "e boat x"]
    with fresh(parts(document, "d", texts, "2001")) as corpus:
        found = column(corpus, "mill boat", "neighbouring_text", *STAGES, by_text=True)
        mill = column(corpus, "mill boat", "lexical", Lexical(), by_text=True)
        share = mill["# c boat x"] / mill["# a mill x"]
        assert [found[f"# {text}"] for text in texts] == pytest.approx([
            1 + share / 2, 1 + share + share / 2, 1 + share + (1 + share) / 2, 2 * share + 1 / 2,
            share + share / 2,
        ])  # fmt: skip
        half = column(
            corpus, "mill boat", "neighbouring_text", Lexical(), NeighbouringText(document=0.5), by_text=True
        )
        assert half == {text: pytest.approx(value / 2) for text, value in found.items()}


def test_not_across_an_edit(fresh: Make, column: Make, document: Make) -> None:
    """b is newer than its neighbours since the edit: a and c are next but one, b has none."""
    said = ["a mill x", "b mill x", "c mill x"]
    with fresh(parts(document, "d", said, "2001")) as corpus:
        assert column(corpus, "mill", "neighbouring_text", *STAGES, by_text=True) == {
            "# a mill x": 1.5, "# b mill x": 2.0, "# c mill x": 1.5,
        }  # fmt: skip
        corpus.add([parts(document, "d", ["a mill x", "b mill mill", "c mill x"], "2002")])
        for _ in range(2):
            found = column(corpus, "mill", "neighbouring_text", *STAGES, by_text=True)
            share = found["# a mill x"]
            assert found == {"# a mill x": share, "# b mill mill": 0, "# c mill x": share}
            assert 0 < share <= 0.5
            before = column(corpus, "mill", "neighbouring_text", *STAGES, by_text=True, as_of="2001")
            assert before == {"# a mill x": 1.5, "# b mill x": 2.0, "# c mill x": 1.5}
            merge_all(corpus)


def test_rows_of_a_version_need_not_have_been_written_together(
    fresh: Make, column: Make, document: Make
) -> None:
    """A version told late makes "a" of 2003 begin anew, in another segment than "b": they stay neighbours."""
    with fresh(parts(document, "d", ["a mill x", "old mill x"], "2001")) as corpus:
        corpus.add([parts(document, "d", ["a mill x", "b mill x"], "2003")])
        assert column(corpus, "mill", "neighbouring_text", *STAGES, by_text=True) == {
            "# a mill x": 0,
            "# b mill x": 0,
        }
        corpus.add([parts(document, "d", ["other mill x"], "2002")])
        assert len(corpus.manifest.entries(db_of(corpus))) > 1
        for _ in range(2):
            found = column(corpus, "mill", "neighbouring_text", *STAGES, by_text=True)
            assert found == {"# a mill x": 1, "# b mill x": 1}
            merge_all(corpus)


def thread(document: Make, *minutes: str, start: int = 7) -> list[Document]:
    return [
        document(f"call/{start + at}", "mill", f"2001-05-05T10:{each}") for at, each in enumerate(minutes)
    ]


def test_a_thread_of_numbered_documents(fresh: Make, column: Make, document: Make) -> None:
    """call/9 and call/10 come one after the other; call/12 has nobody next to it, but one next but one."""
    made = thread(document, "01:00", "02:00", "03:00", "04:00")
    made += [
        document("call/12", "mill", "2001-05-05T10:04:30"),
        document("other/9", "mill", "2001-05-05T10:03:00"),
    ]
    with fresh(*made) as corpus:
        assert column(corpus, "mill", "neighbouring_text", *STAGES) == {
            "call/7": 1.5, "call/8": 2.5, "call/9": 2.5, "call/10": 2.0, "call/12": 0.5, "other/9": 0,
        }  # fmt: skip


@pytest.mark.parametrize(
    "dates",
    [
        ["2001-05-05T10:01:00", "2001-05-05T10:07:00"],  # too far apart
        ["2001-05-05", "2001-05-05"],  # to the day: that tells no thread
        ["2001-05-05T10", "2001-05-05T10"],
    ],
)
def test_no_thread(fresh: Make, column: Make, document: Make, dates: list[str]) -> None:
    made = [document(f"call/{at}", "mill", date) for at, date in enumerate(dates)]
    with fresh(*made) as corpus:
        assert column(corpus, "mill", "neighbouring_text", *STAGES) == {"call/0": 0, "call/1": 0}


def test_numbers_with_leading_zeros(fresh: Make, column: Make, document: Make) -> None:
    made = [document(name, "mill", "2001-05-05T10:01:30") for name in ("turn07", "turn08", "turn09")]
    with fresh(*made) as corpus:
        assert column(corpus, "mill", "neighbouring_text", *STAGES) == {
            "turn07": 1.5,
            "turn08": 2,
            "turn09": 1.5,
        }


def test_a_crowd_tells_no_thread_and_what_is_over_is_no_crowd(
    fresh: Make, column: Make, document: Make
) -> None:
    stages = (Lexical(), NeighbouringText(document=1.0, threads=ThreadLimits(crowd=3)))
    pair = thread(document, "01:00", "01:10")
    crowd = [document(f"x{at}", "boat", "2001-05-05T10:01:05") for at in ("a", "b")]
    with fresh(*pair, *crowd) as corpus:
        assert column(corpus, "mill", "neighbouring_text", *stages) == {"call/7": 0, "call/8": 0}
        corpus.add([document("xa", "", "2001-05-05T10:02:00")])
        assert column(corpus, "mill", "neighbouring_text", *stages) == {"call/7": 1, "call/8": 1}
        early = column(corpus, "mill", "neighbouring_text", *stages, as_of="2001-05-05T10:01:30")
        assert early == {"call/7": 0, "call/8": 0}


def test_what_comes_later_is_no_neighbour(fresh: Make, column: Make, document: Make) -> None:
    with fresh(*thread(document, "01:00", "01:10")) as corpus:
        early = column(corpus, "mill", "neighbouring_text", *STAGES, as_of="2001-05-05T10:01:05")
        assert early == {"call/7": 0}


def test_of_a_document_of_several_passages_the_last_is_the_neighbour(
    fresh: Make, column: Make, document: Make
) -> None:
    """However its passages lie in segments."""
    with fresh(*thread(document, "01:00")) as corpus:
        corpus.add([parts(document, "call/8", ["a boat x", "b mill x"], "2001-05-05T10:01:10")])
        corpus.add([parts(document, "call/8", ["a boat x", "b fog fog"], "2001-05-05T10:01:20")])
        corpus.add([parts(document, "call/8", ["c mill x", "b fog fog"], "2001-05-05T10:01:30")])
        first = column(corpus, "mill", "neighbouring_text", *STAGES, by_text=True)
        merge_all(corpus)
        assert column(corpus, "mill", "neighbouring_text", *STAGES, by_text=True) == first
        assert first["mill"] > 0


EDITS = st.lists(
    st.tuples(
        st.integers(0, 1), st.lists(st.sampled_from("abc"), min_size=1, max_size=3), st.integers(2001, 2004)
    ),
    min_size=1, max_size=6,
)  # fmt: skip


@given(EDITS)
def test_segments_do_not_matter(fresh: Make, run: Make, document: Make, drawn: list[Any]) -> None:
    with fresh() as corpus:
        for which, said, year in drawn:
            corpus.add([parts(document, f"d{which}", [f"{letter} mill" for letter in said], str(year))])
        found = run(corpus, "mill", *STAGES).hits
        merge_all(corpus)
        merged = run(corpus, "mill", *STAGES).hits
        seen = [sorted((hit.id, encode(hit.why).__repr__()) for hit in hits) for hits in (found, merged)]
        assert seen[0] == seen[1]
