"""Mail: a document for an .eml, one for each message of an .mbox, and one for each attached text.

A message is identified by its Message-ID, a file of it by that and the file's name. Its links are the
messages that it answers. What it quotes of them, and its signature, are left out.
"""

from __future__ import annotations

import base64
import binascii
import codecs
import quopri
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from email import message_from_bytes
from email.message import Message
from email.parser import BytesParser
from email.policy import compat32
from email.utils import parsedate_to_datetime
from hashlib import blake2b
from itertools import groupby
from pathlib import PurePosixPath
from typing import Any

from asof.extensions.documents.html_blocks import html_text, write_markdown
from asof.extensions.documents.parts import Part, ReadLimits, Refused, Writer
from asof.sources.html_walk import MarkupToken

# -- headers: words decoded, addresses, message ids, date ------------------------------------------


_WORD = re.compile(r"=\?([^?\s]{1,60})\?([bBqQ])\?([^?]*)\?=")
_BETWEEN = re.compile(r"(?<=\?=)[ \t\r\n]++(?==\?)")
_ID = re.compile(r"<([^<>\s]{1,500})>")
_COMMENTED = re.compile(r"\A([^\s<>()]+@[^\s<>()]+) \(([^()<>]+)\)\Z")
_CONTROL = re.compile(r"[\x00-\x20\x7f]+")
_NO_CHARSETS = {"punycode", "idna", "unicode-escape", "raw-unicode-escape", "undefined"}
"""Codecs that no mail is written in; some take a time that is no multiple of the length."""

_WIDER = {
    "iso8859-1": "cp1252",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "shift-jis": "cp932",
    "euc-kr": "cp949",
}
"""Charsets to use in place of narrower ones, whose names are often given for them."""

LONGEST_ID = 500

_FAULTS = (RecursionError, ValueError, LookupError, TypeError, AttributeError)
"""Errors of the mail library, which does not expect all that is sent."""


def header(message: Message, name: str) -> str:
    """The words of the first header of this name, on one line; "" if there is none."""
    return " ".join(words(next(headers(message, name), "")).split())


def headers(message: Message, name: str) -> Iterator[str]:
    """Each header of this name as it was sent."""
    return (str(value) for key, value in message.raw_items() if key.lower() == name)


def words(value: str) -> str:
    """The value of a header with its encoded words decoded (RFC 2047), and bytes that should not be there."""
    if not value.isascii():
        value = decoded(value.encode("utf-8", "surrogateescape"), "")[0]
    if "=?" not in value:
        return value
    value = _BETWEEN.sub("", value)
    text, at = [], 0
    pieces: list[tuple[str, bytes]] = []
    for match in _WORD.finditer(value):
        if match.start() > at:
            pieces.append(("", value[at : match.start()].encode("utf-8", "surrogateescape")))
        pieces.append((match[1].partition("*")[0].lower(), _bytes_of(match)))
        at = match.end()
    pieces.append(("", value[at:].encode("utf-8", "surrogateescape")))
    for charset, group in groupby(pieces, lambda piece: piece[0]):
        # a letter may begin in one word and end in the next
        text.append(decoded(b"".join(content for _, content in group), charset)[0])
    return "".join(text)


def _bytes_of(word: re.Match[str]) -> bytes:
    content = word[3].encode("utf-8", "surrogateescape")
    if word[2] in "qQ":
        return quopri.decodestring(content, header=True)
    try:
        return base64.b64decode(content + b"=" * (-len(content) % 4))
    except (binascii.Error, ValueError):
        return content


def decoded(content: bytes, charset: str) -> tuple[str, str]:
    """The text of bytes in the charset that is declared ("": none), and its fault, or ""."""
    name = _codec(charset)
    if name:
        with suppress(LookupError, ValueError):
            return content.decode(name), ""
    try:
        text = content.decode("utf-8")
    except UnicodeError:
        wrong = f"it is not in the charset {charset!r} that it names" if name else "its charset is not known"
        known = name if name not in ("", "ascii") else "cp1252"
        return content.decode(known, "replace"), f"{wrong}: it is read as {known}, what is none as U+FFFD"
    said = charset and not content.isascii()
    return text, f"it names the charset {charset!r:.60} but is read as UTF-8" if said else ""


