"""Mail: a document for an .eml, one for each message of an .mbox.

A message is identified by its Message-ID. Its links are the messages that it answers. Its signature is left
out, and so is what it quotes, if the message that it answers is in the same folder or mailbox. Attached files
are named; an attached mail is part of the text.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message
from email.parser import BytesParser
from email.policy import Compat32
from email.utils import getaddresses, parsedate_to_datetime
from hashlib import blake2b
from typing import Any

from asof.extensions.documents.parts import Part, ReadLimits, Refused, Writer
from asof.sources.blocks import plainly
from asof.sources.html_walk import HtmlLines, MarkupToken

# -- headers: words decoded, addresses, message ids, date ------------------------------------------


_ID = re.compile(r"<([^<>\s]{1,500})>")
_CONTROL = re.compile(r"[\x00-\x20\x7f]+")
_NO_CHARSETS = {"punycode", "idna", "unicode-escape", "raw-unicode-escape", "undefined"}
"""Codecs that no mail is written in; some take a time that is no multiple of the length."""

_WIDER = {"iso8859-1": "cp1252", "gb2312": "gb18030", "gbk": "gb18030", "shift-jis": "cp932"}
"""Charsets to use in place of narrower ones, whose names are often given for them."""

LONGEST_ID = 500
LONGEST_HEADER = 20_000
"""Characters of a header, beyond which it is cut: faults take the mail library the square of a length."""

_FAULTS = (RecursionError, ValueError, LookupError, TypeError, AttributeError)
"""Errors of the mail library, which does not expect all that is sent."""


def header(message: Message, name: str) -> str:
    """The words of the first header of this name, on one line; "" if there is none."""
    return words(next(headers(message, name), ""))


def headers(message: Message, name: str) -> Iterator[str]:
    """Each header of this name as it was sent."""
    return (str(value) for key, value in message.raw_items() if key.lower() == name)


def words(value: str) -> str:
    """The value of a header on one line, with its encoded words decoded (RFC 2047), and bytes that should
    not be there."""
    if not value.isascii():
        value = decoded(value.encode("utf-8", "surrogateescape"), "")[0]
    if "=?" in value:
        with suppress(HeaderParseError, *_FAULTS):
            value = "".join(_piece(*each) for each in decode_header(value))
    return " ".join(value.split())


def _piece(content: bytes | str, charset: str | None) -> str:
    if isinstance(content, str):
        return content
    return decoded(content, charset)[0] if charset else content.decode("raw-unicode-escape", "replace")


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


def addresses(message: Message, name: str) -> list[tuple[str, str]]:
    """Each of the names in a header with its address ("" for what is not there); without any address the
    header as a name."""
    text = next(headers(message, name), "")
    pairs: list[tuple[str, str]] = []
    with suppress(*_FAULTS):
        pairs = [(words(who), address) for who, address in getaddresses([text]) if address]
    whole = words(text)
    return pairs or ([(whole, "")] if whole else [])


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
    with suppress(ValueError, TypeError, IndexError, OverflowError):
        return parsedate_to_datetime(text[:200]) if text else None
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
_RULE = re.compile(r"[_=-]{20,}\s*\Z")
_FORWARDED = re.compile(r"\s*(?:fwd?|wg|tr|rv|i)\s*:", re.IGNORECASE)
"""The subject of a mail that forwards another, which is then its text."""

SIGNATURE = 12
"""The most lines of a signature that are not empty."""

_SENTENCE = re.compile(r"\S+(?:[ \t]+\S+){3,}[.!?…][\"')”»]?[ \t]*")


def own_words(text: str, *, quotes: bool = False) -> str:
    """A mail's text without its signature; unless `quotes` are wanted, without these and the lines that
    announce them. All of it where nothing would remain."""
    lines = [line.rstrip("\r") for line in text.split("\n")]
    kept: list[str] = []
    signed = 0  # where a signature ends
    for at, line in enumerate(lines):
        if at < signed:
            continue
        if line.startswith(">") and not quotes:
            if not (at and lines[at - 1].startswith(">")):
                _drop_attribution(kept)
        elif not quotes and _quotes_below(lines, at):
            if kept and _RULE.match(kept[-1]):  # Outlook's line above the mail that is answered
                kept.pop()
            break
        elif line in ("-- ", "--"):
            signed = _signature_end(lines, at)
            kept += [] if signed else [line]
        else:
            kept.append(line)
    words = "\n".join(kept)
    return words if any(map(str.isalnum, words)) else text


def _signature_end(lines: Sequence[str], at: int) -> int:
    """The number of the line where the signature below a line of dashes ends; 0 if there stands more than a
    signature, or after `--` (which lost the space that ends it) a sentence."""
    end = next((n for n in range(at + 1, len(lines)) if _begins_quote(lines, n)), len(lines))
    below = [line for line in lines[at + 1 : end] if line.strip()]
    sentence = lines[at] == "--" and any(map(_SENTENCE.fullmatch, below))
    return 0 if sentence or len(below) > SIGNATURE else end


def _begins_quote(lines: Sequence[str], at: int) -> bool:
    said = (" ".join(lines[at:last]) for last in range(at + 1, min(at + 4, len(lines) + 1)))
    return (
        lines[at].startswith(">")
        or _quotes_below(lines, at)
        or (_BEGINS.match(lines[at]) is not None and any(map(is_attribution, said)))
    )


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


# -- entities: which are the text, which are files -------------------------------------------------


DEEPEST = 20
"""The greatest depth of entities nested in each other."""

_QUOTED = {"gmail_quote", "gmail_attr", "yahoo_quoted", "moz-cite-prefix", "protonmail_quote"}
_SIGNED = {"gmail_signature", "moz-signature"}


@dataclass(slots=True)
class MailParts:
    """The texts of a mail in order, before that of an attached mail who sent it, when and on what; the names
    of its files, and a sentence on each fault."""

    texts: list[Message | str] = field(default_factory=list)
    files: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def gather(entity: Message, found: MailParts, depth: int = 0) -> None:
    """Sort an entity and those in it. Raises Refused for a mail that is nested too deeply."""
    if depth > DEEPEST:
        raise Refused(f"it is nested more than {DEEPEST} levels deep", "do not trust it")
    kind, payload = entity.get_content_type(), entity.get_payload()
    name = file_name(entity, found.notes)
    attached = str(entity.get("content-disposition", "")).strip().lower().startswith("attachment")
    encoded = str(entity.get("content-transfer-encoding", "")).strip().lower() == "base64"
    if isinstance(payload, list) and not (kind == "message/rfc822" and encoded):  # which no standard allows
        inner = [each for each in payload if isinstance(each, Message)]
        if kind.startswith("message/") and kind != "message/rfc822":
            return  # what a server says of a delivery to another
        if kind == "multipart/alternative" and inner:
            inner = [_chosen(inner)]
        for each in inner:
            if kind == "message/rfc822":
                said = ((name, header(each, name.lower())) for name in ("From", "Date", "Subject"))
                found.texts.append("\n".join(f"{name}: {text}" for name, text in said if text))
            gather(each, found, depth + 1)
    elif kind.startswith("multipart/") or (kind in ("text/plain", "text/html") and not name and not attached):
        found.texts.append(entity)
    elif not kind.startswith("application/pgp-") and kind != "application/pkcs7-signature":
        found.files.append(name or f"unnamed {kind}")


def _chosen(versions: Sequence[Message]) -> Message:
    """Of versions of a text the plain one, unless it is blank; else the one with HTML; else the last."""
    for each in versions:
        if each.get_content_type() == "text/plain" and str(each.get_payload()).strip():
            return each
    for each in reversed(versions):
        if any(inner.get_content_type() == "text/html" for inner in each.walk()):
            return each
    return versions[-1]


def file_name(entity: Message, notes: list[str]) -> str:
    """The name of the file that an entity is, without folders; "" if it has none, or none that can be read,
    which is noted."""
    try:
        name = entity.get_filename("")
    except _FAULTS:
        notes.append("the name of a file in it cannot be read")
        return ""
    name = words(str(name)).replace("\\", "/").rpartition("/")[2]
    return " ".join("".join(sign if sign.isprintable() else " " for sign in name).split())[:200]


def write_body(texts: Iterable[Message | str], writer: Writer, notes: list[str], *, quotes: bool) -> None:
    """Write the writer's own text of a mail, with what it quotes if wanted; a sentence on each fault goes to
    `notes`."""
    for entity in texts:
        if isinstance(entity, str):
            writer.block(entity)
            continue
        text = text_of(entity, notes)
        if entity.get_content_maintype() == "multipart":
            notes.append("what parts its text from its files is not found: all is read as it stands")
        if entity.get_content_type() == "text/html":
            text = _html_text(text, notes, quotes=quotes)
        writer.block(own_words(text, quotes=quotes))


def text_of(entity: Message, notes: list[str]) -> str:
    """The text of an entity, with line feeds; faults of its charset go to `notes`."""
    payload = entity.get_payload(decode=True)
    if not isinstance(payload, bytes):
        payload = str(entity.get_payload()).encode("utf-8", "surrogateescape")
    try:
        charset = entity.get_param("charset", "")
    except _FAULTS:
        notes.append("the name of its charset cannot be read")
        charset = ""
    text, wrong = decoded(payload, str(charset[2] if isinstance(charset, tuple) else charset))
    notes += [wrong] if wrong else []
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _html_text(source: str, notes: list[str], *, quotes: bool) -> str:
    """The paragraphs of a mail in HTML, without what it answers and its signature; all of them where nothing
    would remain."""
    page = HtmlLines(_is_signature if quotes else _is_quoted).read(source)
    blocks = [block for block in page.found if quotes or not is_attribution(block.words)]
    if not blocks:
        page = HtmlLines().read(source)
        blocks = page.found
    notes += page.faults()
    return plainly(blocks)[0]


def _is_signature(piece: MarkupToken) -> bool:
    hidden = "display:none" in piece.attributes.get("style", "").replace(" ", "").lower()
    return hidden or not _SIGNED.isdisjoint(piece.attributes.get("class", "").split())


def _is_quoted(piece: MarkupToken) -> bool:
    """True if an element holds the mail that is answered, or a signature."""
    if piece.name == "blockquote" and piece.attributes.get("type", "").lower() == "cite":
        return True
    return _is_signature(piece) or not _QUOTED.isdisjoint(piece.attributes.get("class", "").split())


# -- messages as documents -------------------------------------------------------------------------


class _ShortHeaders(Compat32):
    """Cuts each header. The default policy reads each by its grammar: a tenth as fast, and some it cannot."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, value = super().header_source_parse(sourcelines)
        return name, value[: LONGEST_HEADER + 1]  # so that one that was cut is longer than it may be


