"""The latent space of a view: which rows it is fitted to, and what is kept of it."""

from __future__ import annotations

import shutil
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.index.made import document, fresh
from tests.support.rows import db_of

from asof.corpus.corpus import Corpus
from asof.corpus.maintenance import Maintenance
from asof.corpus.session import Session
from asof.extensions.systems import latent
from asof.extensions.systems.latent import (
    GOLDEN,
    LatentSpace,
    checkpoint,
    encoded,
    first_rows,
    latent_space,
    past_rows,
    sampled,
    status,
)
from asof.extensions.systems.lsa import fit
from asof.index.lexical import Term
from asof.index.vectors import VECTOR_SCALE
from asof.index.view import View
from asof.queries import Filters
from asof.text.query import mixed
from asof.text.tokens import term_hash
from asof.time.span import moment

WORDS = ["mill", "ferry", "bread", "storm", "rope", "snow", "price", "chair", "bell", "fog"]


def texts(n: int, seed: int = 0) -> list[str]:
    random = np.random.default_rng(seed)
    return [" ".join(random.choice(WORDS, size=random.integers(2, 6))) for _ in range(n)]


def added(corpus: Corpus, n: int, first: int = 0) -> None:
    """Documents of consecutive years from 1900 on, each in a transaction of its own."""
    for at, text in enumerate(texts(n, first), first):
        corpus.add([document(f"d{at}", text, str(1900 + at))])


def by_document(view: View, space: LatentSpace) -> dict[tuple[int, int], list[int]]:
    """The vector of each row in force, by what names it in any corpus."""
    vectors = {}
    for part in view.prefix.parts:
        for row in np.flatnonzero(~part.dead_mask).tolist():
            name = int(part.segment["digest"][row]), int(part.segment["number"][row])
            vectors[name] = space.vector(row + part.offset).tolist()
    return vectors


def question_vector(space: LatentSpace, *words: str) -> np.ndarray:
    vector: np.ndarray = space.question([Term(word, term_hash(word)) for word in words])
    return vector


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[int]]:
    """How many rows every fit and every encoding is given."""
    noted: dict[str, list[int]] = {"fit": [], "encoded": []}
    encoded = latent.encoded

    def fitting(counts: Any, terms: Any, *limits: Any) -> Any:
        noted["fit"].append(counts.shape[0])
        return fit(counts, terms, *limits)

    def encoding(segment: Any, basis: Any) -> Any:
        noted["encoded"].append(segment.n)
        return encoded(segment, basis)

    monkeypatch.setattr(latent, "fit", fitting)
    monkeypatch.setattr(latent, "encoded", encoding)
    return noted


# -- the sample --------------------------------------------------------------------------------------


def test_checkpoints_grow_by_a_quarter() -> None:
    reached = sorted({checkpoint(n) for n in range(60)})
    assert reached == [0, 1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25, 31, 39, 49]
    assert [checkpoint(n) for n in (7, 8, 9, 10)] == [6, 8, 8, 10]
    for n in (1_000, 25_000, 10**6, 10**9):
        assert n / 1.25 - 1 < checkpoint(n) <= n


def test_the_sample_is_of_those_with_the_smallest_hashes() -> None:
    columns = {
        "visible": np.array([5, 3, 3, 9, 3]), "digest": np.array([1, 8, 2, 7, 2]),
        "number": np.array([0, 0, 1, 0, 0]), "added": np.zeros(5, np.int64),
        "passage": np.array([4, 3, 2, 1, 0]),
    }  # fmt: skip
    rows = np.arange(5)
    assert sampled(rows, columns).tolist() == [4, 2, 1, 0, 3], "all of few, in canonical order"
    assert sorted(first_rows(rows, 2, columns).tolist()) == [2, 4]
    assert sorted(first_rows(rows, 4, columns).tolist()) == [0, 1, 2, 4]

    def hashed(row: int) -> int:
        state = np.zeros(1, np.uint64)
        for name in ("visible", "digest", "number"):
            state = mixed((state ^ np.uint64(columns[name][row])) + GOLDEN)
        return int(state[0])

    expected = set(sorted(range(5), key=hashed)[:3])
    assert sampled(rows, columns, 3).tolist() == [row for row in (4, 2, 1, 0, 3) if row in expected]
    columns["passage"] += 100
    moved = {name: values[::-1] for name, values in columns.items()}
    assert {4 - row for row in sampled(rows, moved, 3).tolist()} == expected, "neither ids nor places matter"


@given(st.lists(st.integers(0, 3), max_size=30), st.integers(0, 30))
def test_the_first_rows_are_those_of_a_full_sort(visible: list[int], c: int) -> None:
    random = np.random.default_rng(len(visible))
    columns = {name: random.integers(0, 3, len(visible)) for name in ("digest", "number", "added")}
    columns |= {"visible": np.array(visible, np.int64), "passage": random.permutation(len(visible))}
    order = np.lexsort([columns[name] for name in ("passage", "added", "number", "digest", "visible")])
    first = first_rows(np.arange(len(visible)), min(c, len(visible)), columns)
    assert sorted(first.tolist()) == sorted(order[:c].tolist())


def test_the_past_holds_what_has_ended_and_not_what_was_wrong() -> None:
    years = ("2000", "2001", "2002", "2003")
    with fresh() as corpus:
        corpus.add([document("a", "mill", "2001"), document("b", "ferry", "2001")])
        corpus.add([document("a", "bread", "2003")])
        before = moment(corpus.session.clock())
        corpus.correct("b", "2002")
        then = [len(past_rows(corpus.at(year, before).view().prefix)) for year in years]
        now = [len(past_rows(corpus.at(year).view().prefix)) for year in years]
        assert then == [0, 2, 2, 3]
        assert now == [0, 1, 2, 3]


