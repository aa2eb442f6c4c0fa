"""Questions from end to end: their way, what they read, who writes, what they cost."""

from __future__ import annotations

import json
import threading

import numpy as np
import pytest
from tests.support.answers import corpus_fixture, corpus_with, doc, looked
from tests.support.fact_lines import corpus_of, note
from tests.support.scripted import ScriptedModel

from asof.answer.ask import Passages, promote_current
from asof.answer.question import ParsedQuestion
from asof.answer.write import QuestionModel
from asof.errors import UsageError
from asof.extensions.facts.overview import scope_of
from asof.hits import Usage
from asof.models.metered import Meter, MeteredModel, Prices
from asof.models.ports import Prompt, Reply
from asof.queries import Filters
from asof.time.moment import read
from asof.time.span import Span

ONE, TWO = read("2020"), read("2022-05")


NOTES = (
    doc("a", "2021-03-01", "Revenue was $10 million in 2020. The crane is red.", "Otter Mills 2020"),
    doc("b", "2022-03-01", "Revenue was $12 million in 2021. The crane is blue.", "Otter Mills 2021"),
    doc("c", "2023-03-01", "Esker Locks opened a depot in May 2022.", "Depot"),
)
mills = corpus_fixture(*NOTES)


@pytest.mark.parametrize(
    ("question", "asked_for", "mode"),
    [
        ("What happened in 2022?", "auto", "local"), ("Give an overview of 2022.", "auto", "global"),
        ("How did Otter Mills develop from 2020 to 2021?", "auto", "global"),
        ("What was the revenue of Otter Mills in 2020?", "auto", "local"),
        ("who is the warden?", "auto", "local"), ("Welche Themen gab es 2022?", "auto", "global"),
        ("What happened in 2022?", "local", "local"), ("the depot in 2022", "global", "global"),
    ],
)  # fmt: skip
def test_the_way_is_the_one_that_is_asked_for_else_the_one_that_fits(mills, question, asked_for, mode):
    assert mills.at().ask(question, mode=asked_for).mode == mode


def test_reports_are_of_the_time(mills):
    found = mills.at().ask("the depot in 2022", mode="global")
    assert (found.refused, {each.document for each in found.citations}) == (False, {"c"})


def test_where_no_report_says_it_passages_do_unless_reports_were_chosen(tmp_path):
    """A sentence without a fact is in no report."""
    squeak, question = "Nobody knows why the crane squeaks.", "What happened to the crane in 2022?"
    with corpus_with(tmp_path, doc("a", "2022-03-01", squeak, "Crane")) as corpus:
        assert corpus.at().ask(question, mode="global").refused
        found = corpus.at().ask(question)
    assert (found.mode, found.refused, found.citations[0].quote) == ("local", False, squeak)


@pytest.mark.parametrize(
    "options",
    [
        {"mode": "both"}, {"tokens": 0}, {"tokens": -5}, {"recipe": "nonesuch"},
        {"budget": -1}, {"budget": float("nan")}, {"budget": 1e10},
    ],
)  # fmt: skip
def test_wrong_usage_is_refused(mills, options):
    with pytest.raises(UsageError, match=next(iter(options))):
        mills.at().ask("revenue", **options)


@pytest.mark.parametrize(
    ("times", "scope"),
    [
        ((), Span(None, None)),
        ((TWO, ONE), Span(ONE.start, TWO.end)),
        ((ONE, Span(TWO.start, None)), Span(ONE.start, None)),
        ((Span(None, ONE.end), TWO), Span(None, TWO.end)),
    ],
)
def test_the_scope_is_from_the_first_time_to_the_last(times, scope):
    asked = ParsedQuestion((), (), times, None, 0, wants_value=False, overview=False)
    assert scope_of(asked) == scope


def test_what_does_not_fit_into_the_budget_is_said(mills):
    made = mills.at().ask("What was the revenue of Otter Mills?", tokens=25)
    assert len({each.document for each in made.citations}) == 1
    assert any("passage" in note for note in made.notes)


def test_the_filters_hold(mills):
    then = mills.at()
    made = then.ask("What was the revenue of Otter Mills?", filters=then.filters(until="2021"))
    assert [each.document for each in made.citations] == ["a"]
    assert then.ask("What was the revenue of Otter Mills?", filters=Filters(paths=("c*",))).refused


