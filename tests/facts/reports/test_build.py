"""Reports of periods without a model: what they choose, compare and count, and that only the facts decide."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import asof
from asof.extensions.facts import store as kept
from asof.extensions.facts.build import ReportSelection, build_reports, reports
from asof.extensions.facts.hierarchy import Hierarchy
from asof.extensions.facts.reports import MAX_POINTS, PeriodReport
from asof.extensions.facts.store import Extraction
from asof.extensions.facts.visible import StatedFact
from asof.store.reader import VisiblePassage
from asof.time.moment import read
from asof.time.span import Period
from asof.values import CHANGE, EVENT, NAME, VALUE, Amount, Document, Fact, SourcedTime
from asof.wire import encode


def known(
    document: str, sentence: str, when: str | None, subject: str = "Quay Ltd", relation: str = "revenue",
    value: float | None = None, *, unit: str = "USD", object_: str = "", by: str = "text", number: int = 0,
    kind: str = "", published: int = 0,
) -> StatedFact:  # fmt: skip
    """A fact of that time, which this sentence states."""
    stated = None if when is None else SourcedTime(read(when), when, by)
    amount = None if value is None else Amount(value, unit)
    fact = Fact(
        subject, relation, object_ or ("rope" if value is None else f"${value}"), stated, 0, len(sentence),
        kind or (VALUE if amount else EVENT), amount,
    )  # fmt: skip
    sight = VisiblePassage(
        number, document, document.encode(), document.title(), "", sentence, 0, published, None, None
    )
    return StatedFact(fact, number, sight)


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
        ("%", 50.0, 55.8, "+5.8 points"),  # a difference of percentages
        ("bp", 160.0, 100.0, "-60 bp"),
        ("USD", -2.0, 1.0, "+150.0%"),  # (1 - -2) / 2
        ("shops", 3589.0, 3589.0, "unchanged"),
    ],
)
def test_how_a_change_is_told(unit, before, after, told):
    found = report(
        "2024-Q1",
        known("a", "Then.", "2023-Q4", value=before, unit=unit, object_="x"),
        known("b", "Now.", "2024-Q1", value=after, unit=unit, object_="y"),
    )
    assert found.points[0].changes == (f"x -> y, {told} against 2023-Q4",)


def test_from_nothing_there_is_no_share():
    found = report("2024", known("a", "None.", "2023", value=0.0), known("b", "Some.", "2024", value=5.0))
    assert found.points[0].changes == ("$0.0 -> $5.0 against 2023",)


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


def test_the_same_figure_of_another_time_is_another_point():
    facts = [known("a", "Five.", "2024-Q1", value=5.0), known("b", "Five again.", "2024-Q2", value=5.0)]
    assert {each.because for each in report("2024", *facts).points} == {"central"}


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


def test_labels_are_what_documents_call_the_period():
    fact = known("a", "Sales rose.", "2024-Q1")
    fiscal = SourcedTime(read("2024-Q1"), "fiscal 2024 Q1", "fiscal_quarter")
    named = StatedFact(
        Fact("Quay", "sales", "rose", fiscal, 0, 3), 1, fact.passage._replace(document="b", text="Up.")
    )
    assert report("2024-Q1", fact, named).labels == ("fiscal 2024 Q1",)


def test_a_report_about_a_name_or_a_topic(tmp_path):
    with corpus_of(tmp_path, ["Quay revenue was $5 in 2024.", "Mole revenue was $6 in 2024.",
                              "Mole margin was $7 in 2024."]) as corpus:  # fmt: skip
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


# -- a view, and nothing but the view -------------------------------------------------------------------

_SENTENCE = re.compile(r"(\w+) (\w+) was \$(\d+) in ([\w-]+?)\.")


def extracted(text: str) -> tuple[Fact, ...]:
    """A tiny extractor: "Quay revenue was $5 in 2024-Q1."."""
    return tuple(
        Fact(
            found[1], found[2], f"${found[3]}", SourcedTime(read(found[4]), found[4], "text"), *found.span(),
            VALUE, Amount(float(found[3]), "USD"),
        )
        for found in _SENTENCE.finditer(text)
    )  # fmt: skip


def corpus_of(folder: Path, texts, *, clock=None):
    """A corpus of these texts, or of (text, date) pairs, with their facts."""
    corpus = asof.open(folder)
    corpus.maintenance.background = False
    for number, each in enumerate(texts):
        text, date = each if isinstance(each, tuple) else (each, "2024-12-31")
        corpus.add([Document(f"d{number}", text, published=SourcedTime(read(date), date, "metadata"))])
    read_facts(corpus)
    return corpus


def read_facts(corpus) -> None:
    db = corpus.store.writer()
    found = [
        Extraction(each.passage, extracted(each.text))
        for each in kept.excerpts(db, kept.passages_without_facts(db, "tiny"))
    ]
    db.execute("BEGIN IMMEDIATE")
    kept.save_extractions(db, "tiny", found)
    db.execute("COMMIT")
    db.close()


def test_what_reaches_beyond_a_span_is_counted_in_a_note(tmp_path):
    texts_ = [
        "Quay revenue was $9 in 2024.",
        "Quay revenue was $5 in 2024-Q1.",
        "Quay revenue was $4 in 2023-Q4.",
    ]
    with corpus_of(tmp_path, texts_) as corpus:
        found = reports(corpus.at().view(), read("2024-Q1"))
        (quarter,) = found.reports
        assert texts(quarter) == ["Quay revenue was $5 in 2024-Q1."]
        assert quarter.points[0].changes == ("$4 -> $5, +25.0% against 2023-Q4",)
        assert found.notes == ("1 fact of longer times (2024) not reported here",)
        assert encode(found)["reports"][0]["period"] == "2024-Q1"
        empty = reports(corpus.at().view(), read("2022"))
        assert (empty.reports, empty.notes) == ((), ("no facts in this period",))


sentences = st.builds(
    "{} {} was ${} in {}.".format,
    st.sampled_from(("Quay", "Mole", "Pier")), st.sampled_from(("revenue", "margin")), st.integers(1, 4),
    st.sampled_from(("2023", "2023-Q4", "2023-12", "2023-12-31", "2024-01-01", "2024-01", "2024-Q1",
                     "2024-02-10", "2024-W09", "2024", "2024-Q2", "2024-05-10", "2024-04-03")),
)  # fmt: skip
passages = st.lists(sentences, min_size=1, max_size=3, unique=True).map(" ".join)


@given(st.lists(st.tuples(passages, st.integers(0, 5)), max_size=10), st.randoms())
def test_the_order_of_facts_makes_no_difference(drawn, random):
    facts = [
        StatedFact(fact, n, VisiblePassage(p, f"d{p}", b"", "", "", text, 0, day, None, None))
        for p, (text, day) in enumerate(drawn)
        for n, fact in enumerate(extracted(text))
    ]
    tree, mixed = Hierarchy.of(facts), Hierarchy.of(random.sample(facts, len(facts)))
    assert build_reports(tree, tree.nodes) == build_reports(mixed, mixed.nodes)


@given(drawn=st.lists(passages, min_size=1, max_size=6))
def test_a_report_is_the_same_alone_and_inside_a_year(drawn, tmp_path_factory):
    with corpus_of(tmp_path_factory.mktemp("one"), drawn) as corpus:
        view = corpus.at().view()
        tree = Hierarchy.of_view(view)
        for node, whole in build_reports(tree, tree.nodes).items():
            assert reports(view, node.span).reports == (whole,)
