"""Questions for one thing at several times, or of several names: an answer for each, or a note."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.answers import answered, corpus_fixture, doc

HEADS = [("2018-01-15", "Ada Holm"), ("2020-02-01", "Bo Lind"), ("2022-06-01", "Cleo Marsh")]
RELEASES = [("1.3", "2020-11-10", "raises the size limit to 2 GB"), ("2.4", "2022-05-10", "adds dark mode"),
            ("3.0", "2022-08-10", "raises the size limit to 5 GB"),
            ("4.1", "2024-02-10", "raises the size limit to 20 GB")]  # fmt: skip
MANAGER = {"1.3": "Ines Dole", "2.4": "Ines Dole", "3.0": "Tom Hale", "4.1": "Tom Hale"}

firm = corpus_fixture(
    *(doc(f"support-{day[:4]}", day, f"{name} is the head of support.", "Head of support",
          meta={"year": int(day[:4])}) for day, name in HEADS),
    *(doc(f"releases/{v}", day, f"Osprey {v} {what}. The release manager was {MANAGER[v]}.", f"Osprey {v}")
      for v, day, what in RELEASES),
    *(doc(f"figures-{year}", f"{year + 1}-01-10", f"Passengers: {n}. Revenue of the pier: €{n * 2}.",
          f"{year} figures") for year, n in ((2019, 410), (2020, 120), (2021, 377))),
)  # fmt: skip


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        (
            "Who was head of support in 2019 and in 2021?",
            [("2019", "Ada Holm"), ("2021", "Bo Lind")],
        ),
        (  # one name for both years; before all of them
            "Who was head of support in 2017, 2020 and 2021?",
            [("2017", "not found"), ("2020", "Bo Lind"), ("2021", "Bo Lind")],
        ),
        (  # no word asks for a figure
            "revenue of the pier in 2021, 2019 and 2020",
            [("2021", "€754"), ("2019", "€820"), ("2020", "€240")],
        ),
    ],
)  # fmt: skip
def test_each_of_several_times_has_a_cell(firm: Any, question: str, expected: list[tuple[str, str]]) -> None:
    made = firm.at().ask(question)
    assert not made.refused
    assert len(made.values) == len(expected)
    for said, (period, value) in zip(made.values, expected, strict=True):
        assert said.period == period
        assert value in said.value


def test_as_of_a_time_the_cells_have_what_was_known_by_then(firm: Any) -> None:
    made = firm.at("2019-12-31").ask("Who was head of support in 2019 and in 2021?")
    assert "Bo Lind" not in made.text


def test_each_of_several_versions_has_a_cell(firm: Any) -> None:
    made = firm.at().ask("Who was the release manager of Osprey 2.4 and of Osprey 3.0?")
    assert [(each.name, each.value) for each in made.values] == [
        ("Osprey 2.4", "“The release manager was Ines Dole.”"),
        ("Osprey 3.0", "“The release manager was Tom Hale.”"),
    ]


def test_a_name_of_which_nothing_is_quoted_is_named(firm: Any) -> None:
    made = firm.at().ask("Who was the release manager of Osprey 2.4 and of Osprey 7.5?")
    assert "7.5" in " ".join((made.text, *made.notes))


def test_one_statement_on_both_names_is_no_table(tmp_path: Any) -> None:
    both = doc("a", "2021-05-05", "Ivo Bell led Tarn Mills and Esker Mills.", "Mills")
    made = answered(tmp_path, "Who led Tarn Mills and Esker Mills?", both)
    assert (made.values, made.citations[0].quote) == ((), both.text)


def test_alike_statements_on_other_versions_are_listed(firm: Any) -> None:
    """Three of the four releases raise it; each supersedes the one before it, which did it, too."""
    made = firm.at().ask("Which releases raised the size limit?")
    assert {each.title for each in made.citations} == {"Osprey 1.3", "Osprey 3.0", "Osprey 4.1"}
    assert len(firm.at("2023").ask("Which releases raised the size limit?").citations) == 2


def test_a_number_that_nobody_says_is_said_not_to_be_counted(tmp_path: Any) -> None:
    """The number in a title is that of a thing."""
    things = [doc(f"r{n}", f"2022-0{n}-10", f"Osprey {n}.0 was a release with {what}.", f"Osprey {n}.0")
              for n, what in ((3, "dark mode"), (4, "audit logs"))]  # fmt: skip
    asked = "How many releases of Osprey were there in 2022?"
    made = answered(tmp_path / "one", asked, *things)
    assert made.notes == (
        "no quote says how many: nothing was counted, and there may be more than are quoted",
    )
    told = doc("a", "2022-12-31", "There were 2 releases of Osprey in 2022.", "Review")
    assert answered(tmp_path / "two", asked, *things, told).notes == ()


quillbox = corpus_fixture(
    doc("q21", "2021-01-01", "Folders can be shared. The export is faster.", "Quillbox 2.1 release notes"),
    doc("q24", "2022-01-01", "Dark mode was added.", "Quillbox 2.4 release notes"),
    doc(
        "q30",
        "2023-01-01",
        "The old protocol was removed. The editor has tabs.",
        "Quillbox 3.0 release notes",
    ),
)


@pytest.mark.parametrize(
    ("question", "as_of", "refused", "quotes"),
    [
        ("What changed in 3.0?", None, False, ["The old protocol was removed.", "The editor has tabs."]),
        ("What is new in Quillbox 2.1?", None, False, ["Folders can be shared.", "The export is faster."]),
        ("What was removed in 3.0?", None, False, ["The old protocol was removed."]),
        ("Which release came after 2.4?", None, False, ["The old protocol was removed."]),
        ("Which release came before 2.4?", None, False, ["Folders can be shared."]),
        ("What was fixed in 2.4?", None, True, ["Dark mode was added."]),  # the nearest
        ("Which release came after 2.4?", "2022-06-01", True, None),
        ("What changed in 3.0?", "2022-06-01", True, None),
    ],
)
def test_a_page_titled_by_a_version_tells_what_changed_in_it(
    quillbox: Any, question: str, as_of: str | None, refused: bool, quotes: list[str] | None
) -> None:
    made = quillbox.at(as_of).ask(question, mode="local")
    assert made.refused == refused
    assert quotes is None or [each.quote for each in made.citations] == quotes
    assert as_of is None or not any(secret in made.text for secret in ("protocol", "tabs", "notes 3.0"))
