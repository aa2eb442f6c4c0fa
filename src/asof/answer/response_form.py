"""How the answer that a model writes should look: its format, its length, how varied it is.

TG-RAG gives both of its answer prompts a "target response length and format" (appendix, prompts for local and
global queries) and asks for diversity in the one on reports.
"""

from __future__ import annotations

from dataclasses import dataclass

from asof.errors import UsageError

LONGEST_FORMAT = 100
"""Characters of a format."""
LENGTHS = range(5, 5_001)
"""Accepted lengths, in words."""
TOKENS_PER_WORD = 3
"""Tokens that a word of an answer may take, its citations counted in."""


@dataclass(frozen=True, slots=True)
class ResponseForm:
    """`format`: in words ("single sentence", "list", "multiple paragraphs"), "" for none. `length`: about how
    many words, None for any. `diverse`: an answer over periods shows several perspectives, in varied form.

    Raises UsageError for a format that is blank, long or of several lines, and for a length not in `LENGTHS`.
    """

    format: str = ""
    length: int | None = None
    diverse: bool = False

    def __post_init__(self) -> None:
        form = self.format
        if form and (not form.strip() or len(form) > LONGEST_FORMAT or len(form.splitlines()) > 1):
            raise UsageError(
                f"format of {len(form):,} characters: one line of at most {LONGEST_FORMAT} is expected, as "
                '"single sentence", "list" or "multiple paragraphs"'
            )
        if self.length is not None and self.length not in LENGTHS:
            raise UsageError(f"length {self.length}: {LENGTHS[0]} to {LENGTHS[-1]:,} words are accepted")

    @property
    def target(self) -> str:
        """Format and length in words; "" where neither is set."""
        length = "" if self.length is None else f"about {self.length} words"
        return ", ".join(filter(None, (self.format.strip(), length)))

    @property
    def free(self) -> bool:
        """Whether anything is asked for, so that an answer over periods is no list under headings."""
        return bool(self.target) or self.diverse

    def most(self, default: int) -> int:
        """The most tokens of a reply that has this length; at least `default`."""
        return default if self.length is None else max(default, TOKENS_PER_WORD * self.length)

    def request(self, *, diverse: bool = False) -> str:
        """What a prompt says of it, "" for nothing; with `diverse` also the instructions on variety."""
        lines = [f"Target length and format of the answer: {self.target}"] if self.target else []
        if diverse and self.diverse:
            from asof.models.prompts import prompt_text

            lines.append(prompt_text("asof.answer", "diversity"))
        return "\n\n".join(lines)
