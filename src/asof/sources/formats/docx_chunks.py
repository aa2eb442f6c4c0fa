"""Parts of a Word document that are of another format (`altChunk`), as programs put HTML into one."""

from __future__ import annotations

import re
from email import message_from_bytes
from pathlib import PurePosixPath

from asof.sources.bounded_xml import attribute, local
from asof.sources.formats.html_flow import Block
from asof.sources.formats.html_text import html_text
from asof.sources.formats.mail_body import text_of
from asof.sources.formats.mail_headers import decoded
from asof.sources.formats.office_core import Package
from asof.sources.formats.parts import Refused
from asof.sources.markup import declared_charset

_TYPES = "[Content_Types].xml"
_KINDS = {
    "text/html": "html", "application/xhtml+xml": "html", "text/plain": "plain",
    "message/rfc822": "saved page", "multipart/related": "saved page",
    "application/x-mimearchive": "saved page",
}  # fmt: skip
_SUFFIXES = {
    ".htm": "html", ".html": "html", ".xhtml": "html", ".txt": "plain", ".mht": "saved page",
    ".mhtml": "saved page",
}  # fmt: skip
_BETWEEN = re.compile(r"\n(?:[ \t]*+\n)+")
_DAMAGE = (ValueError, LookupError, TypeError, AttributeError, RecursionError)
"""What the library of mails raises for saved pages that are not sound."""


def chunk_blocks(package: Package, member: str) -> list[Block] | None:
    """The text of a part that is HTML, a page saved as MHT, or plain text; None for another format, and where
    there is no such part. What its charset does not fit goes to the notes of the package."""
    if member not in package.archive:
        return None
    kind = _kind(package, member)
    if not kind:
        return None
    raw = package.archive.bytes(member)
    if kind == "saved page":
        source, kind = _page_of(raw, package.notes)
    else:
        marked = raw.startswith((b"\xff\xfe", b"\xfe\xff"))
        source, wrong = decoded(raw, "utf-16" if marked else declared_charset(raw) if kind == "html" else "")
        source = source.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
        package.notes += [f"{member}: {wrong}"] if wrong else []
    if kind == "html":
        return html_text(source).blocks
    return [Block(each) for each in map(str.strip, _BETWEEN.split(source)) if each]


def _kind(package: Package, member: str) -> str:
    """Whether a part is "html", "plain" or a "saved page", by what the package says of it, else by its
    suffix; "" for other formats."""
    suffix = PurePosixPath(member).suffix.lower()
    own = by_suffix = ""
    for each in package.archive.xml(_TYPES) if _TYPES in package.archive else ():
        if local(each) == "Override" and attribute(each, "PartName").lstrip("/") == member:
            own = attribute(each, "ContentType")
        elif local(each) == "Default" and f".{attribute(each, 'Extension').lower()}" == suffix:
            by_suffix = attribute(each, "ContentType")
    said = (own or by_suffix).partition(";")[0].strip().lower()
    return _KINDS.get(said, "") if said else _SUFFIXES.get(suffix, "")


def _page_of(raw: bytes, notes: list[str]) -> tuple[str, str]:
    """The text of a saved page and its kind. Raises Refused for one that is damaged."""
    try:
        texts = [each for each in message_from_bytes(raw).walk() if each.get_content_maintype() == "text"]
        pages = [each for each in texts if each.get_content_type() == "text/html"]
        for each in pages or texts:
            return text_of(each, notes), "html" if pages else "plain"
    except _DAMAGE as wrong:
        raise Refused(f"a saved page in it is damaged: {str(wrong)[:200]}", "save it again") from wrong
    return "", "plain"
