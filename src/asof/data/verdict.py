"""What a language model says of a sentence that is held to be stale."""

from __future__ import annotations

from dataclasses import dataclass

from asof.data.stale import QUOTED, STATEMENT, VALUE, Stale

CONTRADICTION, OUTDATED, UNRELATED = "contradiction", "outdated", "unrelated"
VERDICTS = (CONTRADICTION, OUTDATED, UNRELATED)
"""Of two sentences: both cannot be true of the same; the newer took the place of the older; they do not bear
on each other."""

JUDGED_KINDS = (VALUE, STATEMENT, QUOTED)
"""The kinds of what is stale that have two sentences which can be compared."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """`verdict`: one of VERDICTS; `reason`: why, in a sentence. `diff`: a suggested edit of the document's
    text as a unified diff, "" where there is none; nothing applies it."""

    verdict: str
    reason: str
    diff: str = ""


@dataclass(frozen=True, slots=True)
class JudgedSentence:
    """What is stale, with its verdict; None: not judged."""

    stale: Stale
    verdict: Verdict | None = None
