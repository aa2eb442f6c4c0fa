"""What is known of a subject: how long facts hold, what replaced them, who says the same, who otherwise."""

from __future__ import annotations

import pytest
from tests.support.fact_lines import CALLED, add, corpus_of, note, view

from asof.extensions.facts.consistency import agree
from asof.extensions.facts.store import Amount, Fact
from asof.extensions.facts.timeline import FactLine, timeline_of
from asof.time.span import iso


def line(corpus, subject, as_of=None, known_at=None, **options) -> FactLine:
    return timeline_of(view(corpus, as_of, known_at), subject, **options)


def day(instant: int | None) -> str | None:
    return None if instant is None else iso(instant)[:10]


def shown(found: FactLine) -> list[tuple[str, str, str | None, str | None]]:
    """Relation, object, and from which day until before which it holds."""
    return [
        (group.relation, each.known.fact.object, day(each.start), day(each.end))
        for group in found.groups
        for each in group.entries
    ]


def only(found: FactLine):
    """The entries of the only group."""
    ((_, _, entries),) = found.groups
    return entries


# -- how long a fact holds --------------------------------------------------------------------------------


def test_a_figure_holds_for_its_period():
    lines = ["Quay | gross margin | 55% | 2024-Q1", "Quay | gross margin | 61% | 2024-Q2"]
    with corpus_of(note("a", "2024-08-02", *lines)) as corpus:
        assert shown(line(corpus, "quay")) == [
            ("gross margin", "55%", "2024-01-01", "2024-04-01"),
            ("gross margin", "61%", "2024-04-01", "2024-07-01"),
        ]
        assert all(each.superseded is None for each in only(line(corpus, "Quay")))


def test_a_state_holds_until_the_next_one_that_differs():
    """Three documents; the second says what the first does."""
    with corpus_of(
        note("a", "2019-03-01", "Lowtide | mayor | Ada Marsh"),
        note("b", "2020-03-01", "Lowtide | mayor | Ada Marsh"),
        note("c", "2021-03-01", "Lowtide | mayor | Tom Reed"),
    ) as corpus:
        first, second = only(line(corpus, "Lowtide"))
        assert shown(line(corpus, "Lowtide")) == [
            ("mayor", "Ada Marsh", "2019-03-01", "2021-03-01"), ("mayor", "Tom Reed", "2021-03-01", None),
        ]  # fmt: skip
        assert (first.superseded.document, first.superseded.object) == ("c", "Tom Reed")
        assert [each.document for each in first.corroborated] == ["b"]
        assert (second.superseded, first.ended, first.contradicted) == (None, None, ())
        assert shown(line(corpus, "Lowtide", "2020-12-31")) == [("mayor", "Ada Marsh", "2019-03-01", None)]


def test_a_state_ends_where_another_document_supersedes_all_that_say_so():
    lowtide = "Lowtide | mayor | Ada Marsh"
    with corpus_of(
        note("a", "2019-03-01", lowtide), note("b", "2020-03-01", lowtide),
        note("c", "2021-03-01", "Hightide | town | yes", meta={"supersedes": "a"}),
    ) as corpus:  # fmt: skip
        assert shown(line(corpus, "Lowtide")) == [("mayor", "Ada Marsh", "2019-03-01", None)], (
            "b still says so"
        )
        add(corpus, note("d", "2022-03-01", "Hightide | port | yes", meta={"supersedes": "b"}))
        assert shown(line(corpus, "Lowtide")) == [("mayor", "Ada Marsh", "2019-03-01", "2022-03-01")]
        assert shown(line(corpus, "Lowtide", "2022-02")) == [("mayor", "Ada Marsh", "2019-03-01", None)]


def test_a_value_without_a_period_of_its_own_is_a_state():
    with corpus_of(
        note("a", "2019-03-01", "ferry | fare | 4 euros"), note("b", "2020-03-01", "ferry | fare | 5 euros"),
        note("c", "2020-06-01", "ferry | fare | 12 stores"),  # of another unit: no next fare
    ) as corpus:  # fmt: skip
        assert shown(line(corpus, "ferry")) == [
            ("fare", "4 euros", "2019-03-01", "2020-03-01"), ("fare", "5 euros", "2020-03-01", None),
            ("fare", "12 stores", "2020-06-01", None),
        ]  # fmt: skip


def test_something_can_be_many_kinds_of_thing_and_have_many_offices():
    with corpus_of(
        note("a", "2019", "Ada Marsh | is | harbour master", "Ada Marsh | is | a swimmer"),
        note("b", "2020", "Ada Marsh | is | a baker", "crane | is | red"),
        note("c", "2021", "Ada Marsh | is | mayor", "crane | is | blue"),
    ) as corpus:
        assert shown(line(corpus, "Ada Marsh")) == [
            ("is", "harbour master", "2019-01-01", None), ("is", "a swimmer", "2019-01-01", None),
            ("is", "a baker", "2020-01-01", None), ("is", "mayor", "2021-01-01", None),
        ]  # fmt: skip
        assert [end for *_, end in shown(line(corpus, "crane"))] == ["2021-01-01", None]


