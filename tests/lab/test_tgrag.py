"""TG-RAG's experiments on a few notes of firms; what writes is a server on this machine."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest
from tests.support.openai_server import ModelServer
from tests.support.scripted import ScriptedModel

from asof.config import Config
from asof.corpus.corpus import open as open_corpus
from asof.errors import UsageError
from asof.extensions.facts.local import TGRAG
from asof.extensions.lab.datasets import load
from asof.extensions.lab.tgrag import asking, gold_answer
from asof.extensions.lab.tgrag import without_each as variants
from asof.extensions.providers.chat import LanguageModelConfig
from asof.queries import Filters
from asof.wire import replace

from .conftest import value, write_lines

FIRMS = ("Otter", "Heron")
QUARTERS = ("Q1 2023", "Q2 2023", "Q1 2024")


def figure(firm: str, quarter: str) -> str:
    return f"${10 * (FIRMS.index(firm) + 1) + QUARTERS.index(quarter)} million"


@pytest.fixture(scope="module")
def firms(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two firms, three quarters; a question for each, one without an answer, two for an overview."""
    folder = tmp_path_factory.mktemp("tgrag") / "firms"
    folder.mkdir()
    documents: list[dict[str, Any]] = []
    questions: list[dict[str, Any]] = []
    judged, evidence = [], []
    for firm in FIRMS:
        for quarter in QUARTERS:
            name = f"{firm}-{quarter.replace(' ', '-')}"
            said = f"The revenue of {firm} was {figure(firm, quarter)} in {quarter}."
            documents.append(
                {
                    "id": name, "text": f"{said} It rained.", "title": f"{firm} {quarter}",
                    "timestamp": f"{quarter[-4:]}-0{3 * int(quarter[1]) + 1}-20", "year": quarter[-4:],
                }
            )  # fmt: skip
            text = f"What was the revenue of {firm} in {quarter}?"
            questions.append({"id": name, "text": text, "answer": figure(firm, quarter), "type": "single"})
            judged.append(f"{name}\t{name}\t1\n")
            evidence.append({"query_id": name, "doc_id": name, "sentence": said})
    questions.append({"id": "none", "text": "Who owns Otter?", "answerable": False, "split": "base"})
    for split, year in (("base", 2023), ("new", 2024)):
        text = f"How did the firms develop in {year}?"
        questions.append({"id": f"all-{split}", "text": text, "abstract": True, "split": split})
    write_lines(folder / "corpus.jsonl", documents)
    write_lines(folder / "queries.jsonl", questions)
    write_lines(folder / "evidence.jsonl", evidence)
    (folder / "qrels.tsv").write_text("".join(judged), encoding="utf-8")
    return folder


def says(body: dict[str, Any]) -> str:
    """Writes what it reads first."""
    system, user = (each["content"] for each in body["messages"][:2])
    if '"questions"' in system:
        return '{"questions": []}'
    return next(
        (f"{line} [1]" for line in user.split("\n") if line.startswith("The revenue")), "NO ANSWER: no"
    )


@pytest.fixture(scope="module")
def configured() -> Iterator[Config]:
    with ModelServer(says) as server:
        yield Config(model=LanguageModelConfig(server.url, "writer-1"))


LATER = "later=year=2024"


def test_base_questions_before_the_update(experimented: Any, firms: Path, tmp_path: Path) -> None:
    """Four base questions with an answer and one without; quotes of 11 words hold the figure."""
    found = experimented("tgrag/III", LATER, dataset=firms, figures=tmp_path)
    table = found.outcome.table
    assert list(table.rows) == ["LLM-GT", "NaiveRAG", "QD-RAG", "TG-RAG"]
    assert found.outcome.questions == 5
    assert value(table, "TG-RAG", "index prompt tokens") == 0
    assert 0 < value(table, "LLM-GT", "f1") < 1
    assert any(
        "base: 4 documents, 4 facts; update (year 2024): 2 documents" in note for note in found.outcome.notes
    )
    assert (tmp_path / "tgrag-III.png").is_file()


def test_what_a_model_reads_is_counted(experimented: Any, firms: Path, configured: Config) -> None:
    table = experimented("tgrag/III", LATER, dataset=firms, config=configured).outcome.table
    for label in table.rows:
        stored = label == "QD-RAG"  # its prompts are those of NaiveRAG here, whose replies are stored
        assert (value(table, label, "prompt tokens a question") > 0) is not stored


def test_after_the_update(experimented: Any, firms: Path) -> None:
    found = experimented("tgrag/IV", LATER, dataset=firms)
    labels = list(found.outcome.table.rows)
    assert labels[:4] == ["LLM-GT, base", "NaiveRAG, base", "QD-RAG, base", "TG-RAG, base"]
    assert len(labels) == 8
    assert found.outcome.questions == 5 + 2
    assert any("LLM-GT: 0 of 5 base questions have another answer" in note for note in found.outcome.notes)


