"""Whether a sentence has a figure: in digits with their scale, or as a small number in words."""

from __future__ import annotations

import math
import re

from asof.text.fact_lexicon import language_of, lexicon
from asof.text.figures import figure_of, pattern

_NUMERALS = {
    name: float(value)
    for names in (
        "zero one two three four five six seven eight nine ten eleven twelve",
        "null ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
    )
    for value, name in enumerate(names.split())
}
_WORD = re.compile(r"[^\W\d_]+")


def contains_number(value: float, sentence: str, language: str) -> bool:
    """Whether a sentence has this number, its sign left aside: "$3.7 billion" has 3.7e9, and not 3.7.

    `language`: that of its document, for sentences whose own cannot be detected.
    """
    sentence_language = language_of(sentence, language)
    words = lexicon(sentence_language)
    figures = (figure_of(match, words) for match in pattern(sentence_language).finditer(sentence))
    if any(
        figure is not None and math.isclose(abs(figure.value), abs(value), rel_tol=1e-9) for figure in figures
    ):
        return True
    return any(_NUMERALS.get(word) == abs(value) for word in _WORD.findall(sentence.casefold()))
