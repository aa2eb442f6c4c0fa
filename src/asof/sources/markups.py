"""Reads Org files, AsciiDoc, and the docstrings of Python files."""

from __future__ import annotations

import ast
import re
import threading
import warnings
from collections.abc import Iterator, Sequence

from asof.sources import dates
from asof.sources.markdown import link_to
from asof.sources.readers import LONGEST_TITLE, ParsedFile, Unreadable, text_reader
from asof.sources.records import language_code
from asof.sources.source import InputLimits
from asof.values import Heading, Link, Problem, line_feeds, storable

# -- Org: the text under its headlines, without drawers, comments and link markup ----------------------

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
_TIMESTAMP = re.compile(
    r"[<\[]([0-9]{4}-[0-9]{2}-[0-9]{2})(?: [^\s0-9>\]+-]+)?(?: ([0-9]{2}:[0-9]{2}))?[^<>\[\]]{0,40}[>\]]"
)
_QUOTED = re.compile(r'"([^"\n]*)"|(\S+)')

_VERBATIM = ("src", "example", "export")
_KEPT_KEYS = ("author", "description", *dates.PUBLISHED, *dates.CHANGED, *dates.ABOUT)
_ALIAS_KEYS = ("roam_aliases", "roam_alias")


def parse_org(text: str, stem: str, limits: InputLimits) -> ParsedFile:  # noqa: ARG001
    """An Org file parsed; its title is `#+TITLE`, or its only headline of the first level.

    An `:ID:` of a headline or of the file is an alias, so that `id:` links lead to the file. Only the TODO
    keywords that the file declares, TODO and DONE are known. A subtree marked COMMENT is left out. In the
    drawer of the file itself (before any headline) dates such as `:CREATED:` count like `#+DATE`.
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
        self._states = {"TODO", "DONE"}
        self._length = 0
        self._verbatim = ""
        self._skipped: list[str] = []  # of a drawer or comment that may have no end: then it is text
        self._skips_to = ""
        self._commented = 0  # the level of the COMMENT headline below which everything is left out

    def take(self, line: str, number: int) -> None:
        if headline := _HEADLINE.fullmatch(line):
            self.end()
            self._headline(len(headline[1]), headline[2].strip())
        elif self._commented:
            return
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
        if self._commented and level > self._commented:
            return
        self._commented = 0
        if tags := _HEADLINE_TAGS.search(rest):
            rest = rest[: tags.start()].rstrip()
        state, _, title = rest.partition(" ")
        if state not in self._states:
            state, title = "", rest
        priority = _PRIORITY.match(title.lstrip())
        title = title.lstrip()[priority.end() if priority else 0 :]
        if title == "COMMENT" or title.startswith("COMMENT "):
            self._commented = level
            return
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
        elif not self.outline and key in _KEPT_KEYS:
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
        elif key in ("todo", "seq_todo", "typ_todo"):
            self._states.update(word.partition("(")[0] for word in value.split() if word != "|")
        elif key in ("caption", "subtitle"):
            self._write(self._words(value))
        elif key == "include" and (path := _QUOTED.match(value)):
            self._link(f"file:{path[1] or path[2]}", "", "embed")
        elif key in _ALIAS_KEYS:
            self._aliases(value)
        elif key in _KEPT_KEYS and value:
            self._said(key, value, number)

    def _said(self, key: str, value: str, number: int) -> None:
        self.front.setdefault(key, _plain_date(value) if key not in ("author", "description") else value)
        self.places.setdefault(key, number)

    def _aliases(self, value: str) -> None:
        self.aliases += [alias for match in _QUOTED.finditer(value) if (alias := match[1] or match[2] or "")]

    def _words(self, line: str) -> str:
        """A line without marks of emphasis, with the labels of its links, which are noted."""
        line = _LINK.sub(lambda match: self._link(match[1].strip(), (match[2] or "").strip()), line)
        return _EMPHASIS.sub(r"\2", line)

    def _link(self, target: str, label: str, kind: str = "link") -> str:
        """The displayed text of a link. Links to the web and inside the file itself lead to no document."""
        scheme, colon, path = target.partition(":")
        named = colon and scheme in ("id", "file", "file+emacs", "file+sys")
        if named or target.startswith(("./", "../")):
            target, _, place = (path if named else target).partition("::")
            if target and (scheme == "id" or _is_relative(target)):
                self.links.append(Link(target, place.lstrip("*#"), label, kind))
        return label or target.lstrip("*#")

    def _write(self, line: str) -> None:
        """Collapses blank lines, and removes those at the start."""
        line = line.rstrip()
        if line or (self.lines and self.lines[-1]):
            self.lines.append(line)
            self._length += len(line) + 1


def _is_relative(path: str) -> bool:
    return not path.startswith(("/", "~")) and ":" not in path.partition("/")[0]


def _plain_date(value: str) -> str:
    """The date in a timestamp such as <2024-03-05 Tue 10:00>; another value unchanged."""
    stamp = _TIMESTAMP.fullmatch(value)
    return " ".join(part for part in stamp.groups() if part) if stamp else value


# -- AsciiDoc: the text under its section titles, with attributes replaced and markup removed ----------

_TITLE = re.compile(r"(={1,6}|#{1,6})[ \t]+(\S.*)")
_ATTRIBUTE = re.compile(r":(!?)([A-Za-z0-9_][\w-]*)(!?):(?:[ \t]+(.*))?")
_REFERENCE = re.compile(r"(?<!\\)\{([A-Za-z0-9_][\w-]*)\}")
_AUTHOR = re.compile(r"(\w[\w.'-]*(?: [\w.'-]+){0,4})(?: <[^<>\s]{1,200}>)?")
_CONTINUED = re.compile(r"^:[!\w-]+:(?:[^\n]* \\\n[ \t]*)+", re.MULTILINE)
_VERSION = re.compile(r"(?![0-9]{4}-)(?:v|version|rev\.?|revision)?[ \t]*([0-9][\w.-]*)", re.IGNORECASE)
_LEFT_OUT = re.compile(
    r"={4,}|\*{4,}|_{4,}|\+{4,}|--|\+|'{3,}|<{3,}|[|,:!]={3,}|toc::\[.*\]|(?:ifn?def|ifeval|endif)::.*"
)
_ADOC_COMMENT = re.compile(r"//(?!/)")
_ADOC_VERBATIM = re.compile(r"(-{4,}|\.{4,})|(`{3,})(\S*)")
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
"""The built-in attributes of every file."""

_FRONT = {
    "author": "author", "description": "description", "revnumber": "version", "revdate": "date",
    **{name: name for name in (*dates.PUBLISHED, *dates.CHANGED, *dates.ABOUT)},
}  # fmt: skip
"""The attributes of the header that are metadata of the file, and their names in its front."""


def parse_asciidoc(text: str, stem: str, limits: InputLimits) -> ParsedFile:
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


ASCIIDOC = text_reader(parse_asciidoc)


class _AsciiDocReading:
    """The state of reading an AsciiDoc file. `said` are the attributes of the header, `_later` those of the
    body.

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
        elif _ADOC_COMMENT.match(line) or self._attribute(line) or (self._in_header and self._header(line)):
            return
        elif verbatim := _ADOC_VERBATIM.fullmatch(line):
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
        """Reads attributes of the block that follows: the language of code, or the author of a quotation."""
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
        """The displayed text of a reference; one to another place of the same file leads to no document."""
        if ("." in target or "#" in target) and (link := link_to(target, label)):
            self.links.append(link)
        return label or target.strip("#")

    def _write(self, line: str, *, verbatim: bool = False) -> None:
        """Collapses blank lines outside of code, and removes those at the start."""
        if line or verbatim or (self.lines and self.lines[-1]):
            self.lines.append(line)
            self._length += len(line) + 1


