"""Annotations and Markdown: hostile words of documents give no command and no mark."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.support.stale_values import placed, quote, report, stale

from asof.extensions.facts.cli_stale import annotation_lines, code, escaped, from_top, markdown_lines
from asof.extensions.facts.current import QUOTED

HOSTILE = "100%\n::set-output name=x::y\r\n##[set-env name=A]b,c:d \x1b[31m\u2028::error::z"


@pytest.fixture
def top(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The top of a repository, with the current folder below it."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "notes").mkdir()
    monkeypatch.chdir(tmp_path / "notes")
    return tmp_path


def test_an_annotation_stands_at_the_line_of_its_file(top: Path) -> None:
    one = placed(stale(quote(text="The free plan\nhas 10 GB.")), 7, top / "notes/old.md", top / "new.md")
    (line,) = annotation_lines(report(one))
    head, _, message = line.removeprefix("::warning ").partition("::")
    assert head == "file=notes/old.md,line=7,endLine=8,title=stale link%3A old.md"
    assert message.split("%0A") == [
        "“The free plan has 10 GB.” (2021-03)",
        "there: new.md:4 (1970-01-31): “The free plan has 50 GB.”",
        "10 GB became 50 GB",
        f"because {one.stale.reason}",
    ]


def test_what_is_in_no_file_has_no_place(top: Path) -> None:
    (line,) = annotation_lines(report(placed(stale(by=None))))
    assert line.startswith("::warning title=stale link%3A old.md::“")


def test_a_file_outside_of_every_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a").mkdir()
    monkeypatch.chdir(tmp_path)
    assert from_top(tmp_path / "a" / "b.md") == "a/b.md"
    monkeypatch.chdir(tmp_path / "a")
    assert from_top(tmp_path / "c.md") == "c.md"


def parsed(line: str) -> tuple[dict[str, str], str]:
    """A command as the runner of GitHub reads it."""
    command = re.fullmatch(r"::warning ([^\n\r]*?)::([^\n\r]*)", line)
    assert command is not None, line
    properties = dict(each.split("=", 1) for each in command[1].split(","))
    return properties, unquote(command[2])


@given(st.text() | st.sampled_from([HOSTILE, "::error::x", "a,line=1", "%0A::error::", "##[error]"]))
def test_words_of_documents_are_no_commands(words: str) -> None:
    other = quote(words, f"x{words}", 5, title=words)
    one = placed(stale(quote(words, f"x{words}", title=words), other, change=words), 7, Path("/r") / "f.md")
    lines = list(annotation_lines(report(one)))
    assert len(lines) == 1
    assert len(lines[0].splitlines()) == 1, "nothing ends the line"
    assert "##[" not in lines[0]
    properties, _ = parsed(lines[0])
    assert sorted(properties) == ["endLine", "file", "line", "title"]
    assert properties["line"] == "7"


def test_a_page_links_to_the_lines(top: Path) -> None:
    one = placed(stale(), 7, top / "notes/an old (1)#.md", top / "new.md")
    two = placed(stale(kind=QUOTED))
    old = "notes/an old \\(1\\)\\#\\.md:7"
    assert list(markdown_lines(report(one, two, more=3), dated=False)) == [
        "# 5 stale sentences, now",
        "",
        f"1. [{old}](notes/an%20old%20%281%29%23.md#L7) (link, 2021\\-03): `The free plan has 10 GB.`",
        "   - there: [new\\.md:4](new.md#L4) (1970\\-01\\-31): `The free plan has 50 GB.`",
        "   - 10 GB became 50 GB",
        f"   - because {escaped(one.stale.reason)}",
        "",
        "2. old\\.md:7 (quote, 2021\\-03): `The free plan has 10 GB.`",
        "   - there: new\\.md:4 (1970\\-01\\-31): `The free plan has 50 GB.`",
        "   - 10 GB became 50 GB",
        f"   - because {escaped(two.stale.reason)}",
        "\n3 more are not shown.",
    ]
    assert list(markdown_lines(report(), dated=True)) == ["# Nothing is stale, as of 1971-02-05 00:00Z"]


@pytest.mark.parametrize(
    ("text", "page"),
    [
        ("<script>alert(1)</script>", "&lt;script&gt;alert\\(1\\)&lt;/script&gt;"),
        ("[x](javascript:y) ![z](w)", "\\[x\\]\\(javascript:y\\) \\!\\[z\\]\\(w\\)"),
        ("a\n\n# b | c", "a␊␊\\# b \\| c"),
        ("@maya and #12", "@\u200bmaya and \\#\u200b12"),
        ("https://x.example www.x", "https:\u200b//x\\.example www\u200b\\.x"),
        ("&lt; $x$", "&amp;lt; \\$x\\$"),
    ],
)
def test_marks_are_words(text: str, page: str) -> None:
    assert escaped(text) == page


@pytest.mark.parametrize(
    ("text", "page"),
    [
        ("plain @maya **bold**", "`plain @maya bold`"),
        ("1 < 2 [x](y)", "`1 < 2 x`"),
        ("one ` two ``` three", "```` one ` two ``` three ````"),
        ("", "`…`"),
    ],
)
def test_nothing_ends_a_span_of_code(text: str, page: str) -> None:
    assert code(placed(stale(quote(text=text))).quote) == page