def test_evidence_is_that_of_the_question_and_its_moment(firms: Path, tmp_path: Path) -> None:
    """The same words at two moments; and twice at one."""
    folder = tmp_path / "again"
    copytree(firms, folder)
    asked = (("q1", "2023-05-01"), ("q2", "2023-08-01"), ("q2-again", "2023-08-01"))
    text = "What was the revenue?"
    write_lines(folder / "queries.jsonl", [{"id": id_, "text": text, "asked_at": day} for id_, day in asked])
    said = {"q1": "It was $10.", "q2": "It was $11.", "q2-again": "It was $12."}
    write_lines(
        folder / "evidence.jsonl",
        [{"query_id": id_, "doc_id": "Otter-Q1-2023", "sentence": each} for id_, each in said.items()],
    )
    data = load(folder)
    with open_corpus(tmp_path / "empty") as corpus:
        corpus.models.model = ScriptedModel(lambda prompt: prompt.user)
        read = [
            asking(data)(corpus, data.as_of(each), text, Filters(), replace(TGRAG, name="LLM-GT")).citations
            for each in data.questions
        ]
    given = [[citation.quote for citation in cited] for cited in read]
    assert given == [["It was $10."], ["It was $11.", "It was $12."], ["It was $11.", "It was $12."]]


def test_the_ablation(experimented: Any, firms: Path) -> None:
    rows = variants(TGRAG, alone=True)
    assert [type(each).__name__ for each in rows["TG-RAG"].stages] == ["Lexical", "Local", "TopK"]
    assert [type(each).__name__ for each in rows["w/o all"].stages] == ["Lexical", "TopK"]
    assert (
        dict(rows["w/o both"].fields())["local.ppr"]
        is dict(rows["w/o both"].fields())["local.in_time"]
        is False
    )
    assert variants(TGRAG, alone=False)["TG-RAG"] == TGRAG
    table = experimented("tgrag/VII", dataset=firms).outcome.table
    assert list(table.rows) == list(rows)
    assert value(table, "TG-RAG", "evidence@12000") == 1


def test_the_size_of_the_graph(experimented: Any, firms: Path) -> None:
    """A fact a document; two firms with a revenue each, also after the update. Periods: 2023, its Q1 and Q2;
    2024 and its Q1."""
    table = experimented("tgrag/VIII", LATER, dataset=firms).outcome.table
    found = [
        value(table, "TG-RAG", f"{kind} {what}")
        for kind in ("base", "updated")
        for what in ("entities", "relations", "periods")
    ]
    assert found == [4, 4, 3, 4, 6, 5]


def test_models_that_answer(experimented: Any, firms: Path, configured: Config) -> None:
    """Two names of the same model answer the same."""
    found = experimented("tgrag/IX", "models=one, two", dataset=firms, config=configured).outcome
    assert list(found.table.rows) == ["one", "two"]
    assert value(found.table, "one", "f1") == value(found.table, "two", "f1") > 0


def test_other_sets(experimented: Any, towns: Path) -> None:
    """The nearest of the accepted answers counts."""
    found = experimented("tgrag/X", "set=HotpotQA", dataset=towns).outcome
    assert list(found.table.rows) == ["NaiveRAG", "QD-RAG", "TG-RAG"]
    assert value(found.table, "TG-RAG", "recall@5") > 0
    assert value(found.table, "TG-RAG", "HotpotQA") >= 0
    assert found.questions == 8


def test_what_cannot_be_run(experimented: Any, firms: Path) -> None:
    """Without a model, with an update that is none."""
    with pytest.raises(UsageError, match="tgrag/IX asks"):
        experimented("tgrag/IX", dataset=firms)
    with pytest.raises(UsageError, match=r"^--set later=colour=red: .* field colour; there are: year$"):
        experimented("tgrag/VIII", "later=colour=red", dataset=firms)


def test_gold_evidence_is_all_that_a_model_sees() -> None:
    model = ScriptedModel(["$10 million [1]", "NO ANSWER: nothing"])
    evidence = [("a", "The revenue was $10 million.")]
    told = gold_answer("How much?", evidence, 0, model)
    assert (told.text, told.refused, told.by) == ("$10 million [1]", False, "scripted")
    assert "The revenue was $10 million." in model.prompts[0].user
    refused = gold_answer("How much?", evidence, 0, model)
    assert (refused.refused, refused.reason) == (True, "nothing")
    assert gold_answer("How much?", [], 0, model).refused
    assert gold_answer("How much?", evidence, 0, None).text == "The revenue was $10 million."
