"""Copies: what repeats an earlier document, or has the name of a copy, is no news."""

from __future__ import annotations

import itertools
import os
from pathlib import Path

import numpy as np
import pytest
from tests.revisions.made import document, fresh

from asof.corpus.corpus import Corpus
from asof.corpus.corpus import open as open_corpus
from asof.documents import Document, SourcedTime
from asof.revisions.chains import succession
from asof.sources.source import original_of
from asof.time.moment import read
from asof.wire import replace

MEALS = "Meals on a journey for the harbour are paid up to {} crowns a day."


def file(name: str, text: str, date: str, by: str = "mtime") -> Document:
    made = document(name, text, date, title=name.rpartition("/")[2].removesuffix(".md"))
    assert made.published is not None
    return replace(made, published=SourcedTime(made.published.span, date, by))


def copied(corpus: Corpus, as_of: str | None = None, known_at: str | None = None) -> dict[str, str]:
    """By document the one of which it is a copy."""
    view = corpus.at(as_of, known_at).view()
    rows = np.arange(view.prefix.rows)
    names = [record.document for record in view.records(rows)]
    originals = succession(view).originals(rows)
    return {names[row]: names[at] for row, at in enumerate(originals.tolist()) if at >= 0}


@pytest.mark.parametrize(
    ("name", "original"),
    [
        ("n/Copy of Fees.md", "n/fees.md"), ("Fees - Copy (2).docx", "fees.docx"),
        ("Fees copy 2.md", "fees.md"),
        ("Copy (2) of Fees.md", "fees.md"), ("Fees (1).pdf", "fees.pdf"), ("Fees - Kopie.md", "fees.md"),
        ("a/Fees (conflicted copy 2023-05-20).md", "a/fees.md"),
        ("Fees (Ann's conflicted copy 2023-05-20).md", "fees.md"),
        ("Fees.sync-conflict-20230520-171205-ABCDEFG.md", "fees.md"), ("Copie de Fees.odt", "fees.odt"),
        ("料金のコピー.md", "料金.md"), ("copy.md", ""), ("photocopy.md", ""), ("copy of.md", ""),
        ("Copy/Fees.md", ""), ("Fees 2.md", ""), ("Fees (2023).md", ""),
    ],
)  # fmt: skip
def test_names_of_copies(name: str, original: str) -> None:
    assert original_of(name) == original


@pytest.mark.parametrize(
    ("later", "of"),
    [
        (file("Copy of Fees.md", MEALS.format(20), "2024"), "Fees.md"),
        (file("Copy of Fees.md", "Something else.", "2024"), "Fees.md"),
        (file("Copy of Rules.md", "Something else.", "2024"), None),  # there are no Rules.md
        (file("old/Backup.md", MEALS.format(28), "2024"), "Fees.md"),  # the text of a former version
        (file("Backup.md", MEALS.format(28) + " Ask first.", "2024"), None),
        (file("Backup.md", MEALS.format(28), "2024", "frontmatter"), None),  # it is stated again
        (file("Backup.md", MEALS.format(28), "2019"), None),  # it was there before: Fees.md repeats it
    ],
)
def test_what_is_a_copy(later: Document, of: str | None) -> None:
    with fresh(file("Fees.md", MEALS.format(28), "2020")) as corpus:
        corpus.add([file("Fees.md", MEALS.format(36), "2022")])
        corpus.add([later])
        found = copied(corpus)
        assert found.get(later.id) == of


def test_a_copy_of_a_former_text_stands_behind_the_current_one() -> None:
    with fresh(file("Fees.md", MEALS.format(28), "2020")) as corpus:
        corpus.add([file("Fees.md", MEALS.format(36), "2022"), file("Backup.md", MEALS.format(28), "2024")])
        hits = corpus.search("latest meals on a journey").hits
        assert [hit.document for hit in hits] == ["Fees.md", "Backup.md"]
        first, second = hits
        assert first.superseded is None
        assert second.superseded is not None
        assert second.superseded.document == "Fees.md"
        assert "36" in corpus.at().ask("How much is paid for meals?").citations[0].quote


def test_nothing_changes_before_a_copy_was_made_and_a_late_original_makes_one() -> None:
    """The copy is dated 2024; its original, dated 2020, is learned after it."""
    with fresh(file("Backup.md", MEALS.format(28), "2024")) as corpus:
        assert copied(corpus) == {}
        corpus.session.clock = itertools.count(read("2026").first, 1_000_000).__next__
        corpus.add([file("Fees.md", MEALS.format(28), "2020")])
        assert copied(corpus) == {"Backup.md": "Fees.md"}
        assert copied(corpus, "2022") == {}
        assert copied(corpus, known_at="2025") == {}


def test_a_new_paragraph_that_stands_elsewhere_makes_no_copy() -> None:
    """Only what a file says when it appears counts: later it is a document of its own."""
    notes = "The quay is closed on Sundays, and the mole in any storm."
    with fresh(file("Fees.md", MEALS.format(28), "2020"), file("Notes.md", notes, "2021")) as corpus:
        corpus.add([file("Notes.md", MEALS.format(28), "2022")])
        assert copied(corpus) == {}


def test_a_run_names_a_copy_once(tmp_path: Path) -> None:
    """By its name or its bytes; the second run has the same problem, which is not told again."""
    for name, text in {
        "Fees.md": MEALS.format(28),
        "Fees copy.md": "Other.",
        "a.md": MEALS.format(28),
    }.items():
        (tmp_path / "n" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "n" / name).write_text(text)
    for number, name in enumerate(("Fees.md", "Fees copy.md", "a.md"), 1):
        os.utime(tmp_path / "n" / name, (number * 10**8,) * 2)
    with open_corpus(tmp_path) as corpus:
        for _ in range(2):
            (problem,) = corpus.add(tmp_path / "n").problems
            assert problem.message == (
                "2 files are copies, which is no news: they rank behind their originals"
                " (Fees copy.md behind Fees.md)"
            )
            assert not problem.lost
        assert copied(corpus) == {"n/Fees copy.md": "n/Fees.md", "n/a.md": "n/Fees.md"}
