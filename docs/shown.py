"""Runs the commands of a page and writes what they print below them: python docs/shown.py docs/tutorial.md

A `console` block holds commands; the `text` block after it, if there is one, holds what they print. A
`markdown` block below a line such as "`boiler.md`:" is a file. `python` blocks run in the folder where the
page began.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import sys
import tempfile
from pathlib import Path

from click.testing import CliRunner

from asof.errors import MissingExtra

BLOCK = re.compile(
    r"^`(?P<file>[^`\n]+)`:\n\n```markdown\n(?P<content>.*?)^```"
    r"|^```console\n(?P<commands>.*?)^```(?P<output>\n\n```text\n.*?^```)?"
    r"|^```python\n(?P<python>.*?)^```(?P<printed>\n\n```text\n.*?^```)?",
    re.MULTILINE | re.DOTALL,
)
SECONDS = re.compile(r"in \d+\.\d s\b")
ENVIRONMENT = {"ASOF_CONFIG": os.devnull, "COLUMNS": "100", "NO_COLOR": "1", "TZ": "UTC"}


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
            elif words[0] == "asof" and words[1] != "--version":
                printed += _asof(words[1:], here)
        return _with_output(match, match["output"], printed)

    return BLOCK.sub(block, page)


def _with_output(match: re.Match[str], output: str | None, printed: str) -> str:
    """The block with what was printed in place of the output that it shows; as it is where it shows none."""
    if output is None:
        return match[0]
    return f"{match[0].removesuffix(output)}\n\n```text\n{SECONDS.sub('in 0.1 s', printed)}```"


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
