"""Current statements that differ: all are named, and those of the highest authority lead."""

from __future__ import annotations

from pathlib import Path

import pytest

import asof
from asof.corpus.corpus import Corpus
from asof.documents import Document
from asof.errors import BadConfig

NOTES = (
    Document("policies/remote", "You may work from home 2 days a week.", "Remote work policy", "2024-01-10"),
    Document("wiki/home", "We work from home up to 4 days a week.", "Working from home", "2025-02-01"),
    Document("chat/9", "You can work from home 3 days a week.", "#general", "2024-06-01", tags=("chat",)),
    Document("wiki/lunch", "Lunch is served 5 days a week.", "Lunch", "2025-03-01"),
    Document("policies/fees", "The fee for a berth is 40 crowns.", "Berth fee", "2024-01-10"),
    Document("policies/fees2", "The fee for a berth is 45 crowns.", "Berth fee", "2024-03-10"),
    Document("wiki/fees", "The fee for a berth is 50 crowns.", "Berth fee", "2025-01-10"),
)  # fmt: skip
QUESTION = "How many days a week can I work from home?"


def corpus(folder: Path, official: str = "") -> Corpus:
    if official:
        (folder / "asof.toml").write_text(f"[authority]\nofficial = {official}\n")
    with asof.open(folder) as made:
        made.add(NOTES)
    return asof.open(folder)


@pytest.mark.parametrize(
    ("official", "said"),
    [
        ("", "4 days [1], 3 days [2], 2 days [3]"),
        ("['policies/']", "2 days [1], 4 days [2], 3 days [3]"),
        ("['tag:chat', 'policies/*']", "3 days [1], 2 days [2], 4 days [3]"),
        ("'chat/9'", "3 days [1], 4 days [2], 2 days [3]"),
        ("['source:elsewhere', 'tag:none']", "4 days [1], 3 days [2], 2 days [3]"),
    ],
)
def test_what_current_sources_say_is_named_in_order(tmp_path: Path, official: str, said: str) -> None:
    """The newest first, and those of a higher authority before; lunch is another thing."""
    with corpus(tmp_path, official) as made:
        text = made.at().ask(QUESTION).text
    assert text.splitlines()[0] == f"The sources differ: {said}."


def test_what_is_published_later_differs_from_nothing(tmp_path: Path) -> None:
    with corpus(tmp_path) as made:
        text = made.at("2024-07").ask(QUESTION).text
        assert text.splitlines()[0] == "The sources differ: 3 days [1], 2 days [2]."
        assert made.at("2024-03").ask(QUESTION).text.startswith("[1] “You may work from home 2 days")


def test_what_a_lower_authority_says_later_supersedes_nothing(tmp_path: Path) -> None:
    """The wiki is newer; without an order it leads."""
    question = "What is the fee for a berth?"
    with corpus(tmp_path, "['policies/']") as made:
        first, *others = made.at().search(question).hits[:3]
        assert (first.document, first.superseded) == ("policies/fees2", None)
        (old,) = (hit.superseded for hit in others if hit.document == "policies/fees")
        assert old is not None
        assert old.document == "policies/fees2"
        assert "45 crowns" in made.at().ask(question).text.splitlines()[0]
    (tmp_path / "asof.toml").unlink()
    with asof.open(tmp_path) as made:
        assert made.at().search(question).hits[0].document == "wiki/fees"


@pytest.mark.parametrize("official", ["[3]", "['']", "['source:']", "['policies/', 'tag: ']"])
def test_an_order_is_a_list_of_names(tmp_path: Path, official: str) -> None:
    with pytest.raises(BadConfig, match="authority"):
        corpus(tmp_path, official)


def test_status_says_what_the_order_means(tmp_path: Path) -> None:
    """A folder is meant wherever it lies, so "remote/" is none: that is a document."""
    with corpus(tmp_path, "['policies/', 'remote/', 'tag:chat']") as made:
        made.add([Document("old/policies/x", "A day off is 9 hours.", "Day off", "2020")])
        lines = [line for line in made.status().derived if line.startswith("[authority]")]
    counts = {"policies/": 4, "remote/": 0, "tag:chat": 1}
    assert lines == [f"[authority] {name}: {count} documents" for name, count in counts.items()]
