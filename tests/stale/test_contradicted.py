"""Statements that another document contradicts or has replaced, and differences that are none."""

from __future__ import annotations

from pathlib import Path

import pytest

import asof
from asof.data.stale import Stale

DAY = "2021-01-04"
LATER = "2022-03-01"
FILLER = [
    ("ferries.md", "# Ferries\n\nThe ferry to the island leaves from the east pier at noon."),
    ("boats.md", "# Boats\n\nThe red boat is painted every spring by the harbour crew."),
    ("mole.md", "# The mole\n\nNobody may fish from the mole while the lamps are lit."),
    ("cranes.md", "# Cranes\n\nThe old crane lifts barrels and the new crane lifts cars."),
    ("weather.md", "# Weather\n\nStorm signals are hoisted on the tower of the pilots."),
]

Version = tuple[str, str, str]
"""Id, date and text of a version."""


def stale(folder: Path, versions: list[Version], as_of: str | None = None) -> list[Stale]:
    with asof.open(folder) as corpus:
        corpus.add([{"id": id_, "text": text, "published": DAY} for id_, text in FILLER])
        for id_, published, text in versions:
            corpus.add([{"id": id_, "text": text, "published": published}])
        found = corpus.at(as_of).stale()
    return [each for each in found if each.kind in ("value", "statement", "quote")]


HOURS = "# {}\n\nThe harbour museum is open from {} hours every day of the week."


def edited(old: str, new: str, kept: str | None = None) -> list[Version]:
    """One document that is edited, and one that keeps what it said."""
    return [
        ("museum.md", DAY, f"# Museum\n\n{old}"),
        ("visit.md", DAY, f"# Visiting\n\n{kept or old}"),
        ("museum.md", LATER, f"# Museum\n\n{new}"),
    ]


def test_what_an_edit_replaced_elsewhere_is_stale(tmp_path: Path) -> None:
    old, new = (f"The harbour museum closes at {hour} on working days." for hour in ("17:00", "19:00"))
    (found,) = stale(tmp_path, edited(old, new))
    assert (found.kind, found.quote.document, found.quote.text) == ("value", "visit.md", old)
    assert found.by is not None
    assert (found.by.document, found.by.text) == ("museum.md", new)
    assert found.change == "17:00 -> 19:00"
    assert asof.open(tmp_path).at().text("visit.md")[found.quote.start : found.quote.end] == old  # type: ignore[index]


def test_it_was_not_stale_before_the_edit(tmp_path: Path) -> None:
    old, new = (f"The harbour museum closes at {hour} on working days." for hour in ("17:00", "19:00"))
    assert stale(tmp_path, edited(old, new), as_of="2022-02-28") == []


def test_the_score_is_its_tree(tmp_path: Path) -> None:
    (found,) = stale(tmp_path, edited("The pier is 140 metres long.", "The pier is 180 metres long."))
    assert found.why.value == found.why.recomputed() == found.score


@pytest.mark.parametrize(
    "kept",
    [
        pytest.param("The harbour museum closes at 19:00 on working days.", id="was updated too"),
        pytest.param("The lighthouse museum closes at 17:00 on working days.", id="of another museum"),
        pytest.param("The harbour museum has two floors and a café.", id="says something else"),
    ],
)
def test_what_is_no_contradiction(tmp_path: Path, kept: str) -> None:
    old, new = (f"The harbour museum closes at {hour} on working days." for hour in ("17:00", "19:00"))
    assert stale(tmp_path, edited(old, new, kept)) == []


@pytest.mark.parametrize("title", ["Changelog", "Minutes of 4 January 2021", "History", "2021-01-04"])
def test_documents_of_their_day_are_left_alone(tmp_path: Path, title: str) -> None:
    old, new = (f"The harbour museum closes at {hour} on working days." for hour in ("17:00", "19:00"))
    versions = edited(old, new)
    versions[1] = ("visit.md", DAY, f"# {title}\n\n{old}")
    assert stale(tmp_path, versions) == []


def test_a_newer_page_contradicts_an_older_one(tmp_path: Path) -> None:
    (found,) = stale(
        tmp_path,
        [
            ("quota.md", DAY, "# Storage quota\n\nEvery account on Mosswood has 10 GB of storage."),
            ("limits.md", LATER, "# Mosswood\n\nEvery account on Mosswood has 50 GB of storage; ask us."),
        ],
    )  # fmt: skip
    assert (found.quote.document, found.by and found.by.document) == ("quota.md", "limits.md")
    assert found.change == "10 GB -> 50 GB"


def test_what_is_allowed_no_more_contradicts(tmp_path: Path) -> None:
    (found,) = stale(
        tmp_path,
        [
            ("office.md", DAY, "# Lower offices\n\nDogs are allowed in the lower offices."),
            ("rules.md", LATER, "# Rules\n\nDogs are not allowed in the lower offices; the law says so."),
        ],
    )
    assert (found.kind, found.quote.document) == ("statement", "office.md")


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        pytest.param("An export of the films takes 90 minutes.", "An export of the films takes 1.5 hours.",
                     id="other unit"),
        pytest.param("The crane weighs about 5 tonnes.", "The crane weighs 4.8 tonnes.", id="more precise"),
        pytest.param("The Malmö site closes at 17:00.", "The Brno site closes at 16:00.",
                     id="other subject"),
    ],
)  # fmt: skip
def test_harmless_differences(tmp_path: Path, older: str, newer: str) -> None:
    versions = [("one.md", DAY, f"# Sites\n\n{older}"), ("two.md", LATER, f"# Works\n\n{newer}")]
    assert stale(tmp_path, versions) == []


def test_an_edit_of_the_stale_page_ends_it(tmp_path: Path) -> None:
    old, new = (f"The harbour museum closes at {hour} on working days." for hour in ("17:00", "19:00"))
    versions = [*edited(old, new), ("visit.md", "2022-04-01", f"# Visiting\n\n{new}")]
    assert stale(tmp_path / "now", versions) == []
    assert len(stale(tmp_path / "then", versions, as_of="2022-03-15")) == 1


@pytest.mark.parametrize(("sentences", "flagged"), [(1, True), (3, True), (4, False)])
def test_pages_made_from_one_template_are_about_two_things(
    tmp_path: Path, sentences: int, flagged: bool
) -> None:
    said = [
        "Every account on Mosswood has {} GB of storage.",
        "Every visitor of Mosswood sees {} lanterns at noon.",
        "Every cellar under Mosswood holds {} barrels of pitch.",
        "Every gardener in Mosswood prunes {} rows of hazel.",
    ]
    one, other = ("\n\n".join(each.format(figure) for each in said[:sentences]) for figure in (20, 30))
    versions = [
        ("one.md", DAY, f"# Storage quota\n\n{one}"),
        ("two.md", LATER, f"# Mosswood\n\n{other.replace('.', '; ask us.')}"),
    ]
    assert bool(stale(tmp_path, versions)) == flagged
