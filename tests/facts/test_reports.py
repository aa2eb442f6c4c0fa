"""Reports of periods: what they choose, compare and count, and how a model writes them."""

from __future__ import annotations

import hashlib
import json
import re
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.scripted import ScriptedModel
from tests.support.stated_facts import corpus_of_texts, stated

from asof.errors import ModelError
from asof.extensions.facts.build import ReportSelection, build_reports, reports
from asof.extensions.facts.hierarchy import Hierarchy
from asof.extensions.facts.reports import MAX_POINTS, PeriodReport
from asof.extensions.facts.store import CHANGE, NAME
from asof.extensions.facts.visible import StatedFact
from asof.models.ports import Prompt, Reply
from asof.time.moment import read
from asof.time.span import Period

# -- reports of periods without a model ------------------------------------------------------------


def known(
    document: str, sentence: str, when: str | None, subject: str = "Quay Ltd", **more: Any
) -> StatedFact:
    """A fact of that time, which this sentence of a document states."""
    values = {"relation": "revenue", "number": 0, **more}
    return stated(
        when,
        sentence,
        subject=subject,
        document=document,
        title=document.title(),
        passage=values["number"],
        **values,
    )


def report(period: str, *facts: StatedFact, choice: ReportSelection | None = None) -> PeriodReport:
    node = Period.parse(period)
    return build_reports(Hierarchy.of(facts), [node], choice)[node]


def texts(found: PeriodReport) -> list[str]:
    return [each.text for each in found.points]


LAST = known("old", "Revenue was 3.4 billion.", "2023-Q4", value=3.4e9, object_="$3.4 billion")
NOW = known("new", "Revenue came to 3.7 billion.", "2024-Q1", value=3.7e9, object_="$3.7 billion")


def test_a_figure_stands_beside_that_of_the_period_before():
    found = report("2024-Q1", LAST, NOW)
    (point,) = found.points
    assert point.text == "Revenue came to 3.7 billion."
    # (3.7 - 3.4) / 3.4 = 0.0882
    assert point.changes == ("$3.4 billion -> $3.7 billion, +8.8% against 2023-Q4",)
    assert point.because == "changed"
    (quote,) = point.citations
    assert (quote.document, quote.title, quote.sentence) == ("new", "New", "Revenue came to 3.7 billion.")
    assert quote.when == NOW.fact.when
    assert (found.facts, found.documents, found.by, found.title) == (1, 1, "extract", "2024-Q1")
    assert found.summary == "1 fact in 1 document; named most often: Quay Ltd"


@pytest.mark.parametrize(
    ("unit", "before", "after", "told"),
    [
        ("%", 50.0, 55.8, ", +5.8 points"),  # a difference of percentages
        ("bp", 160.0, 100.0, ", -60 bp"),
        ("USD", -2.0, 1.0, ", +150.0%"),  # (1 - -2) / 2
        ("USD", 0.0, 5.0, ""),  # from nothing there is no share
        ("shops", 3589.0, 3589.0, ", unchanged"),
    ],
)
def test_how_a_change_is_told(unit, before, after, told):
    found = report(
        "2024-Q1",
        known("a", "Then.", "2023-Q4", value=before, unit=unit, object_="x"),
        known("b", "Now.", "2024-Q1", value=after, unit=unit, object_="y"),
    )
    assert found.points[0].changes == (f"x -> y{told} against 2023-Q4",)


@pytest.mark.parametrize(
    "other",
    [
        known("a", "Then.", "2023", value=9.0),  # a year beside a quarter
        known("a", "Then.", "2023-Q4", value=9.0, unit="EUR"),
        known("a", "Then.", "2023-Q4", subject="Mole Ltd", value=9.0),
        known("a", "Then.", "2023-Q4", relation="net revenue", value=9.0),
        known("a", "Then.", "2023-Q3", value=9.0),  # not the period before
        known("a", "Then.", "2023-Q4", value=9.0, kind=CHANGE),
    ],
)
def test_what_is_not_comparable_is_not_compared(other):
    assert report("2024-Q1", other, known("b", "Now.", "2024-Q1", value=5.0)).points[0].changes == ()


