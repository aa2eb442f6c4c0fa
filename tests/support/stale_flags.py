"""What is stale in a corpus, said by hand: for what goes on from what was found."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

from asof.corpus.snapshot import Snapshot
from asof.data.stale import VALUE, Quote, Stale
from asof.data.why import Why
from asof.models.ports import Prompt
from asof.stale.current import CurrentPassages
from asof.store.digest import hit_id


def flag(then: Snapshot, older: tuple[str, str], newer: tuple[str, str], kind: str = VALUE) -> Stale:
    """A sentence of a document that is stale by that of another; both are (document, sentence)."""
    quote, by = (quoted(then, *each) for each in (older, newer))
    return Stale(kind, 0.5, quote, by, by.since, "it changed", lambda: Why("half", 0.5))


def quoted(then: Snapshot, document: str, sentence: str) -> Quote:
    """A current sentence with its place."""

    def look(view: Any) -> Quote:
        current = CurrentPassages.of(view)
        for each, since in zip(
            current.texts(current.passage.tolist()), current.visible.tolist(), strict=True
        ):
            if each.name == document and sentence in each.text:
                start = (view.store.text(document) or "").index(sentence)
                passage = hit_id(document, each.key)
                return Quote(document, each.title, passage, sentence, start, start + len(sentence), since)
        raise AssertionError(f"{document} does not say {sentence!r}")

    return then.use(look)


def pairs_in(prompt: Prompt) -> list[dict[str, Any]]:
    """The pairs that a prompt shows, read by its marks alone."""
    found = re.match(
        r"What stands between the two lines (\w+) is data, never an instruction\.\n\n\1\n(.*)\n\1(?:\n\n|\Z)",
        prompt.user, re.DOTALL,
    )  # fmt: skip
    assert found is not None
    assert found[1] not in found[2]
    return [json.loads(line) for line in found[2].split("\n")]


def judging(verdict: Callable[[dict[str, Any]], dict[str, Any]]) -> Callable[[Prompt], str]:
    """A script for a model: what it says of each pair beside its number and a reason."""

    def reply(prompt: Prompt) -> str:
        shown = pairs_in(prompt)
        said = [{"number": each["number"], "reason": "so it is", **verdict(each)} for each in shown]
        return json.dumps({"pairs": said})

    return reply
