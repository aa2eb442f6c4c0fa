"""Reads reStructuredText, AsciiDoc and plain text: line by line, into blocks without marks."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Sequence

from asof.documents import Link
from asof.sources import blocks, headers
from asof.sources.blocks import INDENT, Block
from asof.sources.markdown import link_to
from asof.sources.readers import LONGEST_TITLE, ParsedFile, text_reader
from asof.sources.source import InputLimits
from asof.wire import replace

# -- reStructuredText: inside of lines -----------------------------------------------------------------

_RST_MARK = re.compile(  # it begins with a class of signs, which are found faster than alternatives
    r"[`:*|\[\\_](?:(?<=`)`(?P<code>[^`]+(?:`[^`]+)*)``|(?:(?<=`)|(?<=:)(?P<role>[a-z][\w:.+-]{0,40}):`)"
    r"(?P<text>[^`]+)`(?::[a-z][\w:.+-]{0,40}:)?(?P<ref>_{0,2})(?!\w)"
    r"|(?<=\*)(?:\*(?=[^\s*])(?P<bold>[^*]+)(?<=\S)\*\*|(?<![\w*].)(?=[^\s*])(?P<em>[^*]+)(?<=\S)\*(?![\w*]))"
    r"|(?<=\|)(?<!\w.)(?=\S)(?P<named>[^|\n]{1,60})(?<=\S)\|_{0,2}(?!\w)"
    r"|(?<=\[)(?:(?P<note>[0-9]{1,4}|\#[\w-]{0,40}|\*)|(?P<cited>[\w.-]{1,40}))\]_(?!\w)"
    r"|(?<=[^\W_]_)(?P<word>_?)(?!\w)|(?<=\\)(?:(?P<escaped>\S)|\s))"
)
_NOTE_MARK = "\0"  # no text has it
_ADDRESS = re.compile(r"([^<]*?)\s*<([^<>]*)>", re.DOTALL)
LONGEST_NAME = 80
_WORD = re.compile(r"(?<![\w`])[^\W_][\w.-]*\Z")
_SERIES = {"pep": ("PEP ", "pep-{:04}"), "rfc": ("RFC ", "")}
"""Roles that name a document by its number: what they show, and the name of its file."""


class _Inline:
    """Takes the marks of reStructuredText off texts, and gathers their links."""

    def __init__(self) -> None:
        self.links: dict[Link, None] = {}

    def words(self, text: str) -> str:
        text = _RST_MARK.sub(self._words, text)
        if _NOTE_MARK in text:
            text = re.sub(rf"\s?{_NOTE_MARK}", "", text)
        return "\n".join(map(str.strip, text.split("\n"))) if "\n" in text else text.strip()

    def _words(self, mark: re.Match[str]) -> str:
        kind = mark.lastgroup
        if kind == "note":
            return _NOTE_MARK
        if kind == "word":  # the end of a name that refers to a target, as in name_
            before = _WORD.search(mark.string[max(0, mark.start() - LONGEST_NAME) : mark.start()])
            return "" if before else mark[0]
        if kind != "ref":
            return mark[kind] if kind else ""
        said, role = mark["text"], mark["role"] or ""
        address = _ADDRESS.fullmatch(said)
        shown, target = (address[1] or address[2], address[2]) if address else (said, said)
        if role.rsplit(":", 1)[-1] in _SERIES:
            number = target.partition("#")[0].strip()
            name, file = _SERIES[role.rsplit(":", 1)[-1]]
            if number.isdigit() and file and len(number) < 6:
                self.links[Link(file.format(int(number)))] = None
            return shown if address and address[1] else f"{name}{number}"
        if role == "doc" or (mark["ref"] and address):
            if link := link_to(target.strip().removeprefix("/" if role else ""), shown.strip()):
                self.links[link] = None
        elif role and not address:
            shown = shown.lstrip("!~").rsplit(".", 1)[-1] if shown.startswith("~") else shown.lstrip("!")
        return shown


# -- reStructuredText: blocks --------------------------------------------------------------------------

_ENOUGH = 4  # an underline that is shorter than its title counts from here on
_DEEPEST = 24  # nested more deeply, text is one paragraph
_EXPLICIT = re.compile(r"\.\.(?:[ \t]+|$)(.*)")
_DIRECTIVE = re.compile(r"(?:\|[^|]{1,60}\|[ \t]+)?([A-Za-z][\w:.+-]{0,40})[ \t]?::(?:[ \t]+(.*))?")
_NOTE = re.compile(r"\[([\w#*][\w.#-]{0,40})\](?:[ \t]+(.*))?")
_RST_FIELD = re.compile(r":((?:[^:\\\n]|\\.|:(?=\S)){1,80}):(?:[ \t]+(.*)|$)")
_RST_ITEM = re.compile(r"([-*+•‣]|(?:[0-9]{1,4}|#)[.)]|[a-z]\)|\((?:[0-9]{1,4}|[a-z])\))(?:[ \t]+|$)")
_GRID = re.compile(r"\+(?:[-=]+\+)+")
_SIMPLE = re.compile(r"=+(?:[ \t]+=+)+")
_SILENT = frozenset(
    """image toctree contents include raw meta index highlight role default-role sectnum target-notes class
    tabularcolumns unicode date graphviz plantuml literalinclude currentmodule module automodule autoclass
    sidebar-toc replace math default-domain program figure-toc section-numbering header footer""".split()  # noqa: SIM905
)
_CODE = frozenset(
    """code code-block sourcecode parsed-literal doctest testcode testoutput prompt console productionlist
    highlight-lang mermaid""".split()  # noqa: SIM905
)
_SAID = {
    "versionadded": "Added in version", "versionchanged": "Changed in version",
    "deprecated": "Deprecated since version",
}  # fmt: skip


class _Rst:
    """The state of reading a text: its links, and the level of each kind of underline, by order of use."""

    def __init__(self) -> None:
        self.inline = _Inline()
        self.levels: dict[tuple[str, bool], int] = {}

    def blocks(self, lines: Sequence[str], inside: str = "", depth: int = 0) -> list[Block]:
        """The blocks of lines, of which none has white space at its end."""
        if depth > _DEEPEST:
            return [self._paragraph("\n".join(lines), inside)]
        made: list[Block] = []
        at, literal = 0, False  # whether an indented block is code
        while at < len(lines):
            line = lines[at]
            if not line:
                at += 1
                continue
            if line[0] == " ":
                body, at = _indented(lines, at)
                if literal:
                    made.append(Block(blocks.CODE, "\n".join(body), 0, inside))
                else:
                    made += self.blocks(body, inside, depth + 1)
                literal = False
                continue
            found = None if inside else _title(lines, at)
            if found:
                title, kind, at = found
                level = self.levels.setdefault(kind, len(self.levels) + 1)
                made.append(Block(blocks.HEADING, self.inline.words(title), level))
            else:
                begins = self._prose if line[0].isalpha() and line[1:2] != ")" else self._block
                at, literal = begins(made, lines, at, inside, depth)
        return made

    def _block(
        self, made: list[Block], lines: Sequence[str], at: int, inside: str, depth: int
    ) -> tuple[int, bool]:
        """Adds the block that begins at a line without indentation; where the next begins, and whether it is
        code."""
        line = lines[at]
        if line[0] == "." and (explicit := _EXPLICIT.fullmatch(line)):
            body, after = _indented(lines, at + 1)
            made += self._explicit(explicit[1], body, inside, depth)
            return after, False
        if line == "::" or line.startswith("__ ") or (_adornment(line) and len(line) >= _ENOUGH):
            return at + 1, line == "::"
        if line[0] == ":" and (match := _RST_FIELD.fullmatch(line)):
            body, after = _indented(lines, at + 1)
            value = " ".join(filter(None, [match[2] or "", *body]))
            if value:
                made.append(Block(blocks.FIELD, self.inline.words(f"{match[1]}: {value}"), 0, inside))
            return after, False
        if (line[0] == "+" and _GRID.fullmatch(line)) or (line[0] == "=" and _SIMPLE.fullmatch(line)):
            end = _paragraph_end(lines, at) if line[0] == "+" else _simple_end(lines, at)
            table, header = (_grid if line[0] == "+" else _simple)(lines[at:end])
            made.append(self._rows(table, header=header, inside=inside))
            return end, False
        if line.startswith(">>> "):
            end = _paragraph_end(lines, at)
            made.append(Block(blocks.CODE, "\n".join(lines[at:end]), 0, inside))
            return end, False
        if item := _RST_ITEM.match(line):
            body, after = _indented(lines, at + 1)
            made += self._item(item[1], [line[item.end() :], *body], inside, depth)
            return after, False
        return self._prose(made, lines, at, inside, depth)

    def _prose(
        self, made: list[Block], lines: Sequence[str], at: int, inside: str, depth: int
    ) -> tuple[int, bool]:
        """Adds a paragraph, or a term with its definition."""
        end = at + 1
        while end < len(lines) and lines[end][:1] not in " ":
            end += 1
        said = "\n".join(lines[at:end])
        if lines[at].startswith("| "):  # lines of verse, an address
            said = "\n".join(each[1:].strip() if each[0] == "|" else each for each in lines[at:end])
        if end == at + 1 and end < len(lines) and lines[end] and not said.endswith("::"):
            body, after = _indented(lines, end)
            term = self.inline.words(said)
            found = self.blocks(body, inside, depth + 1)
            if found and found[0].kind == blocks.PARAGRAPH:
                kind = blocks.PARAGRAPH if found[1:] else blocks.FIELD
                found[0] = Block(kind, f"{term}: {found[0].words}", 0, inside)
            else:
                made.append(Block(blocks.PARAGRAPH, f"{term}:", 0, inside))
            made += found
            return after, False
        code = said.endswith("::")
        said = said[: -2 if said.endswith((" ::", "\n::")) else -1] if code else said
        made.append(self._paragraph(said, inside))
        return end, code

    def _paragraph(self, text: str, inside: str) -> Block:
        return Block(blocks.PARAGRAPH, self.inline.words(text), 0, inside)

    def _item(self, mark: str, lines: Sequence[str], inside: str, depth: int) -> list[Block]:
        made = self.blocks(lines, inside + INDENT, depth + 1)
        if made and made[0].kind == blocks.PARAGRAPH:
            number = mark.strip("()").rstrip(".)")
            sign = f"{number}. " if number.isalnum() else "- "
            made[0] = Block(blocks.ITEM, sign + made[0].words, 0, inside)
        return made

    def _explicit(self, said: str, body: list[str], inside: str, depth: int) -> Iterator[Block]:
        """A directive or a footnote; targets, substitutions and comments are no text."""
        if note := _NOTE.fullmatch(said):
            yield from self.blocks([note[2] or "", *body], inside, depth + 1)
            return
        match = None if said.startswith("|") else _DIRECTIVE.fullmatch(said)
        if match is None or match[1].lower() in _SILENT:
            return
        name, argument = match[1].lower(), match[2] or ""
        options = 0
        while options < len(body) and _RST_FIELD.fullmatch(body[options]):
            options += 1
        content = body[options:]
        if name in _CODE:
            yield Block(blocks.CODE, "\n".join(content).strip("\n"), 0, inside)
        elif name == "csv-table":
            head = [each.partition(":header:")[2].strip() for each in body[:options] if ":header:" in each]
            table = csv.reader([*head, *filter(None, content)], skipinitialspace=True)
            yield self._rows(list(table), header=bool(head), inside=inside)
        elif name == "list-table":
            yield self._rows(_list_table(content), header=True, inside=inside)
        else:
            if argument and name in ("figure", "literalinclude"):
                argument = ""
            if name in _SAID:
                argument = f"{_SAID[name]} {argument}:"
            if argument and content and content[0]:  # the text begins beside the name
                content = [argument, *content]
                argument = ""
            if content or " " in argument:  # else a setting
                yield self._paragraph(argument, inside)
            yield from self.blocks(content, inside, depth + 1)

    def _rows(self, table: list[list[str]], *, header: bool, inside: str) -> Block:
        words = [[self.inline.words(cell) for cell in row] for row in table]
        return blocks.rows(words, header=header, inside=inside)


def _indented(lines: Sequence[str], at: int) -> tuple[list[str], int]:
    """The lines from here on that are indented, without their margin, and where the others begin."""
    end = at
    while end < len(lines) and lines[end][:1] in " ":
        end += 1
    body = list(lines[at:end])
    while body and not body[-1]:
        body.pop()
    margin = min([len(line) - len(line.lstrip(" ")) for line in body if line], default=0)
    return [line[margin:] for line in body], end


def _paragraph_end(lines: Sequence[str], at: int) -> int:
    while at < len(lines) and lines[at]:
        at += 1
    return at


def _title(lines: Sequence[str], at: int) -> tuple[str, tuple[str, bool], int] | None:
    """A title with a line of one repeated sign below, or above and below; its kind, and where it ends."""
    below = lines[at + 1] if at + 1 < len(lines) else ""
    if not below or (below[0].isalnum() and lines[at][0].isalnum()):
        return None
    over = _adornment(lines[at])
    if over and at + 2 < len(lines) and lines[at] == lines[at + 2]:
        title = lines[at + 1].strip()
        good = title and not _adornment(title) and len(lines[at]) >= min(len(title), _ENOUGH)
        return (title, (over, True), at + 3) if good else None
    if over or (at and lines[at - 1]):
        return None
    sign = _adornment(below)
    good = sign and len(below) >= min(len(lines[at]), _ENOUGH)
    return (lines[at], (sign, False), at + 2) if good else None


def _adornment(line: str) -> str:
    """The sign that a line consists of; empty if it is no such line."""
    sign = line[:1]
    if sign.isalnum() or sign in " " or not sign.isascii() or not sign.isprintable():
        return ""
    return sign if line.count(sign) == len(line) else ""


def _simple_end(lines: Sequence[str], at: int) -> int:
    """Where a simple table ends: below the first border that is followed by an empty line."""
    for end in range(at + 1, len(lines)):
        if _SIMPLE.fullmatch(lines[end]) and not "".join(lines[end + 1 : end + 2]):
            return end + 1
    return _paragraph_end(lines, at)


def _simple(lines: Sequence[str]) -> tuple[list[list[str]], bool]:
    """The rows of a simple table, and whether the first is its header."""
    starts = [group.start() for group in re.finditer("=+", lines[0])]
    edges = list(zip(starts, [*starts[1:], None], strict=True))
    table: list[list[str]] = []
    borders = 0
    for line in lines:
        if _SIMPLE.fullmatch(line):
            borders += 1
        elif line and line.strip("- "):
            cells = [line[start:end].strip() for start, end in edges]
            if cells[0] or not table:
                table.append(cells)
            else:
                table[-1] = [f"{above} {cell}".strip() for above, cell in zip(table[-1], cells, strict=True)]
    return table, borders > 2


def _grid(lines: Sequence[str]) -> tuple[list[list[str]], bool]:
    """The rows of a grid table, and whether the first is its header."""
    edges = [place for place, sign in enumerate(lines[0]) if sign == "+"]
    table: list[list[str]] = []
    header = False
    new = True
    for line in lines:
        if _GRID.fullmatch(line):
            header |= "=" in line and len(table) == 1
            new = True
            continue
        cells, begun = [""] * (len(edges) - 1), 0
        for column, end in enumerate(edges[1:]):
            if line[end : end + 1] in ("|", "+", ""):  # else the cell goes on in the next column
                cells[column] = line[edges[begun] + 1 : end].strip(" |+-=") if begun <= column else ""
                begun = column + 1
        if new:
            table.append(cells)
        else:
            table[-1] = [f"{above} {cell}".strip() for above, cell in zip(table[-1], cells, strict=True)]
        new = False
    return table, header


def _list_table(lines: Sequence[str]) -> list[list[str]]:
    """The rows of a table that is written as a list of lists."""
    table: list[list[str]] = []
    for line in lines:
        row, cell = re.match(r"[*-][ \t]+[*-](?:[ \t]+|$)", line), re.match(r"[ \t]+[*-](?:[ \t]+|$)", line)
        if row:
            table.append([line[row.end() :]])
        elif cell and table:
            table[-1].append(line[cell.end() :])
        elif line and table:
            table[-1][-1] = f"{table[-1][-1]} {line.strip()}".strip()
    return table


def parse_rst(text: str, stem: str, limits: InputLimits) -> ParsedFile:  # noqa: ARG001
    """A reStructuredText file parsed."""
    found, start = headers.header_lines(text)
    reading = _Rst()
    lines = [line.rstrip() for line in text[start:].expandtabs(8).split("\n")]
    front = headers.front_of((key, reading.inline.words(value), number) for key, value, number in found)
    file = headers.parsed_file(front, reading.blocks(lines), stem)
    return replace(file, links=tuple(reading.inline.links))


RST = text_reader(parse_rst)


# -- AsciiDoc ------------------------------------------------------------------------------------------

_ADOC_TITLE = re.compile(r"(={1,6})[ \t]+(\S.*)")
_ADOC_DELIMITER = re.compile(
    r"(?:-{4,}|\.{4,}|/{4,}|\+{4,}|={4,}|\*{4,}|_{4,}|`{3,}\S*|--|\|={3,}|,={3,}|'{3,}|<{3,})"
)
_DELIMITERS = {"-": "-", ".": "-", "`": "-", "|": "|", "/": "/", "+": "/"}
_ADOC_ITEM = re.compile(r"[ \t]*(\*{1,5}|\.{1,5}|-|[0-9]{1,4}\.)[ \t]+(\S.*)")
_ADOC_TERM = re.compile(r"(\S.{0,200}?):{2,4}(?:[ \t]+(\S.*)|$)")
_ADOC_LINE = re.compile(
    r"//(?!/).*|\[[^\]\n]{0,400}\]|\[\[.*\]\]|(?:include|image|video|audio|ifdef|ifndef|ifeval|endif|toc|page-break)"
    r"::\S*\[.*\]|\+|:!?[\w-]{1,60}!?:(?:[ \t].*)?"
)
"""Lines that are no text: comments, attributes of blocks, macros, the sign of a list that goes on."""

_ADOC_AUTHOR = re.compile(r"[^\W\d_][^<>:]{1,60}<[^<>\s]+@[^<>\s]+>")
_ADOC_REVISION = re.compile(r"(?:v?([\w.]+),)?\s*([0-9]{4}-[0-9]{2}-[0-9]{2})\b")
_ADOC_MARK = re.compile(
    r"\b(?:link|xref|mailto):(?P<target>[^\s\[\]]+)\[(?P<words>[^\]]{0,500})\]|(?P<url>https?://[^\s\[\]<>]+)\[(?P<shown>[^\]]{0,500})\]"
    r"|<<(?P<anchor>[^<>,\n]{1,200})(?:,(?P<said>[^<>]{0,400}))?>>|\b(?:image|icon|anchor|indexterm2?):[^\s\[\]]{0,200}\[[^\]]{0,500}\]"
    r"|\[\[[\w.,: -]{1,80}\]\]|\b(?:kbd|btn|menu|footnote|pass|stem):[^\s\[\]]*\[(?P<text>[^\]]{0,500})\]"
    r"|(?<![\w`])(?P<sign>\*\*?|__?|``?|\#\#?|\+)(?=[^\s*_`#+])(?P<inner>[^*_`#+\n]+)(?<=\S)(?P=sign)(?!\w)"
)


class _Adoc:
    """The state of reading an AsciiDoc text: its attributes and links."""

    def __init__(self) -> None:
        self.found: list[tuple[str, str, int]] = []
        self.links: dict[Link, None] = {}

    def words(self, text: str) -> str:
        return _ADOC_MARK.sub(self._words, text).strip()

    def _words(self, mark: re.Match[str]) -> str:
        if target := mark["target"]:
            said = mark["words"].partition(",")[0].strip('"^ ') or target
            if link := link_to(target, said):
                self.links[link] = None
            return said
        if mark["anchor"]:
            return (mark["said"] or mark["anchor"]).strip()
        return mark["inner"] or mark["text"] or (mark["shown"] or "").rstrip("^") or mark["url"] or ""

    def _header(self, lines: Sequence[str], at: int) -> int:
        """Takes in the lines below the title: author, revision, attributes. Where the text begins."""
        first = at
        while at < len(lines) and lines[at]:
            line = lines[at]
            if match := _RST_FIELD.fullmatch(line):
                self.found.append((match[1], match[2] or "", at))
            elif at == first and _ADOC_AUTHOR.match(line):
                self.found.append(("author", line.partition("<")[0].strip(), at))
            elif at == first + 1 and (match := _ADOC_REVISION.match(line)):
                self.found += [("version", match[1] or "", at), ("date", match[2], at)]
            elif not line.startswith("//"):
                break
            at += 1
        return at

    def blocks(self, lines: Sequence[str]) -> Iterator[Block]:
        """The blocks of lines, of which none has white space at its end."""
        at, titled = 0, False
        kind, inside, said = blocks.PARAGRAPH, "", list[str]()  # of the block that is open
        while at <= len(lines):
            line = lines[at] if at < len(lines) else ""
            new = self._begins(line)
            if (new or not line or _ADOC_LINE.fullmatch(line)) and said:
                yield Block(kind, self.words("\n".join(said)), 0, inside)
                kind, inside, said = blocks.PARAGRAPH, "", []
            at += 1
            if new is None:
                said += [] if not line or _ADOC_LINE.fullmatch(line) else [line]
            elif isinstance(new, Block) and new.kind == blocks.HEADING:
                yield new
                at = at if titled else self._header(lines, at)
                titled = True
            elif isinstance(new, Block):
                kind, inside, said = new.kind, new.inside, [new.words]
            else:
                end = at
                while new and end < len(lines) and lines[end] != line:
                    end += 1
                if new == "|":
                    table, header = self._table(lines[max(0, at - 2)], lines[at:end])
                    yield blocks.rows(table, header=header)
                elif new == "-":
                    yield Block(blocks.CODE, "\n".join(lines[at:end]))
                at = end + 1 if new else at

    def _begins(self, line: str) -> Block | str | None:
        """The block that a line begins; the kind of delimiter that it is: of code "-", of a table "|", of a
        comment "/", of what is read as all else ""; None for any other line."""
        if _ADOC_DELIMITER.fullmatch(line):
            return "" if line == "--" else _DELIMITERS.get(line[0], "")
        if title := _ADOC_TITLE.fullmatch(line):
            return Block(blocks.HEADING, self.words(title[2]), len(title[1]))
        if item := _ADOC_ITEM.fullmatch(line):
            mark = "- " if item[1][0] in "*-" else "1. "
            return Block(
                blocks.ITEM, mark + item[2], 0, INDENT * (len(item[1]) - 1 if item[1][0] in "*." else 0)
            )
        if (term := _ADOC_TERM.fullmatch(line)) and not _ADOC_LINE.fullmatch(line):
            return Block(blocks.FIELD if term[2] else blocks.PARAGRAPH, f"{term[1]}: {term[2] or ''}")
        if line[:1] == "." and line[1:2].isalnum():
            return Block(blocks.PARAGRAPH, line[1:])  # the title of a block
        return None

    def _table(self, above: str, lines: Sequence[str]) -> tuple[list[list[str]], bool]:
        """The rows of a table, and whether the first is its header; `above`: the line with its attributes."""
        cells: list[list[str]] = []
        for line in lines:
            found = [self.words(cell) for cell in re.split(r"(?:(?<=\s)|^)[\w.+<>^*]{0,8}\|", line)]
            if len(found) == 1 and cells and line:
                cells[-1][-1] = f"{cells[-1][-1]} {found[0]}".strip()
            elif len(found) > 1:
                cells.append(found[1:])
        columns = len(cells[0]) if cells else 0
        if match := re.search(r"cols=\"?(?:([0-9]{1,3})\*)?([^\"\]]*)", above):
            columns = int(match[1] or 0) + len([each for each in match[2].split(",") if each])
        flat = [cell for row in cells for cell in row]
        header = "header" in above or (len(lines) > 1 and bool(lines[0]) and not lines[1])
        return [flat[at : at + columns] for at in range(0, len(flat), max(1, columns))], header


def parse_asciidoc(text: str, stem: str, limits: InputLimits) -> ParsedFile:  # noqa: ARG001
    """An AsciiDoc file parsed."""
    reading = _Adoc()
    body = list(reading.blocks([line.rstrip() for line in text.split("\n")]))
    file = headers.parsed_file(headers.front_of(reading.found), body, stem)
    return replace(file, links=tuple(reading.links))


ASCIIDOC = text_reader(parse_asciidoc)


# -- plain text ----------------------------------------------------------------------------------------


def parse_plain(text: str, stem: str, limits: InputLimits) -> ParsedFile:  # noqa: ARG001
    """A text whose first line is the title if it is short, or in its header."""
    found, start = headers.header_lines(text)
    if found:
        body = text[start:].strip("\n")
        return headers.parsed_file(headers.front_of(found), [Block(blocks.PARAGRAPH, body)], stem)
    first = text.lstrip().partition("\n")[0].rstrip()
    return ParsedFile(text, first if len(first) <= LONGEST_TITLE else stem)