def _codec(charset: str) -> str:
    """The codec of a charset; "" for one that is not known or no charset."""
    try:
        name = codecs.lookup(charset.strip("\"' ")).name if charset.isascii() else ""
    except (LookupError, ValueError):
        return ""
    name = name.replace("_", "-")
    return "" if name in _NO_CHARSETS else _WIDER.get(name, name)


def addresses(message: Message, name: str) -> list[str]:
    """Each of the addresses in a header as "Name <address>"; a comma in quotes or brackets parts none."""
    text = next(headers(message, name), "")
    found, one, quoted, inside, escaped = [], list[str](), False, 0, False
    for sign in text:
        if escaped:
            escaped = False
        elif sign == "\\":
            escaped = True
            continue
        elif sign == '"':
            quoted = not quoted
            continue
        elif not quoted:
            inside = max(0, inside + (sign in "<(") - (sign in ">)"))
            if sign in ",;" and not inside:
                found.append("".join(one))
                one.clear()
                continue
        one.append(sign)
    whole = (" ".join(words(each).split()) for each in (*found, "".join(one)))
    return [_COMMENTED.sub(r"\2 <\1>", each) for each in whole if each]


def ids(text: str) -> list[str]:
    """The message ids in a header, without their brackets."""
    return list(dict.fromkeys(_ID.findall(text)))


def own_id(message: Message) -> str:
    """The id of a mail; "" if it has none that can be used."""
    text = header(message, "message-id")
    found = ids(text)
    name = found[0] if found else _CONTROL.sub("", text).strip("<>")
    return name if len(name) <= LONGEST_ID else ""


def sent(message: Message, arrived: str = "") -> tuple[str, str]:
    """The date on which a mail was sent (ISO 8601, "" if unknown), and a sentence if its Date does not say
    it.

    `arrived`: the moment in the line before a mail of a mailbox.
    """
    if (moment := _moment(header(message, "date"))) is not None:
        return moment.isoformat(), ""
    for line in headers(message, "received"):  # the last server's stands first
        if (moment := _moment(line.rpartition(";")[2])) is not None:
            return moment.isoformat(), "it has no date that can be read: it is dated by when it was received"
    if (moment := _moment(arrived)) is not None:
        return moment.isoformat(), "it has no date that can be read: it is dated by its line in the mailbox"
    return "", ""


def _moment(text: str) -> datetime | None:
    try:
        return parsedate_to_datetime(text[:200]) if text else None
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


# -- the writer's own words, without quotes and signature ------------------------------------------


_WROTE = r"(?:wrote|writes|schrieb|écrit|escribió|escreveu|ha scritto|schreef|skrev|napisała?)"
_ATTRIBUTION = re.compile(rf"[^\n]{{0,400}}\b{_WROTE}\b[^:\n]{{0,200}}(?::[^:\n]{{1,100}})?[:：]\s*\Z")
_BEGINS = re.compile(r"\s*(?:On|Am|Le|El|Em|Il|Op|Den|W dniu|Dnia)\b[^\n]*[0-9]")
_ORIGINAL = re.compile(
    r"\s*-{3,10}\s*(?:Original (?:Message|Appointment)|Ursprüngliche Nachricht|Originalnachricht"
    r"|Message d'origine|Mensaje original|Messaggio originale|Oorspronkelijk bericht)\s*-{3,10}\s*\Z",
    re.IGNORECASE,
)
_FROM = re.compile(r"\s*\*?(?:From|Von|De|Da|Van)\s?:\*?\s+\S")
_SENT = re.compile(r"\s*\*?(?:Sent|Date|Gesendet|Datum|Envoyé|Enviado(?: el)?|Inviato|Verzonden)\s?:\*?\s+\S")
_FOOTER = re.compile(r"[_=-]{20,}\s*\Z")
_FORWARDED = re.compile(r"\s*(?:fwd?|wg|tr|rv|i)\s*:", re.IGNORECASE)
"""The subject of a mail that forwards another, which is then its text."""

LONGEST_SIGNATURE = 12
"""Lines of a signature whose `--` lost the space that ends it."""

LAST_LINES = 15
"""A list's footer is looked for among so many lines at the end."""


