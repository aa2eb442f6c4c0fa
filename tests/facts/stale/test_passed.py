"""Sentences that speak of a time to come which has passed, and sentences that do not."""

from __future__ import annotations

import pytest
from tests.support.notes import Told, listed

from asof.extensions.facts.current import PASSED, Stale
from asof.extensions.facts.expired_dates import passed_times
from asof.time.span import iso


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
    assert 0.45 < stale.score <= 0.8
    assert iso(stale.cause).startswith(until)
    assert iso(stale.quote.since).startswith("2022-01-15")
    day_before = iso(stale.cause - 2)[:10]
    assert found(text, as_of=day_before) == []


@pytest.mark.parametrize(
    "text",
    [
        "The crane was delivered in March 2021.",
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
        "The option `until 2023` will be read as a year.",
        "Read [What will change in 2023](https://example.org/2023).",
        "Will the crane be delivered in March 2023?",
        "For example, the crane will be delivered in March 2023.",
        "If you apply within 48 hours, it will be free.",
        "Every crane will be checked next week.",
        "The Windows 2023 edition will run.",
    ],
)
def test_nothing_to_come_has_passed(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [("Currently only the east pier is open.", "Currently"), ("A chart is coming soon.", "coming soon"),
     ("The price is as of 2021 the lowest.", "as of 2021"), ("For now the lamp is lit by hand.", "For now"),
     ("The council recently voted on it.", "recently"),
     ("Derzeit ist nur die Mole offen, und die Fähre ist nicht da.", "Derzeit")],
)  # fmt: skip
def test_words_of_a_day_long_ago(text: str, words: str) -> None:
    (stale,) = found(text)
    (older,) = found(text, as_of="2035-06-01")
    assert f"{words!r}" in stale.change
    assert 0.1 < stale.score < older.score < 0.42
    assert found(text, as_of="2022-03-01") == []


@pytest.mark.parametrize(
    "text",
    ["The currently selected pier is shown in red.", "Open a recently used chart.",
     "If the pier is currently closed, wait.", "Come as soon as you can.", "What is open at the moment?"],
)  # fmt: skip
def test_words_of_any_day(text: str) -> None:
    assert found(text) == []


WILL = "The new crane will be delivered in March 2023."


@pytest.mark.parametrize(
    "name", ["CHANGELOG.md", "minutes/harbour.md", "daily/2022-01-15.md", "blog/crane.md", "archive/crane.md"]
)
def test_documents_of_their_day_are_left_alone(name: str) -> None:
    assert found(WILL, name=name) == []


@pytest.mark.parametrize("heading", ["Changelog", "2022", "Version 1.2", "History", "Release notes"])
def test_sections_of_their_day_are_left_alone(heading: str) -> None:
    assert found(f"## {heading}\n\n{WILL}") == []


def test_a_sentence_is_as_old_as_it_stands_without_a_break() -> None:
    told: list[Told] = [
        ("2022-01-15", "a.md", f"# A\n\n{WILL} Ships wait."),
        ("2023-06-01", "a.md", f"# A\n\n{WILL} No ship waits."),
    ]  # fmt: skip
    (stale,) = listed(passed_times, told, "2024-01-01")
    assert iso(stale.quote.since).startswith("2022-01-15")
    again: list[Told] = [told[0], ("2022-06-01", "a.md", "# A\n\nShips wait."), told[1]]
    assert listed(passed_times, again, "2024-01-01") == []  # it was written again after that time


def test_a_sentence_is_as_old_as_the_document_that_was_renamed() -> None:
    text = f"# A\n\n{WILL} Ships wait."
    told: list[Told] = [
        ("2022-01-15", "a.md", text),
        ("2023-06-01", "a.md", None),
        ("2023-06-01", "b.md", text),
    ]
    (stale,) = listed(passed_times, told, "2024-01-01")
    assert iso(stale.cause).startswith("2023-04-01")
