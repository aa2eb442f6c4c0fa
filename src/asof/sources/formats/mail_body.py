"""The entities of a mail: which are its text, which are files, and the text of each."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import Message
from pathlib import PurePosixPath

from asof.sources.formats.html_text import html_text
from asof.sources.formats.mail_headers import decoded, words
from asof.sources.formats.mail_text import is_attribution, own_words, unflowed
from asof.sources.formats.markdown_text import write_markdown
from asof.sources.formats.parts import Refused, Writer
from asof.sources.markup import MarkupToken

DEEPEST = 20
"""How deep entities and mails may be nested in each other."""

_READ_KINDS = {"text/plain", "text/markdown", "text/csv", "text/html"}
_READ_NAMES = {".txt", ".md", ".markdown", ".csv", ".html", ".htm"}
_QUOTED = {"gmail_quote", "gmail_attr", "yahoo_quoted", "moz-cite-prefix", "protonmail_quote"}
_SIGNED = {"gmail_signature", "moz-signature"}


@dataclass(slots=True)
class Entities:
    """The texts of a mail in order, its files by their names, and the mails that are attached to it."""

    texts: list[Message] = field(default_factory=list)
    files: list[tuple[str, Message]] = field(default_factory=list)
    mails: list[Message] = field(default_factory=list)


def entities(message: Message) -> Entities:
    """Raises Refused for a mail that is nested too deeply."""
    found = Entities()
    _gather(message, found, 0)
    return found


def _gather(entity: Message, found: Entities, depth: int) -> None:
    if depth > DEEPEST:
        raise Refused(f"it is nested more than {DEEPEST} levels deep", "do not trust it")
    kind, payload = entity.get_content_type(), entity.get_payload()
    name = file_name(entity)
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
            _gather(_chosen(inner), found, depth + 1)
        else:
            for each in inner:
                _gather(each, found, depth + 1)
    elif kind.startswith("multipart/") or (  # one without a boundary is a text as it stands
        kind in ("text/plain", "text/html") and not name and not _is_attached(entity)
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
        inner = message_from_bytes(b64decode(str(mail.get_payload())))
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


def _is_attached(entity: Message) -> bool:
    return str(entity.get("content-disposition", "")).strip().lower().startswith("attachment")


def file_name(entity: Message) -> str:
    """The name of the file that an entity is, without folders; "" if it has none."""
    try:
        name = entity.get_filename("")
    except (
        ValueError,
        LookupError,
        TypeError,
        AttributeError,
    ):  # the library does not expect all that is sent
        return ""
    name = words(str(name)).replace("\\", "/").rpartition("/")[2]
    return " ".join("".join(sign if sign.isprintable() else " " for sign in name).split())[:200]


def is_read(name: str, entity: Message) -> bool:
    """Whether a file of a mail is a text that is read."""
    if entity.is_multipart():
        return False
    return entity.get_content_type() in _READ_KINDS or PurePosixPath(name.lower()).suffix in _READ_NAMES


def write_body(texts: Iterable[Message], writer: Writer, *, forward: bool) -> list[str]:
    """Write what somebody wrote in a mail; a sentence on each fault."""
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
    """The text of an entity, with line feeds; what is wrong with its charset goes to `notes`."""
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
    except (ValueError, LookupError, TypeError, AttributeError):
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
    """Whether an element holds the mail that is answered, or a signature."""
    if piece.name == "blockquote" and piece.attributes.get("type", "").lower() == "cite":
        return True
    return _is_signature(piece) or not _QUOTED.isdisjoint(piece.attributes.get("class", "").split())
