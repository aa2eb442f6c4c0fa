"""Markdown without a library for it: its headings are found, the rest stays as it was written."""

from __future__ import annotations

import re

from asof.sources.formats.parts import Writer

_HEADING = re.compile(r" {0,3}(#{1,6})[ \t]+(.*)")
_CLOSING = re.compile(r"(?:^|[ \t]+)#+[ \t]*\Z")
_UNDERLINE = re.compile(r" {0,3}(=+|-{2,})[ \t]*\Z")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_NO_PARAGRAPH = re.compile(r"\s*\Z|[ \t]*(?:[-+*>|]|[0-9]+[.)])|    ")
_EMBEDDED = re.compile(r"!\[([^\[\]\n]{0,1000})\]\((?:data:|attachment:)[^()\s]*+\)")


def write_markdown(source: str, writer: Writer) -> str:
    """Write a Markdown text; returns the words of its first heading, or "". Of images that it holds itself
    only the description is kept."""
    title = ""
    lines: list[str] = []
    fence = ""
    for line in _EMBEDDED.sub(r"\1", source).splitlines():
        marks = _FENCE.match(line)
        if fence or marks:
            if not fence and marks:
                fence = marks[1]
            elif marks and marks[1].startswith(fence) and not line.strip(" \t" + fence[0]):
                fence = ""
            lines.append(line)
            continue
        level, words = 0, ""
        if heading := _HEADING.fullmatch(line):
            level, words = len(heading[1]), _CLOSING.sub("", heading[2]).strip()
        elif (under := _UNDERLINE.fullmatch(line)) and lines and not _NO_PARAGRAPH.match(lines[-1]):
            level, words = (1 if under[1][0] == "=" else 2), lines.pop().strip()
        if words:
            writer.block("\n".join(lines))
            lines.clear()
            writer.heading(words, level)
            title = title or words
        else:
            lines.append(line)
    writer.block("\n".join(lines))
    return title