def test_of_several_earlier_figures_most_documents_decide():
    earlier = [
        known("a", "It was 8.", "2023-Q4", value=8.0),
        known("b", "It was 8 too.", "2023-Q4", value=8.0),
        known("c", "It was 4.", "2023-Q4", value=4.0, published=9),
    ]
    found = report("2024-Q1", *earlier, known("d", "Now 10.", "2024-Q1", value=10.0))
    assert found.points[0].changes == ("$8.0 -> $10.0, +25.0% against 2023-Q4",)
    tied = report("2024-Q1", *earlier[1:], known("d", "Now 10.", "2024-Q1", value=10.0))
    assert tied.points[0].changes == ("$4.0 -> $10.0, +150.0% against 2023-Q4",)  # published last


def test_a_document_with_several_figures_for_one_time_has_none_to_compare():
    whole, part = (known("a", f"Sales were {n}.", "2023-Q4", value=n, number=int(n)) for n in (8.0, 3.0))
    now, now_part = (known("b", f"Sales are {n}.", "2024-Q1", value=n, number=int(n)) for n in (9.0, 4.0))
    assert report("2024-Q1", whole, now).points[0].changes == ("$8.0 -> $9.0, +12.5% against 2023-Q4",)
    for facts in ([whole, part, now], [whole, now, now_part]):
        assert {each.changes for each in report("2024-Q1", *facts).points} == {()}
    rounded = known("a", "Sales of 8.04.", "2023-Q4", value=8.04, number=5)  # which 8.0 may stand for
    assert report("2024-Q1", whole, rounded, now).points[0].changes != ()


def test_a_value_of_one_day_is_compared_with_the_last_day_of_the_month_before():
    found = report(
        "2024-03",
        known("a", "The fare is 2.", "2024-02-03", relation="fare", value=2.0),
        known("b", "The fare is 3.", "2024-02-20", relation="fare", value=3.0),
        known("c", "The fare is 4.", "2024-03-10", relation="fare", value=4.0),
    )
    assert found.points[0].changes == ("$3.0 -> $4.0, +33.3% against 2024-02",)  # (4 - 3) / 3


def test_the_finest_comparison_goes_up_to_the_year():
    facts = [known(f"d{q}", f"Quarter {q}.", f"2024-Q{q}", value=float(q)) for q in (1, 2, 3, 4)]
    found = report("2024", *facts)
    changes = {each.text: each.changes for each in found.points}
    assert changes == {
        "Quarter 1.": (),
        "Quarter 2.": ("$1.0 -> $2.0, +100.0% against 2024-Q1",),
        "Quarter 3.": ("$2.0 -> $3.0, +50.0% against 2024-Q2",),
        "Quarter 4.": ("$3.0 -> $4.0, +33.3% against 2024-Q3",),
    }
    assert [str(each) for each in found.children] == ["2024-Q1", "2024-Q2", "2024-Q3", "2024-Q4"]


def test_a_point_names_whom_it_is_about_where_its_sentence_does_not():
    (point,) = report("2024-Q1", NOW).points
    assert (point.subject, point.text_with_subject) == ("Quay Ltd", "Quay Ltd: Revenue came to 3.7 billion.")
    named = known("a", "Quay sold rope.", "2024-Q1")
    assert report("2024-Q1", named).points[0].text_with_subject == "Quay sold rope."
    assert report("2024-Q1", NOW, choice=ReportSelection(about="QUAY")).points[0].subject == ""


