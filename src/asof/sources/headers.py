"""Headers of documents: frontmatter (YAML, TOML), `Key: value` lines, their fields and the title."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from asof.documents import MAX_NESTING, Problem, TooDeep, storable_value
from asof.lang import set_of
from asof.sources import blocks, dates
from asof.sources.blocks import Block
from asof.sources.plainyaml import BadYaml, read_toml, read_yaml
from asof.sources.readers import ParsedFile, Unreadable
from asof.sources.source import Fields, InputLimits
from asof.wire import replace

# -- frontmatter ---------------------------------------------------------------------------------------

_FENCE = re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.MULTILINE)
_TOML_FENCE = re.compile(r"^\+\+\+[ \t]*$", re.MULTILINE)


class Front(Struct, frozen=True):
    """The values, the line of each top-level key, keys as they were written, and duplicate ones with their
    lines."""

    values: dict[str, Any] = msgspec.field(default_factory=dict)
    lines: dict[str, int] = msgspec.field(default_factory=dict)
    keys: dict[str, str] = msgspec.field(default_factory=dict)
    twice: list[tuple[str, int]] = msgspec.field(default_factory=list)


def split(text: str) -> tuple[str, int] | None:
    """The block between the `---` or `+++` lines at the very top, and where the text after it starts; or
    None."""
    head, feed, _ = text.partition("\n")
    fence = head.rstrip(" \t")
    if not feed or fence not in ("---", "+++"):
        return None
    closing = (_FENCE if fence == "---" else _TOML_FENCE).search(text, len(head) + 1)
    if closing is None:
        return None
    return text[len(head) + 1 : closing.start()], min(closing.end() + 1, len(text))


def parse(block: str, largest: int, *, toml: bool = False) -> Front:
    """The values in a block of frontmatter of at most `largest` bytes. Raises BadYaml."""
    size = len(block.encode())
    if size > largest:
        raise BadYaml(f"its frontmatter has {size} bytes; the limit is {largest}")
    if toml:
        return _toml(block)
    read = read_yaml(block, "its frontmatter", first=2, strict=True)
    if len(read.documents) > 1:
        raise BadYaml("its frontmatter holds more than one YAML document", 2)
    values = read.documents[0] if read.documents else None
    if values is not None and not isinstance(values, dict):
        what = "a list" if isinstance(values, list) else "a text"
        raise BadYaml(f"its frontmatter is {what}; accepted are lines like `key: value`", 2)
    return Front(values or {}, read.lines, twice=read.twice)


def _toml(block: str) -> Front:
    """The values in a block of TOML, as Hugo has it between lines of `+++`. Raises BadYaml."""
    try:
        values = storable_value(read_toml(block))
    except (RecursionError, TooDeep):
        raise BadYaml(f"its frontmatter is nested more than {MAX_NESTING} levels deep") from None
    except ValueError as wrong:
        raise BadYaml(f"its frontmatter is not TOML: {wrong}") from None
    keys = (line.partition("=")[0].strip(" \t\"'") for line in block.split("\n"))
    return Front(values, {key: number for number, key in enumerate(keys, 2) if key in values})


_TEMPLATE = re.compile(r"\{\{.*?\}\}|<%.*?%>")
"""What a program fills in when it makes a note of a template: `{{date}}`, `<% tp.date.now() %>`."""


def frontmatter(text: str, limits: InputLimits) -> tuple[Front, int, list[Problem]]:
    """The frontmatter of a text, where the text after it begins, and what is wrong. One that cannot be read
    has no values."""
    found = split(text)
    if found is None:
        return Front(), 0, []
    block, start = found
    try:
        front = parse(block, limits.frontmatter, toml=text[0] == "+")
    except BadYaml as wrong:
        if template := _TEMPLATE.search(block):
            said = "its frontmatter is a template: its fields are not read"
            line = 2 + block.count("\n", 0, template.start())
            return Front(), start, [Problem(said, line=line, lost=False)]
        remedy = "put texts with signs like { [ : * in quotes"
        return Front(), start, [Problem(str(wrong), line=wrong.line, remedy=remedy, lost=False)]
    twice = "{!r} stands twice in the frontmatter: the last one counts"
    return front, start, [Problem(twice.format(key), line=line, lost=False) for key, line in front.twice]


# -- lines `Key: value` at the top of a document ------------------------------------------------------

_KEY_VALUE = re.compile(r"([^\W\d_][\w'’.-]{0,30}(?: [\w'’/&().-]{1,30}){0,3})[ \t]?:(?:[ \t]+(.*))?")
_RCS = re.compile(r"\$[A-Z][A-Za-z]*(?:: ([^$\n]*?) ?)?\$")
"""What a version control system filled in: `$Date: 2007-06-01 $`."""

MOST_LINES = 80

KeyValue = tuple[str, str, int]
"""A key, its value, and the number of its line from 0."""


def key_values(lines: Sequence[str]) -> list[KeyValue]:
    """The `Key: value` lines of a header, which may go on with the value indented below; [] if one of these
    is neither, or if no key is one that headers have."""
    found: list[KeyValue] = []
    for number, line in enumerate(lines):
        if found and line[:1] in (" ", "\t"):
            key, value, at = found[-1]
            found[-1] = (key, f"{value} {line.strip()}".strip(), at)
            continue
        match = _KEY_VALUE.fullmatch(line.rstrip())
        if match is None or number >= MOST_LINES:
            return []
        found.append((match[1], (match[2] or "").strip(), number))
    known = any(fold(key) in set_of("words", "header") or is_date(key) for key, _, _ in found)
    return found if known else []


def header_lines(text: str) -> tuple[list[KeyValue], int]:
    """The `Key: value` lines at the very top of a text, and where the text after them begins; [] and 0 if the
    first paragraph is anything else, or a single line."""
    end = text.find("\n\n")
    paragraph = text[: end if end >= 0 else len(text)]
    if ":" not in paragraph.partition("\n")[0] or "\n" not in paragraph:
        return [], 0
    found = key_values(paragraph.split("\n"))
    return (found, len(paragraph)) if len(found) > 1 else ([], 0)


def front_of(found: Iterable[KeyValue]) -> Front:
    """The values of `Key: value` lines. Keys are in lower case, with `_` between words. Empty values are
    none, nor is what tells a program how to read the file, or lists earlier dates ("Content-Type",
    "Post-History"): an edit of it is none of the document."""
    front = Front()
    for key, value, number in found:
        rcs = _RCS.fullmatch(value)
        value = (rcs[1] or "") if rcs else value
        if value and not (is_presentation(key) or fold(key).endswith("history")):
            name = re.sub(r"[\s-]+", "_", key.lower())
            front.values[name] = int(value) if re.fullmatch(r"0|[1-9][0-9]{0,8}", value) else value
            front.lines[name] = 1 + number
            front.keys[name] = key
    return front


def fold(key: str) -> str:
    """A key as lists of keys have it: lower case, a space between words."""
    return " ".join(re.split(r"[\s_-]+", key.lower()))


def is_date(key: str) -> bool:
    """True for a key that dates its document."""
    return dates.names_date(key, "published", "created", "changed", dates.FROM, dates.UNTIL) or key in _TIMES


_TIMES = {*Fields().about, *dates.FISCAL_START}


# -- fields: what a header says of its document -------------------------------------------------------

MOST_VALUES, LONGEST_VALUE = 8, 200
"""The most values of a field that are written, and the most characters of them together."""

TITLES = ("title", "titel", "titre", "título", "titolo", "subject")
"""The keys of a title."""

_OWN = frozenset({*TITLES, "tag", "tags", "keywords", "alias", "aliases", "categories"})
PRESENTATION = frozenset(
    """banner bibliography class classes coding color colour comments content cover css cssclass cssclasses
    draft excerpt footer guid has hero hide icon id image img index kanban kernelspec keyword lang
    language layout license link local locale logo math mathjax menu mobile mode nav navigation og order
    output permalink position public publish redirect robot robots search seo show sidebar sitemap slug
    snippet sort style summary template theme thumbnail toc translation twitter uid url uuid
    vim weight""".split()  # noqa: SIM905
)
"""First words of the keys of fields that tell a program how to show a document."""


def is_presentation(key: str) -> bool:
    """True for a field that tells a program how to show a document: `sidebar_position`."""
    return fold(key).split(" ", 1)[0] in PRESENTATION


def fields(front: Front, plain: Callable[[str], str] = str) -> list[Block]:
    """The fields of a header that say something of the document, each a line: those with a short value.
    `plain` takes the marks off a value."""
    return [
        blocks.field(front.keys.get(key, key), plain(said))
        for key, value in front.values.items()
        if not (fold(key) in _OWN or is_date(key) or is_presentation(key)) and (said := _said(value))
    ]


def _said(value: Any) -> str:
    """The words of a value, or of a list of them; "" for a long one, an empty one, true and false."""
    items = value if isinstance(value, list) else [value]
    texts = [scalar(each) for each in items[: MOST_VALUES + 1]]
    said = ", ".join(filter(None, texts))
    return said if len(items) <= MOST_VALUES and len(said) <= LONGEST_VALUE else ""


def scalar(value: Any) -> str:
    """A text or a number as a text; "" for anything else."""
    return str(value).strip() if isinstance(value, str | int | float) and not isinstance(value, bool) else ""


def parsed_file(
    front: Front, body: list[Block], stem: str, plain: Callable[[str], str] = str, above: Sequence[Block] = ()
) -> ParsedFile:
    """The file with this header, the blocks `above` it, and those of its body."""
    body = take_header(body, front)
    title = title_of(front, body, stem)
    text, outline = blocks.written([*above, *fields(front, plain), *body])
    meta = {key: value for key, value in front.values.items() if fold(key) not in TITLES}
    return ParsedFile(text, title, outline, front=meta, lines=front.lines)


def take_header(body: list[Block], front: Front) -> list[Block]:
    """The blocks of a document without those that are its header, whose values `front` gets: a list or a
    paragraph of `Key: value` lines at the top or below the title; and sections whose heading is such a key
    and whose text is one short line ("Status", "Accepted")."""
    at = 1 if body and body[0].kind == blocks.HEADING else 0
    end = at
    while (
        end < len(body) and body[end].kind == body[at].kind and body[at].kind in (blocks.ITEM, blocks.FIELD)
    ):
        end += 1
    if end == at and end < len(body) and body[at].kind == blocks.PARAGRAPH and not body[at].inside:
        end += 1
    lines = [line for block in body[at:end] for line in block.words.removeprefix("- ").split("\n")]
    found = key_values(lines)
    if found and not any(block.inside for block in body[at:end]):
        _add(front, found)
        body = body[:at] + body[end:]
    kept: list[Block] = []
    for number, block in enumerate(body):
        if _is_value(body, number):
            _add(front, [(kept.pop().words, block.words, 0)])
        else:
            kept.append(block)
    return kept


def _add(front: Front, found: Iterable[KeyValue]) -> None:
    more = front_of(found)
    for key, value in more.values.items():
        if key not in front.values:
            front.values[key] = value
            front.keys[key] = more.keys[key]


def _is_value(body: Sequence[Block], at: int) -> bool:
    """True if a block is the one short line of a section whose heading is a key of headers."""
    kind, said, _, inside = body[at]
    if kind != blocks.PARAGRAPH or inside or not at or body[at - 1].kind != blocks.HEADING or len(said) > 80:
        return False
    if "\n" in said or (at + 1 < len(body) and body[at + 1].kind != blocks.HEADING):
        return False
    key = fold(body[at - 1].words)
    return (key in set_of("words", "header") or is_date(key)) and key not in _OWN


# -- title --------------------------------------------------------------------------------------------

MOST_WORDS = 8
"""The most words of a paragraph that may stand above the title."""

_NUMBERED = re.compile(r"[0-9.\s]*[0-9.][.)]?\s+")


def title_of(front: Front, body: Iterable[Block], stem: str) -> str:
    """The title of a document: that of its header, with its number ("PEP 8 – Style"); else the first heading
    at the top that does not name a part, as "Abstract" does, or is that of the file; else `stem`."""
    values = {fold(key): scalar(value) for key, value in front.values.items()}
    own = next((title for key in TITLES if (title := values.get(key))), "")
    if own:
        return f"{series} – {own}" if (series := _series(front, stem)) else own
    for kind, said, _, inside in body:
        if kind == blocks.HEADING:
            number = _NUMBERED.match(said)
            plain = said[number.end() if number else 0 :].casefold().rstrip(":. ")
            if plain and (plain not in set_of("words", "parts") or plain == stem.casefold()):
                return said
        elif inside or kind not in (blocks.PARAGRAPH, blocks.FIELD) or len(said.split()) > MOST_WORDS:
            break
    return stem


def _series(front: Front, stem: str) -> str:
    """The name and number of a document of a series ("PEP 8") by a field whose key is in capitals, or begins
    the file's name."""
    for key, value in front.values.items():
        name = front.keys.get(key, key)
        number = str(value).strip()
        if (
            number.isdigit()
            and len(number) < 6
            and 1 < len(name) < 6
            and name.isalpha()
            and (name.isupper() or stem.lower().startswith(name.lower()))
        ):
            return f"{name.upper()} {int(number)}"
    return ""


