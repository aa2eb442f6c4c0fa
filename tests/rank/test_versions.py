"""What holds in a version: changelogs, pages of each version, notes on each release."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.guarantee.texts import Note

import asof
from asof.corpus.corpus import Corpus
from asof.documents import Document

CHANGELOG = """# Changelog

## 3.1.0 (2024-09-09)
### Added
- Dark mode in the web view.

## 3.0.0 (2023-11-02)
### Changed
- The default port is 9443 now.
### Removed
- Import of XML files.

## 2.4.0 (2022-05-10)
### Added
- Jobs can be paused.

## 2.3.0 (2021-12-01)
### Fixed
- A leak in the scheduler.

## 2.0.0 (2021-02-03)
### Changed
- The default port is 9090 instead of 8080.

## 1.0.0 (2020-01-01)
- First release. The default port is 8080.
- Import of XML and CSV files.
"""
LIMITS = "# Limits\n\nA cluster has at most {} shards.\n"


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    folder: Path = tmp_path_factory.mktemp("versions")
    files = {
        "kestrel/CHANGELOG.md": CHANGELOG,
        "murm/history.md": "# Murm\n\n## v1\n\nMurm logs to disk.\n\n## v2\n\nMurm logs to syslog.\n",
        **{f"murm/v{number}/limits.md": LIMITS.format(4**number) for number in (1, 2, 3)},
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    made = asof.open(folder)
    made.add(folder)
    return made


@pytest.mark.parametrize(
    ("question", "quoted"),
    [
        ("What is the default port of Kestrel?", "3.0.0 (2023-11-02) › The default port is 9443 now."),
        (
            "What was the default port in Kestrel 2.3?",
            "2.0.0 (2021-02-03) › The default port is 9090 instead",
        ),
        ("What was the default port before 2.0?", "1.0.0 (2020-01-01) › The default port is 8080."),
        ("Which Kestrel version removed the import of XML?", "3.0.0 (2023-11-02) › Import of XML files."),
        ("Since which version can jobs be paused?", "2.4.0 (2022-05-10) › Jobs can be paused."),
        ("first Kestrel version with import of XML", "1.0.0 (2020-01-01) › Import of XML and CSV"),
        ("What changed in Kestrel 3.0.0?", "3.0.0 (2023-11-02) › The default port is 9443 now."),
        ("What was removed in Kestrel 3.0.0?", "3.0.0 (2023-11-02) › Import of XML files."),
        ("How many shards may a Murm cluster have in v1?", "v1 › A cluster has at most 4 shards."),
        ("How many shards may a Murm cluster have in v2?", "v2 › A cluster has at most 16 shards."),
        ("How many shards may a Murm cluster have?", "v3 › A cluster has at most 64 shards."),
        ("Where does Murm log to in v1?", "v1 › Murm logs to disk."),
        ("Where does Murm log to?", "v2 › Murm logs to syslog."),
        ("Which Kestrel version added dark mode?", "3.1.0 (2024-09-09) › Dark mode in the web view."),
    ],
)
def test_answers_are_of_the_version_that_is_asked_for(corpus: Corpus, question: str, quoted: str) -> None:
    """A value holds from its version on, to the next one that states it."""
    answer = corpus.at().ask(question)
    assert not answer.refused
    assert answer.citations[0].quote.startswith(quoted)


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Which Kestrel version came before 2.4.0?", "2.3.0 (2021-12-01) [1]"),
        ("Which Kestrel release came after 2.4.0?", "3.0.0 (2023-11-02) [1]"),
        ("What is the newest version of Kestrel?", "3.1.0 (2024-09-09) [1]"),
        ("What was the latest Kestrel release in May 2022?", "2.4.0 (2022-05-10) [1]"),
    ],
)
def test_the_version_beside_one_is_named(corpus: Corpus, question: str, name: str) -> None:
    assert corpus.at().ask(question).text.splitlines()[0] == name


PORT, XML = "The default port is 9443 now.", "Import of XML files."
LEAK, PAUSED = "A leak in the scheduler.", "Jobs can be paused."


@pytest.mark.parametrize(
    ("question", "quotes"),
    [
        ("What changed in Kestrel 3.0.0?", [PORT, XML]), ("What changed in Kestrel 3.0?", [PORT, XML]),
        ("What changed between Kestrel 2.0.0 and 2.4?", [LEAK, PAUSED]),
        ("What has changed in Kestrel since 2.3.0?", [PAUSED, PORT, XML, "Dark mode in the web view."]),
        ("What was added to Kestrel after 2.3?", [PAUSED, "Dark mode in the web view."]),
        ("What changed in the last Kestrel release before 3.0.0?", [PAUSED]),
        ("What has changed in Kestrel since 3.1.0?", []), ("What changed in Kestrel 3.2?", []),
    ],
)  # fmt: skip
def test_all_that_changed_in_versions_is_listed_in_their_order(
    corpus: Corpus, question: str, quotes: list[str]
) -> None:
    """No word of the question is in "A leak in the scheduler."."""
    answer = corpus.at().ask(question)
    assert answer.refused == (not quotes)
    if quotes:
        assert [each.quote.rpartition(" › ")[2] for each in answer.citations] == quotes


def test_a_limit_on_passages_of_versions_is_noted(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("asof.rank.versions.MOST_ASKED", 2)
    notes = corpus.at().ask("What changed since 1.0?").notes
    assert "of these versions the latest 2 passages were read, and no others" in notes


def test_search_finds_versions_by_their_number_alone(corpus: Corpus) -> None:
    hits = corpus.at().search("What changed between 2.2 and 2.4?").hits
    assert {hit.place.headings[1] for hit in hits[:2]} == {"2.3.0 (2021-12-01)", "2.4.0 (2022-05-10)"}


QUESTIONS = (
    "What changed in 2.0?", "What has changed since 1.0.0?", "What changed between 1.0 and 3.0?",
    "What is the newest version?", "Which version removed XML?", "What changed before 3.0?",
)  # fmt: skip


def _changelog(name: str, year: int, sections: str) -> Document:
    """As a folder has it."""
    return Note(name, (("date", str(year)),), f"# Changelog\n\n{sections}").document()


@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 2, 1, 0), (2, 0, 3, 1)])
def test_versions_that_came_later_leave_no_trace(tmp_path: Path, order: tuple[int, ...]) -> None:
    """A changelog with one more section each year, told in any order, and another one."""
    told = [
        "## 1.0.0\n\n- XML.\n",
        "## 2.0.0\n\n- Tabs.\n\n",
        "## 2.0.1\n\n- Sound.\n\n## 3.0.0\n\n### Removed\n\n- XML.\n\n",
    ]
    states = [_changelog("CHANGELOG.md", 2021 + at, "".join(reversed(told[: at + 1]))) for at in range(3)]
    states.append(_changelog("b/CHANGELOG.md", 2022, told[1] + told[0]))
    refused = 0
    with asof.open(tmp_path / "all") as whole:
        for at in order:
            whole.add(states[at])
        for year in (2021, 2022, 2023):
            with asof.open(tmp_path / f"{year}") as then:
                then.add([each for at, each in enumerate(states) if (2021, 2022, 2023, 2022)[at] <= year])
                for question in QUESTIONS:
                    one, other = (each.at(f"{year}-12-31").ask(question) for each in (whole, then))
                    assert (one.text, one.notes) == (other.text, other.notes)
                    refused += one.refused
    assert refused == 5  # of 2021 three, which has 1.0.0 alone; nothing was removed before 3.0.0


def test_pages_of_other_versions_supersede_nothing(corpus: Corpus) -> None:
    hits = corpus.at().search("How many shards may a Murm cluster have?").hits
    assert [hit.superseded for hit in hits if "limits" in hit.document] == [None, None, None]
    assert hits[0].document.endswith("v3/limits.md")


def test_a_list_of_changes_says_what_it_leaves_out(tmp_path: Path) -> None:
    """Twenty items, of which sixteen are quoted."""
    items = "\n\n".join(f"- Added lamp {chr(65 + at)} to the mole." for at in range(20))
    (tmp_path / "CHANGELOG.md").write_text(f"# Changelog\n\n## 2.0.0\n\n{items}\n\n## 1.0.0\n\n- First.\n")
    with asof.open(tmp_path) as made:
        made.add(tmp_path)
        answer = made.at().ask("What was added in 2.0.0?")
    assert (len(answer.citations), answer.notes[-1]) == (16, "4 more sentences were found and left out")
