"""The retriever of DSPy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import dspy
import pytest
from adapters.example import QUESTION
from dspy.utils import DummyLM

import asof
from asof.errors import BadTime, UsageError
from asof.extensions.adapters.dspy import DspyRetriever


class Answering(dspy.Module):
    """A program with a retriever."""

    def __init__(self, retriever: DspyRetriever) -> None:
        super().__init__()
        self.retriever = retriever
        self.answer = dspy.Predict("context, question -> answer")

    def forward(self, question: str) -> Any:
        return self.answer(context=self.retriever(question).passages, question=question)


def then(corpus: asof.Corpus, as_of: str, k: int) -> list[str]:
    return [hit.id for hit in corpus.at(as_of).search(QUESTION, k)]


def ids(found: Any) -> list[str]:
    return [each["id"] for each in found.documents]


async def test_predictions_are_the_hits(corpus: asof.Corpus) -> None:
    retriever = DspyRetriever(corpus=corpus, k=3, as_of="2017")
    found = retriever(QUESTION)
    assert ids(found) == then(corpus, "2017", 3)
    hit = corpus.at("2017").search(QUESTION, 1)[0]
    assert found.passages[0] == f"Harbour office notice 2016 (2016-01-11)\n{hit.text}"
    assert found.documents[0]["score"] == hit.score
    assert ids(retriever(QUESTION, as_of="2020", k=2)) == then(corpus, "2020", 2)
    assert ids(await retriever.acall(QUESTION, as_of="2020")) == then(corpus, "2020", 3)
    assert any("no document" in note for note in retriever(QUESTION, where={"tags": "nowhere"}).notes)


def test_an_agent_uses_it_as_a_tool_and_sees_nothing_later(corpus: asof.Corpus) -> None:
    retriever = DspyRetriever(corpus=corpus, k=1, as_of="2020")
    tool = dspy.Tool(retriever.search)
    assert (tool.name, sorted(tool.args)) == ("search", ["as_of", "question"])
    (now,) = tool(question=QUESTION, as_of="2024")
    assert now == tool(question=QUESTION)[0] == tool(question=QUESTION, as_of="")[0]
    assert "2024" not in now
    unbounded = DspyRetriever(corpus=corpus, k=1)
    assert unbounded.search(QUESTION) != [now]
    assert unbounded.search("the Lantern Storm", as_of="2019") != unbounded.search("the Lantern Storm")
    assert retriever.search(QUESTION, "2017") == unbounded.search(QUESTION, "2017")
    with pytest.raises(BadTime):
        retriever.search(QUESTION, "no day")


def test_in_a_program_that_is_copied_and_saved(index: Path, tmp_path: Path) -> None:
    program = Answering(DspyRetriever(index, k=1, as_of="2017"))
    copied = program.deepcopy()
    assert copied.retriever.retrieval.handle is program.retriever.retrieval.handle
    with dspy.context(lm=DummyLM([{"answer": "Ebbe Calloway"}] * 2)):
        assert copied(QUESTION).answer == "Ebbe Calloway"
        asked = json.dumps(dspy.settings.lm.history[-1]["messages"])
    assert "Harbour office notice 2016 (2016-01-11)" in asked
    copied.retriever.save(tmp_path / "saved", save_program=True)
    saved = dspy.load(tmp_path / "saved", allow_pickle=True)
    assert ids(saved(QUESTION)) == ids(program.retriever(QUESTION))


def test_an_unknown_option(corpus: asof.Corpus) -> None:
    with pytest.raises(UsageError, match="accepted: k, as_of"):
        DspyRetriever(corpus=corpus)(QUESTION, asof="2020")