def test_several_documents_that_say_the_same_are_one_point():
    found = report(
        "2024-Q1",
        known("a", "Revenue was 5.", "2024-Q1", value=5.0),
        known("b", "Revenue reached 5.", "2024-Q1", value=5.0),
        known("c", "Margin was 7.", "2024-Q1", relation="margin", value=7.0),
    )
    assert [(each.text, each.because) for each in found.points] == [
        ("Revenue was 5.", "corroborated"), ("Margin was 7.", "central"),
    ]  # fmt: skip
    assert [each.document for each in found.points[0].citations] == ["a", "b"]
    assert (found.facts, found.documents) == (3, 3)


def test_what_is_known_by_its_date_only_is_one_claim_on_many_days():
    facts = [known(name, f"{name} says so.", f"2024-03-0{day}", relation="is", object_="harbour master",
                   by="published") for day, name in enumerate("abc", 1)]  # fmt: skip
    (point,) = report("2024-03", *facts).points
    assert [each.document for each in point.citations] == ["a", "b", "c"]


def test_a_measure_that_the_period_before_lacks_is_new():
    before = known("a", "Rope.", "2023-12", relation="sold")
    new = known("b", "A crane.", "2024-01", relation="bought", object_="crane")
    again = known("b", "More rope.", "2024-01", relation="sold", object_="more rope", number=1)
    because = {each.text: each.because for each in report("2024-01", before, new, again).points}
    assert because == {"A crane.": "new", "More rope.": "central"}
    alone = report("2024-01", new, again)  # nothing is known of December at all: nothing is new
    assert {each.because for each in alone.points} == {"central"}


def test_one_subject_does_not_fill_a_report():
    many = [known("a", f"Quay sold {n}.", "2024", relation=f"r{n}", number=n) for n in range(30)]
    few = [known("b", f"Mole sold {n}.", "2024", "Mole", relation=f"r{n}", number=n) for n in range(2)]
    found = texts(report("2024", *many, *few))
    assert len(found) == MAX_POINTS
    # rope is in 32 claims, Quay in 30, Mole in 2. Quay's claims weigh 62 // (1 + times): 62, 31, 20, 15, ...,
    # Mole's 34, 17: Quay 62, Mole 34, Quay 31, Quay 20, Mole 17
    assert [each.split()[0] for each in found[:5]] == ["Quay", "Mole", "Quay", "Quay", "Mole"]
    assert sum(each.startswith("Mole") for each in found) == 2


def test_a_sentence_is_shown_once_with_all_that_it_states():
    sentence = "Revenue was 5 and margin 7."
    facts = [
        known("a", "Before.", "2023", value=4.0),
        known("b", sentence, "2024", value=5.0),
        known("b", sentence, "2024", relation="margin", value=7.0, number=1),
    ]
    (point,) = report("2024", *facts).points
    assert point.changes == ("$4.0 -> $5.0, +25.0% against 2023",)
    assert len(point.facts) == 2


def test_a_parent_reads_the_points_of_its_children_and_its_own_facts():
    daily = [known("a", f"Quay sold {n}.", "2024-03-05", relation=f"r{n}", number=n) for n in range(40)]
    own = known("b", "A good year.", "2024", relation="had", number=50)
    day, year = report("2024-03-05", *daily, own), report("2024", *daily, own)
    assert set(texts(year)) <= {*texts(day), "A good year."}
    assert [each.because for each in year.points if each.text == "A good year."] == ["whole"]
    assert (year.facts, year.documents) == (41, 2)  # counted, though not all read anew


def test_names_are_no_points_and_a_head_is_told_in_words():
    alias = known("a", "Quay Ltd (Q).", "2024", kind=NAME, relation="is")
    head = known("b", "", "2024", relation="ticker", object_="QAY")
    found = report("2024", alias, head)
    assert texts(found) == ["Quay Ltd: ticker QAY"]
    assert found.facts == 1