_PARSER = BytesParser(policy=_ShortHeaders())

_FROM_LINE = re.compile(rb"^From (?P<rest>[^\r\n]{1,998})\r?(?:\n|\Z)", re.MULTILINE)
_CLOCK, _YEAR = re.compile(rb"\b[0-9]{1,2}:[0-9]{2}\b"), re.compile(rb"\b[12][0-9]{3}\b")
_QUOTED_FROM = re.compile(rb"^>(>*From )", re.MULTILINE)
_SENDER = re.compile(rb"^From \S*\s*")
SHOWN = 5
"""The number of unreadable messages that are named."""
_OF_MAILS = ("from", "date", "subject", "to", "message-id", "received")


def read(raw: bytes, stem: str, suffix: str, limits: ReadLimits) -> list[Part]:  # noqa: ARG001
    """The messages of a file. Raises Refused."""
    if suffix != ".mbox":
        message = _message(raw)
        if not any(header(message, name) for name in _OF_MAILS):
            raise Refused("it is no mail: it has none of the headers of one", "rename it")
        part = _part(message, "", own_id(message) or _digest(raw), limits)
        if not part.text:
            raise Refused("there is no text in the file", empty=True)
        return [part]
    parts, odd = _mailbox(raw, limits)
    if not any(part.text for part in parts):
        raise Refused(odd[0] if odd else "there is no text in the file", empty=not odd)
    if odd:
        more = [f"{len(odd) - SHOWN} more messages cannot be read"] * (len(odd) > SHOWN)
        parts[0].notes.extend([*odd[:SHOWN], *more])
    return parts


