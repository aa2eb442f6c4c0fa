"""Reading passages for facts: each once, in batches; nothing is written back that was erased."""

from __future__ import annotations

import threading
from contextlib import closing

import pytest
from tests.support.fact_lines import Lines, corpus_of, note
from tests.support.scripted import ScriptedModel

import asof
from asof import config
from asof.documents import Document
from asof.errors import BadConfig, ModelError
from asof.extensions.facts import store as kept
from asof.extensions.facts.extraction import extract_all
from asof.extensions.facts.indexer import precompute_facts
from asof.extensions.facts.model import TABLE, ExtractionSettings
from asof.extensions.facts.store import Extraction

# -- reading passages for facts --------------------------------------------------------------------


class Counting(Lines):
    """An extractor that remembers what it was given; `before` is called for each passage."""

    def __init__(self, name="lines-1", before=None):
        self.name, self.before, self.given = name, before, []

    def extract(self, excerpts):
        for excerpt, found in zip(excerpts, super().extract(excerpts), strict=True):
            self.given.append(excerpt.document)
            if self.before is not None:
                self.before(excerpt)
            yield found


def quays(many: int):
    return [note(f"q{n}", "2021-01-01", f"Quay{n} | fee | {n} euros") for n in range(many)]


@pytest.fixture
def quay():
    with corpus_of() as corpus:
        corpus.add(quays(5))
        yield corpus


def read(corpus, extractor, **options):
    with closing(corpus.store.writer()) as db:
        learned = extract_all(corpus.store, db, extractor, **options)
        stored = db.execute("SELECT count(*) FROM facts").fetchone()[0]
        return learned, stored, kept.passages_without_facts(db)


def test_every_passage_is_read_once_and_batches_are_committed_one_by_one(quay):
    reader, calls = Counting(), []
    learned, stored, left = read(
        quay, reader, batch_size=2, progress=lambda done, total: calls.append((done, total))
    )
    assert calls == [(0, 5), (2, 5), (4, 5), (5, 5)]
    assert (learned.passages, learned.facts, learned.problems) == (5, 5, [])
    assert (stored, left) == (5, [])
    assert reader.given == [f"q{n}" for n in range(5)]
    again = Counting()
    learned, stored, left = read(quay, again)
    assert (learned.passages, learned.facts, stored, left, again.given) == (0, 0, 5, [], [])


def test_only_what_is_new_is_read_and_past_passages_too(quay):
    quay.add([note("q0", "2022-01-01", "Quay0 | fee | 7 euros")])
    assert read(quay, Counting())[0].passages == 6
    quay.add([note("new", "2022-01-01", "Quay1 | fee | 9 euros")])
    reader = Counting()
    assert read(quay, reader)[0].passages == 1
    assert reader.given == ["new"]


def test_another_extractor_reads_anew_only_when_told_and_its_facts_take_the_place(quay):
    read(quay, Counting())
    assert read(quay, Counting("lines-2"))[0].passages == 0
    learned, stored, _ = read(quay, Counting("lines-2"), anew=True)
    assert (learned.passages, stored) == (5, 5)
    assert read(quay, Counting("lines-2"), anew=True)[0].passages == 0


def test_a_stop_loses_the_batch_under_way_only(quay):
    def stop(excerpt):
        if excerpt.document == "q3":
            raise ModelError("gone")

    with pytest.raises(ModelError, match="gone"):
        read(quay, Counting(before=stop), batch_size=2)
    reader = Counting()
    learned, stored, left = read(quay, reader, batch_size=2)
    assert reader.given == ["q2", "q3", "q4"]
    assert (stored, left) == (5, [])
    assert learned.passages == 3


def test_what_is_erased_while_it_is_read_is_not_written_back(quay):
    def erase(excerpt):
        if excerpt.document == "q2":
            quay.purge("q2")

    _, stored, left = read(quay, Counting(before=erase))
    assert (stored, left) == (4, [])
    with closing(quay.store.writer()) as db:
        assert db.execute("SELECT count(*) FROM extractions").fetchone() == (4,)
        assert kept.facts_about(db, ["quay2"]) == []


def test_what_cannot_be_read_is_a_problem_and_stays_unread(quay):
    class Failing(Counting):
        def extract(self, excerpts):
            for found, excerpt in zip(super().extract(excerpts), excerpts, strict=True):
                bad = excerpt.document == "q1"
                yield Extraction(found.passage, (), "no reply") if bad else found

    learned, stored, left = read(quay, Failing())
    assert (learned.passages, learned.facts, stored, len(left)) == (4, 4, 4, 1)
    (problem,) = learned.problems
    assert (problem.message, problem.document, problem.lost) == ("no reply", "q1", False)
    assert problem.remedy == "run the same command again"
    assert read(quay, Counting())[0].passages == 1


# -- learning ahead of questions -------------------------------------------------------------------


def test_two_that_learn_at_once_pay_once(tmp_path):
    (tmp_path / "asof.toml").write_text('[facts]\nextractor = "model"\n', encoding="utf-8")
    model = ScriptedModel(lambda _: '{"facts": []}')
    with asof.open(tmp_path, model=model) as one, asof.open(tmp_path, model=model) as other:
        one.add([Document(f"d{n}", f"The crane number {n} squeaks.") for n in range(20)])
        lessons = []
        threads = [
            threading.Thread(target=lambda c=each: lessons.append(precompute_facts(c)))
            for each in (one, other)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    assert sorted(each.passages for each in lessons) == [0, 20]
    assert len(model.prompts) == 20


# -- `[facts]` -------------------------------------------------------------------------------------


def test_all_keys():
    assert TABLE.value({"extractor": "model"}) == ExtractionSettings("model")


@pytest.mark.parametrize("table", [{"extractor": ["model"]}, {"extractor": "magic"}])
def test_a_value_that_is_not_accepted_is_refused_with_its_place(table):
    with pytest.raises(BadConfig, match=rf"^asof.toml: \[facts\] {next(iter(table))}"):
        config.read({"facts": table})