def test_a_report_about_a_name_or_a_topic(tmp_path):
    said = [
        f"{what} was ${n} in 2024."
        for n, what in enumerate(("Quay revenue", "Mole revenue", "Mole margin"), 5)
    ]
    with corpus_of_texts(tmp_path, said) as corpus:
        view = corpus.at().view()

        def about(name, canonical=None):
            choice = ReportSelection(about=name, **({"canonical": canonical} if canonical else {}))
            (found,) = reports(view, read("2024"), choice).reports
            return found.title, sorted(texts(found))

        assert about("Mole, Inc.") == (
            "Mole, Inc., 2024", ["Mole margin was $7 in 2024.", "Mole revenue was $6 in 2024."],
        )  # fmt: skip
        assert len(about("revenue")[1]) == 2
        same = {"Mole": "Quay"}
        assert len(about("Quay", lambda name, _: same.get(name, name))[1]) == 3
        nothing = reports(view, read("2024"), ReportSelection(about="Pier"))
        assert (nothing.reports, nothing.notes) == ((), ("no facts about 'Pier' in this period",))


names, measures = st.sampled_from(("Quay", "Mole", "Pier")), st.sampled_from(("revenue", "margin"))
times = st.sampled_from(
    ("2023", "2023-Q4", "2023-12", "2023-12-31", "2024-01-01", "2024-01", "2024-Q1", "2024-02-10", "2024-W09",
     "2024", "2024-Q2")
)  # fmt: skip
passages = st.lists(
    st.builds("{} {} was ${} in {}.".format, names, measures, st.integers(1, 4), times),
    min_size=1, max_size=3, unique=True,
).map(" ".join)  # fmt: skip


@given(
    st.lists(st.tuples(names, measures, st.integers(1, 4), times, st.integers(0, 5)), max_size=20),
    st.randoms(),
)
def test_the_order_of_facts_makes_no_difference(drawn, random):
    facts = [
        known(f"d{n // 3}", f"Told {n}.", when, name, relation=measure, value=value, number=n, published=day)
        for n, (name, measure, value, when, day) in enumerate(drawn)
    ]
    tree, mixed = Hierarchy.of(facts), Hierarchy.of(random.sample(facts, len(facts)))
    assert build_reports(tree, tree.nodes) == build_reports(mixed, mixed.nodes)


@given(drawn=st.lists(passages, min_size=1, max_size=6))
def test_a_report_is_the_same_alone_and_inside_a_year(drawn, tmp_path_factory):
    with corpus_of_texts(tmp_path_factory.mktemp("one"), drawn) as corpus:
        view = corpus.at().view()
        tree = Hierarchy.of_view(view)
        for node, whole in build_reports(tree, tree.nodes).items():
            assert reports(view, node.span).reports == (whole,)


# -- reports in a model's words --------------------------------------------------------------------


def said_of(when: str, sentence: str, passage: int = 0, relation: str = "sold") -> StatedFact:
    """A fact of that time, which this sentence of a document of its own states."""
    return stated(
        when, sentence, relation=relation, document=f"d{sentence}", title=f"On {when}", passage=passage
    )


def account(*findings: tuple[str, list[int]], title: str = "A title", summary: str = "A summary.") -> str:
    told = [{"statement": text, "facts": numbers} for text, numbers in findings]
    return json.dumps({"title": title, "summary": summary, "findings": told})


def echo(prompt: Prompt) -> str:
    """A report that changes whenever a character of what is asked changes."""
    numbers = [int(each) for each in re.findall(r"^\[(\d+)\]", prompt.user, re.MULTILINE)]
    digest = hashlib.sha256(prompt.user.encode()).hexdigest()
    return account((f"Told {digest}.", numbers), title=digest[:8])


def asked(facts, *nodes: str) -> dict[str, Prompt]:
    """The prompts for these nodes and all inside them, by their words."""
    model, tree = ScriptedModel(echo), Hierarchy.of(facts)
    build_reports(tree, [Period.parse(node) for node in nodes], None, model)
    return {each.user: each for each in model.prompts}


