"""Runs of words for tests of the time reader."""

from __future__ import annotations

from asof.time.lexicon import TimeLexicon
from asof.time.token_run import TokenRun
from asof.time.word_lists import WORD
from asof.time.word_windows import TimeText, WordWindow


def whole_run(text: str, lexicon: TimeLexicon) -> TokenRun:
    """All words of a text as one run, whether they can say a time or not."""
    whole = TimeText(text)
    places = [(match[0], match.start(), match.end()) for match in WORD.finditer(whole.lower)]
    return TokenRun(WordWindow(whole, places, 0, len(places)), lexicon)