ENDS = [  # what is said of 2022 in the same document, and until when Anna Berg is held to be in office
    ("Ben Kuiper | became | harbour master of Garrow", "2022-01-01"),
    ("Ben Kuiper | was appointed | harbour master of Garrow", "2022-01-01"),
    ("Ben Kuiper | succeeded | Anna Berg", "2022-01-01"),
    ("Anna Berg | resigned | harbour master of Garrow", "2022-01-01"),
    ("Ben Kuiper | became | harbour master of Tern", None),
    ("Ben Kuiper | became | deputy harbour master of Garrow", None),
    ("Ben Kuiper | met | Anna Berg", None),
    ("Anna Berg | became | harbour master of Garrow", None),
]


@pytest.mark.parametrize(("said", "end"), ENDS)
def test_a_predecessor_is_not_in_office_any_more(said, end):
    lines = ("Anna Berg | has been | harbour master of Garrow | 2019", f"{said} | 2022")
    with corpus_of(note("a", "2023", *lines)) as corpus:
        found = [each for each in shown(line(corpus, "Anna Berg")) if each[0] == "has been"]
        assert found == [("has been", "harbour master of Garrow", "2019-01-01", end)]
        before = shown(line(corpus, "harbour master of Garrow", "2023"))
        assert ("has been", "harbour master of Garrow", "2019-01-01", end) in before


def test_the_end_of_an_office_is_told_only_where_it_is_known():
    """In 2020 nobody knows of the next one; the mayor of another note may be that of another town; a library
    has several librarians."""
    with corpus_of(
        note("a", "2019", "Anna Berg | is | mayor of Garrow", "Ole Holm | is | mayor"),
        note("b", "2022", "Ben Kuiper | is | mayor of Garrow", "Tom Reed | is | mayor"),
        note("c", "2019", "Ida Vos | is | librarian | 2018", "Jo Moor | is | librarian | 2021"),
    ) as corpus:
        assert shown(line(corpus, "Anna Berg", "2020")) == [("is", "mayor of Garrow", "2019-01-01", None)]
        assert shown(line(corpus, "Anna Berg")) == [("is", "mayor of Garrow", "2019-01-01", "2022-01-01")]
        assert shown(line(corpus, "Ole Holm")) == [("is", "mayor", "2019-01-01", None)]
        assert shown(line(corpus, "Ida Vos")) == [("is", "librarian", "2018-01-01", None)]
        ((*_, (entry,)),) = line(corpus, "Anna Berg").groups
        assert entry.superseded is not None
        assert (entry.superseded.document, entry.superseded.object) == (
            "b", "“Ben Kuiper is mayor of Garrow”",
        )  # fmt: skip


def test_a_state_ends_the_same_for_its_subject_and_its_object():
    notes = [note(name, year, f"ferry | captain | {who}") for name, year, who in (
        ("a", "2019", "Anna Berg"), ("b", "2022", "Ben Kuiper"))]  # fmt: skip
    with corpus_of(*notes) as corpus:
        first, last = shown(line(corpus, "ferry"))
        assert (first, last[2:]) == (
            ("captain", "Anna Berg", "2019-01-01", "2022-01-01"),
            ("2022-01-01", None),
        )
        assert shown(line(corpus, "Anna Berg")) == [first]
        assert shown(line(corpus, "Ben Kuiper")) == [last]
        assert shown(line(corpus, "Anna Berg", "2020")) == [(*first[:3], None)]


def test_a_deed_holds_at_its_time_and_nothing_replaces_it():
    lines = ["Quay | acquired | Tide Ltd | 2019", "Quay | acquired | Rope Ltd | 2019"]
    with corpus_of(note("a", "2020", lines[0]), note("b", "2020", lines[1])) as corpus:
        found = only(line(corpus, "Quay"))
        assert [(day(each.start), day(each.end)) for each in found] == [("2019-01-01", "2020-01-01")] * 2
        assert [(each.superseded, each.contradicted) for each in found] == [(None, ())] * 2


def test_what_is_not_said_any_more():
    """The document is edited: its state ends then, and what it says now came in its place."""
    with corpus_of(note("a", "2019-03-01", "crane | is | red", "mole | length | 40 stores | 2018")) as corpus:
        add(corpus, note("a", "2020-06-01", "crane | is | blue", "mole | length | 41 stores | 2018"))
        red, blue = only(line(corpus, "crane"))
        assert (day(red.end), day(red.ended), red.superseded.object) == ("2020-06-01", "2020-06-01", "blue")
        assert (blue.end, blue.ended) == (None, None)
        old, new = only(line(corpus, "mole"))
        assert (day(old.ended), old.superseded.object, old.contradicted) == ("2020-06-01", "41 stores", ())
        assert (new.ended, new.superseded) == (None, None)
        assert [each.ended for each in only(line(corpus, "mole", "2020-05-31"))] == [None]


