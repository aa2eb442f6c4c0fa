"""Names as they are compared: case, punctuation, possessive and legal form make no difference.

What is doubtful keeps names apart: two keys can be joined by evidence (`knowledge/resolve.py`), one key
cannot be taken apart. So a legal form goes only at the end, never as the first word (the Co in "Co Down" and
the AG in "AG Barr" stay) nor after a number ("5 kg"); words that are as often a part of a name (Group,
Holdings) and forms that are words themselves (SpA) stay too, and so do accents, decimals and the signs of
"C++", "C#" and "Disney+". "The" in front goes where a name is left: not where the rest is one word that is no
name by itself, so that "The Who" is not "who" and "The Limited" not "limited", while "the WHO" is "WHO".
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache

from asof.text.scripts import MARKS

_LEGAL = frozenset(
    """inc incorporated corp corporation co company ltd limited llc llp lp plc ag gmbh kg kgaa se sa nv bv
    ab as oy oyj sarl sas pty""".split()  # noqa: SIM905 - a list of strings would fill a page
)
_NO_NAME = _LEGAL | frozenset(
    """the who which what that this these those one ones it he she they we you us them me i his her its our
    their other others same rest first last""".split()  # noqa: SIM905 - the same
)
"""Words that name nothing without their article."""

_POSSESSIVE = re.compile(r"(?<=\w)'s(?!\w)")
_SILENT = re.compile(r"(?<=\w)(?:'(?=\w)|\.(?=[^\W\d])|(?<=\D)\.(?=\w)|,(?=[0-9]{3}(?![0-9])))")
"""What is dropped inside a word: apostrophes, the dots of abbreviations, the commas of thousands."""

_SIGNS = r"(?:[+#]+(?!\w))?"
_APOSTROPHES = str.maketrans("’ʼ", "''")
_NO_POINTS = str.maketrans("", "", ".,")
_ASCII = re.compile(rf"[^\W_]+(?:[.,][0-9][^\W_]*)*{_SIGNS}", re.ASCII)


@cache
def _unicode() -> re.Pattern[str]:
    """It takes long to compile: only where a name needs it."""
    more = rf"(?:[^\W_]|[{MARKS}])*"
    return re.compile(rf"[^\W_]{more}(?:[.,][0-9]{more})*{_SIGNS}")


@lru_cache(maxsize=16_384)
def key(name: str) -> str:
    """The words of a name in lower case, parted by spaces; of a name that has none ("!!!") its signs.

    A key is its own key. "" only for a text that is blank.

    >>> key("Skechers U.S.A., Inc."), key("The Macerich Company’s"), key("JD.com")
    ('skechers usa', 'macerich', 'jdcom')
    >>> key("Tiffany & Co."), key("Co-op Bank"), key("The Who"), key("The Band"), key("5 kg")
    ('tiffany', 'co op bank', 'the who', 'band', '5 kg')
    """
    shown = _shown(name)
    plain = _folded(shown)
    words = _words(plain)
    if not words:
        return " ".join(plain.split())
    bare = _words(_POSSESSIVE.sub("", plain))
    first = 0
    while first < len(words) - 1 and words[first] == "the":
        first += 1
    end = _end_of_name([*words[first:-1], bare[-1]]) + first
    named = [*words[first : end - 1], bare[end - 1]]
    if first and len(named) == 1 and not _names(named[0], shown):
        return f"the {named[0]}"
    return " ".join(named)


def _shown(name: str) -> str:
    """The name without underscores and what is not seen (a soft hyphen, a mark of direction)."""
    name = name.replace("_", " ")
    if name.isascii():
        return name
    return "".join(sign for sign in unicodedata.normalize("NFKC", name) if unicodedata.category(sign) != "Cf")


def _folded(shown: str) -> str:
    if shown.isascii():
        return shown.lower()
    return unicodedata.normalize("NFKC", shown.casefold()).replace("i\u0307", "i").translate(_APOSTROPHES)


def _words(folded: str) -> list[str]:
    folded = _SILENT.sub("", folded).replace("&", " and ")
    return (_ASCII if folded.isascii() else _unicode()).findall(folded)


def _end_of_name(words: list[str]) -> int:
    """How many words there are up to the legal form: "Muster GmbH & Co. KG" has three words of one."""
    end = len(words)
    while end > 1 and (words[end - 1] in _LEGAL or words[end - 1] == "and"):
        if words[end - 1] != "and" and words[end - 2].translate(_NO_POINTS).isdigit():
            break
        end -= 1
    return end


def _names(word: str, shown: str) -> bool:
    """Whether a word names something without its article: "the WHO" does, "The Who" and "THE WHO" do not."""
    return word not in _NO_NAME or (word.upper() in shown and not shown.isupper())
