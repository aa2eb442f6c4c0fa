"""`asof facts`: what is known of a subject, in columns and as JSON."""

from __future__ import annotations

import pytest
from tests.support.fact_lines import CALLED, learn
from tests.support.json_schema import against

from asof.corpus.corpus import open as open_corpus

from .conftest import filled

HEAD = "---\ndate: {date}\ncompany: {company}\nticker: {ticker}\n---\n"


def note(date: str, *lines: str) -> str:
    return HEAD.format(date=date, company="Quay Ropes, Inc.", ticker="QRI") + "\n".join(lines) + "\n"


def learned(asof, write, **notes: str) -> None:
    """Writes notes, takes them in, and reads the facts that their lines are."""
    for name, text in notes.items():
        write(f"notes/{name}.md", text)
    assert asof("index", "notes").code == 0
    with open_corpus(".") as corpus:
        learn(corpus)


@filled
def quay(asof, write):
    """Two reports of a company, a gazette, a note that changes in 2025."""
    mayor = f"Lowtide Harbour Town | {CALLED} | LHT\nLHT | mayor | Ada Marsh\n"
    learned(
        asof, write,
        q1=note("2024-05-07", "Quay Ropes | gross margin | 55.8% | 2024-Q1",
                "Quay Ropes | gross margin | up 160bp | 2024-Q1"),
        q2=note("2024-08-01", "QRI | gross margin | 61% | 2024-Q2", "QRI | revenue | $3.7 billion | 2024-Q2"),
        gazette="---\ndate: 2024-09-01\n---\n"
                "QRI | gross margin | 58% | 2024-Q2\nQRI | revenue | $3.68 billion | 2024-Q2\n",
        town=f"---\ndate: 2024-01-10\n---\n{mayor}",
    )  # fmt: skip
    learned(asof, write, town="---\ndate: 2025-02-01\n---\nLHT | mayor | Tom Reed\n")


def test_facts_by_relation_in_order_of_their_time(asof, quay):
    result = asof("facts", "Quay", "Ropes", "--relation", "gross margin")
    assert (result.code, result.err) == (0, "")
    assert result.out.splitlines() == [
        "Quay Ropes, Inc. (QRI) as of now · 3 facts",
        "  gross margin",
        "    2024-Q1   55.8%   up 160bp   [notes/q1.md]",
        "    2024-Q2   61%                [notes/q2.md]",
        "      contradicted by 58% [notes/gazette.md] (2024-09-01)",
        "    2024-Q2   58%                [notes/gazette.md]",
        "      contradicted by 61% [notes/q2.md] (2024-08-01)",
    ]


def test_figures_that_round_to_each_other_are_the_same(asof, quay):
    lines = asof("facts", "QRI", "--relation", "revenue").out.splitlines()
    assert lines[2:] == [
        "    2024-Q2   $3.7 billion    [notes/q2.md]",
        "      also stated by notes/gazette.md",
        "    2024-Q2   $3.68 billion   [notes/gazette.md]",
        "      also stated by notes/q2.md",
    ]


def test_a_state_and_what_came_in_its_place(asof, quay):
    """The text that says what LHT means is gone, too."""
    assert asof("facts", "LHT").out.splitlines() == [
        "LHT as of now · 2 facts",
        "  mayor",
        "    2024-01-10 - 2025-02-01   Ada Marsh   [notes/town.md]",
        "      superseded by Tom Reed [notes/town.md] (2025-02-01)",
        "      removed on 2025-02-01",
        "    2025-02-01 - now          Tom Reed    [notes/town.md]",
    ]
    then = asof("facts", "Lowtide Harbour Town", "--as-of", "2025-01-31").out.splitlines()
    assert then == [
        "Lowtide Harbour Town (LHT) as of 2025-01-31 · 1 fact",
        "  mayor",
        "    2024-01-10 - then   Ada Marsh   [notes/town.md]",
    ]


