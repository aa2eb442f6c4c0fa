"""Readers of formats: the bytes of a file go to a process of its own, and what it says of them is checked."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from asof.data import Heading, Link, Problem, SourcedTime
from asof.data.storable import storable
from asof.errors import BadTime, MissingExtra, SourceError
from asof.sources.dates import stated
from asof.sources.formats import template_dates
from asof.sources.formats.parts import Part
from asof.sources.formats.process import PROCESSES
from asof.sources.readers import ParsedFile, Reader, Unreadable
from asof.sources.source import InputLimits, token

MAX_TITLE = 500
"""Characters of a title."""

_PASSING = (b'{"no": "memory"', b'{"no": "import"')
"""How answers begin that may be others the next time."""

_ZIP = (".docx", ".pptx", ".xlsx", ".odt", ".odp", ".ods", ".epub")
BEGINNINGS: Mapping[str, tuple[str, ...]] = {
    "a PDF": (".pdf",), "RTF": (".rtf",), "an office document or another archive": _ZIP,
    "an office document of before 2007": (".xls", *_ZIP),
}  # fmt: skip
"""What files are by their first bytes, and the suffixes of such files (the last one also encrypted ones)."""


def kind_of(raw: bytes) -> str:
    """What a file is by its first bytes, one of BEGINNINGS; "" where they say nothing."""
    first = {b"%PDF": 0, b"{\\rt": 1, b"PK\x03\x04": 2, b"\xd0\xcf\x11\xe0": 3}.get(raw[:4])
    return "" if first is None else list(BEGINNINGS)[first]


@dataclass(frozen=True, slots=True)
class FormatReader:
    """The reader of a format: the module whose `read` reads it in the process, and the packages that it needs
    there, with the extra that has them. `many`: a file is many documents.
    `remedy`: what to do where a file takes too much."""

    module: str
    suffix: str
    packages: tuple[str, ...] = ()
    extra: str = ""
    many: bool = False
    remedy: str = ""

    def __call__(self, raw: bytes, stem: str, limits: InputLimits) -> ParsedFile:
        parts = self.parts(raw, stem, limits)
        files = [_parsed(each, stem) for each in parts]
        if files[0].name:
            return ParsedFile("", stem, parts=tuple(files))
        return replace(files[0], parts=tuple(files[1:]))

    def parts(self, raw: bytes, stem: str, limits: InputLimits) -> list[Part]:
        """What the module makes of a file, at least one part, each of another name. Raises Unreadable,
        MissingExtra, SourceError."""
        if len(raw) > limits.file:
            raise Unreadable(f"the file has {len(raw)} bytes; the limit is {limits.file}")
        request = {
            "module": self.module, "folders": _folders(self.packages, self.extra), "stem": stem,
            "suffix": self.suffix, "many": self.many,
        }  # fmt: skip
        try:
            answer = self._answer(request, raw, limits)
        except Unreadable as wrong:
            raise Unreadable(str(wrong), self.remedy or wrong.remedy) from wrong
        try:
            parts = _checked(answer)
        except Unreadable as wrong:
            if (kind := kind_of(raw)) and self.suffix not in BEGINNINGS[kind] and not wrong.empty:
                raise Unreadable(f"{wrong}; it begins as {kind} does", "correct its suffix") from wrong
            raise
        most = limits.all if self.many else limits.characters
        names = [each.name for each in parts]
        if sum(len(each.text) for each in parts) > most + 4 * len(parts) + limits.pages:
            raise _broken()
        if len(set(names)) != len(names):
            raise _broken()
        return parts

    def _answer(self, request: Mapping[str, object], raw: bytes, limits: InputLimits) -> Any:
        """What the process says of a file; what it said before, where that was kept."""
        if limits.kept is None:
            return json.loads(PROCESSES.ask(request, raw, limits))
        key = token(repr(limits), *(str(request[name]) for name in ("module", "stem", "suffix", "many")), raw)
        answer = limits.kept.get(key, 6 * limits.all + 2**20)
        if answer is None:
            answer = PROCESSES.ask(request, raw, limits)
            if not answer.startswith(_PASSING):
                limits.kept.put(key, answer)
        return json.loads(answer)


def reader(
    module: str, suffix: str, *packages: str, extra: str = "documents", many: bool = False, remedy: str = ""
) -> Reader:
    """The reader by a module beside this one."""
    return FormatReader(f"{__package__}.{module}", suffix, packages, extra, many, remedy)


def _folders(packages: Sequence[str], extra: str) -> list[str]:
    """The folders in which the packages lie; nothing of them is loaded here."""
    folders: list[str] = []
    for name in packages:
        spec = find_spec(name)
        if spec is None or spec.origin is None:
            raise MissingExtra(f"reading it needs {name}: pip install 'asof[{extra}]'")
        folder = str(Path(spec.origin).parents[1 if spec.submodule_search_locations else 0])
        if folder not in folders:
            folders.append(folder)
    return folders


# -- what came back, checked: a file may have brought the process to say anything ----------------------------


def _checked(answer: Any) -> list[Part]:
    match answer:
        case {"no": "memory"}:
            raise Unreadable("it needs more memory than a file may take", "split it")
        case {"no": "import", "remedy": str(missing)}:
            raise SourceError(f"a library that reads such files cannot be loaded: {missing}")
        case {"no": str(why), "remedy": str(remedy), "empty": bool(empty)}:
            raise Unreadable(storable(why), storable(remedy), empty=empty)
        case {"parts": [*parts]} if parts:
            try:
                return [_part(each) for each in parts]
            except (KeyError, TypeError, ValueError, AttributeError) as wrong:
                raise _broken() from wrong
    raise _broken()


def _part(told: Mapping[str, Any]) -> Part:
    """A part, every text of it storable. Raises KeyError, TypeError, ValueError, AttributeError for what is
    none."""
    text, title, name, published, created, changed = (
        storable(told[key]) for key in ("text", "title", "name", "published", "created", "changed")
    )
    links, aliases, notes = (
        [storable(each) for each in told[key] if each.strip()] for key in ("links", "aliases", "notes")
    )
    outline = [(int(at), int(level), storable(words)) for at, level, words in told["outline"]]
    places = [-1, *(at for at, _, _ in outline), len(text)]
    if places != sorted(set(places)) and outline:
        raise ValueError("headings are not in order, or not in the text")
    front = told["front"]
    if not isinstance(front, dict):
        raise TypeError("front is no object")
    return Part(text, title, name, outline, front, published, created, changed, links, aliases, notes)


def _parsed(part: Part, stem: str) -> ParsedFile:
    notes = [Problem(each, lost=False) for each in part.notes]
    front = dict(part.front)
    tags, language = front.pop("tags", ()), str(front.pop("language", ""))
    made = _time(part.changed, "changed", notes)
    if made is None and part.created != part.changed:
        made = _time(part.created, "created", notes)
    if part.published:
        front["published"] = part.published
        if part.changed and made is not None and _is_time(part.published):
            front["updated"], made = part.changed, None
    title = " ".join(part.title.split())[:MAX_TITLE]
    return ParsedFile(
        part.text, title or (stem if not part.name else ""), name=part.name, front=front, by="metadata",
        outline=tuple(Heading(*each) for each in part.outline), links=tuple(map(Link, part.links)),
        tags=tuple(dict.fromkeys(storable(str(each)) for each in tags if str(each).strip())),
        aliases=tuple(dict.fromkeys(part.aliases)), language=language if len(language) == 2 else "",
        created=made, notes=tuple(notes), slow=True,
    )  # fmt: skip


def _is_time(text: str) -> bool:
    try:
        return stated(text, "metadata") is not None
    except BadTime:
        return False


def _time(text: str, what: str, notes: list[Problem]) -> SourcedTime | None:
    """A time that a file says of itself; None for one that templates have, which is noted."""
    if not text:
        return None
    try:
        time = stated(text, "metadata")
    except BadTime as wrong:
        notes.append(Problem(f"its date ({what}) cannot be read: {wrong}", lost=False))
        return None
    if time is not None and (why := template_dates.disbelieved(time.span)):
        notes.append(Problem(f"its date ({what} {text[:10]}) is not believed: {why}", lost=False))
        return None
    return time


def _broken() -> Unreadable:
    return Unreadable("it breaks what reads it", "save it anew")