# -- with a model ------------------------------------------------------------------------------------------


@pytest.fixture
def with_model(tmp_path):
    """An answer by a model that says this to the question; what it was asked."""

    def run(question, said):
        model = ScriptedModel(lambda _: said)
        with corpus_with(tmp_path, *NOTES, model=model) as corpus:
            made = corpus.at().ask(question)
        (user,) = [prompt.user for prompt in model.prompts]
        return made, user

    return run


def test_a_model_writes_from_what_was_found(with_model):
    made, user = with_model("What colour is the crane in 2021?", "It is blue [1].")
    assert (made.text, made.by, made.refused) == ("It is blue [1].", "scripted", False)
    assert made.cost.usage.calls == 1
    assert "The crane is blue." in user


def test_the_model_is_asked_whatever_rules_would_refuse(with_model):
    """Rules refuse without a model: nothing is known of 2031."""
    made, _ = with_model("What was the revenue of Otter Mills in 2031?", "NO ANSWER: nothing is of 2031.")
    assert (made.refused, made.reason, made.by) == (True, "nothing is of 2031", "scripted")


def test_quotes_where_the_model_fails_with_a_note(with_model):
    made, _ = with_model("Is the crane blue in 2021?", Reply("", problem="too busy"))
    assert (made.by, made.refused) == ("extractive", False)
    assert made.notes[-1] == "quoted, because scripted gave no answer: too busy"


def test_others_may_ask_while_a_model_writes(tmp_path):
    """The view is let go of before the model is asked."""
    found: list[int] = []

    def think(_: Prompt) -> str:
        other = threading.Thread(target=lambda: found.append(len(corpus.search("crane").hits)))
        other.start()
        other.join(10)
        return "It squeaks [1]."

    crane = doc("a", "2022-03-01", "The crane squeaks.", "Crane")
    with corpus_with(tmp_path, crane, model=ScriptedModel(think)) as corpus:
        assert corpus.at().ask("What does the crane do?").text == "It squeaks [1]."
    assert found == [1]


# -- what holds now stands before what it superseded, where a question names no time ---------------------

PRICES = [
    doc(f"p{price - 2}", f"{year}-01-05", f"A loaf of rye bread at the mill bakery costs {price} pounds.",
        f"Prices of January {year}")
    for price, year in ((3, 2020), (4, 2021), (5, 2022))
]  # fmt: skip
QUESTION = "What does a loaf of rye bread cost?"


bakery = corpus_fixture(*PRICES)


def order(corpus, question, documents, as_of=None, most=10):
    """Which documents stand where, for a question whose hits were these."""
    found = looked(corpus, question, as_of)
    hits = {hit.document: hit for hit in found.hits}
    rows = {
        record.document: row
        for row, record in enumerate(found.view.records(np.arange(found.view.prefix.rows)))
    }
    given = Passages(tuple(hits[each] for each in documents), tuple(rows[each] for each in documents))
    made = promote_current(found.asked, found.view, given, most)
    names = {row: name for name, row in rows.items()}
    assert [hit.document for hit in made.hits] == [names[row] for row in made.rows]
    return given.hits, made.hits


@pytest.mark.parametrize(
    ("found", "made", "options"),
    [
        (["p1"], ["p3", "p1"], {}),
        (["p1", "p2"], ["p3", "p1", "p2"], {}),
        (["p1", "p2", "p3"], ["p3", "p1", "p2"], {}),
        (["p3", "p1"], ["p3", "p1"], {}),
        ([], [], {}),
        (["p1", "p2"], ["p1", "p2"], {"most": 0}),  # only the first passages are looked at
        (["p1"], ["p2", "p1"], {"as_of": "2021-06-01"}),
    ],
)
def test_the_last_of_a_series_stands_before_the_first_that_it_superseded(bakery, found, made, options):
    given, hits = order(bakery, QUESTION, found, **options)
    assert [hit.document for hit in hits] == made
    if given:
        assert (hits[0].score, hits[0].rank) == (given[0].score, given[0].rank)


