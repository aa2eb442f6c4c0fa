"""Words of a question in passages, in titles, and in neighbouring text."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.support.rows import db_of

from asof.documents import Document, Heading
from asof.errors import UsageError
from asof.index.build import merge
from asof.queries import Query
from asof.rank.gather import Everything, Lexical, TopK
from asof.rank.stage import Recipe
from asof.rank.words import (
    NeighbouringText,
    QueryCoverage,
    TitleColumns,
    largest_idf,
    weighted_words,
)
from asof.text.names import asked as asked_labels
from asof.wire import encode, replace

# -- what a passage says of a question, by hand ----------------------------------------------------


Make = Callable[..., Any]


def idf(n: int, df: int) -> float:
    return math.log((n - df + 0.5) / (df + 0.5) + 1)


def test_shares_of_the_weights(fresh: Make, column: Make, document: Make) -> None:
    """mill stands in 3 of 4, rope in 1 of 4; the idf is at most ln(4) / 2 = .693.

    idf(mill) = ln(1.5 / 3.5 + 1) = .357, squared .127; idf(rope) = ln(3.5 / 1.5 + 1) = 1.204: .693² = .480.
    """
    made = [
        document("both", "mill rope", "2001"), document("often", "mill mill mill", "2002"),
        document("long", "mill " + "fog " * 30, "2003"), document("none", "boat", "2004"),
    ]  # fmt: skip
    mill, rope = idf(4, 3) ** 2, (math.log(4) / 2) ** 2
    assert [mill, rope] == pytest.approx([0.1272, 0.4805], abs=1e-4)
    with fresh(*made) as corpus:
        for name in ("query_coverage", "title_group_coverage"):
            found = column(corpus, "mill rope rope penguin", name, Lexical(), QueryCoverage())
            share = mill / (mill + rope)
            assert found == {"both": 1.0, "often": pytest.approx(share), "long": pytest.approx(share)}
            assert found["often"] == found["long"], "neither how often nor in how long a text"


def test_a_series_says_together_what_its_members_say(fresh: Make, column: Make, document: Make) -> None:
    """Titles that differ in figures alone are one series; its figures stand for themselves."""
    made = [
        document("one", "mill", "2001", title="Island guide 1"),
        document("two", "rope", "2002", title="Island Guide v2"),
        document("other", "mill", "2003", title="Harbour guide"),
        document("none", "mill", "2004"),
    ]
    with fresh(*made) as corpus:
        stages = (Lexical(), QueryCoverage())
        found = column(corpus, "mill rope", "title_group_coverage", *stages)
        assert found["one"] == found["two"] == 1.0
        assert found["other"] == found["none"] < 1.0
        covered = column(corpus, "mill rope", "query_coverage", *stages)
        assert covered["one"] == covered["other"] == found["other"]
        figures = column(corpus, "mill 1 v2", "title_group_coverage", *stages)
        view = corpus.at().view()
        # mill in 3 of 4, 1 and v2 in 1 of 4 each: weights .1272, .4805, .4805
        mill, rare = idf(4, 3) ** 2, largest_idf(view) ** 2
        assert figures["one"] == figures["two"] == pytest.approx((mill + rare) / (mill + 2 * rare))


def test_words_that_nothing_has_weigh_nothing(fresh: Make, run: Make, document: Make) -> None:
    with fresh(document("a", "mill", "2001")) as corpus:
        view = corpus.at().view()
        (word,) = weighted_words(Query("mill penguin", "mill penguin"), view)
        assert (word.text, word.df, word.figure) == ("mill", 1, False)
        assert word.idf == idf(1, 1)
        assert weighted_words(Query("penguin", "penguin"), view) == ()
        results = run(corpus, "penguin", Lexical(), QueryCoverage())
        assert results.hits == ()


# -- how far a question names the titles of documents, by hand -------------------------------------


TITLED = (Lexical(), TitleColumns())


@pytest.fixture
def guides(document: Make) -> list[Any]:
    """All are found by "boat". So many of the five have harbour: 3, guide: 3, island: 1, deluxe: 1."""
    return [
        document("harbour", "boat", "2001", title="Harbour Guide 2.1"),
        document("deluxe", "boat", "2002", title="The Harbour Guide Deluxe"),
        document("island", "boat", "2003", title="Island Guide to the Harbour"),
        document("fog", "boat", "2004", title="Fog"),
        document("untitled", "boat", "2005"),
    ]


def test_the_share_of_the_question_in_the_title(fresh: Make, column: Make, guides: list[Any]) -> None:
    """What nobody says ("penguin") is no part of the question."""
    with fresh(*guides) as corpus:
        found = column(corpus, "boat harbour guide penguin", "title", *TITLED)
        whole = idf(5, 5) + 2 * idf(5, 3)
        share = pytest.approx(2 * idf(5, 3) / whole)
        assert found == {"harbour": share, "deluxe": share, "island": share, "fog": 0, "untitled": 0}


def test_another_subject_and_a_member(fresh: Make, column: Make, guides: list[Any]) -> None:
    """Unsaid before the last word that is said: another subject, by idf or by count, as far as some title is
    named; after it: a member.

    For "guide": strange in "Harbour Guide 2.1" is harbour, by count 1 / 2, by idf the same; of "Island Guide
    to the Harbour" it is island, by idf idf(1) / (idf(1) + idf(3)) = 1.386 / 1.926 = .720.
    """
    with fresh(*guides) as corpus:
        strange = column(corpus, "boat guide", "off_topic_title", *TITLED)
        rare = idf(5, 1) / (idf(5, 1) + idf(5, 3))
        assert rare == pytest.approx(0.720, abs=1e-3)
        named = idf(5, 3) / (idf(5, 5) + idf(5, 3)) * 0.5  # of the question, in a title that is half on topic
        assert strange == pytest.approx(
            {
                "harbour": 0.5 * named,
                "deluxe": 0.5 * named,
                "island": rare * named,
                "fog": named,
                "untitled": 0,
            }
        )
        said = column(corpus, "boat guide island harbour", "off_topic_title", *TITLED)
        whole = idf(5, 5) + 2 * idf(5, 3) + idf(5, 1)
        assert said == pytest.approx(
            {"harbour": 0, "deluxe": 0, "island": 0, "fog": 1 - idf(5, 5) / whole, "untitled": 0}
        )


@pytest.mark.parametrize(
    ("question", "beside"),
    [
        # another one is asked for, which names 3168: neither 3168 itself nor what names no such number
        ("Which RFCs update RFC 3168?", ["rfc3168", "rfc9000"]),
        ("Which RFC replaced RFC 3168?", ["rfc3168", "rfc9000"]),
        # 3168 says itself what it replaced, and by what it was replaced
        ("Which RFC did RFC 3168 replace?", []), ("Which RFC is replaced by RFC 3168?", []),
        ("What does RFC 3168 update?", []), ("Is RFC 3168 still current?", []),
        ("RFC 3168: which RFCs does it update?", []), ("Which RFCs are cited in RFC 3168?", []),
    ],
)  # fmt: skip
def test_a_document_that_acts_on_another_one(
    fresh: Make, column: Make, document: Make, question: str, beside: list[str]
) -> None:
    made = [
        document("rfc3168", "An RFC that updates 2474 and replaces 2481.", "2001", title="Congestion"),
        document("rfc8311", "An RFC that updates 3168.", "2018", title="Congestion"),
        document("rfc9001", "An RFC that updates RFC3168.", "2019", title="Congestion"),
        document(
            "rfc9000", "An RFC that updates nothing, and no RFC replaces it.", "2021", title="Congestion"
        ),
    ]
    with fresh(*made) as corpus:
        found = column(corpus, question, "off_topic_title", *TITLED)
    assert [name for name, value in sorted(found.items()) if value == 1.0] == beside


def test_the_series_that_all_are_of_names_no_title(fresh: Make, column: Make, document: Make) -> None:
    """All are RFCs: the word does not make "RFC 2: Rope" a title about fog. A version that ends its title
    does: "Fog 2" is of fog."""
    titles = {"a": "RFC 1: Fog", "b": "RFC 2: Rope"}
    made = [document(id_, "boat of an rfc", "2001", title=title) for id_, title in titles.items()]
    with fresh(*made) as corpus:
        found = column(corpus, "boat: current rfc on fog", "off_topic_title", *TITLED)
        assert found["a"] == 0
        assert found["b"] == pytest.approx(
            (idf(2, 1) + idf(2, 2)) / (idf(2, 1) + 2 * idf(2, 2))
        )  # of boat, rfc, fog
    made = [document(id_, "boat", "2001", title=title) for id_, title in {"a": "Fog 1", "b": "Fog 2"}.items()]
    with fresh(*made) as corpus:
        assert column(corpus, "boat: current fog", "off_topic_title", *TITLED) == {"a": 0, "b": 0}


TITLES = st.lists(
    st.lists(st.sampled_from(["fog", "mill", "rope", "2", "may", "the", "bell"]), max_size=6).map(" ".join),
    min_size=1, max_size=6,
)  # fmt: skip
QUESTIONS = st.lists(st.sampled_from(["fog", "mill", "2", "may", "penguin"]), max_size=4).map(" ".join)


def words_of(title: str, asked: set[str]) -> tuple[list[str], list[str]]:
    """The words of the question in a title, and the others before the last of them, each once."""
    stems = [word for word in title.split() if word != "the"]
    last = max((at for at, word in enumerate(stems) if word in asked), default=-1)
    plain = [word not in asked and word not in ("2", "may") for word in stems]
    before = [word for at, word in enumerate(stems) if plain[at] and at < last]
    own = [word for word in stems if word in asked]
    return list(dict.fromkeys(own)), list(dict.fromkeys(before))


@given(TITLES, QUESTIONS, st.integers(1, 3))
def test_titles_compared_at_once_are_the_titles_compared_one_by_one(
    fresh: Make, column: Make, document: Make, titles: list[str], question: str, batches: int
) -> None:
    """By count and idf, whatever the segments; `run` checks each with its tree. No series: see above."""
    assume(not asked_labels(question.split(), ("en",))[1])
    begins = tuple(f"{word} 2 " for word in question.split())
    assume(not all(title.replace("the ", "").startswith(begins) for title in titles))
    made = [document(f"d{at}", "boat", "2001", title=title) for at, title in enumerate(titles)]
    n, asked = len(made), set(question.split())
    dfs = {
        word: sum(word in title.split() for title in titles)
        for word in ["fog", "mill", "rope", "2", "may", "bell"]
    }

    def weight(words: list[str]) -> float:
        return sum(idf(n, dfs[word]) for word in words)

    with fresh() as corpus:
        for first in range(batches):
            corpus.add(made[first::batches])
        title, strange = (
            column(corpus, f"boat {question}", name, *TITLED) for name in ("title", "off_topic_title")
        )
    whole = idf(n, n) + weight([word for word in dict.fromkeys(question.split()) if dfs.get(word)])
    parts = [words_of(text, asked) for text in titles]
    other = [
        max(weight(before) / (weight(before) + weight(own)), len(before) / (len(before) + len(own)))
        if own else float(bool(text))
        for text, (own, before) in zip(titles, parts, strict=True)
    ]  # fmt: skip
    covered = [weight(own) / whole for own, _ in parts]
    named = max(share * (1 - off) for share, off in zip(covered, other, strict=True))
    assert list(title.values()) == pytest.approx([covered[int(name[1:])] for name in title])
    assert list(strange.values()) == pytest.approx([other[int(name[1:])] * named for name in strange])


# -- what stands around a passage, in its document or in a thread ----------------------------------


STAGES = (Lexical(), NeighbouringText(document=1.0))


def test_neighbours_are_scored_by_the_words_of_the_question(fresh: Make, document: Make) -> None:
    recipe = Recipe("near", "", (Everything(), NeighbouringText(), TopK()))
    with (
        fresh(document("a", "mill", "2001")) as corpus,
        pytest.raises(UsageError, match="no column 'lexical'"),
    ):
        corpus.search("mill", recipe=recipe)


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
        apart = column(corpus, "mill", "neighbouring_text", *STAGES, by_text=True)
        assert apart == {"# a mill x": 0, "# b mill x": 0}
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
        found = column(corpus, "mill", "neighbouring_text", *STAGES)
        assert found == {"turn07": 1.5, "turn08": 2, "turn09": 1.5}


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
        seen = [sorted((hit.id, repr(encode(hit.why))) for hit in hits) for hits in (found, merged)]
        assert seen[0] == seen[1]
