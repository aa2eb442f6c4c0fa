"""Text without the marks of Markdown, wikis and HTML, for a reader; what is stored and cited keeps them."""

from __future__ import annotations

import html
import re

MAX_TAG = 400
"""The most characters of a tag or a comment; what is longer is text."""

_RULE = re.compile(r"[ \t]*(?:[-=*_|:+ \t]{3,}|(?:`{3,}|~{3,})[^\s`~]*)[ \t]*")
_BEFORE = re.compile(r"[ \t]*(?:>[ \t]*)*(?:\[![\w-]{1,40}\][+-]?[ \t]*)?(?:#{1,6}[ \t]+)?")
_AFTER_HEADING = re.compile(r"[ \t]+#+[ \t]*$")
_WIKILINK = re.compile(r"(!?)\[\[([^\[\]|\n\\]*)(?:\\?\|([^\[\]\n]*))?\]\]")
_LINK = re.compile(r'!?\[([^\[\]]*)\]\((?:[^()\s"]|\([^()\s]*\))*(?:\s+"[^"\n]*")?\)')
_REFERENCE = re.compile(r"\[\^[^\[\]\s]{1,40}\]|(?<=\])\[[^\[\]\n]{0,100}\]")
_IMAGE = re.compile(r"(?i)\.(?:svg|png|jpe?g|gif|webp|avif|bmp)(?:#|$)")
_CODE = re.compile(r"(?<!`)(`{1,3})(?!`)([^`]+)\1(?!`)")
_COMMENT = re.compile(rf"<!--.{{0,{MAX_TAG}}}?-->", re.DOTALL)
_TAG = re.compile(rf"</?([a-zA-Z][a-zA-Z0-9-]{{0,20}})(?:\s[^<>]{{0,{MAX_TAG}}})?/?>")
_INLINE = re.compile(r"(?i)a|abbr|b|code|del|em|i|ins|kbd|mark|q|s|small|span|strike|strong|su[bp]|tt|u")
_ADDRESS = re.compile(r"<((?:https?|mailto):[^<>\s]{1,400})>")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_EMPHASIS = (
    re.compile(r"(?<![\w*\\])(\*{1,3})(?=[^\s*])([^*]+)(?<=\S)\1(?!\*)"),
    re.compile(r"(?<![\w\\])(_{1,3})(?=[^\s_])([^_]+)(?<=\S)\1(?!\w)"),
    re.compile(r"(~~)(?=[^\s~])([^~]+)(?<=\S)~~"),
    re.compile(r"(==)(?=[^\s=])([^=]+)(?<=\S)=="),
)
_CUT = re.compile(r"^(\*{1,3}|_{1,3}|==)(?=\w)|(?<=[\w.!?])(\*{1,3}|_{1,3}|==)$")
_NESTED = 3
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")


def unmarked(text: str) -> str:
    """A text without marks of headings, emphasis, links, code, tables, tags; entities as their characters.

    A link is its text, a table's cells stay parted by |, code keeps what is in it. Lists keep their signs.

    >>> unmarked("## *Who* runs [the mole](mole.md)? See [[Harbour office|the office]] &amp; `a*b*c`")
    'Who runs the mole? See the office & a*b*c'
    """
    lines = [_line(line) for line in text.split("\n") if not _RULE.fullmatch(line)]
    text = _WIKILINK.sub(_target, "\n".join(lines))
    for _ in range(2):  # an image in a link
        text = _LINK.sub(r"\1", text)
    pieces, at = [], 0
    for code in _CODE.finditer(text):
        pieces += [_prose(text[at : code.start()]), code[2]]
        at = code.end()
    text = "".join([*pieces, _prose(text[at:])])
    return _CUT.sub("", text)  # of an emphasis that begins before the text, or ends behind it


def _line(line: str) -> str:
    """A line without the marks before and after it."""
    start = _BEFORE.match(line)
    if start is not None and start[0].strip():
        line = line[start.end() :]
        if "#" in start[0]:
            line = _AFTER_HEADING.sub("", line)
    row = line.strip()
    if len(row) > 2 and row[0] == row[-1] == "|":
        line = row[1:-1].strip()
    return line


def _target(link: re.Match[str]) -> str:
    """What a reader sees of a wiki link: its alias (not the width of an image), else the place it names; of
    an image nothing."""
    alias = (link[3] or "").strip()
    if alias and not (link[1] and alias.replace("x", "").isdigit()):
        return alias
    if link[1] and _IMAGE.search(link[2]):
        return ""
    return " › ".join(part for part in link[2].split("#") if part.strip())


def _prose(text: str) -> str:
    """A text outside of code."""
    text = _REFERENCE.sub("", _COMMENT.sub("", text))
    text = _ADDRESS.sub(r"\1", text)
    text = _TAG.sub(lambda tag: "" if _INLINE.fullmatch(tag[1]) else " ", text)
    for _ in range(_NESTED):
        before = text
        for mark in _EMPHASIS:
            text = mark.sub(r"\2", text)
        if text == before:
            break
    return _ENTITY.sub(lambda entity: html.unescape(entity[0]), _ESCAPED.sub(r"\1", text))
