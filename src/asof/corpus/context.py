"""The best passages of a search as one text for a prompt: numbered, dated, within a budget of tokens."""

from __future__ import annotations

import re
from dataclasses import dataclass

from asof.answer.pack import LEFT_OUT, pack
from asof.data import Citation, Hit
from asof.engine import Results
from asof.models.prompts import one_line
from asof.text.budget import ends, header, tokens
from asof.text.sentences import sentences

MOST = 100
"""The passages that are retrieved for a context, unless a number is given: as many as an answer reads."""

_LIKE_A_CITATION = re.compile(r"\[(-?[0-9]+(?:[ \t]*[,;][ \t]*-?[0-9]+)*)\]")
"""What a passage itself writes as `[2]` or `[2, 5]`: it could pass for the number of another passage."""


@dataclass(frozen=True, slots=True)
class Context:
    """The passages found for a question, best first, as one text; `str` gives the text.

    Each passage is citation n and stands below a line `[n] Title (date)`; the date is as it was stated.
    `tokens` is the size of the text by `asof.text.budget.tokens`. `left_out`: how many of the passages found
    are not in it, because they did not fit. `notes`: how the question was read, what the search left out, and
    what did not fit here.
    """

    text: str
    citations: tuple[Citation, ...]
    tokens: int
    left_out: int
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return self.text


def context_of(results: Results, most: int) -> Context:
    """The hits, in order of rank, up to the first that does not fit into `most` tokens.

    Of that one the first sentences are there, as far as they fit, and a line that says how much is left out;
    of the best hit at least its first words, if there is room for any. Square brackets around a number in a
    passage become round ones, so that it cannot be taken for a citation.
    """
    passages = [_Passage.of(hit) for hit in results.hits]
    packed = pack([tokens(each.numbered(1)) for each in passages], most, skip=False)
    shown = passages[: len(packed.selected)]
    if packed.left_out:
        cut = passages[len(shown)].beginning(most - packed.used, words=not shown)
        shown = shown if cut is None else [*shown, cut]
    text = "\n\n".join(each.numbered(n) for n, each in enumerate(shown, 1))
    citations = tuple(Citation.of(n, each.hit, each.text) for n, each in enumerate(shown, 1))
    used, left_out = tokens(text), len(passages) - len(shown)
    notes = list(results.notes)
    if packed.left_out:
        lost = [f"{left_out:,} of {len(passages):,} passages"] if left_out else []
        lost += [f"the end of [{len(shown)}]"] if len(shown) > len(packed.selected) else []
        notes.append(f"{LEFT_OUT} {' and '.join(lost)}: {used:,} of at most {most:,} tokens are used")
    return Context(text, citations, used, left_out, tuple(notes))


@dataclass(frozen=True, slots=True)
class _Passage:
    """A hit and what of its text is shown; `after`: the line below it, which says what is left out."""

    hit: Hit
    text: str
    after: str = ""

    @classmethod
    def of(cls, hit: Hit) -> _Passage:
        return cls(hit, _without_citations(hit.text.strip()))

    def numbered(self, n: int) -> str:
        """The passage below its number, title and date."""
        head = one_line(header(self.hit.title or self.hit.document, self.hit.published))
        return f"[{n}] {_without_citations(head)}\n{self.text}{self.after}"

    def beginning(self, most: int, *, words: bool) -> _Passage | None:
        """The passage with the first of its sentences, in at most so many tokens; None if none fits.

        `words`: its first words, where not even one sentence fits.
        """
        whole = tokens(self.text)
        room = most - tokens(_Passage(self.hit, "", _left_out(whole)).numbered(1))
        text = _up_to(self.text, room, words=words) if room > 0 else ""
        return _Passage(self.hit, text, _left_out(whole - tokens(text))) if text else None


def _left_out(count: int) -> str:
    return f"\n(cut here: {count} more tokens)"


def _without_citations(text: str) -> str:
    return _LIKE_A_CITATION.sub(r"(\1)", text)


def _up_to(text: str, room: int, *, words: bool) -> str:
    """The first sentences of a text that has more than `room` tokens; with `words` so many tokens of the
    first one, if it does not fit; "" else."""
    last = ends(text)[room - 1]
    whole = [end for _, end in sentences(text) if len(text[:end].rstrip()) <= last]
    return text[: whole[-1] if whole else last if words else 0].rstrip()
