"""Jupyter notebooks: the text of their cells, their code, and its printed output; no images."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from asof.extensions.documents.html_blocks import write_markdown
from asof.extensions.documents.parts import Part, ReadLimits, Refused, Writer

LONGEST_OUTPUT = 2_000
"""Characters of an output that are read."""

_FORMATS = (3, 4)
_COLOURS = re.compile(r"\x1b\[[0-9;?]{0,40}[A-Za-z]")
_PLAIN = {"text/plain", "text", "output_type", "metadata", "prompt_number", "execution_count"}
_OBJECT = re.compile(r"\s*<[^<>\n]*>\s*")


def read(raw: bytes, stem: str, suffix: str, limits: ReadLimits) -> list[Part]:  # noqa: ARG001
    """A notebook of the formats 3 and 4. Raises Refused."""
    notebook = _loaded(raw)
    version = notebook.get("nbformat")
    if version not in _FORMATS:
        raise Refused(
            f"it is a notebook of format {version!r:.40}; read are 3 and 4", "convert it with nbconvert"
        )
    writer = Writer(limits)
    title, cut = "", 0
    for cell in _cells(notebook):
        source = _text(cell.get("source", cell.get("input")))
        match cell.get("cell_type"):
            case "markdown":
                first = write_markdown(source, writer)
                title = title or first
            case "heading":
                level = cell.get("level")
                writer.heading(source, level if isinstance(level, int) else 1)
                title = title or source
            case "code":
                writer.block(source)
                for output in _dicts(cell.get("outputs")):
                    said = _COLOURS.sub("", _said(output)).strip("\n")
                    cut += len(said) > LONGEST_OUTPUT
                    writer.block(said[:LONGEST_OUTPUT])
            case _:
                writer.block(source)
    are = "output is" if cut == 1 else "outputs are"
    notes = [f"{cut} {are} longer than {LONGEST_OUTPUT:,} characters: the rest is not read"] if cut else []
    metadata = _dict(notebook.get("metadata"))
    title = _text(metadata.get("title")) or title
    return [writer.part(title, front=_front(notebook, metadata), notes=notes)]


def _loaded(raw: bytes) -> dict[str, Any]:
    try:
        notebook = json.loads(raw.decode("utf-8-sig"))
    except (ValueError, RecursionError) as wrong:
        raise Refused(f"it is damaged: it is no JSON: {str(wrong)[:200]}", "save it again") from wrong
    if not isinstance(notebook, dict) or "nbformat" not in notebook:
        raise Refused("it is no notebook: it names no nbformat", "save it again")
    return notebook


def _cells(notebook: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The cells of a notebook; in format 3 they stand in worksheets."""
    yield from _dicts(notebook.get("cells"))
    for sheet in _dicts(notebook.get("worksheets")):
        yield from _dicts(sheet.get("cells"))


def _said(output: Mapping[str, Any]) -> str:
    """The text of an output; "" for the name of an object that is shown in another way."""
    match output.get("output_type"):
        case "stream":
            return _text(output.get("text"))
        case "error" | "pyerr":
            return f"{_text(output.get('ename'))}: {_text(output.get('evalue'))}"
        case "execute_result" | "display_data" | "pyout":
            data = _dict(output.get("data")) or output
            text = _text(data.get("text/plain", data.get("text")))
            return "" if data.keys() - _PLAIN and _OBJECT.fullmatch(text) else text
    return ""


def _front(notebook: Mapping[str, Any], metadata: Mapping[str, Any]) -> dict[str, Any]:
    """The language of the code, and the authors, where the notebook says them."""
    code = [each.get("language") for each in _cells(dict(notebook)) if each.get("cell_type") == "code"]
    languages = [
        _dict(metadata.get("language_info")).get("name"),
        _dict(metadata.get("kernelspec")).get("language"),
        *code[:1],
    ]
    language = next((each for each in languages if isinstance(each, str) and each), "")
    authors = [name for each in _dicts(metadata.get("authors")) if (name := _text(each.get("name")))]
    front = {"kernel_language": language, "author": authors[0] if len(authors) == 1 else authors}
    return {key: value for key, value in front.items() if value}


def _text(value: object) -> str:
    """A text, or the lines of one."""
    if isinstance(value, list):
        value = "".join(line for line in value if isinstance(line, str))
    return value if isinstance(value, str) else ""


def _dict(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _dicts(value: object) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
