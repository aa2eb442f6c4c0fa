"""Evaluations from end to end, on datasets that can be worked out by hand; leakage; updates."""

from __future__ import annotations

import json
import math
from math import log2
from pathlib import Path

import pytest
from tests.support.scripted_answers import EVIDENCE, JUDGED, SHOP, Script, answer, refusal

from asof.corpus.corpus import open as open_corpus
from asof.documents import Document, SourcedTime
from asof.environment import configuration
from asof.errors import UsageError
from asof.extensions.lab.datasets import load
from asof.extensions.lab.evaluation import changes, evaluate, evaluate_incremental
from asof.extensions.lab.leakage import difference
from asof.extensions.lab.results import EvaluationResult
from asof.extensions.lab.runs import BASE, NEW, EvaluationOptions, split
from asof.extensions.systems.recipes import TWE
from asof.index.segment import Prefix
from asof.rank.gather import Lexical, TopK
from asof.rank.stage import Recipe
from asof.store.schema import CorpusSettings
from asof.time.moment import read
from asof.time.span import NEVER
from asof.wire import encode, replace

WORDS = Recipe("words", "words alone", (Lexical(), TopK()))


@pytest.fixture
def evaluated(dataset, tmp_path):
    """Evaluates a dataset with a cache of its own."""

    def run(folder=None, recipes=("asof",), **options):
        more = {key: options.pop(key) for key in ("encoder", "progress") if key in options}
        return evaluate(
            folder or dataset(), recipes, EvaluationOptions(**options), cache=tmp_path / "cache", **more
        )

    return run


def metric(found, name, number=0):
    return found.runs[number].values(name).tolist()


def test_each_question_is_asked_as_of_its_time(evaluated):
    """In 2002 Ann alone is mayor of Brill; in 2006 both texts match, and Ann's is the earlier one."""
    found = evaluated(recipes=[WORDS])
    assert [question.id for question in found.questions] == ["q1", "q2", "q3"]
    first, second, third = found.runs[0].results
    assert [document for document, _ in first.ranking] == ["m1", "u1"]
    assert [document for document, _ in second.ranking][:2] == ["m2", "m1"]  # of equal scores the later one
    assert [document for document, _ in third.ranking] == ["m4"]
    assert metric(found, "success@1") == [1, 0, 1]
    assert metric(found, "mrr@10") == [1, 1 / 2, 1]
    assert metric(found, "ndcg@10") == [1, pytest.approx((1 / log2(3)) / (1 / log2(2))), 1]
    assert metric(found, "leak@10") == [0, 0, 0]
    assert all(math.isnan(value) for value in metric(found, "evidence@4000"))
    assert found.estimate(found.runs[0], "evidence@4000") is None
    assert found.estimate(found.runs[0], "success@1").value == pytest.approx(2 / 3)
    assert "1 of 4 questions has no relevant document: left out" in found.notes


def test_the_same_command_gives_the_same_numbers(evaluated):
    def numbers():
        value = encode(EvaluationResult.of(evaluated(recipes=["asof", WORDS], seed=5, leakage=2)))
        for each in value["runs"]:
            for times in (each, *each["groups"]):
                times["latency_ms_p50"] = times["latency_ms_p95"] = 0.0
        return json.dumps(value)

    assert numbers() == numbers()


def test_documents_are_ranked_by_their_best_passage(dataset, evaluated):
    """The long document has the best passage, among many that do not match."""
    filler = " ".join(["nothing of the kind is said here."] * 40)
    long = {"id": "long", "text": f"{filler}\n\ngeese geese geese\n\n{filler}", "timestamp": "2001"}
    short = {"id": "short", "text": "geese and much else that weakens it", "timestamp": "2001"}
    folder = dataset([short, long], [{"id": "q", "text": "geese", "asked_at": "2002"}], [("q", "long", 1)])
    found = evaluated(folder, settings=CorpusSettings(chunking="10w"))
    assert [document for document, _ in found.runs[0].results[0].ranking] == ["long", "short"]


