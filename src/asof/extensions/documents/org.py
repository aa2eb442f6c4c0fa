"""Reads Org files: the text under their headlines, without drawers, comments and link markup."""

from __future__ import annotations

import re

from asof.documents import Heading, Link
from asof.sources import dates
from asof.sources.readers import ParsedFile, text_reader
from asof.sources.records import language_code
from asof.sources.source import Fields, InputLimits

_HEADLINE = re.compile(r"(\*+)[ \t]+(.*)")
_HEADLINE_TAGS = re.compile(r"(?:^|[ \t]):((?:[\w@#%]+:)+)$")
_PRIORITY = re.compile(r"\[#[A-Za-z0-9]{1,2}\][ \t]*")
_KEYWORD = re.compile(r"[ \t]*#\+([A-Za-z][\w-]*)(?:\[[^\]\n]*\])?:[ \t]*(.*)")
_BLOCK = re.compile(r"[ \t]*#\+(begin|end)_(\w+)[ \t]*(\S*)", re.IGNORECASE)
_DRAWER = re.compile(r"[ \t]*:(properties|logbook|end):[ \t]*", re.IGNORECASE)
_PROPERTY = re.compile(r"[ \t]*:([\w-]+)\+?:[ \t]+(.+)")
_COMMENT = re.compile(r"[ \t]*#(?: |\Z)")
_RULE = re.compile(r"[ \t]*\|-[-+|]*+[ \t]*")
_LINK = re.compile(r"\[\[([^\[\]\n]{1,2000})\](?:\[([^\[\]\n]{1,2000})\])?\]")
_EMPHASIS = re.compile(
    r"(?<![^\s\-({'\"|])([*=~/])(?=\S)([^*=~/\n]{1,300}+)(?<=\S)\1(?![^\s\-.,:!?;'\")}\[|])"
)
_QUOTED = re.compile(r'"([^"\n]*)"|(\S+)')

_STATES = ("TODO", "DONE")
_VERBATIM = ("src", "example", "export")
_KEPT_KEYS = ("author", "description", *Fields().about)
_ALIAS_KEYS = ("roam_aliases", "roam_alias")


def parse_org(text: str, stem: str, limits: InputLimits) -> ParsedFile:  # noqa: ARG001
    """An Org file parsed; its title is `#+TITLE`, or its only headline of the first level.

    An `:ID:` of a headline or of the file is an alias, so that `id:` links lead to the file. In the drawer of
    the file itself (before any headline) dates such as `:CREATED:` count like `#+DATE`.
    """
    reading = _OrgReading()
    for number, line in enumerate(text.split("\n"), 1):
        reading.take(line, number)
    reading.end()
    tops = [heading.title for heading in reading.outline if heading.level == 1]
    return ParsedFile(
        "\n".join(reading.lines).rstrip("\n"),
        " ".join(reading.title) or (tops[0] if len(tops) == 1 else stem),
        tuple(reading.outline),
        tuple(dict.fromkeys(reading.links)),
        tuple(dict.fromkeys(reading.tags)),
        tuple(dict.fromkeys(reading.aliases)),
        reading.language,
        reading.front,
        reading.places,
    )


ORG = text_reader(parse_org)