def own_words(text: str, *, forward: bool = False) -> str:
    """A mail's text without quotes, the lines that announce them, and its signature; the footer of a
    mailing list stays. All of it where nothing would remain."""
    lines = [line.rstrip("\r") for line in text.split("\n")]
    kept: list[str] = []
    signing = False
    for at, line in enumerate(lines):
        signing = signing and not _FOOTER.match(line)
        signing = signing or line == "-- " or (line == "--" and len(lines) - at <= LONGEST_SIGNATURE)
        if signing:
            continue
        if line.startswith(">"):
            if not (at and lines[at - 1].startswith(">")):
                _drop_attribution(kept)
        elif not forward and _quotes_below(lines, at):
            if kept and _FOOTER.match(kept[-1]):  # Outlook's line above the mail that is answered
                kept.pop()
            kept += _footer(lines, at + 1)
            break
        else:
            kept.append(line)
    words = "\n".join(kept)
    return words if any(map(str.isalnum, words)) else text


def is_attribution(text: str) -> bool:
    """True if a paragraph only says who wrote what is quoted below."""
    return (
        len(text) < 600
        and text.rstrip().endswith((":", "："))
        and _ATTRIBUTION.match(" ".join(text.split())) is not None
    )


def _drop_attribution(kept: list[str]) -> None:
    """Take "On Monday Ann wrote:" from the end, which may be of up to three lines."""
    end = len(kept)
    while end and not kept[end - 1].strip():
        end -= 1
    for first in range(end - 1, max(end - 4, -1), -1):
        if not kept[first].strip():
            break
        if is_attribution(" ".join(kept[first:end])):
            begins = next((at for at in range(first, max(end - 4, -1), -1) if _BEGINS.match(kept[at])), first)
            del kept[begins:]
            return


def _quotes_below(lines: Sequence[str], at: int) -> bool:
    """True if what follows is the mail that is answered, without a mark on each line."""
    line = lines[at]
    if _ORIGINAL.match(line):
        return True
    if _FROM.match(line):
        return any(map(_SENT.match, lines[at + 1 : at + 3]))
    if not _BEGINS.match(line):
        return False
    for last in range(at, min(at + 3, len(lines))):
        said = " ".join(lines[at : last + 1])
        if "@" in said and is_attribution(said):
            below = next((each for each in lines[last + 1 :] if each.strip()), ">")
            return not below.startswith((">", "|"))
    return False


def _footer(lines: Sequence[str], start: int) -> list[str]:
    """The last lines of a text from the line that parts a list's footer from it."""
    start = max(start, len(lines) - LAST_LINES)
    return next(([*lines[at:]] for at in range(start, len(lines)) if _FOOTER.match(lines[at])), [])


def unflowed(text: str, *, delete_space: bool = False) -> str:
    """A text of format=flowed (RFC 3676) with each paragraph on a line; what is quoted keeps its lines."""
    lines: list[str] = []
    open_ = False
    for line in text.replace("\r\n", "\n").split("\n"):
        if line.startswith(">"):
            lines.append(line)
            open_ = False
            continue
        line = line.removeprefix(" ")
        if open_ and line != "-- ":
            lines[-1] += line
        else:
            lines.append(line)
        open_ = line.endswith(" ") and line != "-- "
        if open_ and delete_space:
            lines[-1] = lines[-1][:-1]
    return "\n".join(lines)


# -- entities: which are the text, which are files -------------------------------------------------


DEEPEST = 20
"""The greatest depth of entities and mails nested in each other."""
_TOO_DEEP = (f"it is nested more than {DEEPEST} levels deep", "do not trust it")

_READ_KINDS = {"text/plain", "text/markdown", "text/csv", "text/html"}
_READ_NAMES = {".txt", ".md", ".markdown", ".csv", ".html", ".htm"}
_QUOTED = {"gmail_quote", "gmail_attr", "yahoo_quoted", "moz-cite-prefix", "protonmail_quote"}
_SIGNED = {"gmail_signature", "moz-signature"}


@dataclass(slots=True)
class MailParts:
    """The texts of a mail in order, its files by their names, and the mails that are attached to it."""

    texts: list[Message] = field(default_factory=list)
    files: list[tuple[str, Message]] = field(default_factory=list)
    mails: list[Message] = field(default_factory=list)