# -- the space ---------------------------------------------------------------------------------------


def test_cosines_are_products_of_whole_numbers() -> None:
    with fresh() as corpus:
        added(corpus, 12)
        corpus.add([document("d3", "mill mill", "1950")])  # the earlier row is dead now
        for as_of, first, last in (("2000", None, None), ("1955", None, None), ("2000", "1908", "1909")):
            snapshot = corpus.at(as_of)
            view = snapshot.view()
            filters = snapshot.filters(first, last)
            window = view.prefix.window(filters.since, filters.until)
            space = latent_space(view)
            question = question_vector(space, "mill", "bread")
            cosines = space.cosines(window, question)
            dead = np.concatenate([part.dead_places() for part in window.parts])
            for place, row in enumerate(window.rows(np.arange(window.n)).tolist()):
                if place in dead:
                    assert cosines[place] == 0.0
                else:
                    product = int(space.vector(row).astype(int) @ question.astype(int))
                    assert cosines[place] == product / VECTOR_SCALE**2
        assert len(dead) == 0
        assert window.n == 2


def test_rows_are_encoded_in_blocks() -> None:
    with fresh() as corpus:
        corpus.add([document(f"d{at}", text, "2001") for at, text in enumerate(texts(12))])
        view = corpus.at().view()
        (part,) = view.prefix.parts
        basis = latent_space(view).basis
        whole = encoded(part.segment, basis)
        assert whole.any()
        assert whole.shape == (12, 128)
        assert (encoded(part.segment, basis, at_once=5) == whole).all()


def test_a_question_is_like_the_text_that_says_the_same() -> None:
    with fresh() as corpus:
        corpus.add([document("a", "mill ferry", "2001"), document("b", "mill storm", "2001"),
                    document("c", "ferry storm", "2001")])  # fmt: skip
        view = corpus.at().view()
        space = latent_space(view)
        found = space.cosines(view.window(Filters()), question_vector(space, "ferry", "mill"))
        assert sorted(found)[-1] == pytest.approx(1, abs=1e-3)
        assert not question_vector(space, "nowhere").any()
        assert (space.fitted, space.past) == (3, 3)


def test_days_on_which_little_is_added_share_a_basis(seen: dict[str, list[int]]) -> None:
    with fresh() as corpus:
        added(corpus, 30)
        spaces = [latent_space(corpus.at(str(1899 + n)).view()) for n in range(31)]
        assert [space.past for space in spaces] == list(range(31))
        assert seen["fit"] == [space.fitted for space in spaces if space.fitted == space.past]
        assert seen["fit"] == [0, 1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25]


# -- what is kept ------------------------------------------------------------------------------------


def reopened(corpus: Corpus) -> Corpus:
    session = corpus.session
    session = Session(corpus.root, corpus.store, corpus.manifest, corpus.config, session.clock, {})
    again = Corpus(session, corpus.models, Maintenance(session))
    again.maintenance.background = False
    return again


@pytest.mark.parametrize("damage", ["none", "torn", "altered", "empty", "missing"])
def test_a_basis_is_read_from_its_file_or_made_again(damage: str, seen: dict[str, list[int]]) -> None:
    with fresh() as corpus:
        added(corpus, 8)
        view = corpus.at().view()
        first = by_document(view, latent_space(view))
        (path,) = (view.derived.folder / "latent").iterdir()
        assert status(view.derived.folder)[0].startswith("latent semantic analysis: 1 basis (")
        data = path.read_bytes()
        altered = bytes([*data[:70], data[70] ^ 1, *data[71:]])
        path.write_bytes({"torn": data[:-9], "altered": altered, "empty": b""}.get(damage, data))
        if damage == "missing":
            shutil.rmtree(view.derived.folder)
            assert status(view.derived.folder) == []
        with reopened(corpus) as again:
            view = again.at().view()
            assert by_document(view, latent_space(view)) == first
        assert seen["fit"] == ([8] if damage == "none" else [8, 8])
        assert path.read_bytes() == data


def test_where_nobody_may_write_all_stays_in_memory(seen: dict[str, list[int]]) -> None:
    with fresh() as corpus:
        added(corpus, 8)
        (corpus.store.folder / "derived").write_text("a file where the folder should be")
        view = corpus.at().view()
        first = by_document(view, latent_space(view))
        corpus.add([document("d8", "mill", "1950")])
        again = by_document((later := corpus.at().view()), latent_space(later))
        assert {name: again[name] for name in first} == first
        assert seen["fit"] == [8]


def test_what_was_purged_does_not_come_back() -> None:
    with fresh() as corpus:
        added(corpus, 22)
        latent_space(corpus.at().view())
        assert db_of(corpus).execute("SELECT max(id) FROM passages").fetchone() == (22,)
        corpus.purge("d21")
        assert not (corpus.store.folder / "derived").exists()
        added(corpus, 1, 30)
        view = corpus.at().view()
        space = latent_space(view)
        assert (space.fitted, space.past) == (20, 22)
        assert sum(map(len, space.vectors.values())) == 22
        assert set(space.vectors) == {part.segment.path.name for part in view.prefix.parts}


def test_the_oldest_files_go(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(latent, "MOST_FILES", 1)
    with fresh() as corpus:
        added(corpus, 12)
        for year in ("1905", "1911"):
            latent_space(corpus.at(year).view())
            (path,) = (corpus.store.folder / "derived" / "latent").iterdir()
        corpus.at().view().derived.memo.clear()
        assert latent_space(corpus.at("1904").view()).fitted == 5, "made again"
        assert not path.exists()
