"""Versions in texts, headings and paths, and what a question asks of them."""

from __future__ import annotations

import pytest

from asof.text.versions import (
    AFTER,
    BEFORE,
    FIRST,
    IN,
    NEWEST,
    RANGE,
    UNDER,
    WHICH,
    asked,
    of_passage,
    versions_in,
)


def written(text: str) -> list[str]:
    return [version.text for version, _, _ in versions_in(text)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("since 1.15, gone in v2.0.1", ["1.15", "v2.0.1"]), ("version 5 and release 12", ["5", "12"]),
        ("2.0.0b22 before 2.0.0rc1", ["2.0.0b22", "2.0.0rc1"]), ("docs for 3.x", ["3.x"]), ("v3", ["v3"]),
        ("on 2024.05.06 and 6.5.2024", []), ("Minutes 2024.05", []), ("Gridlet 2023.2", ["2023.2"]),
        ("in 2023.2", ["2023.2"]),
        ("5 boats", []), ("it cost 4,50 or 4.5%", []), ("10.0.0.1.", ["10.0.0.1"]), ("IPv6", []),
        ("PEP 649", []), ("£4.60, or 4.60 euros", []), ("4.60 with € 3.20 and 4.20€", ["4.60"]),
    ],
)  # fmt: skip
def test_versions_in_a_text(text: str, found: list[str]) -> None:
    assert written(text) == found


def test_ordinals_are_in_the_order_of_versions() -> None:
    """1.15 covers 1.15.0rc1 to 1.15.9; a release comes after what led to it."""
    texts = ["1.9", "1.10.0a1", "1.10.0b2", "1.10.0rc1", "1.10.0", "1.10.1", "10.0.19045", "10.0.22631"]
    found = [next(versions_in(text))[0] for text in texts]
    assert [each.at for each in found] == sorted(each.at for each in found)
    ten = next(versions_in("1.10"))[0]
    assert [ten.first <= each.at < ten.behind for each in found] == [False, *[True] * 5, False, False]


@pytest.mark.parametrize(
    ("headings", "title", "path", "version"),
    [
        ("Changelog\n[1.4.2] - 2021-03-05\nFixed", "Changelog", "CHANGELOG.md", "1.4.2"),
        ("Release notes for 4.2", "Notes", "a.md", "4.2"), ("", "Foo 4.2.1", "releases/x.md", "4.2.1"),
        ("Limits", "Limits", "docs/v2/limits.md", "v2"), ("Limits", "Limits", "docs-3.x/limits.md", "3.x"),
        ("Limits", "Limits", "1.15/limits.md", "1.15"), ("", "", "releases/4.2.1.md", "4.2.1"),
        ("How we moved from the old build to 3.0", "Notes", "a.md", ""), ("", "", "notes-1.2.md", ""),
        ("Limits", "Limits", "docs/limits.md", ""), ("2.1 Fees", "Law", "law.md", ""),
        ("", "Diary", "2024/05/2024.05.06.md", ""), ("1 Scope", "Law", "law.md", ""),
        ("", "Quillbox 3.0 release notes", "a.md", "3.0"), ("", "Section 2.1 Fees", "a.md", ""),
    ],
)  # fmt: skip
def test_the_version_of_a_passage(headings: str, title: str, path: str, version: str) -> None:
    """Its innermost heading with one counts, then its title, then a part of its path."""
    found = of_passage(headings, title, path)
    assert (found.text if found else "") == version


@pytest.mark.parametrize(
    ("question", "kind", "version", "change"),
    [
        ("What was the default port in Kestrel 2.3?", IN, "2.3", ""),
        ("how many shards does v1 allow", IN, "v1", ""),
        ("what was the port before 3.0", UNDER, "3.0", ""),
        ("Which release dropped XML?", WHICH, "", "removed"),
        ("in which Kestrel version was --fast introduced", FIRST, "", "added"),
        ("first version with dark mode", FIRST, "", ""),
        ("which release came right before 2.4.0?", BEFORE, "2.4.0", ""),
        ("the release after 1.9", AFTER, "1.9", ""),
        ("What changed in 1.8.2?", IN, "1.8.2", "changed"), ("what was fixed in 4.2.1", IN, "4.2.1", "fixed"),
        ("Seit welcher Version gibt es Cron?", FIRST, "", "added"),
        ("Was wurde in 2.1 behoben?", IN, "2.1", "fixed"),
        ("What changed in version 2.0?", IN, "2.0", "changed"),
        ("What changed in the release before 2.0?", BEFORE, "2.0", "changed"),
        ("Which version before 2.0 removed XML?", WHICH, "", "removed"),
        ("Which version dropped Python 3.8?", WHICH, "", "removed"),
        ("When was XML deprecated?", WHICH, "", "deprecated"),
        ("What is the latest stable release of Kestrel?", NEWEST, "", ""),
        ("What changed in the newest version?", NEWEST, "", "changed"),
        ("latest version with dark mode", WHICH, "", ""), ("timeout since 2.4", IN, "2.4", ""),
    ],
)  # fmt: skip
def test_what_a_question_asks_of_versions(question: str, kind: str, version: str, change: str) -> None:
    asks = asked(question)
    assert asks is not None
    assert (asks.kind, asks.version.text if asks.version else "", asks.change) == (kind, version, change)


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("What changed in 2.0?", "2.0.0rc1 2.0.0 2.0.1"),
        ("What changed between 1.0.0 and 2.0.0?", "1.0.1 1.9 1.10 2.0.0rc1 2.0.0"),
        ("What changed from Kestrel 1.9 to Kestrel 1.10?", "1.10"),
        ("What changed between 1.10 and 1.9?", "1.10"),
        ("What has changed since 1.0?", "1.0.1 1.9 1.10 2.0.0rc1 2.0.0 2.0.1"),
        ("What is new after 1.x?", "2.0.0rc1 2.0.0 2.0.1"),
        ("What was added before 2.0?", "1.0.0 1.0.1 1.9 1.10"), ("What changed up to 1.0?", "1.0.0 1.0.1"),
        ("Was hat sich zwischen 1.10 und 2.0 geändert?", "2.0.0rc1 2.0.0 2.0.1"),
    ],
)  # fmt: skip
def test_the_versions_that_a_question_means(question: str, meant: str) -> None:
    """A range begins behind the version that it names, and ends with all that begin as its last one does."""
    versions = [each for each, *_ in versions_in("1.0.0 1.0.1 1.9 1.10 2.0.0rc1 2.0.0 2.0.1")]
    asks = asked(question)
    assert asks is not None
    assert asks.kind == (IN if " in 2.0" in question else RANGE)
    assert [each.text for each in versions if asks.first <= each.at < asks.behind] == meant.split()


@pytest.mark.parametrize(
    "question",
    ["What costs 2.0 euros?", "Who is the mayor?", "what happened in 2023", "the latest news", "PEP 649"],
)
def test_other_questions_ask_nothing_of_versions(question: str) -> None:
    assert asked(question) is None