def gather(entity: Message, found: MailParts, depth: int = 0) -> None:
    """Sort an entity and those in it. Raises Refused for a mail that is nested too deeply."""
    if depth > DEEPEST:
        raise Refused(*_TOO_DEEP)
    kind, payload = entity.get_content_type(), entity.get_payload()
    name = file_name(entity)
    attached = str(entity.get("content-disposition", "")).strip().lower().startswith("attachment")
    if isinstance(payload, list):
        inner = [each for each in payload if isinstance(each, Message)]
        if kind == "message/rfc822":
            for each in inner:
                mail = _unwrapped(each, str(entity.get("content-transfer-encoding", "")))
                if mail is None:
                    found.files.append((name or f"unnamed {kind}", entity))
                else:
                    found.mails.append(mail)
        elif kind.startswith("message/"):
            return  # what a server says of a delivery to another
        elif kind == "multipart/alternative" and inner:
            gather(_chosen(inner), found, depth + 1)
        else:
            for each in inner:
                gather(each, found, depth + 1)
    elif kind.startswith("multipart/") or (  # one without a boundary is a text as it stands
        kind in ("text/plain", "text/html") and not name and not attached
    ):
        found.texts.append(entity)
    elif not kind.startswith("application/pgp-") and kind != "application/pkcs7-signature":
        found.files.append((name or f"unnamed {kind}", entity))


def _unwrapped(mail: Message, encoding: str) -> Message | None:
    """An attached mail as it is; of one that is encoded in base64, which no standard allows, what is in it,
    and None if that is no mail."""
    if encoding.strip().lower() != "base64" or mail.keys():
        return mail
    try:
        inner = message_from_bytes(base64.b64decode(str(mail.get_payload())))
    except ValueError:
        return None
    return inner if inner.keys() else None


def _chosen(versions: Sequence[Message]) -> Message:
    """Of versions of a text the plain one, unless it is blank; else the one with HTML; else the last."""
    for each in versions:
        if each.get_content_type() == "text/plain" and str(each.get_payload()).strip():
            return each
    for each in reversed(versions):
        if any(inner.get_content_type() == "text/html" for inner in each.walk()):
            return each
    return versions[-1]


def file_name(entity: Message) -> str:
    """The name of the file that an entity is, without folders; "" if it has none."""
    try:
        name = entity.get_filename("")
    except _FAULTS:
        return ""
    name = words(str(name)).replace("\\", "/").rpartition("/")[2]
    return " ".join("".join(sign if sign.isprintable() else " " for sign in name).split())[:200]


def is_read(name: str, entity: Message) -> bool:
    """True if a file of a mail is a text that is read."""
    if entity.is_multipart():
        return False
    return entity.get_content_type() in _READ_KINDS or PurePosixPath(name.lower()).suffix in _READ_NAMES


def write_body(texts: Iterable[Message], writer: Writer, *, forward: bool) -> list[str]:
    """Write the writer's own text of a mail; returns a sentence on each fault."""
    notes: list[str] = []
    for entity in texts:
        text = text_of(entity, notes)
        if entity.get_content_maintype() == "multipart":
            notes.append("what parts its text from its files is not found: all is read as it stands")
        if entity.get_content_type() == "text/html":
            _write_html(text, writer, notes, forward=forward)
            continue
        if str(_parameter(entity, "format")).lower() == "flowed":
            text = unflowed(text, delete_space=str(_parameter(entity, "delsp")).lower() == "yes")
        writer.block(own_words(text, forward=forward))
    return list(dict.fromkeys(notes))


def write_file(name: str, entity: Message, writer: Writer) -> tuple[str, list[str]]:
    """Write a file of a mail that is a text; its title, and a sentence on each fault."""
    notes: list[str] = []
    text, suffix = text_of(entity, notes), PurePosixPath(name.lower()).suffix
    title = ""
    if suffix in (".html", ".htm") or entity.get_content_type() == "text/html":
        page = html_text(text)
        for block in page.blocks:
            writer.heading(block.text, block.level) if block.level else writer.block(block.text)
        title = page.title
        notes += page.notes
    elif suffix in (".md", ".markdown") or entity.get_content_type() == "text/markdown":
        title = write_markdown(text, writer)
    else:
        writer.block(text)
    return title, notes


def text_of(entity: Message, notes: list[str]) -> str:
    """The text of an entity, with line feeds; faults of its charset go to `notes`."""
    payload = entity.get_payload(decode=True)
    if not isinstance(payload, bytes):
        payload = str(entity.get_payload()).encode("utf-8", "surrogateescape")
    text, wrong = decoded(payload, str(_parameter(entity, "charset")))
    if wrong:
        notes.append(wrong)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _parameter(entity: Message, name: str) -> object:
    """A parameter of the content type; "" if it is not there or cannot be read."""
    try:
        value = entity.get_param(name, "")
    except _FAULTS:
        return ""
    return value[2] if isinstance(value, tuple) else value