def test_a_state_that_comes_back_is_another_stretch():
    with corpus_of(note("a", "2018-01-01", "crane | is | red")) as corpus:
        add(corpus, note("a", "2019-01-01", "oak | is | green"))
        add(corpus, note("a", "2020-01-01", "crane | is | red"))
        assert shown(line(corpus, "crane")) == [
            ("is", "red", "2018-01-01", "2019-01-01"), ("is", "red", "2020-01-01", None),
        ]  # fmt: skip


# -- the same and otherwise -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (("$3.7 billion", 3.7e9), ("$3.68 billion", 3.68e9), True),  # 0.02 <= half of 0.1
        (("$3.7 billion", 3.7e9), ("$3.76 billion", 3.76e9), False),  # 0.06 > half of 0.1
        (("$3.7 billion", 3.7e9), ("$3,700,000,000", 3.7e9), True),
        (("$50 million", 5e7), ("$50.4 million", 5.04e7), True),  # 0.4 <= half of 1
        (("3,600 stores", 3600), ("3,589 stores", 3589), False),  # 11 > half of 1
        (("fünf", 5), ("5", 5), True),
        (("five", 5), ("six", 6), False),  # no digits, no tolerance
        (("3,7 Milliarden", 3.7e9), ("3,68 Milliarden", 3.68e9), True),
        (("5 years for $50", 50), ("$52", 52), False),  # 5 is not the figure
    ],
)
def test_figures_agree_as_exactly_as_they_are_written(one, other, same):
    facts = [Fact("a", "b", said, None, 0, 0, "value", Amount(value, "USD")) for said, value in (one, other)]
    assert agree(*facts) is agree(*reversed(facts)) is same


def test_who_says_the_same_and_who_otherwise():
    """Of 2024: a says 3.7, b 3.68 (agrees with a), c 3.9 (with neither). d speaks of a quarter of it."""
    said = ["$3.7 billion | 2024", "$3.68 billion | 2024", "$3.9 billion | 2024", "$0.9 billion | 2024-Q1"]
    notes = [note(id_, "2025", f"Quay | revenue | {each}") for id_, each in zip("abcd", said, strict=True)]
    with corpus_of(*notes) as corpus:
        found = {each.known.passage.document: each for each in only(line(corpus, "Quay"))}
        marks = {
            id_: ([other.document for other in each.corroborated], [o.document for o in each.contradicted])
            for id_, each in found.items()
        }
        assert marks == {"a": (["b"], ["c"]), "b": (["a"], ["c"]), "c": ([], ["a", "b"]), "d": ([], [])}


def test_one_document_does_not_contradict_itself_nor_what_is_not_in_force():
    lines = ["Quay | revenue | $3 million | 2024", "Quay | revenue | $4 million | 2024"]
    with corpus_of(note("a", "2025-01-01", *lines), note("b", "2025-01-01", lines[0]), now="2026") as corpus:
        three, four = only(line(corpus, "Quay"))
        assert [each.document for each in four.contradicted] == ["b"]
        assert three.contradicted == ()  # shown as a's, who would contradict itself
        add(corpus, note("b", "2025-02-01", "oak | is | green"))
        three, four = only(line(corpus, "Quay"))
        assert (three.contradicted, four.contradicted) == ((), ())


# -- whose facts ------------------------------------------------------------------------------------------


def test_all_names_of_a_subject_count_where_they_mean_it():
    with corpus_of(
        note("a", "2020", f"Harbour Authority | {CALLED} | IHA", "Harbour Authority | opened | a quay"),
        note("b", "2020", "IHA | closed | a lock"),
        note("c", "2020", "Marta Quill | sold | rope", "Quill | left | early", "Tom Reed | met | Quill"),
        note("d", "2020", "Quill | was | late"),
    ) as corpus:
        found = line(corpus, "I.H.A.")
        assert (found.subject, found.names) == ("Harbour Authority", ("Harbour Authority", "IHA"))
        assert [group.relation for group in found.groups] == ["closed", "opened"]
        assert [each.document for each in found.merges] == ["a"]
        quill = line(corpus, "Marta Quill")
        assert [(group.subject, group.relation) for group in quill.groups] == [
            ("Marta Quill", "left"), ("Marta Quill", "sold"), ("Tom Reed", "met"),
        ]  # fmt: skip
        assert [group.relation for group in line(corpus, "Quill").groups] == ["was"]
        assert [group.relation for group in line(corpus, "quill", "2020", relation="was").groups] == ["was"]


def test_a_surname_that_means_one_in_all_documents_is_taken_for_it():
    with corpus_of(note("c", "2020", "Marta Quill | sold | rope", "Quill | left | early")) as corpus:
        found = line(corpus, "Quill")
        assert (found.subject, found.count) == ("Marta Quill", 2)
