"""What is said as of T does not depend on what ends later."""

from __future__ import annotations

from pathlib import Path

import asof
from asof.stale.said import said

SCOPE = f"## Scope\n\n{'This is for guests and pupils. ' * 20}\n\nLeave the kitchen clean."
EXCEPTIONS = f"## Exceptions\n\n{'Nobody is asked in July or May. ' * 20}\n\nLeave the kitchen clean."
THANKS = f"## Thanks\n\n{'Our thanks go to all who came. ' * 20}"
"""Each is a passage of its own."""


def document(text: str, published: str) -> dict[str, str]:
    return {"id": "rule.md", "text": text, "published": published}


def counted(corpus: asof.Corpus) -> dict[int, int]:
    found = corpus.at("2021").use(said)
    pairs = zip(found.vocabulary.tolist(), found.counted.tolist(), strict=True)
    return {word: count for word, count in pairs if count}


def test_a_sentence_under_two_headings_counts_under_the_same_one_though_one_ends_later(
    tmp_path: Path,
) -> None:
    first = document(f"{SCOPE}\n\n{EXCEPTIONS}", "2020")
    with asof.open(tmp_path / "cut") as cut, asof.open(tmp_path / "whole") as whole:
        cut.add([first])
        whole.add([first, document(f"{SCOPE}\n\n{THANKS}", "2022")])
        assert counted(whole) == counted(cut)
