"""Two folders, as of two machines, on one truth."""

from __future__ import annotations

import random
from contextlib import closing
from pathlib import Path

import pytest
from cluster.support.postgres import PASSWORD, USER, Postgres

import asof
from asof.data import Document
from asof.errors import CorpusError, DocumentNotFound
from asof.store.settings import CorpusSettings
from asof.store.store import Store

WORDS = ("ferry", "boiler", "harbour", "invoice", "pump", "filter", "winter", "canal")


@pytest.fixture
def truth(postgres: str) -> str:
    return f"{postgres}&schema=notes"


def machine(folder: Path, truth: str) -> asof.Corpus:
    """The corpus as a machine has it, with its own files."""
    Store.create(folder / ".asof", CorpusSettings(), truth=truth)
    return asof.open(folder, truth=truth)


def document(random_: random.Random, number: int) -> Document:
    text = " ".join(random_.choice(WORDS) for _ in range(12))
    return Document(f"d{number % 9}", text, published=f"20{10 + number % 12}-03-0{1 + number % 9}")


def answers(corpus: asof.Corpus) -> list[object]:
    return [
        [(hit.id, hit.score, hit.why) for hit in corpus.at(as_of).search(question, recipe=recipe)]
        for question in ("ferry in the harbour", "boiler pump", "invoice")
        for as_of in ("2014-06-01", "2030-01-01")
        for recipe in ("asof", "bm25", "twe")
    ]


@pytest.mark.parametrize("seed", range(4))
def test_writers_in_both_and_the_answers_of_one(tmp_path: Path, truth: str, seed: int) -> None:
    random_ = random.Random(seed)
    clock = iter(range(10**15, 10**16, 1_000_000))
    with (
        machine(tmp_path / "a", truth) as one,
        machine(tmp_path / "b", truth) as other,
        asof.open(tmp_path / "alone") as alone,
    ):
        for corpus in (one, other, alone):
            corpus.session.clock = lambda: now
            corpus.maintenance.background = False
        for step in range(24):
            now = next(clock)
            writer = random_.choice((one, other))
            if step and random_.random() < 0.15:
                name = f"d{random_.randrange(9)}"
                try:
                    purged = alone.purge(name)
                except DocumentNotFound:
                    continue
                assert writer.purge(name) == purged
            else:
                stated = [document(random_, random_.randrange(1_000)) for _ in range(3)]
                assert alone.add(stated).passages == writer.add(stated).passages
            if random_.random() < 0.3:
                random_.choice((one, other)).tidy()
            if random_.random() < 0.4:
                assert answers(random_.choice((one, other))) == answers(alone)
        assert answers(one) == answers(other) == answers(alone)
        assert one.check() == other.check() == []
        listed = []
        for corpus in (one, other):
            with closing(corpus.store.reader()) as db:
                listed.append({file for (file,) in db.execute("SELECT file FROM segments")})
            there = {path.name for path in (corpus.root / ".asof" / "segments").glob("*.seg")}
            assert listed[-1] <= there
        assert not listed[0] & listed[1]


def test_a_machine_that_comes_later_makes_its_segments_from_the_truth(tmp_path: Path, truth: str) -> None:
    random_ = random.Random(1)
    with machine(tmp_path / "a", truth) as one:
        for number in range(5):
            one.add([document(random_, number)])
        with machine(tmp_path / "b", truth) as other:
            assert answers(other) == answers(one)
            assert other.status().documents == 5
    assert list((tmp_path / "b" / ".asof" / "segments").glob("*.seg"))


def test_what_one_machine_erases_the_other_removes_from_its_files(tmp_path: Path, truth: str) -> None:
    with machine(tmp_path / "a", truth) as one, machine(tmp_path / "b", truth) as other:
        one.add([Document("secret", "the xylophone of Zanzibar", published="2020"), Document("x", "ferry")])
        assert [hit.document for hit in other.search("xylophone")] == ["secret"]
        before = set((tmp_path / "b" / ".asof" / "segments").glob("*.seg"))
        assert one.purge("secret") == 1
        assert not other.search("xylophone").hits
        assert [hit.document for hit in other.search("ferry")] == ["x"]
        assert not before & set((tmp_path / "b" / ".asof" / "segments").glob("*.seg"))
        with closing(other.store.reader()) as db:
            assert db.execute("SELECT count(*) FROM passages WHERE text LIKE '%xylophone%'").fetchone() == (
                0,
            )


def test_a_user_who_may_only_read(tmp_path: Path, truth: str, postgres_process: Postgres) -> None:
    """Opens a truth from a new folder, sees what others write and erase, and is refused the rest; later, with
    all rights, its folder holds nothing that was erased."""
    database = truth.split("?")[0].rpartition("/")[2]
    segments = tmp_path / "b" / ".asof" / "segments"
    with machine(tmp_path / "a", truth) as one:
        one.add([Document("secret", "the xylophone of Zanzibar"), Document("x", "ferry")])
        with postgres_process.connect(database, autocommit=True) as db:
            db.execute(
                f"CREATE ROLE looking LOGIN PASSWORD '{PASSWORD}'; GRANT USAGE ON SCHEMA notes TO looking;"
                "GRANT SELECT ON ALL TABLES IN SCHEMA notes TO looking"
            )
        as_reader = truth.replace(f"{USER}@", "looking@")
        with machine(tmp_path / "b", as_reader) as other:
            assert answers(other) == answers(one)
            assert [hit.document for hit in other.search("xylophone")] == ["secret"]
            with pytest.raises(CorpusError, match="the user needs CREATE in"):
                other.add([Document("y", "canal")])
            with_secret = set(segments.glob("*.seg"))
            one.purge("secret")
            assert not other.search("xylophone").hits
            assert with_secret
            assert not with_secret & set(segments.glob("*.seg"))
            with_ferry = set(segments.glob("*.seg"))
        with asof.open(tmp_path / "b", truth=as_reader, create=False) as other:
            assert answers(other) == answers(one)
            assert not with_ferry & set(segments.glob("*.seg"))  # those of an earlier process
            with_ferry = set(segments.glob("*.seg"))
            assert len(with_ferry) == 1
        one.purge("x")
        with postgres_process.connect(database, autocommit=True) as db:
            db.execute("GRANT ALL ON ALL TABLES IN SCHEMA notes TO looking")
        with asof.open(tmp_path / "b", truth=as_reader, create=False) as other:
            assert not other.search("ferry").hits
            assert not with_ferry & set(segments.glob("*.seg"))
            other.add([Document("y", "canal")])
            assert answers(other) == answers(one)
