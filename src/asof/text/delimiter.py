"""Delimiters around untrusted text: words that the text itself cannot hold."""

from __future__ import annotations

import hashlib


def delimiter_for(text: str) -> str:
    """A word that does not occur in a text, and that follows from the text alone.

    The text cannot close the mark that stands around it: to hold its own digest it would have to know it.
    """
    mark = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=6).hexdigest()
    while mark in text:
        mark = hashlib.blake2b(mark.encode(), digest_size=6).hexdigest()
    return mark
