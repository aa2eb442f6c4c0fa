"""Jupyter notebooks, as Markdown: the text of their cells, their code, and its printed output; no images."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from asof.documents import Problem, line_feeds, storable
from asof.sources.blocks import fenced
from asof.sources.markdown import parse_markdown
from asof.sources.readers import ParsedFile, Unreadable, text_reader
from asof.sources.source import InputLimits
from asof.wire import replace

LONGEST_OUTPUT = 2_000
"""Characters of an output that are read."""

FORMAT = 4
_COLOURS = re.compile(r"\x1b\[[0-9;?]{0,40}[A-Za-z]")
_PICTURE = re.compile(r"!\[([^\[\]\n]{0,1000})\]\((?:data:|attachment:)[^()\s]*+\)")


def parse_notebook(text: str, stem: str, limits: InputLimits) -> ParsedFile:
    """A notebook of format 4. Raises Unreadable."""
    try:
        notebook = json.loads(text)
    except (ValueError, RecursionError) as wrong:
        raise Unreadable(f"it is damaged: it is no JSON: {str(wrong)[:200]}", "save it again") from wrong
    if not isinstance(notebook, dict) or "nbformat" not in notebook:
        raise Unreadable("it is no notebook: it names no nbformat", "save it again")
    if (version := notebook["nbformat"]) != FORMAT:
        raise Unreadable(
            f"it is a notebook of format {version!r:.40}; read is {FORMAT}", "convert it with nbconvert"
        )
    metadata = _dict(notebook.get("metadata"))
    language = _text(_dict(metadata.get("language_info")).get("name"))
    blocks, cut = _blocks(notebook)
    body = "\n\n".join(filter(None, blocks))
    if not body.strip():
        raise Unreadable("there is no text in the file", empty=True)
    if len(body) > limits.characters:
        raise Unreadable(f"it has more than {limits.characters:,} characters", "split it")
    body = f"\n{body}" if body.startswith("---") else body  # a rule: no frontmatter begins here
    page = parse_markdown(body, _text(metadata.get("title")) or stem, limits)
    are = "output is" if cut == 1 else "outputs are"
    note = Problem(f"{cut} {are} longer than {LONGEST_OUTPUT:,} characters: the rest is not read", lost=False)
    authors = [name for each in _dicts(metadata.get("authors")) if (name := _text(each.get("name")))]
    front = {"kernel_language": language, "author": authors[0] if len(authors) == 1 else authors}
    said = {key: value for key, value in front.items() if value}
    return replace(page, front=said, notes=(note,) if cut else (), by="metadata")


NOTEBOOK = text_reader(parse_notebook)


def _blocks(notebook: Mapping[str, Any]) -> tuple[list[str], int]:
    """The cells as blocks of Markdown, and how many outputs are cut."""
    blocks: list[str] = []
    cut = 0
    for cell in _dicts(notebook.get("cells")):
        source = _text(cell.get("source"))
        if cell.get("cell_type") != "code":
            blocks.append(_PICTURE.sub(r"\1", source))
            continue
        blocks.append(fenced(source) if source.strip() else "")
        for output in _dicts(cell.get("outputs")):
            said = _COLOURS.sub("", _said(output)).strip("\n")
            cut += len(said) > LONGEST_OUTPUT
            blocks.append(fenced(said[:LONGEST_OUTPUT]) if said else "")
    return blocks, cut


def _said(output: Mapping[str, Any]) -> str:
    """The text of an output; "" for one that is shown as a picture or a table."""
    match output.get("output_type"):
        case "stream":
            return _text(output.get("text"))
        case "error":
            return f"{_text(output.get('ename'))}: {_text(output.get('evalue'))}"
        case "execute_result" | "display_data":
            data = _dict(output.get("data"))
            text = _text(data.get("text/plain"))
            return "" if data.keys() - {"text/plain"} and text.startswith("<") else text
    return ""


def _text(value: object) -> str:
    """A text, or the lines of one."""
    if isinstance(value, list):
        value = "".join(line for line in value if isinstance(line, str))
    return storable(line_feeds(value)) if isinstance(value, str) else ""


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _dicts(value: object) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