def _joined(value: re.Match[str]) -> str:
    """The value of an attribute that continues in the next lines."""
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
    """Parses a revision line: `v1.2, 2024-03-05: what changed`, or one of the first two alone."""
    revision = line.partition(": ")[0].strip().rstrip(":")
    version, _, day = revision.partition(",")
    if found := _VERSION.fullmatch(version.strip()):
        return {"revnumber": found[1], "revdate": day.strip()}
    return {"revdate": revision}


# -- docstrings: of a module, its classes and functions, each under its name ---------------------------

BYTES_A_CHARACTER = 900
"""The memory that the syntax tree of a file takes at most, for each of its characters (measured)."""

_HOLDERS = (ast.stmt, ast.excepthandler, ast.match_case)
"""The parts of the syntax tree that can contain definitions."""

_MOST_PARAMETERS = 6
_WARNINGS = threading.Lock()  # `catch_warnings` changes what all threads share

_Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def parse_docstrings(text: str, stem: str, limits: InputLimits) -> ParsedFile:
    """The docstrings of a Python file, which is parsed and not run; its title is the first line of them.

    Headings are "module", "class Corpus", "Corpus.add(source, ...)"; those of methods and of what is defined
    within something else are one level deeper. Raises Unreadable: for a file without docstrings (`empty`),
    for one that this Python cannot parse, and for one whose syntax tree would need more than `limits.memory`.
    """
    most = limits.memory // BYTES_A_CHARACTER
    if len(text) > most:
        raise Unreadable(f"the file has {len(text):,} characters; the limit is {most:,}", "split it")
    module = _tree(text)
    blocks: list[str] = []
    outline: list[Heading] = []
    offset = 0
    for level, name, words in _documented(module):
        outline.append(Heading(offset, level, name))
        blocks.append(f"{name}\n\n{words}")
        offset += len(blocks[-1]) + 2
    if not blocks:
        raise Unreadable("the file has no docstrings", empty=True, other=True)
    title = (_docstring(module) or stem).partition("\n")[0]
    return ParsedFile("\n\n".join(blocks), title if len(title) <= LONGEST_TITLE else stem, tuple(outline))


