"""Runs the commands of a page and writes what they print below them: python docs/shown.py docs/tutorial.md

A `console` block holds commands (asof, git, mkdir, cd, rm); the `text` block after it, if there is one, holds
what they print, with a line "…" for lines that are left out. A block below a line such as "`boiler.md`:" is
a file. `python` blocks run in the folder where the page began.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from click.testing import CliRunner

from asof.errors import MissingExtra

BLOCK = re.compile(
    r"^`(?P<file>[^`\n]+)`:\n\n```[a-z]+\n(?P<content>.*?)^```"
    r"|^```console\n(?P<commands>.*?)^```(?P<output>\n\n```text\n.*?^```)?"
    r"|^```python\n(?P<python>.*?)^```(?P<printed>\n\n```text\n.*?^```)?",
    re.MULTILINE | re.DOTALL,
)
NUMBER = re.compile(r"\d+")
SECONDS = re.compile(r"in \d+\.\d s\b")
ENVIRONMENT = {"ASOF_CONFIG": os.devnull, "COLUMNS": "100", "NO_COLOR": "1", "TZ": "UTC"}
GIT = {
    "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull,
    "GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.org",
    "GIT_COMMITTER_NAME": "Ada", "GIT_COMMITTER_EMAIL": "ada@example.org",
}  # fmt: skip


def played(page: str, folder: Path) -> str:
    """The page with what its commands print in `folder`, which is empty at first; seconds are fixed."""
    here = folder

    def block(match: re.Match[str]) -> str:
        nonlocal here
        if match["file"]:
            (here / match["file"]).write_text(match["content"], encoding="utf-8")
            return match[0]
        if match["python"]:
            try:
                return _with_output(match, match["printed"], _python(match["python"], folder))
            except MissingExtra:
                return match[0]
        lines = [shlex.split(line[2:], comments=True) for line in match["commands"].splitlines()]
        printed = ""
        for words in lines:
            if words[0] == "mkdir":
                (here / words[1]).mkdir()
            elif words[0] == "cd":
                here = here / words[1]
            elif words[0] == "rm":
                (here / words[1]).unlink()
            elif "git" in words[:2]:  # a variable may stand before it: GIT_COMMITTER_DATE=...
                _git(words, here)
            elif words[0] == "asof" and words[1] != "--version":
                printed += _asof(words[1:], here)
        return _with_output(match, match["output"], printed)

    return BLOCK.sub(block, page)


def _with_output(match: re.Match[str], output: str | None, printed: str) -> str:
    """The block with what was printed in place of the output that it shows; as it is where it shows none."""
    if output is None:
        return match[0]
    printed = SECONDS.sub("in 0.1 s", printed)
    return f"{match[0].removesuffix(output)}\n\n```text\n{_shortened(printed, output)}```"


def _shortened(printed: str, shown: str) -> str:
    """What was printed, with "…" for the lines that the page leaves out. Lines between two of them
    begin at the next line that is the same apart from numbers."""
    lines, kept = printed.splitlines(keepends=True), shown.splitlines()[3:-1]
    if "…" not in kept:
        return printed
    first, *between, last = (
        part.splitlines() for part in re.split(r"^…\n?", "\n".join(kept), flags=re.MULTILINE)
    )
    out, at = lines[: len(first)], len(first)
    for part in between:
        same = (
            n for n in range(at, len(lines)) if NUMBER.sub("", lines[n].rstrip()) == NUMBER.sub("", part[0])
        )
        at = next(same, len(lines))
        out += ["…\n", *lines[at : at + len(part)]]
        at += len(part)
    return "".join([*out, "…\n", *lines[len(lines) - len(last) :]])


def _git(words: list[str], folder: Path) -> None:
    """Runs git. A page may set variables before it: GIT_COMMITTER_DATE=2024-05-20T12:00Z git commit ..."""
    at = words.index("git")
    environment = os.environ | GIT | dict(word.split("=", 1) for word in words[:at])
    subprocess.run(words[at:], cwd=folder, env=environment, check=True, capture_output=True)  # noqa: S603  our own words


def _asof(words: list[str], folder: Path) -> str:
    from asof.cli.main import cli

    with contextlib.chdir(folder):
        result = CliRunner().invoke(cli, words, env={**ENVIRONMENT, "HOME": str(folder)}, prog_name="asof")
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.output.replace(f"{folder}{os.sep}", "")


def _python(code: str, folder: Path) -> str:
    out = io.StringIO()
    with contextlib.chdir(folder), contextlib.redirect_stdout(out):
        exec(compile(code, "page", "exec"), {})  # noqa: S102  our own words
    return out.getvalue()


if __name__ == "__main__":
    for name in sys.argv[1:]:
        path = Path(name)
        with tempfile.TemporaryDirectory() as made:
            path.write_text(played(path.read_text(encoding="utf-8"), Path(made).resolve()), encoding="utf-8")
