"""Operators in a question: what is one, what stays a word of plain language, and what is said of it."""

from __future__ import annotations

from typing import Any

import pytest

from asof.errors import UsageError
from asof.lang import stop_words
from asof.text.operators import MOST, Operators, read_operators

GRAMMAR = stop_words("en") | stop_words("de")


def read(question: str) -> Operators:
    return read_operators(question, GRAMMAR.__contains__)


READ: list[tuple[str, str, dict[str, Any]]] = [
    ("crane -barge", "crane", {"without": ("barge",)}),
    ("-barge crane", "crane", {"without": ("barge",)}),
    ("crane, -barge!", "crane,", {"without": ("barge",)}),
    ("crane NOT barge", "crane", {"without": ("barge",)}),
    ("crane AND NOT barge", "crane", {"without": ("barge",)}),
    ("crane -barge NOT mole", "crane", {"without": ("barge", "mole")}),
    ('crane -"old barge"', "crane", {"without": ("old barge",)}),
    ("crane NOT “old barge”", "crane", {"without": ("old barge",)}),
    ("crane -state-of-the-art", "crane", {"without": ("state-of-the-art",)}),
    ("who sold cranes -barge?", "who sold cranes?", {"without": ("barge",)}),
    ("crane OR barge fares", "crane barge fares", {"any_of": (("crane", "barge"),)}),
    ("(crane OR barge) fares", "crane barge fares", {"any_of": (("crane", "barge"),)}),
    ("crane OR barge OR mole", "crane barge mole", {"any_of": (("crane", "barge", "mole"),)}),
    (
        "crane OR barge red OR blue", "crane barge red blue",
        {"any_of": (("crane", "barge"), ("red", "blue"))},
    ),
    ('"old crane" OR barge', "old crane barge", {"any_of": (("old crane", "barge"),)}),
    ("crane OR barge -mole", "crane barge", {"any_of": (("crane", "barge"),), "without": ("mole",)}),
    ("fares tag:money", "fares", {"filters": (("tag", "money"),)}),
    ("tag:money fares", "fares", {"filters": (("tag", "money"),)}),
    ("who pays tag:money?", "who pays?", {"filters": (("tag", "money"),)}),
    ("fares -tag:money", "fares", {"filters": (("-tag", "money"),)}),
    ("fares NOT tag:money", "fares", {"filters": (("-tag", "money"),)}),
    ('fares tag:"two words"', "fares", {"filters": (("tag", "two words"),)}),
    ("fares path:policies/ source:hr", "fares", {"filters": (("path", "policies/"), ("source", "hr"))}),
    ('fares path:"*.md?"', "fares", {"filters": (("path", "*.md?"),)}),
    (
        "fares after:2021 before:2022-05", "fares", {"filters": (("after", "2021"), ("before", "2022-05"))},
    ),
    ('fares after:"last spring"', "fares", {"filters": (("after", "last spring"),)}),
    ("fares meta:year>=2024", "fares", {"filters": (("meta", "year>=2024"),)}),
    ('fares meta:team="the harbour"', "fares", {"filters": (("meta", "team=the harbour"),)}),
    ("tag:money", "", {"filters": (("tag", "money"),)}),
]  # fmt: skip


@pytest.mark.parametrize(("question", "text", "expected"), READ)
def test_what_is_an_operator(question: str, text: str, expected: dict[str, Any]) -> None:
    found = read(question)
    assert found.text == text
    assert {
        name: getattr(found, name) for name in ("filters", "without", "any_of") if getattr(found, name)
    } == (expected)
    assert found.notes[0].startswith("read as filters: ")


PLAIN = [
    "", "crane", "crane or barge", "is it 5 -3?", "state-of-the-art", "a - b", "pages 3-5", "-5 degrees",
    "-h flag", "--help option", "see http://quay.example/tag:x", "note: the mole", "Re: tag : x", "a: tag: b",
    '"tag:money -barge OR NOT"', "“crane OR barge”", 'the 5" pipe', "the -v flag of it", "doi:10.1000/182",
    "urn:isbn:12", "score 2:1", "at 10:30", "std::vector", "mailto:a@b.example", "crane:barge:mole",
]  # fmt: skip


@pytest.mark.parametrize("question", PLAIN)
def test_plain_language_is_not_changed(question: str) -> None:
    assert read(question) == Operators(question)