class _OrgReading:
    """The state of reading an Org file; `places` are the lines of the keys in `front`."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.outline: list[Heading] = []
        self.links: list[Link] = []
        self.tags: list[str] = []
        self.aliases: list[str] = []
        self.front: dict[str, str] = {}
        self.places: dict[str, int] = {}
        self.title: list[str] = []
        self.language = ""
        self._length = 0
        self._verbatim = ""
        self._skipped: list[str] = []  # of a drawer or comment that may have no end: then it is text
        self._skips_to = ""

    def take(self, line: str, number: int) -> None:
        if headline := _HEADLINE.fullmatch(line):
            self.end()
            self._headline(len(headline[1]), headline[2].strip())
        elif self._skips_to:
            self._skip(line, number)
        elif self._verbatim:
            self._in_block(line)
        else:
            self._line(line, number)

    def end(self) -> None:
        """A headline, and the end of the file, end every block; an open drawer or comment was none."""
        skipped, self._skipped, self._skips_to = self._skipped, [], ""
        for line in skipped:
            self._write(self._words(line))
        if self._verbatim:
            self._write("```")
            self._verbatim = ""

    def _headline(self, level: int, rest: str) -> None:
        if tags := _HEADLINE_TAGS.search(rest):
            rest = rest[: tags.start()].rstrip()
        state, _, title = rest.partition(" ")
        if state not in _STATES:
            state, title = "", rest
        priority = _PRIORITY.match(title.lstrip())
        title = title.lstrip()[priority.end() if priority else 0 :]
        self.tags += tags[1].strip(":").split(":") if tags else []
        title = " ".join(self._words(title).split())
        if not title:
            return
        self._write("")
        marked = f"{state} {priority[0].rstrip() if priority else ''}".split()
        self.outline.append(Heading(self._length, level, title))
        self._write(" ".join([*marked, title]))

    def _line(self, line: str, number: int) -> None:
        if drawer := _DRAWER.fullmatch(line):
            if drawer[1].lower() != "end":
                self._skipped = [line]
                self._skips_to = ":end:"
        elif block := _BLOCK.match(line):
            self._block(line, block)
        elif keyword := _KEYWORD.fullmatch(line):
            self._keyword(keyword[1].lower(), keyword[2].strip(), number)
        elif not _COMMENT.match(line) and not _RULE.fullmatch(line):
            self._write(self._words(line))

    def _block(self, line: str, block: re.Match[str]) -> None:
        kind = block[2].lower()
        if block[1].lower() == "end":
            return
        if kind == "comment":
            self._skipped = [line]
            self._skips_to = "#+end_comment"
        elif kind in _VERBATIM:
            self._verbatim = kind
            self._write(f"```{block[3] if kind == 'src' else ''}")

    def _in_block(self, line: str) -> None:
        block = _BLOCK.match(line)
        if block and block[1].lower() == "end" and block[2].lower() == self._verbatim:
            self._write("```")
            self._verbatim = ""
        else:
            self._write(line[1:] if line.startswith((",*", ",#+", ",,")) else line)

    def _skip(self, line: str, number: int) -> None:
        if line.strip().lower() != self._skips_to:
            self._skipped.append(line)
            return
        if self._skips_to == ":end:":
            for at, each in enumerate(self._skipped, number - len(self._skipped)):
                if found := _PROPERTY.fullmatch(each):
                    self._property(found[1].lower(), found[2].strip(), at)
        self._skipped, self._skips_to = [], ""

    def _property(self, key: str, value: str, number: int) -> None:
        if key == "id":
            self.aliases.append(value)
        elif key in _ALIAS_KEYS:
            self._aliases(value)
        elif not self.outline and _is_kept(key):
            self._said(key, value, number)

    def _keyword(self, key: str, value: str, number: int) -> None:
        if key == "title":
            self.title += self._words(value).split()
            self.places.setdefault(key, number)
        elif key == "filetags":
            self.tags += [tag for part in value.split() for tag in part.split(":") if tag]
        elif key == "keywords":
            self.tags += [tag for part in re.split("[,;]", value) if (tag := " ".join(part.split()))]
        elif key == "language":
            self.language = self.language or language_code(value)
        elif key in _ALIAS_KEYS:
            self._aliases(value)
        elif _is_kept(key) and value:
            self._said(key, value, number)

    def _said(self, key: str, value: str, number: int) -> None:
        self.front.setdefault(key, value)
        self.places.setdefault(key, number)

    def _aliases(self, value: str) -> None:
        self.aliases += [alias for match in _QUOTED.finditer(value) if (alias := match[1] or match[2] or "")]

    def _words(self, line: str) -> str:
        """A line without marks of emphasis, with the labels of its links, which are noted."""
        line = _LINK.sub(lambda match: self._link(match[1].strip(), (match[2] or "").strip()), line)
        return _EMPHASIS.sub(r"\2", line)

    def _link(self, target: str, label: str) -> str:
        """The displayed text of a link. Links to the web and inside the file itself lead to no document."""
        scheme, colon, path = target.partition(":")
        named = colon and scheme in ("id", "file", "file+emacs", "file+sys")
        if named or target.startswith(("./", "../")):
            target, _, place = (path if named else target).partition("::")
            if target and (scheme == "id" or _is_relative(target)):
                self.links.append(Link(target, place.lstrip("*#"), label))
        return label or target.lstrip("*#")

    def _write(self, line: str) -> None:
        """Collapses blank lines, and removes those at the start."""
        line = line.rstrip()
        if line or (self.lines and self.lines[-1]):
            self.lines.append(line)
            self._length += len(line) + 1


def _is_relative(path: str) -> bool:
    return not path.startswith(("/", "~")) and ":" not in path.partition("/")[0]


def _is_kept(key: str) -> bool:
    return key in _KEPT_KEYS or dates.names_date(key, "published", "created", "changed")
