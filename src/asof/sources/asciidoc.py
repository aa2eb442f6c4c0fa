"""AsciiDoc: the text under its section titles, with the values of its attributes and without its marks."""

from __future__ import annotations

import re

from asof.data import Heading, Link, Problem
from asof.sources import dating
from asof.sources.readers import ParsedFile, Unreadable, text_reader
from asof.sources.record import language_code
from asof.sources.source import InputLimits
from asof.sources.vault import link_to

_TITLE = re.compile(r"(={1,6}|#{1,6})[ \t]+(\S.*)")
_ATTRIBUTE = re.compile(r":(!?)([A-Za-z0-9_][\w-]*)(!?):(?:[ \t]+(.*))?")
_REFERENCE = re.compile(r"(?<!\\)\{([A-Za-z0-9_][\w-]*)\}")
_AUTHOR = re.compile(r"(\w[\w.'-]*(?: [\w.'-]+){0,4})(?: <[^<>\s]{1,200}>)?")
_CONTINUED = re.compile(r"^:[!\w-]+:(?:[^\n]* \\\n[ \t]*)+", re.MULTILINE)
_VERSION = re.compile(r"(?![0-9]{4}-)(?:v|version|rev\.?|revision)?[ \t]*([0-9][\w.-]*)", re.IGNORECASE)
_LEFT_OUT = re.compile(
    r"={4,}|\*{4,}|_{4,}|\+{4,}|--|\+|'{3,}|<{3,}|[|,:!]={3,}|toc::\[.*\]|(?:ifn?def|ifeval|endif)::.*"
)
_COMMENT = re.compile(r"//(?!/)")
_VERBATIM = re.compile(r"(-{4,}|\.{4,})|(`{3,})(\S*)")
_BLOCK_LINE = re.compile(r"\[([^\[\]]*)\]|\[\[[^\[\]]*\]\]")
_ADMONITIONS = {"NOTE", "TIP", "IMPORTANT", "WARNING", "CAUTION"}
_MACRO = re.compile(r"(?<![\w/])(include|image|xref|link)::?([^\s\[\]]{0,500})\[([^\[\]]{0,500})\]")
_WEB = re.compile(r"(https?://[^\s\[\]<>]{1,500})\[([^\[\]]{0,500})\]")
_XREF = re.compile(r"<<([^<>,\n]{1,300})(?:,([^<>\n]{0,500}))?>>")
_ANCHOR = re.compile(
    r"\[\[[^\[\]\n]{1,200}\]\]|anchor:[^\s\[\]]{1,200}\[\]|\[[#.][^\[\]\n]{1,200}\](?=[#*_`])"
)
_MARKS = re.compile(
    r"(?<![\w*_`#\\])(\*\*|__|``|##|[*_`#])(?=[^\s*_`#])([^*_`#\n]{1,300}+)(?<=\S)\1(?![\w*_`#])"
)

_GIVEN = {"empty": "", "sp": " ", "nbsp": " ", "amp": "&", "lt": "<", "gt": ">", "plus": "+", "cpp": "C++"}
"""Attributes that every file has."""

_FRONT = {
    "author": "author", "description": "description", "revnumber": "version", "revdate": "date",
    **{name: name for name in (*dating.PUBLISHED, *dating.CHANGED, *dating.ABOUT)},
}  # fmt: skip
"""The attributes of the header that say something of the file, and what that is called in its front."""


def parse_text(text: str, stem: str, limits: InputLimits) -> ParsedFile:
    """An AsciiDoc file parsed. Raises Unreadable where its attributes grow beyond what may be read.

    What `include::` names is a link and not read; both branches of conditions (`ifdef::`) are kept. Titles
    that are underlined (the older form) are text. `:keywords:` are tags.
    """
    reading = _AsciiDocReading(limits.characters)
    for line in _CONTINUED.sub(_joined, text).split("\n"):
        reading.take(line.rstrip())
    notes = reading.end()
    said = reading.said
    return ParsedFile(
        "\n".join(reading.lines).rstrip("\n"),
        reading.title or stem,
        tuple(reading.outline),
        tuple(dict.fromkeys(reading.links)),
        tuple(dict.fromkeys(tag for part in said.get("keywords", "").split(",") if (tag := part.strip()))),
        language=language_code(said.get("lang", "")),
        front={_FRONT[name]: said[name] for name in _FRONT if said.get(name)},
        notes=notes,
    )


READER = text_reader(parse_text)


