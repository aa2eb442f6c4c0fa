"""Runs of words for tests of the time reader."""

from __future__ import annotations

from asof.time.lexicon import TimeLexicon, TimeText, TokenRun, WordWindow


def whole_run(text: str, lexicon: TimeLexicon) -> TokenRun:
    """All words of a text as one run, whether they can say a time or not."""
    whole = TimeText(text)
    return TokenRun(WordWindow(whole, whole.ends), lexicon)