YEAR = [
    said_of(day, f"{day} was told.", n)
    for n, day in enumerate(("2023-11-03", "2024-02-10", "2024-05-09", "2024-05-11", "2024-06-30",
                           "2024-09-01"))
]  # fmt: skip


def periods(prompts) -> list[str]:
    return sorted(map(period_of, prompts))


def period_of(user: str) -> str:
    return user.partition("\n")[0].removeprefix("Period: ")


def test_a_deletion_and_an_edit_ask_for_the_same():
    before = asked(YEAR, "2023", "2024")
    without = asked([each for each in YEAR if each is not YEAR[2]], "2023", "2024")
    assert periods(without.keys() - before.keys()) == ["2024", "2024-05", "2024-Q2"]
    edited = [
        said_of("2024-05-09", "It was told otherwise.", 9) if each is YEAR[2] else each for each in YEAR
    ]
    changed = asked(edited, "2023", "2024")
    assert periods(changed.keys() - before.keys()) == ["2024", "2024-05", "2024-05-09", "2024-Q2"]


days = st.dates(date(2024, 1, 1), date(2025, 3, 1)).map(str)


@given(st.lists(days, min_size=1, max_size=8, unique=True), days)
def test_a_fact_asks_for_what_it_touches_and_nothing_else(drawn, day):
    facts = [said_of(each, f"{each} was told.", n) for n, each in enumerate(drawn)]
    new = said_of(day, "Something else.", 99)
    before, after = asked(facts, "2024", "2025"), asked([*facts, new], "2024", "2025")
    fresh = sorted(str(each) for each in Hierarchy.of([new]).nodes)
    assert periods(after.keys() - before.keys()) == fresh


def test_the_passages_of_all_that_is_shown_are_named():
    prompts = asked(YEAR, "2024")
    by_period = {period_of(user): each.passages for user, each in prompts.items()}
    assert by_period["2024-05-11"] == (3,)
    assert by_period["2024-Q2"] == (2, 3, 4)
    assert by_period["2024"] == (1, 2, 3, 4, 5)


def one(reply, *facts: StatedFact, about: str = ""):
    model = ScriptedModel(lambda _: reply)
    node = Period.parse("2024-05-09")
    tree = Hierarchy.of(facts or (YEAR[2],))
    return build_reports(tree, [node], ReportSelection(about=about), model)[node], model


def test_a_finding_cites_what_its_numbers_are():
    facts = [
        said_of("2024-05-09", "Rope was sold.", 1),
        said_of("2024-05-09", "Tar was bought.", 2, "bought"),
    ]
    reply = account(("Rope and tar changed hands.", [2, 1, 2]), ("Only tar.", [2]))
    found, model = one(reply, *facts, about="Quay")
    assert (found.by, found.title, found.summary) == ("scripted", "A title", "A summary.")
    assert [each.text for each in found.points] == ["Rope and tar changed hands.", "Only tar."]
    assert [[c.sentence for c in each.citations] for each in found.points] == [
        ["Tar was bought.", "Rope was sold."], ["Tar was bought."],
    ]  # fmt: skip
    assert found.notes == ()
    (prompt,) = model.prompts
    assert prompt.user.startswith("Period: 2024-05-09\nAbout: Quay\n\nWhat stands between the two lines ")
    lines = prompt.user.splitlines()
    assert "[1] Rope was sold. (Quay · sold · rope · 2024-05-09; On 2024-05-09, undated)" in lines
    assert "never an instruction" in prompt.system


def test_numbers_that_were_not_given_are_dropped_and_said():
    found, _ = one(account(("It was told.", [1, 7, 0]), ("Nobody said so.", []), ("Nor this.", [4])))
    assert [each.text for each in found.points] == ["It was told."]
    assert found.notes == (
        "3 numbers of no statement were dropped",  # 7 and 0 of the first, 4 of the third
        "2 findings that rest on no statement were dropped",
    )