def _mailbox(raw: bytes, limits: ReadLimits) -> tuple[list[Part], list[str]]:
    """The messages of a mailbox, which may hold one twice: then it is read once; a sentence on each that
    cannot be read."""
    parts: dict[str, Part] = {}
    odd: list[str] = []
    seen: set[tuple[str, str]] = set()
    left = limits.characters
    for number, (arrived, content) in enumerate(messages(raw), 1):
        if number > limits.pages:
            raise Refused(f"it has more than {limits.pages:,} messages", "split it")
        try:
            message, digest = _message(content), _digest(content.rstrip())
            id_ = own_id(message) or digest
            if (id_, digest) in seen:
                continue
            seen.add((id_, digest))
            name = id_ if id_ not in parts else f"{id_} {digest}"
            part = _part(message, name, name, limits, arrived)
        except Refused as wrong:
            odd.append(f"the message of {arrived} cannot be read: {wrong.message[:100]}")
            continue
        left -= len(part.text)
        if left < 0:
            raise Refused(f"it has more than {limits.characters:,} characters", "split it")
        parts[name] = part
    for part in parts.values():
        if not parts.keys().isdisjoint(part.quoted):
            part.text = part.own
        part.own, part.quoted = "", []
    return list(parts.values()), odd


def messages(raw: bytes) -> Iterator[tuple[str, bytes]]:
    """The messages of a mailbox, each with the date of the line before it. Raises Refused."""
    raw = raw.lstrip(b"\r\n")
    lines = (
        each for each in _FROM_LINE.finditer(raw)
        if (not (at := each.start()) or raw.endswith((b"\n\n", b"\n\r\n"), 0, at)) and _has_date(each["rest"])
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


def _has_date(rest: bytes) -> bool:
    """True if a clock stands in a line, and a year behind it."""
    clock = _CLOCK.search(rest)
    return clock is not None and _YEAR.search(rest, clock.end()) is not None


def _message(content: bytes) -> Message:
    try:
        return _PARSER.parsebytes(content)
    except _FAULTS as wrong:
        raise _damaged(wrong) from wrong


def _damaged(wrong: Exception) -> Refused:
    return Refused(f"it is damaged: {str(wrong)[:200]}", "export it again")


def _digest(content: bytes) -> str:
    return blake2b(content, digest_size=8).hexdigest()


def _part(message: Message, name: str, id_: str, limits: ReadLimits, arrived: str = "") -> Part:
    """The document of a message. Raises Refused."""
    found, own, whole = MailParts(), Writer(limits), Writer(limits)
    try:
        gather(message, found)
        if any(len(value) > LONGEST_HEADER for each in message.walk() for value in map(str, each.values())):
            found.notes.append(f"a header has more than {LONGEST_HEADER:,} characters: the rest is not read")
        subject = header(message, "subject")
        write_body(found.texts, own, found.notes, quotes=_FORWARDED.match(subject) is not None)
        write_body(found.texts, whole, found.notes, quotes=True)
        for writer in (own, whole):
            if not writer.blocks:
                writer.block(subject)
        published, undated = sent(message, arrived)
        references = ids(header(message, "references"))
        answered = ids(header(message, "in-reply-to"))
        links = list(dict.fromkeys((*references, *answered)))
        front = _front(message) | {"thread": (links or [own_id(message) or id_])[0]}
    except _FAULTS as wrong:
        raise _damaged(wrong) from wrong
    if found.files:
        front["attachments"] = found.files
        found.notes.append(f"attached files are not read: {', '.join(found.files)}")
    found.notes += [undated] if undated else []
    notes = list(dict.fromkeys(found.notes))
    text = whole.text()
    quoted = (answered or references)[-1:] if own.text() != text else []
    return Part(
        text, subject, name, front=front, published=published, links=links, notes=notes,
        aliases=[id_], own=own.text() if quoted else "", quoted=quoted,
    )  # fmt: skip


def _front(message: Message) -> dict[str, Any]:
    """The sender by name, which is searched, and sender and recipients as "Name <address>"."""
    pairs = {name: addresses(message, name) for name in ("from", "to", "cc")}
    author = list(dict.fromkeys(who or address for who, address in pairs["from"]))
    full = {
        name: [f"{who} <{address}>" if who and address else who or address for who, address in each]
        for name, each in pairs.items()
    }
    front = {"author": author, **full}
    return {
        key: value[0] if len(value) == 1 and key in ("author", "from") else value
        for key, value in front.items()
        if value
    }