@pytest.mark.parametrize(
    ("question", "words", "meant"),
    [
        ("folder:Household heating", "folder:Household", "path:Household"),
        ("file:decision", "file:decision", "path:*decision*"),
        ('budget file:"the plan"', 'file:"the plan"', "path:*the plan*"),
        ("tags:money rent", "tags:money", "tag:money"),
        ("befor:2021 rent", "befor:2021", "before:2021"),
        ("crane folder:Home/Car", "folder:Home/Car", "path:Home/Car"),
        ("crane dir:Home/Car/", "dir:Home/Car/", "path:Home/Car/"),
        ("paht:Home/Car", "paht:Home/Car", "path:Home/Car"),
        ("title:Crane", "title:Crane", "path:*Crane*"),
        ("crane filetype:pdf", "filetype:pdf", "path:*.pdf"),
        ("label:money/car", "label:money/car", "tag:money/car"),
        ("since:2021/05 crane", "since:2021/05", "after:2021/05"),
        ("hashtag:money", "hashtag:money", "meta:hashtag=money"),
        ("status:done rent", "status:done", "meta:status=done"),
    ],
)
def test_a_filter_of_another_program_is_told_with_the_nearest(question: str, words: str, meant: str) -> None:
    assert read(question) == Operators(question, notes=(f"read as words: {words} (did you mean {meant}?)",))
    with_filter = read(f"{question} tag:money")
    assert with_filter.text == question
    assert with_filter.notes[-1].endswith(f"(did you mean {meant}?)")


@pytest.mark.parametrize(
    "question",
    [
        "note: call Ada", "re: invoice", "meeting at 12:30", "folder: Home/Car", "https://quay.org/folder:a",
        "file:///home/a.md", "mailto:ada@quay.org", "from:ada@quay.org", "localhost:8080/status", "std::path",
        "C:/Home/Car", "crane crane:Crane",
    ],
)  # fmt: skip
def test_words_with_a_colon_stay_words_without_a_note(question: str) -> None:
    assert read(question) == Operators(question)


def test_a_tag_of_another_program_that_is_left_out_is_told() -> None:
    found = read("crane -label:money -folder:Home")
    assert (found.text, found.without) == ("crane", ("label:money", "folder:Home"))
    assert found.notes[-1] == "read as words: -label:money (did you mean -tag:money?)"


UNREAD = {
    "pre-2015 OR": "OR", "AND": "AND", "terms AND conditions": "AND", "what does NOT mean in SQL": "NOT",
    "keys that are NOT unique": "NOT", "NOT NULL": "NOT", "AND, OR and NOT in SQL": "AND, OR, NOT",
    "TO BE OR NOT TO BE": "OR, NOT", "Which ports does Quay NOT serve?": "NOT", "crane OR barge?": "OR",
    "Portland, OR hotels": "OR", "crane OR the barge": "OR", "what does -help do": "-help",
    "Be- und -entladen": "-entladen", "-barge": "-barge", "-barge -mole": "-barge, -mole",
}  # fmt: skip


@pytest.mark.parametrize(("question", "words"), UNREAD.items())
def test_what_may_be_plain_language_stays_and_is_told(question: str, words: str) -> None:
    assert read(question) == Operators(
        question, notes=(f"read as words: {words} (operators: a -b, a NOT b, a OR b)",)
    )


def test_brackets_are_told_where_they_would_say_something_else() -> None:
    found = read("(red crane) OR (blue barge)")
    assert found.any_of == (("crane", "blue"),)
    assert found.notes == (
        "read as filters: crane OR blue",
        "brackets are not read: OR joins the words beside it, NOT leaves out the next word",
    )
    assert len(read("crane NOT (blue barge)").notes) == 2
    assert len(read("(crane OR barge) NOT (mole)").notes) == 1


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ('fares tag:""', "tag: a value is expected: tag:VALUE"),
        ("fares -path:drafts/", "-path:drafts/: only a tag, a word or a phrase can be left out"),
        ("fares NOT after:2021", "-after:2021: only a tag"),
        ("tag:a OR tag:b", "OR joins two words or phrases, and no filters: ask twice"),
        ("crane OR tag:b", "crane OR tag:b: OR joins"),
        ("x " * 9 + " ".join(f"-word{n}" for n in range(MOST + 1)), "has 51 operators; accepted: up to 50"),
    ],
)
def test_what_is_no_filter_is_refused(question: str, message: str) -> None:
    with pytest.raises(UsageError, match=message.replace("(", r"\(")):
        read(question)