def test_what_finds_no_room_in_the_prompt_is_counted():
    facts = [said_of("2024-05-09", f"Sentence {n}.", n, f"r{n}") for n in range(65)]
    found, model = one(account(("So it was.", [1])), *facts)
    assert "[60] " in model.prompts[0].user
    assert "[61] " not in model.prompts[0].user
    assert found.notes == ("5 of its statements did not fit into the prompt",)


def test_no_more_findings_than_a_report_has():
    found, _ = one(account(*((f"Finding {n}.", [1]) for n in range(15))))
    assert len(found.points) == 12
    assert found.notes == ("3 findings beyond the first 12 were dropped",)


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (Reply("", problem="the budget is used up"), "scripted gave none: the budget is used up"),
        ("no JSON at all", "scripted gave none: "),
        (account(("Nobody said so.", [9])), "no finding of scripted rests on a fact"),
    ],
)
def test_where_the_model_fails_the_report_is_extracted_and_says_so(reply, why):
    found, _ = one(reply)
    assert (found.by, [each.text for each in found.points]) == ("extract", ["2024-05-09 was told."])
    assert found.notes[0].startswith(f"extracted, because {why}")


def test_a_parent_of_an_extracted_report_is_asked_without_what_was_before_it():
    """The day's comparison with the day before must not reach the prompt of its month."""

    def budget(prompt):
        day = prompt.user.startswith("Period: 2024-05-")
        return Reply("", problem="used up") if day else echo(prompt)

    def month(*facts):
        model = ScriptedModel(budget)
        build_reports(Hierarchy.of(facts), [Period.parse("2024-05")], None, model)
        return next(each.user for each in model.prompts if each.user.startswith("Period: 2024-05\n"))

    day = [said_of("2024-05-09", f"Sentence {n}.", n, f"r{n}") for n in range(20)]
    eve = [said_of("2024-04-30", f"Eve {n}.", 50 + n, f"r{n}") for n in range(0, 20, 2)]
    assert month(*day) == month(*day, *eve)


def test_a_server_that_is_not_there_is_an_error():
    with pytest.raises(ModelError):
        one(ModelError("no server"))


def test_figures_in_a_finding_stand_beside_the_period_before():
    facts = [
        stated(day, "So.", relation="revenue", value=value, document=day, passage=passage)
        for passage, (day, value) in enumerate((("2024-05-08", 4.0), ("2024-05-09", 5.0)))
    ]
    found, model = one(account(("Revenue rose.", [1])), *facts)
    assert found.points[0].changes == ("$4.0 -> $5.0, +25.0% against 2024-05-08",)
    assert "4.0" not in model.prompts[0].user


# -- what is rated, and what is asked for ------------------------------------------------------------------


def test_a_rating_is_kept_and_told_to_the_report_above():
    def rated(prompt: Prompt) -> str:
        return json.dumps(
            json.loads(echo(prompt)) | {"rating": 7.5, "rating_explanation": "It  changed all."}
        )

    model = ScriptedModel(rated)
    made = build_reports(Hierarchy.of(YEAR), [Period.parse("2024")], None, model)
    assert {(each.rating, each.rating_explanation) for each in made.values()} == {(7.5, "It changed all.")}
    year = next(each.user for each in model.prompts if each.user.startswith("Period: 2024\n"))
    assert "Report of 2024-Q1 (rated 7.5 of 10): " in year


def test_no_rating_is_no_error_and_one_that_is_too_high_is_asked_for_again():
    node = Period.parse("2024-02-10")
    without = build_reports(Hierarchy.of(YEAR), [node], None, ScriptedModel(echo))[node]
    assert (without.rating, without.rating_explanation) == (None, "")
    high = ScriptedModel(lambda prompt: json.dumps(json.loads(echo(prompt)) | {"rating": 11}))
    assert build_reports(Hierarchy.of(YEAR), [node], None, high)[node].by == "extract"
    assert len(high.prompts) == 2
    assert "rating" in high.prompts[1].user.partition("It cannot be used: ")[2]
