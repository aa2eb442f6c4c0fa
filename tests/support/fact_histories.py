"""Histories whose texts state facts, names and figures, and a model that reads them as a script says."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from typing import Any

from tests.support.histories import Event, Histories, Version, day, stored_text
from tests.support.rows import db_of

from asof.corpus.corpus import Corpus
from asof.models.ports import Prompt, ScriptedModel
from asof.values import Document, Heading, SourcedTime

SENTENCES = (
    "Quay Ltd's revenue was $3.4 million on 2 January 1970.",
    "Quay Ltd's revenue was $5 million on 2 January 1970.",
    "Quay Ltd, formerly known as Pier Ltd, opened a shop in Brill.",
    "The Northern Harbour Authority (NHA) bought Pier Ltd on 3 January 1970.",
    "The National Horse Association (NHA) bought Mole Inc in 1969.",
    "The NHA left Brill in January 1970.",
    "Pier Ltd reported revenue of $4 million yesterday.",
    "Marta Quill was appointed director of Quay Ltd on 1 January 1970.",
    "Quill left Mole Inc.",
    "Mole Inc's revenue rose 5% to $7 million in the fourth quarter of 1969.",
    "It is listed on the exchange.",
    "The Ledger says that Quay Ltd bought Note 1.",
)


def document(event: Event) -> Document:
    """The document that an event states: its words are numbers of sentences."""
    text = ""
    for number, passage in enumerate(event.passages):
        said = " ".join(SENTENCES[each % len(SENTENCES)] for each in passage)
        text += f"# part {number}\n{said}\n"
    aliases = ("The Ledger",) if event.wait % 2 else ()
    return headed(f"doc{event.document}", text, day(event.date), aliases)


def headed(name: str, text: str, when: SourcedTime | None, aliases: tuple[str, ...]) -> Document:
    """The document of a text. Its title and metadata are a function of name and text, so that it can be told
    again; its aliases are not: a version can change them and no passage."""
    number = int(name.removeprefix("doc"))
    company = {"company": ("Quay Ltd", "Mole Inc")[number % 2], "ticker": ("QUA", "MOL")[number % 2]}
    outline = tuple(
        Heading(match.start(), 1, match[1]) for match in re.finditer(r"^# (.*)$", text, re.MULTILINE)
    )
    return Document(
        name, text, f"Note {number}", when, outline=outline, meta=company if "listed" in text else {},
        aliases=aliases,
    )  # fmt: skip


def script(prompt: Prompt) -> str:
    """What a model says: a function of the prompt alone, that changes with every character of it."""
    digest = hashlib.sha256((prompt.system + prompt.user).encode()).hexdigest()
    numbers = [int(each) for each in re.findall(r"^\[(\d+)\]", prompt.user, re.MULTILINE)]
    wanted = "" if prompt.schema is None else prompt.schema.__name__
    if wanted == "RepliedFacts":
        return json.dumps({"facts": list(picked(prompt.user))})
    if wanted == "WrittenReport":
        finding = {"statement": f"Told {digest}.", "facts": numbers}
        return json.dumps({"title": digest[:8], "summary": "Told.", "findings": [finding]})
    if wanted == "ExtractedPoints":
        point = {"description": f"Found {digest}.", "importance": 50, "confidence": 0.5, "sources": numbers}
        return json.dumps({"points": [point]})
    if wanted == "MergedPoints":
        return json.dumps({"statements": [{"statement": f"Merged {digest}.", "points": numbers}]})
    return f"Written {digest} {''.join(f'[{each}]' for each in numbers)}."


def picked(passage: str) -> Iterator[dict[str, Any]]:
    """Capitalised names of each sentence: the first is with the second."""
    for number, sentence in re.findall(r"^\[(\d+)\] (.*)$", passage, re.MULTILINE):
        names = re.findall(r"[A-Z][A-Za-z]+(?: [A-Z][a-z]+)*", sentence)
        times = re.findall(r"(?:\d )?January 1970|1969|yesterday", sentence)
        if len(names) > 1:
            yield {
                "subject": names[0], "relation": "is with", "object": names[1], "time": (times or [None])[-1],
                "sentence": int(number), "kind": "name" if "(" in sentence or "formerly" in sentence
                else "event", "value": None, "unit": "", "basis": "", "confidence": 0.5,
            }  # fmt: skip


def restored(corpus: Corpus, version: Version) -> Document:
    """The document of `document`, from what the corpus stored of it."""
    found = db_of(corpus).execute("SELECT alias FROM aliases WHERE version = ? ORDER BY alias", (version.id,))
    aliases = tuple(alias for (alias,) in found)
    return headed(version.name, stored_text(corpus, version), version.when, aliases)


BY_RULES = Histories(document, restored)
BY_MODEL = Histories(document, restored, '[facts]\nextractor = "model"\n', ScriptedModel(script))
"""Histories whose facts rules read, or a model."""