def test_why(asof, quay):
    lines = asof("facts", "LHT", "--why", "--as-of", "2024-12").out.splitlines()
    assert lines[1] == (
        f'  LHT is Lowtide Harbour Town: "Lowtide Harbour Town | {CALLED} | LHT" [notes/town.md] (2024-01-10)'
    )
    assert lines[-1] == (
        '      "LHT | mayor | Ada Marsh" - visible since 2024-01-10; time read from the date of publication'
    )
    assert (
        "QRI is Quay Ropes, Inc.: its title and metadata [notes/q1.md]" in asof("facts", "QRI", "--why").out
    )
    assert "time read from its words: 2024-Q1" in asof("facts", "QRI", "--why").out


def test_since_until_and_how_many(asof, quay):
    def figures(*options):
        result = asof("facts", "QRI", "--json", *options).json()
        return [fact["object"] for group in result["groups"] for fact in group["facts"]], result["left_out"]

    assert figures("--since", "2024-05", "--relation", "margin") == (["61%", "58%"], 0)
    assert figures("--until", "2024-03") == (["55.8%"], 0)
    assert figures("-k", "1")[1] == 4
    assert "(4 older left out; -k 5 shows all)" in asof("facts", "QRI", "-k", "1").out


def test_what_was_not_known_or_published_is_not_told(asof, quay):
    for options in (["--known-at", "2023"], ["--as-of", "2024-01"]):
        result = asof("facts", "Quay Ropes", *options)
        assert (result.code, result.out.partition(";")[0].strip()) == (1, "no fact about Quay Ropes")


def test_nobody_knows_the_subject(asof, quay):
    result = asof("facts", "Quai Ropes")
    assert (result.code, result.out) == (1, "no fact about Quai Ropes; did you mean Quay Ropes?\n")
    found = asof("facts", "Quai Ropes", "--json").json()
    assert (found["similar_names"], found["groups"], found["names"]) == (["Quay Ropes"], [], [])
    result = asof("facts", "QRI", "--relation", "profit")
    assert (result.code, result.out.splitlines()[1:]) == (1, ["nothing found"])


@pytest.mark.parametrize(
    ("arguments", "told_why"),
    [
        ([" "], "SUBJECT is empty"),
        (["QRI", "--since", "blue"], "--since"),
        (["QRI", "-k", "0"], "0 is not between 1 and 10000"),
    ],
)
def test_wrong_usage(asof, quay, arguments, told_why):
    result = asof("facts", *arguments)
    assert result.code == 2
    assert told_why in result.err


def test_a_fact_cannot_steer_the_terminal(asof, write):
    learned(asof, write, evil="---\ndate: 2020-01-01\n---\nbell | \x1b[31mrang | \x1b[32mtwice\n")
    for options in ([], ["--why"], ["--json"]):
        result = asof("facts", "bell", *options)
        assert result.code == 0
        assert "\x1b" not in result.out


def test_the_json_keeps_its_schema(asof, quay):
    for subject in ("QRI", "LHT", "nobody"):
        assert against("facts", asof("facts", subject, "--json").json()) == []


def test_facts_that_the_rules_find(asof, write):
    """End to end, without another extractor: the first question reads what is new."""
    front = "---\ndate: 2024-05-07\ncompany: Quay Ropes, Inc.\n---\n"
    write(
        "notes/q1.md",
        f"{front}# Results\n\nRevenue was $3.7 million in the first quarter of 2024, up 5% year over year.\n",
    )
    write(
        "notes/q2.md", "---\ndate: 2020-05-07\n---\n# Harbour\n\nMarta Quill is harbour master of Lowtide.\n"
    )
    assert asof("index", "notes").code == 0
    result = asof("facts", "Quay Ropes")
    assert (result.code, result.err) == (0, "")
    assert result.out.splitlines()[0].startswith("Quay Ropes, Inc. as of now · ")
    assert "2024-Q1   $3.7 million" in result.out
    assert "harbour master" in asof("facts", "Marta Quill").out
