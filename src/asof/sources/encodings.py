"""In which encoding is a text that is not UTF-8? By what `charset-normalizer` finds least strange.

Windows-1252 (which holds Latin-1) is taken where it is as likely as any other: a few words do not tell more.
"""

from __future__ import annotations

import re

NAMES = {
    "cp1252": "windows-1252", "cp1250": "windows-1250", "iso8859_2": "ISO 8859-2", "cp1251": "windows-1251",
    "koi8_r": "KOI8-R", "cp1253": "windows-1253", "cp1254": "windows-1254", "cp1255": "windows-1255",
    "cp1256": "windows-1256", "cp932": "Shift JIS", "euc_jp": "EUC-JP", "gb18030": "GB 18030", "big5": "Big5",
    "cp949": "EUC-KR",
}  # fmt: skip
"""The encodings that are looked for, by the names of their codecs; of two that fit as well the first."""

SAMPLE = 32_768
"""How many bytes are looked at, of lines that are not ASCII."""

_TELLING = re.compile(rb"[^\n]*[\x80-\xff][^\n]*\n?")
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f]")


def guessed(raw: bytes) -> tuple[str, str] | None:
    """The text and the name of its encoding; None for bytes that are no text, or UTF-8 with faults in it."""
    if b"\0" in raw or _is_broken_utf8(raw):
        return None
    from charset_normalizer import from_bytes

    codecs = list(NAMES)
    fits = [
        (round(match.chaos, 2), -match.coherence, codecs.index(codec), codec)
        for match in from_bytes(_sample(raw), cp_isolation=codecs)
        for codec in match.could_be_from_charset
        if codec in NAMES
    ]
    if not fits:
        return None
    codec = min(fits)[-1]
    try:
        text = raw.decode(codec)
    except UnicodeDecodeError:
        return None
    return None if _CONTROLS.search(text) else (text, NAMES[codec])


def _sample(raw: bytes) -> bytes:
    """Whole lines with other signs than ASCII's, of a long one the beginning."""
    lines, size = [], 0
    for line in _TELLING.finditer(raw):
        lines.append(line[0][: SAMPLE - size])
        size += len(lines[-1])
        if size >= SAMPLE:
            break
    return b"".join(lines)


def _is_broken_utf8(raw: bytes) -> bool:
    """Whether more signs beyond ASCII are good UTF-8 than are not."""
    text = raw.decode("utf-8", "replace")
    faults = text.count("\ufffd")
    return sum(not sign.isascii() for sign in text) > 2 * faults