def test_what_follows_but_lacks_a_figure_of_the_question_is_of_something_else(bakery):
    """Of the three, only p1 has the word 2020: it counts as not superseded."""
    given, hits = order(bakery, "What does bread cost in the prices of 2020?", ["p1"])
    assert given[0].superseded is not None
    assert [(hit.document, hit.superseded) for hit in hits] == [("p1", None)]


@pytest.mark.parametrize(
    ("question", "as_of", "until", "document"),
    [
        (QUESTION, None, None, "p3"), (QUESTION, "2021-06-01", None, "p2"),
        (QUESTION, None, "2020-12-31", "p1"),
        ("What did a loaf of rye bread cost in 2020?", None, None, "p1"),
    ],
)  # fmt: skip
def test_an_answer_quotes_what_holds_now_but_for_a_time_or_filters(bakery, question, as_of, until, document):
    then = bakery.at(as_of)
    filters = then.filters(until=until) if until else Filters()
    assert then.ask(question, filters=filters).citations[0].document == document


# -- what a question takes, by step; the budget that stops it --------------------------------------------

REPLIES = json.dumps({
    "statements": [{"statement": "It is red.", "points": [1]}],
    "points": [{"description": "It is red.", "importance": 50, "confidence": 0.9, "sources": [1]}],
})  # fmt: skip


@pytest.fixture
def model():
    return ScriptedModel(lambda prompt: "It is red [1]." if prompt.schema is None else REPLIES)


@pytest.fixture
def cranes(model):
    facts = ("Crane | is | red | 2020", "Crane | is | blue | 2021")
    with corpus_of(*(note(fact, "2021-12-01", fact) for fact in facts)) as corpus:
        corpus.models.model = model
        yield corpus


def test_each_step_is_counted_by_itself_and_all_add_up(cranes):
    cost = cranes.at().ask("What happened?", mode="global").cost
    assert [each.step for each in cost.steps] == ["points", "answer"]
    for name in ("calls", "cached", "prompt_tokens", "reply_tokens"):
        assert getattr(cost.usage, name) == sum(getattr(each.usage, name) for each in cost.steps)
    # replies are of 15 words each: the same text twice
    assert [each.usage.reply_tokens for each in cost.steps] == [len(REPLIES.split())] * 2


def test_what_is_kept_costs_nothing_again(cranes):
    first = cranes.at("2022").ask("What happened?", mode="global").cost.usage
    again = cranes.at("2022").ask("What happened?", mode="global").cost.usage
    assert (first.calls, first.cached) == (2, 0)
    assert (again.calls, again.cached, again.prompt_tokens) == (0, 2, 0)


def test_a_budget_stops_before_it_is_exceeded_and_says_so(cranes, model):
    answer = cranes.at().ask("What happened?", mode="global", budget=1_500)  # tokens: no prices are set
    assert not model.prompts  # a reply on points may have 1,500 tokens, and its prompt has some
    assert answer.by == "extractive"
    assert answer.notes[-1] == (
        "stopped at the budget of 1,500 tokens (a budget is of tokens where [model] has no prices): "
        "1 prompt was not sent"
    )
    assert answer.cost.usage.prompt_tokens + answer.cost.usage.reply_tokens <= 1_500
    assert not any("stopped" in each for each in cranes.at().ask("What happened?", mode="global").notes)


# -- the parts ---------------------------------------------------------------------------------------------


def test_costs_are_added_where_there_are_prices():
    one, other = Usage(1, 2, 0, 0, 10, 5, 0.5), Usage(2, 0, 1, 1, 20, 5, 0.25)
    assert one.plus(other) == Usage(3, 2, 1, 1, 30, 10, 0.75)
    assert one.plus(other).plus(other, -1) == one
    assert one.plus(Usage(1)).cost is None


def test_a_stream_is_counted_in_the_step_of_the_answer():
    model = QuestionModel(MeteredModel(ScriptedModel(["It is red [1]."]), Meter(Prices(1, 10))))
    assert "".join(model.stream(Prompt("s", "u"))) == "It is red [1]."
    # a token is three characters: "su" 1, the reply 14 characters are 5; 1 USD and 10 USD a million
    assert model.steps["answer"] == Usage(1, 0, 0, 0, 1, 5, (1 + 50) / 1e6)