def test_a_hundred_documents_are_gathered_from_many_passages(dataset, evaluated):
    """Each document has 12 passages that match: 100 passages are those of few documents."""
    text = "\n\n".join(f"goose {n} " + "honk " * 12 for n in range(12))
    documents = [{"id": f"d{n:03}", "text": text + f" d{n}", "timestamp": "2001"} for n in range(130)]
    folder = dataset(documents, [{"id": "q", "text": "goose", "asked_at": "2002"}], [("q", "d000", 1)])
    found = evaluated(folder, settings=CorpusSettings(chunking="10w"))
    ranking = found.runs[0].results[0].ranking
    assert len(ranking) == len({document for document, _ in ranking}) == 100


def test_the_document_of_the_question_is_taken_out(dataset, evaluated):
    documents = [{"id": f"d{n}", "text": f"geese {'and more ' * n}", "timestamp": None} for n in range(3)]
    question = {"id": "q", "text": "geese", "asked_at": None, "query_doc": "d0"}
    found = evaluated(dataset(documents, [question], [("q", "d1", 1), ("q", "d0", 3)]))
    assert [document for document, _ in found.runs[0].results[0].ranking] == ["d1", "d2"]
    assert metric(found, "recall@5") == metric(found, "ndcg@10") == [1]


def test_notes_say_what_has_no_date_and_what_cannot_be_found(dataset, evaluated):
    undated = [{"id": id_, "text": text, "timestamp": None} for id_, text in (("a", "geese"), ("b", "ducks"))]
    found = evaluated(dataset(undated, [{"id": "q", "text": "ducks"}], [("q", "b", 1)]))
    assert metric(found, "success@1") == [1]
    assert any(note.startswith("no document has a date") for note in found.notes)
    questions = [{"id": "q", "text": "mayor of Brill", "asked_at": None}]
    found = evaluated(dataset(questions=questions, judged=[("q", "m2", 1)]))
    assert found.runs[0].results[0].as_of == read("2005-05-01").last
    assert metric(found, "success@1") == [1]
    assert "no question has a time: all are asked as of the newest document" in found.notes
    found = evaluated(dataset(judged=[("q1", "m2", 1), ("q2", "gone", 1), ("q3", "m4", 1)]))
    assert metric(found, "recall@100") == [0, 0, 1]
    for note in ("that is not in the", "of a later date"):
        assert any(each.startswith(f"1 question has a relevant document {note}") for each in found.notes)


def test_evidence_is_measured(dataset, evaluated):
    evidence = [
        {"query_id": "q1", "doc_id": "m1", "sentence": "Ann is mayor\nof Brill."},
        {"query_id": "q1", "doc_id": "m2", "sentence": "Bob is mayor of Brill."},  # published later
        {"query_id": "q2", "doc_id": "m2", "sentence": "Bob is mayor of Brill."},
    ]
    found = evaluated(dataset(evidence=evidence))
    values = metric(found, "evidence@4000")
    assert values[:2] == [1 / 2, 1]
    assert math.isnan(values[2])
    assert found.estimate(found.runs[0], "evidence@12000").value == pytest.approx((1 / 2 + 1) / 2)
    assert "1 sentences of evidence.jsonl are not in their documents: counted as missed" in found.notes


def test_evidence_asks_for_passages_until_the_budget_is_full(dataset, evaluated):
    """One document of 300 passages; the sentence stands in one that ranks behind the first hundred."""
    text = "\n\n".join(f"goose honk number{n} " + "grey " * 9 for n in range(300))
    documents = [{"id": "d", "text": text, "timestamp": "2001"}]
    sentence = {"query_id": "q", "doc_id": "d", "sentence": "goose honk number250"}
    folder = dataset(documents, [{"id": "q", "text": "goose"}], [("q", "d", 1)], [sentence])
    found = evaluated(folder, settings=CorpusSettings(chunking="10w"))
    assert metric(found, "evidence@12000") == [1]


def test_filter_by_a_field(evaluated):
    found = evaluated(recipes=[WORDS], filter_by=("town",))
    first, second, third = found.runs[0].results
    assert {document for document, _ in (*first.ranking, *second.ranking)} == {"m1", "m2"}
    assert [document for document, _ in third.ranking] == ["m4"]  # its question has no town
    with pytest.raises(UsageError, match="--filter-by colour: no question has this field"):
        evaluated(filter_by=("colour",))
    with pytest.raises(UsageError, match="--filter-by type: no document has this field"):
        evaluated(filter_by=("type",))


