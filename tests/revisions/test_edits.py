"""Edits of documents, one statement at a time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.support.answers import corpus_with, doc

from asof.corpus.corpus import Corpus
from asof.documents import Ended, Heading
from asof.revisions.edits import (
    ADDED,
    CHANGED,
    MOVED,
    REMOVED,
    REWORDED,
    changes_of_documents,
    edits,
    edits_of_documents,
    passages_changed,
    values_of,
)
from asof.time.moment import read
from asof.time.span import NEVER

ALWAYS = range(-(2**62), NEVER)
FEES = ("A ticket costs 4 euros.", "Dogs travel free.", "The ferry leaves at nine.")


def told(corpus: Corpus, as_of: str | None = None) -> list[tuple[str, str, str]]:
    """The edits of document a: kind, before, after."""

    def look(view: Any) -> list[tuple[str, str, str]]:
        found = edits(passages_changed(view, ALWAYS[0], NEVER), ALWAYS)
        return [
            (each.kind, each.before.text if each.before else "", each.after.text if each.after else "")
            for each in found
        ]

    return corpus.at(as_of).use(look)


def version(date: str, *texts: str, **more: Any) -> Any:
    return doc("a", date, " ".join(texts), "Ferry", **more)


@pytest.mark.parametrize(
    ("after", "edit"),
    [
        (("A ticket costs 5 euros.", *FEES[1:]), (CHANGED, FEES[0], "A ticket costs 5 euros.")),
        (
            ("A single ticket costs 4 euros.", *FEES[1:]),
            (REWORDED, FEES[0], "A single ticket costs 4 euros."),
        ),
        ((*FEES, "Bikes cost two euros."), (ADDED, "", "Bikes cost two euros.")),
        (FEES[:2], (REMOVED, FEES[2], "")),
        ((FEES[0], "Dogs never travel free.", FEES[2]), (CHANGED, FEES[1], "Dogs never travel free.")),
        ((FEES[0], "Dogs travel **free**.", FEES[2]), None),
    ],
)
def test_what_an_edit_is(tmp_path: Path, after: tuple[str, ...], edit: tuple[str, str, str] | None) -> None:
    with corpus_with(tmp_path, version("2020-01-01", *FEES), version("2021-01-01", *after)) as corpus:
        found = told(corpus)
        assert found[:3] == [(ADDED, "", each) for each in FEES]
        assert found[3:] == ([] if edit is None else [edit])
        assert told(corpus, "2020-06") == found[:3]  # nothing of a later version shows


def test_a_statement_below_another_heading_is_moved(tmp_path: Path) -> None:
    def tier(name: str, date: str) -> Any:
        return doc(
            "a", date, f"{name}\n\nLinux on x86 is supported.", "Ports", outline=(Heading(0, 1, name),)
        )

    with corpus_with(tmp_path, tier("Tier 1", "2020"), tier("Tier 2", "2021")) as corpus:
        assert [kind for kind, *_ in told(corpus)] == [ADDED, MOVED]


def test_what_stands_on_under_another_title_is_no_edit(tmp_path: Path) -> None:
    """Nor under other tags; a text that ends later ends once, with the title that it had last."""
    with corpus_with(
        tmp_path,
        version("2020-01-01", *FEES),
        doc("a", "2021-01-01", " ".join(FEES), "Ferries"),
        doc("a", "2022-01-01", " ".join(FEES), "Ferries", tags=("sea",)),
    ) as corpus:
        begun = [(ADDED, "", each) for each in FEES]
        assert told(corpus) == begun
        assert told(corpus, "2020-06") == begun
        corpus.add([version("2023-01-01", *FEES[:2])])
        assert told(corpus) == [*begun, (REMOVED, FEES[2], "")]
        assert told(corpus, "2022-06") == begun


def test_values_are_figures_names_numbers_and_what_denies() -> None:
    assert set(values_of("The mole of Hull is not open on six days, but 3.")) == {"hull", "not", "six", "3"}
    assert values_of("Tickets are sold here.") == values_of("We sell tickets there.")


def test_changes_of_a_period_by_document(tmp_path: Path) -> None:
    """New, changed and removed documents, the last first; wording is counted."""
    with corpus_with(
        tmp_path, version("2020-01-01", *FEES), doc("b", "2020-01-01", "The mill is open.", "Mill")
    ) as corpus:
        corpus.add(
            [
                version("2021-03-01", "A ticket costs 5 euros.", "Dogs can travel free.", FEES[2]),
                doc("c", "2021-04-01", "The sail is new. It is red. It is big.", "Sail"),
                Ended("b", "2021-05-01"),
            ]
        )

        def look(view: Any) -> Any:
            return changes_of_documents(view, read("2021").first, read("2021").last, 5)

        found = corpus.at().use(look)
        counts = [(each.document, each.kind, len(each.edits), each.reworded, each.left_out) for each in found]
        assert counts == [
            ("b", "removed", 1, 0, 0), ("c", "new", 2, 0, 1), ("a", "changed", 1, 1, 0),
        ]  # fmt: skip

        def early(view: Any) -> Any:
            return changes_of_documents(view, read("2021").first, view.as_of, 5)

        assert [each.document for each in corpus.at("2021-03-15").use(early)] == ["a"]
        whole = corpus.at().use(lambda view: list(edits_of_documents(view, {"b": ALWAYS, "a": ALWAYS})))
        assert [(each.kind, each.side.document) for each in whole] == [
            (ADDED, "a"),
            (ADDED, "b"),
            (REMOVED, "b"),
        ]


def test_what_was_learned_since_is_of_one_document_and_not_of_its_correction(tmp_path: Path) -> None:
    """In 2022 b is learned, which began on the day of a, and the text that took the place of a gets another
    date: the end of the first text of a is stored anew, and was known before."""
    with corpus_with(tmp_path) as corpus:
        corpus.session.clock = lambda: read("2021-06").first
        corpus.add([version("2020-01-01", *FEES), version("2021-03-01", *FEES[1:])])
        corpus.session.clock = lambda: read("2022-06").first
        corpus.correct("a", "2021-04-01")
        corpus.add([doc("b", "2020-01-01", "The mill is open.", "Mill")])
        found = corpus.at("2022-07").changes(since="2022", learned=True).documents
        assert [(each.document, each.kind, len(each.edits)) for each in found] == [
            ("a", "changed", 1), ("b", "new", 1),
        ]  # fmt: skip
        assert corpus.at("2022-07").changes(since="2022").documents == ()
