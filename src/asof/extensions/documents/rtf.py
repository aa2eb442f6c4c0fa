"""RTF: the current text as `striprtf` gives it, and what the file says of itself.

A cell of a table ends with `|`. Left out: pictures, headers and footers, what is deleted or hidden; and
footnotes, comments and text boxes, which a note counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from asof.extensions.documents.office import Body, CoreProperties, properties_of
from asof.extensions.documents.parts import Part, ReadLimits, Refused

_BRACE = re.compile(r"\\.|[{}]", re.DOTALL)
_BINARY = re.compile(r"\\(?:bin(\d{1,10}) ?|.)", re.DOTALL)
_START = r"\{\s*(?:\\\*\s*)?\\(%s)(?![a-z])-?\d* ?"
_DATA = re.compile(_START % "pict|objdata|datastore|themedata|colorschememapping|latentstyles|shp")
_ASIDE = re.compile(_START % "footnote|annotation|shptxt")
_INFO = re.compile(_START % "info")
_PROPERTY = re.compile(_START % "title|subject|author|keywords")
_HIDDEN = re.compile(r"\{((?:\\[a-z]+-?\d* ?)*\\(?:deleted|v)(?![a-z0-9]))")
_SLOW = re.compile(r"\\fldinst(?![a-z])|\\f(?=\d)")
_WEB = re.compile(r'HYPERLINK\s+(?:\\\\[a-z]\s+)*"(https?://[^"\s]+)"', re.IGNORECASE)
_TIME = re.compile(r"\\(creatim|revtim)\\yr(\d{4})\\mo(\d{1,2})\\dy(\d{1,2})(?:\\hr(\d{1,2})\\min(\d{1,2}))?")
_BLANK_CELLS = re.compile(r"[| ]*\|[| ]*\Z")


def read(raw: bytes, stem: str, suffix: str, limits: ReadLimits) -> list[Part]:  # noqa: ARG001
    """A document of .rtf. Raises Refused."""
    if not raw.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"{\\rtf"):
        raise Refused(r"it is no RTF, which begins with {\rtf", "correct its suffix")
    source = _decoded(raw)
    text = _HIDDEN.sub(r"{\\*\1", _without(source, _DATA))
    info = "".join(text[start:end] for _, start, end, _ in groups(text, _INFO))
    charset = re.match(r"\s*\{\\rtf\d*((?:\\(?!fonttbl)[a-z]+-?\d* ?)*)", text)
    head = f"{{\\rtf1{charset[1] if charset else ''} "
    try:
        plain = _plain(text)
        named = {
            name: " ".join(_plain(f"{head}{info[at : end - 1]}}}").split())
            for name, _, end, at in groups(info, _PROPERTY)
        }
    except (TypeError, ValueError, LookupError, OverflowError) as wrong:
        raise Refused(f"it is damaged: {wrong}", "save it again") from wrong
    body = Body(limits)
    for line in plain.split("\n"):
        body.block(_BLANK_CELLS.sub("", line))
    for link in _WEB.findall(text):
        body.link(link)
    body.end()
    signs = [brace[0] for brace in _BRACE.finditer(source)]
    broken = ["it breaks off: what stood at its end is missing"]
    notes = broken if signs.count("{") > signs.count("}") else []
    if count := len(_ASIDE.findall(source)):
        notes.append(f"footnotes, comments and text boxes are not read: {count}")
    return [body.document(_core(named, info), notes)]


def groups(text: str, beginning: re.Pattern[str]) -> Iterator[tuple[str, int, int, int]]:
    """Groups that begin in a way, none within another: the word, start, end, and start of what it holds."""
    at = 0
    while (match := beginning.search(text, at)) is not None:
        depth, at = 0, len(text) + 1  # the end that one has that is never closed
        for brace in _BRACE.finditer(text, match.start()):
            depth += {"{": 1, "}": -1}.get(brace[0], 0)
            if not depth:
                at = brace.end()
                break
        yield match[1], match.start(), at, match.end()


def _decoded(raw: bytes) -> str:
    """The characters of a file, binary data cut. Those beyond ASCII are UTF-8, or escapes of RTF."""
    text, pieces, at = raw.decode("latin-1"), [], 0
    has_binary = "\\bin" in text
    while has_binary and (match := _BINARY.search(text, at)) is not None:
        pieces.append(text[at : match.start() if match[1] else match.end()])
        at = match.end() + int(match[1] or 0)
    kept = "".join([*pieces, text[at:]]).encode("latin-1")
    kept = kept.translate(None, bytes((*range(9), *range(11, 13), *range(14, 32))))
    try:
        return kept.decode("utf-8-sig")
    except UnicodeDecodeError:
        return re.sub("[\x80-\xff]", lambda sign: f"\\'{ord(sign[0]):02x}", kept.decode("latin-1"))


def _without(text: str, beginning: re.Pattern[str]) -> str:
    pieces, at = [], 0
    for _, start, end, _ in groups(text, beginning):
        pieces.append(text[at:start])
        at = end
    return "".join([*pieces, text[at:]])


def _plain(rtf: str) -> str:
    """The plain text of RTF. Patterns of the library that take quadratic time look for fields, and for a
    font to the end of the line: neither finds any."""
    from striprtf.striprtf import rtf_to_text

    rtf = _SLOW.sub(lambda word: f"\n{word[0]}" if word[0] == r"\f" else r"\fldinst ", rtf)
    text: str = rtf_to_text(rtf, errors="replace")  # type: ignore[no-untyped-call]
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").replace("\u2011", "-")


def _core(named: dict[str, str], info: str) -> CoreProperties:
    times = {}
    for name, *numbers in _TIME.findall(info):
        year, month, day, hour, minute = (int(number or 0) for number in numbers)
        if year and month and day:
            times[name] = f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}"
    said = (named.get(name, "") for name in ("title", "author", "subject", "keywords"))
    return properties_of(*said, created=times.get("creatim", ""), changed=times.get("revtim", ""))
