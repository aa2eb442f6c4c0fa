"""The dataset of temporal and general questions: what it says is right is right."""

from __future__ import annotations

from bench.datasets import news

from asof.extensions.lab.datasets import load


def test_the_same_seed_gives_the_same_dataset():
    assert news(300, 20, 1).documents == news(300, 20, 1).documents
    assert news(300, 20, 1).questions != news(300, 20, 2).questions


def test_numbers_and_kinds():
    made = news(600, 40, 0)
    assert len(made.documents) >= 600
    assert [question["type"] for question in made.questions].count("temporal") == 20
    assert len(made.questions) == 40
    assert len({document["id"] for document in made.documents}) == len(made.documents)


def test_right_documents_have_the_answer_and_are_the_last_to_tell():
    made = news(400, 60, 3)
    texts = {document["id"]: document for document in made.documents}
    right: dict[str, list[str]] = {}
    for asked, document_id in made.judged:
        right.setdefault(asked, []).append(document_id)
    for question in made.questions:
        chosen = [texts[name] for name in right[question["id"]]]
        assert all(question["answer"] in document["text"] for document in chosen)
        if question["type"] == "temporal":
            others = [
                document["timestamp"]
                for document in made.documents
                if document["text"].partition(".")[0].replace(question["answer"], "")
                == chosen[0]["text"].partition(".")[0].replace(question["answer"], "")
            ]
            assert max(others) <= max(document["timestamp"] for document in chosen)


def test_it_is_read_as_a_dataset(tmp_path):
    news(200, 8, 0).write(tmp_path / "out")
    found = load(tmp_path / "out")
    assert not found.problems
    assert len(found.questions) == 8
    assert all(found.relevance[question.id] for question in found.questions)