def _write_html(text: str, writer: Writer, notes: list[str], *, forward: bool) -> None:
    page = html_text(text, _is_signature if forward else _is_quoted)
    blocks = [each for each in page.blocks if forward or not is_attribution(each.text)]
    if not blocks:
        page = html_text(text)
        blocks = page.blocks
    notes += page.notes
    waiting: list[str] = []
    for block in blocks:
        if block.level:
            _write_waiting(waiting, writer, forward=forward)
            writer.heading(block.text, block.level)
        else:
            waiting.append(block.text)
    _write_waiting(waiting, writer, forward=forward)


def _write_waiting(waiting: list[str], writer: Writer, *, forward: bool) -> None:
    writer.block(own_words("\n\n".join(waiting), forward=forward))
    waiting.clear()


def _is_signature(piece: MarkupToken) -> bool:
    hidden = "display:none" in piece.attributes.get("style", "").replace(" ", "").lower()
    return hidden or not _SIGNED.isdisjoint(piece.attributes.get("class", "").split())


def _is_quoted(piece: MarkupToken) -> bool:
    """True if an element holds the mail that is answered, or a signature."""
    if piece.name == "blockquote" and piece.attributes.get("type", "").lower() == "cite":
        return True
    return _is_signature(piece) or not _QUOTED.isdisjoint(piece.attributes.get("class", "").split())


# -- messages as documents -------------------------------------------------------------------------

# The default policy reads each header by its grammar: a tenth as fast, and it fails on some of them.
_PARSER = BytesParser(policy=compat32)

_FROM_LINE = re.compile(rb"^From (?P<rest>[^\r\n]{1,998})\r?(?:\n|\Z)", re.MULTILINE)
_CLOCK, _YEAR = re.compile(rb"\b[0-9]{1,2}:[0-9]{2}\b"), re.compile(rb"\b[12][0-9]{3}\b")
_QUOTED_FROM = re.compile(rb"^>(>*From )", re.MULTILINE)
_SENDER = re.compile(rb"^From \S*\s*")
SHOWN = 5
"""The number of unreadable messages that are named."""
_OF_MAILS = ("from", "date", "subject", "to", "message-id", "received")


def read(raw: bytes, stem: str, suffix: str, limits: ReadLimits) -> list[Part]:  # noqa: ARG001
    """The messages of a file and their attached texts. Raises Refused."""
    mails = _Mails(limits)
    if suffix != ".mbox":
        mails.add_file(raw)
    for number, (arrived, content) in enumerate(messages(raw) if suffix == ".mbox" else (), 1):
        if number > limits.pages:
            raise Refused(f"it has more than {limits.pages:,} messages", "split it")
        mails.add_message(content, arrived)
    if not any(part.text for part in mails.parts):
        raise Refused(mails.odd[0] if mails.odd else "there is no text in the file", empty=not mails.odd)
    if mails.odd:
        more = [f"{len(mails.odd) - SHOWN} more messages cannot be read"] * (len(mails.odd) > SHOWN)
        mails.parts[0].notes.extend([*mails.odd[:SHOWN], *more])
    return mails.parts


def messages(raw: bytes) -> Iterator[tuple[str, bytes]]:
    """The messages of a mailbox, each with the date of the line before it. Raises Refused."""
    raw = raw.lstrip(b"\r\n")
    lines = (
        each for each in _FROM_LINE.finditer(raw)
        if _follows_empty_line(raw, each.start()) and _has_date(each["rest"])
    )  # fmt: skip
    line = next(lines, None)
    if line is None or line.start():
        raise Refused("it is no mailbox: it does not begin with a From line", "export it again")
    while line is not None:
        following = next(lines, None)
        content = raw[line.end() : following.start() if following else len(raw)]
        arrived = _SENDER.sub(b"", line[0]).decode("ascii", "replace").strip()
        yield arrived, _QUOTED_FROM.sub(rb"\1", content)
        line = following


def _follows_empty_line(raw: bytes, at: int) -> bool:
    """True also for the first line."""
    return at == 0 or raw.endswith((b"\n\n", b"\n\r\n"), 0, at)


def _has_date(rest: bytes) -> bool:
    """True if a clock stands in a line, and a year behind it."""
    clock = _CLOCK.search(rest)
    return clock is not None and _YEAR.search(rest, clock.end()) is not None


