"""The prompt for a passage: our instructions, and the passage between marks that do not occur in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from asof.data import Fact
from asof.knowledge.fact_store import Excerpt
from asof.knowledge.model.reply import MOST, RepliedFacts, fact_line
from asof.models.ports import Prompt
from asof.models.prompts import between, prompt_text
from asof.store.about import METADATA, TITLE, AboutTime
from asof.text.sentences import sentences
from asof.time.span import Span, nearest_moment

PACKAGE = "asof.knowledge.model"
PROMPTS = ("extract", "glean")
LEAST_TOKENS, TOKENS_A_WORD, MOST_TOKENS = 512, 16, 8_192
"""Tokens of a reply: the least, how many more for each word of the passage, the most."""


@dataclass(frozen=True, slots=True)
class ExtractionPrompt:
    """Prompts for the facts of a passage about entities of these types."""

    entity_types: tuple[str, ...]

    @property
    def system(self) -> str:
        """Our instructions: the same for all passages, so that servers can keep them."""
        instructions = prompt_text(PACKAGE, "extract").replace("{types}", ", ".join(self.entity_types))
        return instructions.replace("{most}", str(MOST)).strip()

    def first(self, excerpt: Excerpt) -> Prompt:
        """The prompt of the first round."""
        return self._prompt(excerpt, "\n".join(shown(excerpt)), "")

    def again(self, excerpt: Excerpt, facts: Sequence[Fact]) -> Prompt:
        """The prompt of a further round, with the facts of the passage so far."""
        lines = [*shown(excerpt), "Found so far:", *map(fact_line, facts)]
        return self._prompt(excerpt, "\n".join(lines), f"\n\n{prompt_text(PACKAGE, 'glean')}")

    def _prompt(self, excerpt: Excerpt, data: str, after: str) -> Prompt:
        user = between(data) + after
        most = min(LEAST_TOKENS + TOKENS_A_WORD * len(excerpt.text.split()), MOST_TOKENS)
        return Prompt(self.system, user, RepliedFacts, (excerpt.passage,), most)


def shown(excerpt: Excerpt) -> list[str]:
    """The lines that show a passage: its head, then its sentences, each on one line behind its number."""
    lines = [f"Title: {_line(excerpt.title)}"] if excerpt.title else []
    if excerpt.headings:
        lines.append(f"Headings: {' > '.join(map(_line, excerpt.headings))}")
    if excerpt.published is not None:
        lines.append(f"Published: {days(excerpt.published)}")
    own = [time for time in excerpt.times if time.kind in (METADATA, TITLE)]
    if own:
        lines.append(f"The document is about: {'; '.join(map(_time, own))}")
    lines.append("Sentences:")
    return lines + [
        f"[{number}] {_line(excerpt.text[start:end])}"
        for number, (start, end) in enumerate(sentences(excerpt.text), 1)
    ]


def days(span: Span) -> str:
    """A span in days: `2024-03-05`, `2024-01-01 to 2024-03-31`, `since 2024-01-01`."""
    first, last = nearest_moment(span.first).date(), nearest_moment(span.last).date()
    if span.end is None:
        return f"since {first}" if span.start else "all time"
    if span.start is None:
        return f"until {last}"
    return str(first) if first == last else f"{first} to {last}"


def _time(time: AboutTime) -> str:
    return f"{_line(time.text)} ({days(time.sourced_time().span)})"


def _line(text: str) -> str:
    return " ".join(text.split())
