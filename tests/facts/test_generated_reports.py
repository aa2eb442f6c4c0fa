"""Reports ahead of time: what is asked, in which order, within which budget, and what is said to be left."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

import pytest
from tests.support.scripted import ScriptedModel

import asof
from asof.corpus.corpus import Corpus
from asof.documents import Document, SourcedTime
from asof.errors import ModelError, UsageError
from asof.extensions.facts.indexer import precompute_reports
from asof.models.ports import Prompt, Reply
from asof.time.moment import read

DAYS = ("2021-02-03", "2021-02-04", "2021-05-06", "2022-05-07")
PERIODS = [*DAYS, "2021-02", "2021-05", "2022-05", "2021-Q1", "2021-Q2", "2022-Q2", "2021", "2022"]
"""Level by level, as they are asked for."""


def account(prompt: Prompt) -> str:
    """A report that rests on all that it was shown, other for every other prompt."""
    numbers = [int(each) for each in re.findall(r"^\[(\d+)\]", prompt.user, re.MULTILINE)]
    finding = {"statement": f"Told of {period_of(prompt)}: {crc32(prompt.user.encode())}.", "facts": numbers}
    return json.dumps({"title": "A report", "summary": "Told.", "findings": [finding]})


def period_of(prompt: Prompt) -> str:
    return prompt.user.partition("\n")[0].removeprefix("Period: ")


def corpus_with(folder: Path, model: ScriptedModel | None, toml: str = "") -> Corpus:
    """Four documents that state a figure of a day each."""
    (folder / "asof.toml").write_text(toml, "utf-8")
    corpus = asof.open(folder, model=model)
    corpus.maintenance.background = False
    corpus.add([
        Document(day, f"Quay Ltd's revenue was ${at} million.", "", SourcedTime(read(day), day, "metadata"))
        for at, day in enumerate(DAYS, 1)
    ])  # fmt: skip
    return corpus


@pytest.fixture
def model() -> ScriptedModel:
    return ScriptedModel(account)


@pytest.fixture
def corpus(memory_folder: Path, model: ScriptedModel) -> Iterator[Corpus]:
    with corpus_with(memory_folder, model) as made:
        yield made


def test_all_periods_are_told_from_the_bottom_up(corpus, model):
    came: list[tuple[int, int]] = []
    told = precompute_reports(corpus, lambda done, of: came.append((done, of)))
    assert list(map(period_of, model.prompts)) == PERIODS
    assert came == [(done, 12) for done in range(1, 13)]
    assert (told.reports, told.left, told.problems, told.complete) == (12, 0, (), True)
    assert told.cost.calls == 12
    assert told.cost.prompt_tokens == sum(len(f"{each.system} {each.user}".split()) for each in model.prompts)


def test_without_a_model_they_are_made_when_asked(memory_folder):
    with (
        corpus_with(memory_folder, None) as corpus,
        pytest.raises(UsageError, match="reports without a model are made when asked"),
    ):
        precompute_reports(corpus)


def test_without_facts_there_is_nothing_to_tell(memory_folder, model):
    with asof.open(memory_folder, model=model) as corpus:
        assert precompute_reports(corpus).reports == 0
    assert model.prompts == []


# -- budgets ----------------------------------------------------------------------------------------------


def test_a_budget_is_not_exceeded_and_the_next_run_goes_on(corpus, model):
    """Tokens, because there are no prices: of a prompt, and 1,500 of the longest reply. A level is finished
    before anything above it is asked for."""
    runs = 0
    while True:
        before = len(model.prompts)
        told = precompute_reports(corpus, budget=4_500)
        runs += 1
        assert told.cost.prompt_tokens + told.cost.reply_tokens <= 4_500
        assert told.problems == ()
        assert told.reports + told.left == 12
        assert told.reports == len(model.prompts) > before
        if told.complete:
            break
    assert runs > 1
    assert list(map(period_of, model.prompts)) == PERIODS


# -- what fails -------------------------------------------------------------------------------------------


def test_a_report_that_fails_is_a_problem_and_the_others_are_told(memory_folder):
    model = ScriptedModel(
        lambda prompt: Reply("", problem="it hung") if period_of(prompt) == "2021-02" else account(prompt)
    )
    with corpus_with(memory_folder, model) as corpus:
        told = precompute_reports(corpus)
        assert (told.reports, told.left, told.complete) == (11, 0, False)
        (problem,) = told.problems
        assert problem.message == "extracted, because scripted gave none: it hung"


def test_what_was_told_is_kept_when_the_model_goes_away(memory_folder, model):
    def first_five(prompt: Prompt) -> str | Exception:
        return account(prompt) if len(model.prompts) < 5 else ModelError("the server is gone")

    model.script = first_five
    with corpus_with(memory_folder, model) as corpus:
        with pytest.raises(ModelError):
            precompute_reports(corpus)
        model.script = account
        told = precompute_reports(corpus)
    assert (told.reports, told.cost.cached, told.cost.calls) == (12, 5, 7)