def test_a_limit_spreads_over_the_questions(dataset, evaluated):
    questions = [{"id": f"q{n}", "text": f"mayor {n}", "asked_at": "2006"} for n in range(50)]
    folder = dataset(questions=questions, judged=[(f"q{n}", "m1", 1) for n in range(50)])
    ids = [question.id for question in evaluated(folder, limit=10).questions]
    assert len(ids) == 10
    assert ids != [f"q{n}" for n in range(10)]
    assert ids == sorted(ids, key=lambda id_: int(id_[1:]))
    assert ids == [question.id for question in evaluated(folder, limit=10).questions]
    assert ids != [question.id for question in evaluated(folder, limit=10, seed=1).questions]


def test_questions_without_any_judgement_are_wrong_usage(dataset, evaluated):
    with pytest.raises(
        UsageError, match=r"none of the 4 questions in queries\.jsonl has a relevant document"
    ):
        evaluated(dataset(judged=[("q1", "m1", 0), ("other", "m1", 1)]))


# -- leakage -----------------------------------------------------------------------------------------


def test_nothing_leaks(evaluated):
    found = evaluated(recipes=["asof", WORDS, "tgrag"], leakage=4)
    assert found.leakage.clean
    assert (found.leakage.questions, found.leakage.moments) == (4, 3)  # 2002; the newest date; 2006 twice
    assert any(
        note.startswith("leakage: 3 of 4 questions are asked when nothing later") for note in found.notes
    )


def test_a_planted_leak_is_found(evaluated, monkeypatch):
    """The number of documents is that of all times, as in an index without views."""
    right = Prefix.of.__func__  # type: ignore[attr-defined]

    def wrong(cls, segments, as_of, known_at=NEVER, *, past=False):
        made = right(cls, segments, as_of, known_at, past=past)
        made.n = sum(segment.n for segment in segments)
        return made

    monkeypatch.setattr(Prefix, "of", classmethod(wrong))
    found = evaluated(recipes=["asof", WORDS], leakage=1)
    assert not found.leakage.clean
    assert [(each.question, each.recipe, each.rank) for each in found.leakage.differences] == [
        ("q1", "asof", 1), ("q1", "words", 1),
    ]  # fmt: skip
    assert {each.what for each in found.leakage.differences} <= {"score", "why", "hits"}
    scores = [each for each in found.leakage.differences if each.what == "score"]
    assert scores
    assert all(each.whole != each.cut for each in scores)


def _edition(year: str, price: str) -> Document:
    text = f"A single ticket for the ferry costs {price} from the first of May on, a return ticket twice."
    return Document(f"fares-{year}", text, f"Ferry fares {year}", SourcedTime(read(year), year, "metadata"))


def test_what_superseded_a_hit_is_compared(tmp_path: Path) -> None:
    with open_corpus(tmp_path) as corpus:
        corpus.add([_edition("2001", "4.00"), _edition("2002", "5.00")])
        hits = corpus.at("2003").search("single ticket").hits
    older = next(hit for hit in hits if hit.document == "fares-2001")
    newer = next(hit for hit in hits if hit.document == "fares-2002")
    assert older.superseded is not None
    assert (older.superseded.id, older.superseded.document) == (newer.id, "fares-2002")
    assert newer.superseded is None
    assert difference(hits, hits) is None
    alone = [replace(hit, superseded=None) for hit in hits]
    assert difference(hits, alone) == (older.rank, "superseded", newer.id, None)
    assert difference(hits, hits[:1]) == (2, "hits", hits[1].id, None)


# -- which configuration recipes are evaluated with ----------------------------------------------------


def test_that_of_the_folder_holds(tmp_path, monkeypatch):
    monkeypatch.setenv("ASOF_CONFIG", "/dev/null")
    file = tmp_path / "asof.toml"
    file.write_text("[recipes.twe]\ndecay.tau_min = 365\n")
    chosen = configuration(file.parent).recipe_named("twe")
    assert changes(chosen)["decay.tau_min"] == 365.0
    assert changes(TWE) == {}


# -- a base and an update ------------------------------------------------------------------------------


PARTS = [
    {"id": "may", "text": "How many loaves in May?", "answer": "1,204"},
    {"id": "both", "text": "How many loaves in May and June?", "answer": "1,204 and 1,310"},
    {"id": "july", "text": "How many loaves in July?", "answer": "990"},
    {"id": "never", "text": "How many loaves in 1950?", "answerable": False, "split": "new"},
    {"id": "cakes", "text": "How many cakes?", "answerable": False},
]
NEEDED = [*JUDGED, ("july", "s3", 1)]