class _AsciiDocReading:
    """What has been read so far. `said` are the attributes of the header, `_later` those of the body.

    `_room`: how many characters references to attributes may still add to the text.
    """

    def __init__(self, room: int) -> None:
        self.lines: list[str] = []
        self.outline: list[Heading] = []
        self.links: list[Link] = []
        self.said: dict[str, str] = {}
        self.title = ""
        self._later: dict[str, str] = {}
        self._room = room
        self._length = 0
        self._in_header = True
        self._expected = ""  # what the next line of the header may say
        self._ends = ""  # the line that ends the verbatim block or comment which is open
        self._commented = False
        self._language = ""

    def take(self, line: str) -> None:
        if self._ends:
            self._in_block(line)
        elif line.startswith("////") and not line.strip("/"):
            self._ends, self._commented = line, True
        elif _COMMENT.match(line) or self._attribute(line) or (self._in_header and self._header(line)):
            return
        elif verbatim := _VERBATIM.fullmatch(line):
            self._ends, self._commented = verbatim[1] or verbatim[2], False
            self._write("```" + (verbatim[3] or self._language))
        elif not _LEFT_OUT.fullmatch(line):
            self._line(line)

    def _header(self, line: str) -> bool:
        """Takes a line of the header: a title, then authors, then a revision. False where the body starts."""
        expected, self._expected = self._expected, ""
        if not line or (not self.title and _BLOCK_LINE.fullmatch(line)):
            self._in_header = not self.title
        elif not self.title and (title := _TITLE.fullmatch(line)) and len(title[1]) == 1:
            self.title = self._heading(1, title[2])
            self._expected = "author"
        elif expected == "author" and (names := _authors(line)):
            self.said["author"] = names
            self._expected = "revision"
        elif expected == "revision" and any(map(str.isdigit, line)):
            self.said |= _revision(line)
        else:
            self._in_header = False
        return self._in_header

    def _line(self, line: str) -> None:
        if block := _BLOCK_LINE.fullmatch(line):
            self._before_block((block[1] or "").split(","))
            return
        if title := _TITLE.fullmatch(line):
            marks, words = title.groups()
            self._heading(len(marks), words.removesuffix(marks) if words.endswith(f" {marks}") else words)
        elif line.startswith(".") and line[1:2] not in ("", " ", ".", "\t"):
            self._write(self._words(line[1:]))  # the title of the block that follows
        else:
            self._write(self._words(line))
        self._language = ""

    def _before_block(self, attributes: list[str]) -> None:
        """What is said about the block that follows: the language of code, or whose words it holds."""
        kind, *rest = [part.strip().strip('"') for part in attributes]
        if kind in ("source", "") and rest and rest[0].isalnum():
            self._language = rest[0]
        elif kind in _ADMONITIONS:
            self._write(f"{kind}:")
        elif kind in ("quote", "verse") and (whose := ", ".join(filter(None, rest))):
            self._write(self._words(f"{whose}:"))

    def _in_block(self, line: str) -> None:
        if line == self._ends:
            self.end()
        elif not self._commented:
            self._write(line, verbatim=True)

    def end(self) -> tuple[Problem, ...]:
        """Ends the block that is open. A note, for the end of the file, if it is a comment."""
        commented = self._ends and self._commented
        if self._ends and not self._commented:
            self._write("```")
        self._ends = self._language = ""
        lost = "a comment (////) is never closed: what follows it is not read"
        return (Problem(lost, remedy="close it", lost=False),) if commented else ()

    def _heading(self, level: int, words: str) -> str:
        title = " ".join(self._words(words).split())
        if title:
            self._write("")
            self.outline.append(Heading(self._length, level, title))
            self._write(title)
        return title

    def _attribute(self, line: str) -> bool:
        """Takes a line that sets or unsets an attribute."""
        entry = _ATTRIBUTE.fullmatch(line)
        if entry is None:
            return False
        values, name = self.said if self._in_header else self._later, entry[2].lower()
        if entry[1] or entry[3]:
            values.pop(name, None)
        else:
            values[name] = self._filled((entry[4] or "").strip())
        return True

    def _filled(self, text: str) -> str:
        """A text with the values of the attributes that are known in place of their references."""
        return _REFERENCE.sub(self._value, text) if "{" in text else text

    def _value(self, reference: re.Match[str]) -> str:
        name = reference[1].lower()
        value = self._later.get(name, self.said.get(name, _GIVEN.get(name)))
        if value is None:
            return reference[0]
        self._room -= len(value)
        if self._room < 0:
            raise Unreadable("its attributes make it many times as long as it is", "shorten their values")
        return value

    def _words(self, line: str) -> str:
        """A line with the labels of its links, which are noted, and without the marks of formatting."""
        line = self._filled(line)
        if "[" in line:
            line = _WEB.sub(lambda match: _label(match[2]) or match[1], _MACRO.sub(self._macro, line))
            line = _ANCHOR.sub("", line)
        line = _XREF.sub(lambda match: self._linked(match[1], (match[2] or "").strip()), line)
        return _MARKS.sub(r"\2", line)

    def _macro(self, match: re.Match[str]) -> str:
        kind, target, label = match[1], match[2], _label(match[3])
        if kind in ("xref", "link"):
            return self._linked(target.rpartition(":")[2] if kind == "xref" else target, label)
        if link := link_to(target, label if kind != "include" else "", "embed"):
            self.links.append(link)
        return "" if kind == "include" else label

    def _linked(self, target: str, label: str) -> str:
        """What is shown of a reference; one to another place of the same file leads to no document."""
        if ("." in target or "#" in target) and (link := link_to(target, label)):
            self.links.append(link)
        return label or target.strip("#")

    def _write(self, line: str, *, verbatim: bool = False) -> None:
        """Blank lines stand once outside of code, and not at the start."""
        if line or verbatim or (self.lines and self.lines[-1]):
            self.lines.append(line)
            self._length += len(line) + 1


def _joined(value: re.Match[str]) -> str:
    """The value of an attribute that goes on in the next lines."""
    return " ".join(part.strip() for part in value[0].split("\\\n")).rstrip() + " "


def _label(text: str) -> str:
    """The words among the attributes of a macro: `Text,window=_blank`."""
    words = text.partition(",")[0] if "=" in text else text
    return words.strip().strip('"').removesuffix("^")


def _authors(line: str) -> str:
    """The names of a line of authors, without their addresses; "" if it is no such line."""
    people = [_AUTHOR.fullmatch(part.strip()) for part in line.split(";") if part.strip()]
    return "; ".join(each[1] for each in people if each) if all(people) else ""


def _revision(line: str) -> dict[str, str]:
    """What a line of revision says: `v1.2, 2024-03-05: what changed`, or one of the first two alone."""
    revision = line.partition(": ")[0].strip().rstrip(":")
    version, _, day = revision.partition(",")
    if found := _VERSION.fullmatch(version.strip()):
        return {"revnumber": found[1], "revdate": day.strip()}
    return {"revdate": revision}
