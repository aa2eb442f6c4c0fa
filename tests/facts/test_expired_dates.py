"""Sentences that speak of a time to come which has passed, and documents of their day."""

from __future__ import annotations

import pytest
from tests.support.corpora import new_corpus
from tests.support.notes import Told, listed, tell

from asof.extensions.facts.current import PASSED, Stale, lives
from asof.extensions.facts.dated_documents import by_name, historical_headings, of_their_day
from asof.extensions.facts.expired_dates import passed_times
from asof.time.span import iso

# -- sentences that speak of a time to come which has passed, and sentences that do not ------------


def found(
    text: str, *, written: str = "2022-01-15", as_of: str = "2025-06-01", name: str = "harbour.md"
) -> list[Stale]:
    return listed(passed_times, [(written, name, f"# Harbour\n\n{text}\n")], as_of)


@pytest.mark.parametrize(
    ("text", "until"),
    [
        ("The new crane will be delivered in March 2023.", "2023-04-01"),
        ("A second pier is planned for Q2 2024.", "2024-07-01"),
        ("By the end of 2022 we will have two pilots.", "2023-01-01"),
        ("We plan to move the office next year.", "2024-01-01"),
        ("The mole is closed until June 2022.", "2022-07-01"),
        ("The licence expires on 10 October 2023.", "2023-10-11"),
        ("The regatta takes place in August 2023.", "2023-09-01"),
        ("- [ ] Application for the permit, deadline 2023-05-31", "2023-06-01"),
        ("Der neue Kran wird im März 2023 geliefert und von der Stadt bezahlt.", "2023-04-01"),
        ("Die Mole ist bis Juni 2022 geschlossen, und das ist für die Fähre nicht gut.", "2022-07-01"),
        ("La nouvelle grue est prévue pour mars 2023 et elle sera dans le port.", "2023-04-01"),
    ],
)
def test_a_time_to_come_that_has_passed(text: str, until: str) -> None:
    (stale,) = found(text)
    assert (stale.kind, stale.by, stale.quote.text) == (PASSED, None, text)
    assert 0.6 < stale.score <= 0.8
    assert iso(stale.cause).startswith(until)
    assert iso(stale.quote.since).startswith("2022-01-15")
    day_before = iso(stale.cause - 2)[:10]
    assert found(text, as_of=day_before) == []


@pytest.mark.parametrize(
    "text",
    [
        "The crane was delivered in March 2021.",
        "The fee for the crane is 25 euros from 4 April 2023.",
        "Whoever was hired before 4 April 2023 is paid as before.",
        "Pilots who join in April will not need the review of that year.",
        "What is in progress we will finish this week, or later.",
        'He says: "I will deliver the crane in March 2023.”',
        "The crane was to be delivered in March 2023, but the works burned down.",
        "The crane will be delivered in March 2031.",
        "> The crane will be delivered in March 2023.",
        'The mayor said: "The crane will be delivered in March 2023."',
        "```\nThe crane will be delivered in March 2023.\n```",
        "### Example of a letter\n\nThe crane will be delivered in March 2023.",
        "Ex: The contract ends in July 2023.",
        "Ex: The contract ends in July. The crane will be delivered in March 2023.",
        "Cranes are checked bi-annually and will be painted on 1 February or 1 August.",
        "Will the crane be delivered in March 2023?",
        "For example, the crane will be delivered in March 2023.",
        "If you apply within 48 hours, it will be free.",
        "Every crane will be checked next week.",
        "The Windows 2023 edition will run.",
    ],
)
def test_nothing_to_come_has_passed(text: str) -> None:
    assert found(text) == []


WILL = "The new crane will be delivered in March 2023."


def test_documents_and_sections_of_their_day_are_left_alone() -> None:
    assert found(WILL, name="minutes/harbour.md") == []
    assert found(f"## Version 1.2\n\n{WILL}") == []


def test_a_sentence_is_as_old_as_it_stands_without_a_break() -> None:
    told: list[Told] = [
        ("2022-01-15", "a.md", f"# A\n\n{WILL} Ships wait."),
        ("2023-06-01", "a.md", f"# A\n\n{WILL} No ship waits."),
    ]  # fmt: skip
    (stale,) = listed(passed_times, told, "2024-01-01")
    assert iso(stale.quote.since).startswith("2022-01-15")
    again: list[Told] = [told[0], ("2022-06-01", "a.md", "# A\n\nShips wait."), told[1]]
    assert listed(passed_times, again, "2024-01-01") == []  # it was written again after that time


# -- which documents and sections keep what was so on their day ------------------------------------


def of_day(*told: Told) -> set[str]:
    with new_corpus() as corpus:
        tell(corpus, told)
        return corpus.at("2025").use(lambda view: {lives(view)[number].name for number in of_their_day(view)})


OF_THEIR_DAY = (
    "CHANGELOG.md", "docs/release-notes.md", "docs/release_notes/v2.md", "news.md", "blog/crane.md",
    "minutes/2021-03.md", "Meeting notes 5 March 2021.md", "journal/monday.md", "2021-03-05.md",
    "20210305.md", "adr/0004-cranes.md", "decisions/cranes.md", "archive/cranes.md", "history.md",
    "whatsnew/3.9.md", "2019/cranes.md", "2019-cranes.md", "annual-report-2021.md",
    "Sitzungsprotokolle/Mole.md", "更新日志.md",
)  # fmt: skip
OTHERS = (
    "cranes.md", "docs/blogging.md", "how-to-write-release-notes-by-hand.md", "posts-and-piles.md",
    "news-desk.md", "windows-server-2019-setup.md", "api-v1.2.md", "historic-harbours.md",
    "decision-tree.md", "port-8080.md",
)  # fmt: skip


@pytest.mark.parametrize("name", OF_THEIR_DAY + OTHERS)
def test_names_of_documents_of_their_day(name: str) -> None:
    assert bool(by_name(name, "")) == (name in OF_THEIR_DAY)


PAST = (
    "Changelog", "History", "Release notes", "Version 1.2", "v2.0.1 (2021-03-05)", "2019", "Archive",
    "Deprecated", "Known issues (before 2.0)", "Migration from 1.x", "What's new in 3.0",
    "5 March 2021", "[1.2.0] - 2021-03-05", "Geschichte", "Änderungen",
)  # fmt: skip
NOW = ("Cranes", "Installation", "Using 2 cranes", "Versions", "Newer cranes", "Change a crane")


@pytest.mark.parametrize("heading", PAST + NOW)
def test_headings_of_the_past(heading: str) -> None:
    assert bool(historical_headings(("Harbour", heading))) == (heading in PAST)


@pytest.mark.parametrize("front", ["type: meeting", "status: superseded", "layout: post", "archived: true"])
def test_metadata_says_so(front: str) -> None:
    assert of_day(("2021", "a.md", f"---\n{front}\n---\n# A\n\nText.")) == {"a.md"}
    assert of_day(("2021", "a.md", "---\ntype: page\n---\n# A\n\nText.")) == set()


def test_a_document_is_of_its_year_if_it_began_then() -> None:
    text = "# Plan\n\nText."
    assert of_day(("2021-02", "plan-2021.md", text), ("2021-02", "server-2008.md", text)) == {"plan-2021.md"}
    assert of_day(("2021-02", "regatta2021.md", text), ("2021-02", "iso2008.md", text)) == {"regatta2021.md"}


def test_sections_headed_by_dates() -> None:
    text = "# Crane\n\n" + "".join(f"## 2021-0{month}-01\n\nOiled.\n\n" for month in range(1, 6))
    assert of_day(("2021", "crane.md", text)) == {"crane.md"}
