"""Suggested edits: diffs that git applies, and texts for which nothing is suggested."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from tests.support.stale_values import quote

from asof.stale.suggested_edit import moved, suggested_diff

TEXT = "# Old\n\nOne.\nThe free plan has 10 GB. Two.\n- three\n- four\n- five\n- six\n"
SENTENCE = "The free plan has 10 GB."
DIFF = """\
--- old.md
+++ old.md
@@ -1,7 +1,7 @@
 # Old
{}
 One.
-The free plan has 10 GB. Two.
+The free plan has 50 GB. Two.
 - three
 - four
 - five
""".format(" ")


def diff(text: str, sentence: str, replacement: str) -> str:
    return suggested_diff(text, quote(text=sentence, start=text.index(sentence)), replacement)


def test_a_diff() -> None:
    assert diff(TEXT, SENTENCE, "The free plan has 50 GB.") == DIFF
    assert moved(DIFF, 4).splitlines()[2:] == ["@@ -5,7 +5,7 @@", *DIFF.splitlines()[3:]]


@pytest.mark.parametrize("replacement", ["", " \n ", SENTENCE, f" {SENTENCE}\n"])
def test_nothing_is_suggested(replacement: str) -> None:
    assert diff(TEXT, SENTENCE, replacement) == ""


def test_a_sentence_that_stands_elsewhere() -> None:
    assert suggested_diff(TEXT, quote(text=SENTENCE, start=3), "Other.") == ""
    assert suggested_diff("", quote(text=SENTENCE, start=3), "Other.") == ""


def test_no_line_feed_at_the_end() -> None:
    made = diff(SENTENCE, SENTENCE, "Other.")
    assert made.splitlines()[3:] == [
        f"-{SENTENCE}", "\\ No newline at end of file", "+Other.", "\\ No newline at end of file",
    ]  # fmt: skip


def test_a_replacement_and_a_name_cannot_make_lines() -> None:
    made = diff(TEXT, SENTENCE, "Other.\n--- etc/passwd\n+++ etc/passwd\n@@ -1 +1 @@\n-x\n+y")
    assert sum(line.startswith(("---", "+++")) for line in made.splitlines()) == 2
    named = suggested_diff("a", quote("x\n@@ -1 +1 @@", "a"), "b")
    assert named.splitlines()[:3] == ["--- x @@ -1 +1 @@", "+++ x @@ -1 +1 @@", "@@ -1 +1 @@"]


def applied(folder: Path, text: str, made: str) -> str:
    (folder / "old.md").write_bytes(text.encode())
    subprocess.run(
        ["git", "apply", "-p0", "--whitespace=nowarn"], cwd=folder, input=made.encode(), check=True,
        capture_output=True,
    )  # fmt: skip
    return (folder / "old.md").read_bytes().decode()


def test_git_applies_it(tmp_path: Path) -> None:
    assert applied(tmp_path, TEXT, DIFF) == TEXT.replace("10 GB", "50 GB")
    above = "---\ndate: 2021\n---\n"
    assert applied(tmp_path, above + TEXT, moved(DIFF, 3)) == above + TEXT.replace("10 GB", "50 GB")


LINES = st.text(st.sampled_from("ab \n\x0c\u2028-+@"), max_size=40)


@settings(max_examples=40, deadline=None)
@example("", "a\n\n\n\na", "\n\n\n\n@")  # the lines below are like those that go
@given(LINES, st.text(st.sampled_from("ab \n-"), min_size=1, max_size=12), LINES)
def test_git_applies_any(
    tmp_path_factory: pytest.TempPathFactory, before: str, core: str, after: str
) -> None:
    assume(core.strip())
    text = before + core + after
    made = suggested_diff(text, quote(text=core, start=len(before)), "Other")
    edited = before + core.replace(core.strip(), "Other", 1) + after
    assert applied(tmp_path_factory.mktemp("any"), text, made) == edited
