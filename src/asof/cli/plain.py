"""Texts, names and messages as a terminal may show them: a note must not be able to steer it."""

from __future__ import annotations

_PICTURES = {code: 0x2400 + code for code in range(0x20)} | {0x7F: 0x2421}
_C1 = dict.fromkeys(range(0x80, 0xA0), 0xFFFD)
_DIRECTIONS = dict.fromkeys([0x061C, 0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2066, 0x206A)], 0xFFFD)
_SHOWN = _PICTURES | _C1 | _DIRECTIONS
_ESCAPED = {code: f"\\u{code:04x}" for code in [0x7F, *_C1, *_DIRECTIONS]}


def plain(text: str) -> str:
    r"""The text in one line, as long as before, with a sign where a control character stood.

    These are line feeds and escape sequences, and marks that turn the direction of what follows.

    >>> plain("red\x1b[31m\nnote")
    'red␛[31m␊note'
    """
    return text.translate(_SHOWN)


def plain_json(text: str) -> str:
    r"""JSON that means the same, with what a terminal could obey written as `\uXXXX`."""
    return text.translate(_ESCAPED)


def passages(count: int, kind: str = "") -> str:
    """A number of passages, in words."""
    return f"{count:,} {kind}{'passage' if count == 1 else 'passages'}"
