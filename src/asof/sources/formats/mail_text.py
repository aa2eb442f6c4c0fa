"""What somebody wrote in a mail: without the mails that it answers, and without a signature."""

from __future__ import annotations

import re
from collections.abc import Sequence

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

LONGEST_SIGNATURE = 12
"""Lines of a signature whose `--` lost the space that ends it."""

LAST_LINES = 15
"""A list's footer is looked for among so many lines at the end."""


def is_forward(subject: str) -> bool:
    """Whether a mail hands on another, which is then what it says."""
    return _FORWARDED.match(subject) is not None


def own_words(text: str, *, forward: bool = False) -> str:
    """A mail's text without what it quotes, the lines that announce it, and its signature; the footer of a
    mailing list stays. All of it where nothing would remain."""
    lines = [line.rstrip("\r") for line in text.split("\n")]
    kept: list[str] = []
    signing = False
    for at, line in enumerate(lines):
        signing = (signing and not _FOOTER.match(line)) or _signs(lines, at)
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
    """Whether a paragraph only says who wrote what is quoted below."""
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


def _signs(lines: Sequence[str], at: int) -> bool:
    """Whether a line begins the signature."""
    if lines[at] == "-- ":
        return True
    return lines[at] == "--" and len(lines) - at <= LONGEST_SIGNATURE


def _quotes_below(lines: Sequence[str], at: int) -> bool:
    """Whether what follows is the mail that is answered, without a mark on each line."""
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