def _message(content: bytes) -> Message:
    try:
        return _PARSER.parsebytes(content)
    except _FAULTS as wrong:
        raise Refused(f"it is damaged: {str(wrong)[:200]}", "export it again") from wrong


def _digest(content: bytes) -> str:
    return blake2b(content, digest_size=8).hexdigest()


class _Mails:
    """The parts of a file so far."""

    def __init__(self, limits: ReadLimits) -> None:
        self.limits = limits
        self.parts: list[Part] = []
        self._seen: set[tuple[str, str]] = set()
        self._names: set[str] = set()
        self.odd: list[str] = []
        self._left = limits.characters

    def add_file(self, raw: bytes) -> None:
        """Add the message that a file is."""
        message = _message(raw)
        if not any(header(message, name) for name in _OF_MAILS):
            raise Refused("it is no mail: it has none of the headers of one", "rename it")
        try:
            self.add(message, "", own_id(message) or _digest(raw))
        except _FAULTS as wrong:
            raise Refused(f"it is damaged: {str(wrong)[:200]}", "export it again") from wrong

    def add_message(self, content: bytes, arrived: str) -> None:
        """Add a message of a mailbox, which may hold it twice: then it is read once. One that cannot be read
        is noted in `odd`."""
        before = len(self.parts)
        try:
            message, digest = _message(content), _digest(content.rstrip())
            id_ = own_id(message) or digest
            if (id_, digest) not in self._seen:
                self._seen.add((id_, digest))
                name = id_ if id_ not in self._names else f"{id_} {digest}"
                self.add(message, name, name, arrived)
        except (Refused, *_FAULTS) as wrong:
            if self._left < 0:
                raise
            del self.parts[before:]
            self.odd.append(f"the message of {arrived} cannot be read: {str(wrong)[:100]}")

    def add(self, message: Message, name: str, id_: str, arrived: str = "", depth: int = 0) -> None:
        """Add a message, and the texts and messages that are attached to it, named below `id_`."""
        if depth > DEEPEST:
            raise Refused(*_TOO_DEEP)
        found = MailParts()
        gather(message, found)
        subject = header(message, "subject")
        writer = Writer(self.limits)
        notes = write_body(found.texts, writer, forward=_FORWARDED.match(subject) is not None)
        if writer.empty:
            writer.block(subject)
        published, undated = sent(message, arrived)
        unread = [file for file, entity in found.files if not is_read(file, entity)]
        if unread:
            notes.append(f"attached files are not read: {', '.join(unread)}")
        notes += [undated] if undated else []
        references = ids(header(message, "references"))
        links = list(dict.fromkeys((*references, *ids(header(message, "in-reply-to")))))
        front = _front(message) | {"thread": (links or [own_id(message) or id_])[0]}
        if found.files:
            front["attachments"] = [file for file, _ in found.files]
        self._take(
            Part(
                writer.text(), subject, name, writer.outline, front, published, links=links, notes=notes,
                aliases=[id_],
            )
        )  # fmt: skip
        for file, entity in found.files:
            if file not in unread:
                self._add_file(file, entity, id_, published)
        for number, inner in enumerate(found.mails, 1):
            inner_name = self._free(f"{id_}/{own_id(inner) or f'message {number}'}")
            self.add(inner, inner_name, inner_name, depth=depth + 1)

    def _add_file(self, file: str, entity: Message, id_: str, published: str) -> None:
        writer = Writer(self.limits)
        title, notes = write_file(file, entity, writer)
        if not writer.empty:
            name = self._free(f"{id_}/{file}")
            self._take(
                Part(
                    writer.text(), title or file, name, writer.outline, published=published, links=[id_],
                    notes=notes,
                )
            )  # fmt: skip

    def _free(self, name: str) -> str:
        """The name, or with a number if it is taken."""
        number, free = 1, name
        while free in self._names:
            number += 1
            free = f"{name} ({number})"
        return free

    def _take(self, part: Part) -> None:
        self._names.add(part.name)
        self._left -= len(part.text)
        if self._left < 0:
            raise Refused(f"it has more than {self.limits.characters:,} characters", "split it")
        self.parts.append(part)


def _front(message: Message) -> dict[str, Any]:
    """The sender and the recipients."""
    author, to, cc = (addresses(message, name) for name in ("from", "to", "cc"))
    front = {"author": author[0] if len(author) == 1 else author, "to": to, "cc": cc}
    return {key: value for key, value in front.items() if value}
