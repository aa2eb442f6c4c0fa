"""Which documents and sections keep what was so on their day."""

from __future__ import annotations

import pytest
from tests.support.corpora import new_corpus
from tests.support.notes import Told, tell

from asof.extensions.facts.current import lives
from asof.extensions.facts.dated_documents import by_name, historical_headings, of_their_day


def of_day(*told: Told) -> set[str]:
    with new_corpus() as corpus:
        tell(corpus, told)
        return corpus.at("2025").use(lambda view: {lives(view)[number].name for number in of_their_day(view)})


@pytest.mark.parametrize(
    "name",
    [
        "CHANGELOG.md",
        "docs/release-notes.md",
        "docs/release_notes/v2.md",
        "news.md",
        "blog/crane.md",
        "minutes/2021-03.md",
        "Meeting notes 5 March 2021.md",
        "journal/monday.md",
        "2021-03-05.md",
        "20210305.md",
        "adr/0004-cranes.md",
        "decisions/cranes.md",
        "archive/cranes.md",
        "history.md",
        "whatsnew/3.9.md",
        "2019/cranes.md",
        "2019-cranes.md",
        "annual-report-2021.md",
        "Sitzungsprotokolle/Mole.md",
        "更新日志.md",
    ],
)
def test_names_of_documents_of_their_day(name: str) -> None:
    assert by_name(name, "")


@pytest.mark.parametrize(
    "name",
    [
        "cranes.md",
        "docs/blogging.md",
        "how-to-write-release-notes-by-hand.md",
        "posts-and-piles.md",
        "news-desk.md",
        "windows-server-2019-setup.md",
        "api-v1.2.md",
        "historic-harbours.md",
        "decision-tree.md",
        "port-8080.md",
    ],
)
def test_names_of_other_documents(name: str) -> None:
    assert not by_name(name, "")


@pytest.mark.parametrize(
    "heading",
    [
        "Changelog",
        "History",
        "Release notes",
        "Version 1.2",
        "v2.0.1 (2021-03-05)",
        "2019",
        "Archive",
        "Deprecated",
        "Known issues (before 2.0)",
        "Migration from 1.x",
        "What's new in 3.0",
        "5 March 2021",
        "[1.2.0] - 2021-03-05",
        "Geschichte",
        "Änderungen",
    ],
)
def test_headings_of_the_past(heading: str) -> None:
    assert historical_headings(("Cranes", heading))


@pytest.mark.parametrize(
    "heading", ["Cranes", "Installation", "Using 2 cranes", "Versions", "Newer cranes", "Change a crane"]
)
def test_headings_of_now(heading: str) -> None:
    assert not historical_headings(("Harbour", heading))


@pytest.mark.parametrize("front", ["type: meeting", "status: superseded", "layout: post", "archived: true"])
def test_metadata_says_so(front: str) -> None:
    assert of_day(("2021", "a.md", f"---\n{front}\n---\n# A\n\nText.")) == {"a.md"}
    assert of_day(("2021", "a.md", "---\ntype: page\n---\n# A\n\nText.")) == set()


def test_a_document_is_of_its_year_if_it_began_then() -> None:
    text = "# Plan\n\nText."
    assert of_day(("2021-02", "plan-2021.md", text), ("2021-02", "server-2008.md", text)) == {"plan-2021.md"}


def test_a_folder_of_days() -> None:
    days: list[Told] = [("2021", f"sea/2021-03-0{day}.md", "Text.") for day in range(1, 5)]
    assert "sea/index.md" in of_day(*days, ("2021", "sea/index.md", "Text."))
    assert "sea/index.md" not in of_day(*days[:1], ("2021", "sea/index.md", "Text."))


def test_sections_headed_by_dates() -> None:
    text = "# Crane\n\n" + "".join(f"## 2021-0{month}-01\n\nOiled.\n\n" for month in range(1, 6))
    assert of_day(("2021", "crane.md", text)) == {"crane.md"}


@pytest.mark.parametrize("at_end", [True, False])
def test_a_document_that_was_only_edited_at_one_end(at_end: bool) -> None:
    parts = [f"## Part {number}\n\n{' '.join([f'word{number}'] * 30)}\n\n" for number in range(20)]
    told: list[Told] = []
    for length in range(10, 20):
        shown = parts[:length] if at_end else parts[:length][::-1]
        last = "" if at_end else "## Oldest\n\nEnd.\n"
        top = f"## Newest\n\nAs of edit {length} this grows.\n\n"
        text = "".join([*shown, top] if at_end else [top, *shown]) + last
        told.append((f"2021-01-{length:02}", "notes.md", text))
    assert of_day(*told) == {"notes.md"}


def test_a_document_that_was_edited_everywhere() -> None:
    told: list[Told] = []
    for edit in range(12):
        parts = [
            f"## Part {number}\n\nWord {edit if number == edit % 10 else 0}.\n\n" for number in range(10)
        ]
        told.append((f"2021-01-{edit + 1:02}", "notes.md", "".join(parts)))
    assert of_day(*told) == set()