# -- a header in a file of its own ---------------------------------------------------------------------

BESIDE = ("kep.yaml", "metadata.yaml", "metadata.yml")
"""The names of files whose fields are the header of the README in their folder."""


def headers_beside(paths: Iterable[str]) -> dict[str, str]:
    """For each README that is the only one of its folder the file with its header, if there is one."""
    readmes: dict[str, list[str]] = {}
    headers: dict[str, str] = {}
    for path in paths:
        folder, _, name = path.rpartition("/")
        if name.lower() in ("readme.md", "readme.markdown"):
            readmes.setdefault(folder, []).append(path)
        elif name in BESIDE:
            headers.setdefault(folder, path)
    return {found[0]: headers[each] for each, found in readmes.items() if each in headers and len(found) == 1}


def headed(page: ParsedFile, document: str, read: Callable[[], ParsedFile]) -> ParsedFile:
    """A page with the header that `read` gives; with a problem where that is Unreadable, or is none."""
    try:
        return with_header(page, read())
    except Unreadable as wrong:
        said = f"the file of its header ({', '.join(BESIDE)}) cannot be read: {wrong}"
        problem = Problem(said, remedy=wrong.remedy, document=document, lost=wrong.lost)
        return replace(page, notes=(*page.notes, problem))


def with_header(page: ParsedFile, header: ParsedFile) -> ParsedFile:
    """A page with the fields of another file above its text. What dates that file dates no text of it.
    Raises Unreadable for one that is records with a text each."""
    if header.parts:
        raise Unreadable("it holds several documents", "give it another name")
    above = f"{header.text}\n\n"
    outline = tuple(replace(each, offset=each.offset + len(above)) for each in page.outline)
    front = {key: value for key, value in header.front.items() if not is_date(key)}
    return replace(
        page, text=f"{above}{page.text}", outline=outline, front={**front, **page.front},
        tags=tuple(dict.fromkeys((*page.tags, *header.tags))),
        aliases=tuple(dict.fromkeys((*page.aliases, *header.aliases))),
    )  # fmt: skip