@pytest.fixture
def shop(dataset):
    return dataset(SHOP, PARTS, NEEDED, EVIDENCE, name="shop")


class Growing(Script):
    """Knows July only in a corpus that has it, and changes its mind about May then."""

    def __call__(self, corpus, as_of, question, filters, recipe):
        known = corpus.at().text("s3") is not None
        july = answer("990 [1]", ("s3", "The bakery sold 990 loaves in July.")) if known else refusal()
        may = answer(f"1,204{', more than in July' * known} [1]", ("s1", EVIDENCE[0]["sentence"]))
        self.answers = {"How many loaves in July?": july, "How many loaves in May?": may}
        return super().__call__(corpus, as_of, question, filters, recipe)


def test_whose_questions_are_whose(shop):
    data = load(shop)
    parts = split(data, "year=2")
    assert parts.later == {"s3"}
    assert {question.id: parts.part(question, data) for question in data.questions} == {
        "may": BASE, "both": BASE, "july": NEW, "never": NEW, "cakes": BASE,
    }  # fmt: skip
    assert [document.id for document in parts.documents(data, BASE)] == ["s1", "s2"]
    assert [document.id for document in parts.documents(data, NEW)] == ["s3"]


def test_several_conditions(dataset):
    documents = [
        {"id": f"d{n}", "text": "x", "timestamp": "2001", "q": f"Q{n}", "y": n % 2} for n in range(4)
    ]
    data = load(dataset(documents, PARTS, NEEDED, name="quarters"))
    assert split(data, "q=q3").later == {"d3"}  # case does not count
    assert split(data, "q=q3, q=q2").later == {"d2", "d3"}  # one or the other
    assert split(data, "q=q3,q=q2,y=0").later == {"d2"}  # and


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("year", "accepted: FIELD=VALUE"),
        ("year=", "accepted: FIELD=VALUE"),
        ("year=2,,", "accepted: FIELD=VALUE"),
        ("colour=red", "no document has the field colour; there are: year$"),
        ("year=3", "no document matches"),
        ("year=1,year=2", "every document matches"),
    ],
)
def test_what_is_no_split(shop, text, message):
    with pytest.raises(UsageError, match=message):
        split(load(shop), text)


def test_before_and_after(shop):
    """The base questions are may, both, cakes: "may" has another answer afterwards. New: july, never."""
    script = Growing({})
    found = evaluate_incremental(shop, "year=2", options=EvaluationOptions(), ask=script)
    assert (found.base.documents, found.update.documents) == (2, 1)
    assert found.base.calls == found.update.calls == found.update.prompt_tokens == 0
    assert found.base.facts > 0
    assert found.update.facts > 0
    assert list(found.stages) == ["base@base", "base@updated", "new@updated"]
    before, _, new = found.stages.values()
    assert before is not None
    assert new is not None
    assert [gold.question.id for gold in before.references] == ["may", "both", "cakes"]
    assert [gold.question.id for gold in new.references] == ["july", "never"]
    assert before.runs[0].values("refused_when_answerable").tolist()[:2] == [0, 1]
    assert new.runs[0].values("refused_when_answerable").tolist()[0] == 0
    assert new.runs[0].values("answered_when_not").tolist()[1] == 0
    assert found.changed == {"asof": 1}
    moments = {as_of for _, as_of, _ in script.asked}
    assert len(moments) == 1  # the same moment before and after


def test_an_update_that_changes_a_document(dataset):
    """A later version of s1: its facts come, those of the one before stay what they were then."""
    later = {**SHOP[0], "text": "The bakery sold 1,205 loaves in May.", "timestamp": "2003-01-01", "year": 2}
    folder = dataset([*SHOP[:2], later], PARTS[:1], [("may", "s1", 1)], name="versions")
    found = evaluate_incremental(folder, "year=2", ask=Script({}))
    assert found.update.documents == 1
    assert found.stages["base@base"] is None  # s1 is in the update, too
    assert found.stages["new@updated"] is not None
    assert any(note.startswith("base@base: no question of this kind") for note in found.notes)
