"""Mails: an .eml is a document, an .mbox one for each message; attached texts are documents of their own.

A message is named by its Message-ID, a file of it by that and the file's name. Its links are the messages
that it answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from email.message import Message
from email.parser import BytesParser
from email.policy import compat32
from hashlib import blake2b
from typing import Any

from asof.sources.formats.mail_body import DEEPEST, entities, is_read, write_body, write_file
from asof.sources.formats.mail_headers import addresses, header, ids, own_id, sent
from asof.sources.formats.mail_text import is_forward
from asof.sources.formats.parts import Part, ReadLimits, Refused, Writer

# The default policy reads each header by its grammar: a tenth as fast, and it fails on some of them.
_PARSER = BytesParser(policy=compat32)

_FROM_LINE = re.compile(rb"^From (?P<rest>[^\r\n]{1,998})\r?(?:\n|\Z)", re.MULTILINE)
_CLOCK, _YEAR = re.compile(rb"\b[0-9]{1,2}:[0-9]{2}\b"), re.compile(rb"\b[12][0-9]{3}\b")
_QUOTED_FROM = re.compile(rb"^>(>*From )", re.MULTILINE)
_SENDER = re.compile(rb"^From \S*\s*")
_FAULTS = (RecursionError, ValueError, LookupError, TypeError, AttributeError)
"""What the library raises for messages that are not sound."""
SHOWN = 5
"""So many messages that cannot be read are named."""
_OF_MAILS = ("from", "date", "subject", "to", "message-id", "received")


def read(raw: bytes, stem: str, suffix: str, limits: ReadLimits) -> list[Part]:  # noqa: ARG001
    """The messages of a file and their attached texts. Raises Refused."""
    mails = _Mails(limits)
    if suffix == ".mbox":
        mails.add_mailbox(raw)
    else:
        mails.add_file(raw)
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
        if _begins_message(raw, each.start()) and _has_date(each["rest"])
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


def _begins_message(raw: bytes, at: int) -> bool:
    """Whether the line at a place is the first, or follows an empty one."""
    return at == 0 or raw.endswith((b"\n\n", b"\n\r\n"), 0, at)


def _has_date(rest: bytes) -> bool:
    """Whether a clock stands in a line, and a year behind it."""
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

    def add_mailbox(self, raw: bytes) -> None:
        """Add the messages of a mailbox."""
        for number, (arrived, content) in enumerate(messages(raw), 1):
            if number > self.limits.pages:
                raise Refused(f"it has more than {self.limits.pages:,} messages", "split it")
            self.add_message(content, arrived)

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
            raise Refused(f"it is nested more than {DEEPEST} levels deep", "do not trust it")
        found = entities(message)
        subject = header(message, "subject")
        writer = Writer(self.limits)
        notes = write_body(found.texts, writer, forward=is_forward(subject))
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
    """Who wrote to whom."""
    author, to, cc = (addresses(message, name) for name in ("from", "to", "cc"))
    front = {"author": author[0] if len(author) == 1 else author, "to": to, "cc": cc}
    return {key: value for key, value in front.items() if value}