DOCSTRINGS = text_reader(parse_docstrings)


def _tree(text: str) -> ast.Module:
    try:
        with _WARNINGS, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except SyntaxError as wrong:
        line = f" (line {wrong.lineno})" if wrong.lineno else ""
        raise Unreadable(f"the file is not Python: {storable(str(wrong.msg))}{line}", lost=False) from None
    except (RecursionError, MemoryError, SystemError):  # the last is how some Pythons miscount their depth
        raise Unreadable("its code is nested too deeply, or too large, to be parsed", "split it") from None


def _documented(module: ast.Module) -> Iterator[tuple[int, str, str]]:
    """The level, the name and the docstring of everything that has one, in the order of the file."""
    if words := _docstring(module):
        yield 1, "module", words
    waiting: list[tuple[ast.AST, tuple[str, ...]]] = [(module, ())]
    while waiting:  # not recursive: a chain of `elif` is as deep as it is long
        node, path = waiting.pop()
        if isinstance(node, _Definition):
            path = (*path, node.name)
            if words := _docstring(node):
                yield len(path), _name(node, path), words
        inner = [(each, path) for each in ast.iter_child_nodes(node) if isinstance(each, _HOLDERS)]
        waiting += reversed(inner)


def _docstring(node: ast.Module | _Definition) -> str:
    words = ast.get_docstring(node)
    return storable(line_feeds(words)).strip() if words else ""


def _name(node: _Definition, path: Sequence[str]) -> str:
    name = ".".join(path)
    if isinstance(node, ast.ClassDef):
        return f"class {name}"
    return f"{name}({', '.join(_parameters(node.args, in_class=len(path) > 1))})"


def _parameters(given: ast.arguments, *, in_class: bool) -> list[str]:
    """The names of parameters, at most six, without `self` and `cls`."""
    names = [each.arg for each in (*given.posonlyargs, *given.args)]
    if in_class and names[:1] in (["self"], ["cls"]):
        del names[0]
    names += [f"*{given.vararg.arg}"] if given.vararg else []
    names += [each.arg for each in given.kwonlyargs]
    names += [f"**{given.kwarg.arg}"] if given.kwarg else []
    return names if len(names) <= _MOST_PARAMETERS else [*names[:_MOST_PARAMETERS], "..."]
