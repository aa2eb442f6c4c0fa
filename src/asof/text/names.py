"""Names as they are compared: case, punctuation and legal form make no difference."""

from __future__ import annotations

import re
import unicodedata

_WORD = re.compile(r"\w+")
_JOINED = re.compile(r"(?<=\w)['’.](?=\w)|(?<=\w)['’]s\b")
_LEGAL = frozenset(
    """inc incorporated corp corporation co company ltd limited llc llp lp plc ag gmbh kg kgaa se sa nv bv spa
    ab as oy oyj sarl sas pty holdings the""".split()  # noqa: SIM905 - a list of strings would fill a page
)


def key(name: str) -> str:
    """The words of a name in lower case, without marks, possessive and legal form; all words if none is left.

    >>> key("Skechers U.S.A., Inc."), key("The Macerich Company’s"), key("JD.com")
    ('skechers usa', 'macerich', 'jdcom')
    """
    folded = unicodedata.normalize("NFKC", name).casefold()
    words = _WORD.findall(_JOINED.sub("", folded))
    kept = [word for word in words if word not in _LEGAL]
    return " ".join(kept or words)
