"""Which reports a question has written: of abstract questions on the example at most those needed."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.fact_lines import corpus_of, note
from tests.support.stated_facts import stated

import asof
from asof.answer.write import step_of
from asof.config import Config
from asof.corpus.corpus import Corpus
from asof.extensions.facts.build import ReportSelection, build_reports
from asof.extensions.facts.hierarchy import Hierarchy
from asof.extensions.facts.indexer import report as known_report
from asof.extensions.facts.reports import Relevance
from asof.extensions.facts.summary import MAX_SECTIONS, NeededReports, least_relevance, needed_reports
from asof.extensions.facts.visible import StatedFact
from asof.models.ports import Prompt, ScriptedModel
from asof.store.schema import CorpusSettings
from asof.time.moment import read
from asof.time.span import Period
from asof.values import Answer, Document, QuestionUsage
from asof.wire import replace

QUESTIONS = (
    "What happened on the island?", "What changed in 2019?", "What are the main themes of the notes?",
    "How did ferry prices develop?", "Give an overview of 2022.", "What happened to the ferry?",
    "What changed between 2018 and 2023?", "What happened in spring 2020?",
)  # fmt: skip

REPLIES = {
    "QuestionTimes": {"times": []},
    "WrittenReport": {"title": "A year", "summary": "Told.", "rating": 4, "rating_explanation": "Some of it.",
                      "findings": [{"statement": "Something happened.", "facts": [1]}]},
    "ExtractedPoints": {"points": [
        {"description": "It changed.", "importance": 60, "confidence": 0.9, "sources": [1]}]},
    "MergedPoints": {"statements": [{"statement": "It changed.", "points": [1]}]},
}  # fmt: skip


def reply(prompt: Prompt) -> str:
    assert prompt.schema is not None
    return json.dumps(REPLIES[prompt.schema.__name__])


def example(folder: Path, model: ScriptedModel | None) -> Corpus:
    """A corpus of the example notes."""
    notes = Path(asof.__file__).parent / "example" / "notes"
    shutil.copytree(notes, folder / "notes")
    languages = CorpusSettings(languages=("en", "de"))
    corpus = asof.open(folder, settings=languages, config=Config(), model=model)
    corpus.maintenance.background = False
    corpus.add(folder / "notes")
    return corpus


class Asked(NamedTuple):
    """A question with what came of it, and the prompts that it took."""

    question: str
    answer: Answer
    prompts: tuple[Prompt, ...]

    @property
    def cost(self) -> QuestionUsage:
        """What the answer took."""
        assert self.answer.cost is not None
        return self.answer.cost

    @property
    def reports(self) -> list[str]:
        """The periods of the reports that were asked for."""
        users = [each.user for each in self.prompts if step_of(each) == "reports"]
        return [user.partition("\n")[0].removeprefix("Period: ") for user in users]


def ask(corpus: Corpus, model: ScriptedModel, question: str) -> Asked:
    before = len(model.prompts)
    answer = corpus.at().ask(question, mode="global")
    return Asked(question, answer, tuple(model.prompts[before:]))


@pytest.fixture(scope="module")
def plain(tmp_path_factory) -> Iterator[Corpus]:
    """The example without a model."""
    with example(tmp_path_factory.mktemp("plain"), None) as corpus:
        yield corpus


@pytest.fixture(scope="module")
def all_asked(tmp_path_factory) -> list[Asked]:
    """All questions, one after the other, on a corpus in which no report is written yet."""
    model = ScriptedModel(reply)
    with example(tmp_path_factory.mktemp("asked"), model) as corpus:
        return [ask(corpus, model, each) for each in QUESTIONS]


def test_a_question_has_at_most_the_reports_written_that_it_needs(all_asked, plain):
    assert not any(each.answer.refused for each in all_asked)
    for each in all_asked:
        assert len(each.reports) == len(set(each.reports)) <= MAX_SECTIONS
        for period in each.reports:
            span = read(period)
            scope = list(plain.at().read(each.question).query.about) or [read("0001/9000")]
            assert any(time.first <= span.first and span.last <= time.last for time in scope)
            # it has more to say than twelve points show
            assert len(known_report(plain.at(), period).reports[0].points) == 12
    # a report that is written is not asked for again
    asked = [period for each in all_asked for period in each.reports]
    assert len(asked) == len(set(asked))
    assert len(asked) <= 12


def test_the_other_calls_are_the_time_a_part_and_the_whole(all_asked):
    for each in all_asked:
        steps = {used.step: used.usage.calls for used in each.cost.steps}
        assert steps.get("points", 0) + steps.get("answer", 0) <= 2
        assert steps.get("times", 0) <= 1
        assert sum(steps.values()) == each.cost.usage.calls == len(each.prompts)


YEAR = [
    note(f"d{n}", "2020-12-01", f"Quay{n} | sold | {'rope' if n < 3 else 'tar'}{n} | 2020") for n in range(20)
]
"""A year that has more to say than twelve points show, three of its facts on rope."""


def evidence(asked: Asked) -> list[str]:
    """The lines of evidence that the model was shown."""
    users = [each.user for each in asked.prompts if step_of(each) == "points"]
    return [line.partition("] ")[2] for user in users for line in user.splitlines() if line.startswith("[")]


def test_what_is_written_is_used_and_costs_nothing():
    model = ScriptedModel(reply)
    with corpus_of(*YEAR) as corpus:
        corpus.models.model = model
        needed = ask(corpus, model, "What happened in 2020?")
        assert needed.reports == ["2020"]
        assert evidence(needed)[:2] == [
            "Report on 2020: A year: Told.",
            "Report on 2020: Something happened. [d0, 2020-12-01]",
        ]
        kept = ask(corpus, model, "Give an overview of 2020.")
        assert kept.reports == []
        assert {each.step: each.usage.cached for each in kept.cost.steps}["reports"] == 1
        assert evidence(kept)[:2] == evidence(needed)[:2]


def test_a_written_report_takes_no_point_on_the_question_away():
    """Its words are the same for all questions; what else the period says to this one stands behind them."""
    model = ScriptedModel(reply)
    with corpus_of(*YEAR) as corpus:
        corpus.models.model = model
        ask(corpus, model, "What happened in 2020?")
        rope = ask(corpus, model, "What happened to rope1 in 2020?")
        assert rope.reports == []  # one point is less than twelve
        assert any("Quay1 | sold | rope1" in line for line in evidence(rope))


lines = st.tuples(st.integers(0, 40), st.sampled_from(["2019", "2020", "2020-05", "2021-Q2"]), st.booleans())


@given(made=st.lists(lines, min_size=14, max_size=40, unique=True))
def test_as_of_a_moment_the_prompts_are_those_of_a_corpus_that_ends_there(made):
    documents = [
        note(f"d{n}", "2023-01-01" if late else "2021-12-01", f"Quay{what} | sold | rope{what} | {when}")
        for n, (what, when, late) in enumerate(made)
    ]
    until = [each for each, (_, _, late) in zip(documents, made, strict=True) if not late]

    def asked(notes: Sequence[Document]) -> list[str]:
        model = ScriptedModel(reply)
        with corpus_of(*notes) as corpus:
            corpus.models.model = model
            corpus.at("2022").ask("What happened in 2020?", mode="global")
        return [each.user for each in model.prompts]

    assert asked(documents) == asked(until)


# -- the choice alone --------------------------------------------------------------------------------------


def told(year: int, many: int, what: str = "rope") -> list[StatedFact]:
    """So many facts of a year, each of a sentence and a document of its own."""
    return [
        stated(
            str(year), f"Quay{n} sold {what}{n}.", subject=f"Quay{n}", object_=f"{what}{n}",
            document=f"{year}-{n}", passage=year * 100 + n,
        )
        for n in range(many)
    ]  # fmt: skip


def chosen(facts: Sequence[StatedFact], relevance: Relevance | None = None) -> NeededReports:
    tree = Hierarchy.of(facts)
    reports = build_reports(tree, tree.nodes, ReportSelection(relevance=relevance))
    return needed_reports([reports[node] for node in tree.nodes], relevance)


def test_a_period_that_its_points_tell_whole_needs_no_report():
    # twelve points are full, and may leave out more
    assert chosen([*told(2020, 11), *told(2021, 12), *told(2022, 13)]).periods == (
        Period.parse("2022"), Period.parse("2021"),
    )  # fmt: skip


def test_the_periods_that_say_most_come_first_and_the_others_are_counted():
    facts = [fact for n in range(MAX_SECTIONS + 3) for fact in told(2000 + n, 12 + n)]
    needed = chosen(facts)
    # 2000 to 2018 have 12 to 30 facts: the sixteen with most are 2018 down to 2003
    assert [str(each) for each in needed.periods] == [str(2018 - n) for n in range(16)]
    assert [str(each) for each in needed.beyond] == ["2002", "2001", "2000"]


def test_the_note_is_on_what_was_not_written():
    """Of three periods beyond the sixteen, reports that are kept are no extracted ones."""
    facts = [fact for n in range(MAX_SECTIONS + 3) for fact in told(2000 + n, 12 + n)]
    needed, tree = chosen(facts), Hierarchy.of(facts)
    reports = list(build_reports(tree, tree.nodes).values())

    def told_of(*kept: str) -> str:
        return needed.note(
            replace(each, by="m" if str(each.period) in {"2018", *kept} else "extract") for each in reports
        )

    assert told_of().startswith(
        "of 3 of the 19 periods that have more to say than the extracted report shows"
    )
    assert told_of().endswith("none is written: the 16 that say most to the question are asked for")
    assert told_of("2001", "2000").startswith("of 1 of the 19 periods")
    assert told_of("2002", "2001", "2000") == ""
    assert chosen(told(2020, 12)).note(reports) == ""


def test_a_period_that_says_nothing_to_the_question_needs_no_report():
    facts = [*told(2020, 20, "rope"), *told(2021, 20, "tar")]
    assert chosen(facts, lambda text: 1.0 if "tar" in text else 0.0).periods == (Period.parse("2021"),)
    assert chosen(facts, lambda _: 0.4).periods == ()  # half of the question is the least


def test_the_least_relevance_is_half_of_the_largest():
    assert least_relevance([0.2, 0.8]) == 0.4
    assert least_relevance([0.2, 0.49]) == least_relevance([]) == float("inf")


# -- within a budget ---------------------------------------------------------------------------------------


def test_a_budget_is_left_for_the_answer_before_reports_are_written():
    """Replies on points and the answer may have 1,500 and 2,000 tokens, and read 1,000 of instructions each,
    1,500 of a report, 1,500 of points, and the evidence: more than 8,500 tokens are left for them. The report
    needs more than 2,000 beside."""
    for budget, steps in ((9_000, ["points", "answer"]), (40_000, ["reports", "points", "answer"])):
        model = ScriptedModel(reply)
        with corpus_of(*YEAR) as corpus:
            corpus.models.model = model
            answer = corpus.at().ask("What happened in 2020?", mode="global", budget=budget)
        assert [step_of(each) for each in model.prompts] == steps
        assert answer.by == "scripted"
        left = "2020: extracted, because scripted gave none: what is left of the budget is for the answer"
        assert (left in answer.notes) == (budget == 9_000)
        assert answer.cost is not None
        assert (answer.cost.usage.refused, answer.cost.usage.failed) == (
            (1, 1) if budget == 9_000 else (0, 0)
        )
        assert {each.step: each.usage.refused for each in answer.cost.steps}[
            "reports"
        ] == answer.cost.usage.refused
