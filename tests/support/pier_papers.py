"""Papers about a pier that nobody wrote, in an archive on this machine, and a corpus that asks it."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tests.support.arxiv_server import Archive, Paper, Version, day
from tests.support.small_pdf import small_pdf

import asof
from asof.corpus.corpus import Corpus
from asof.extensions.systems.papers import PaperAnswer, PaperQuestion, ask_papers
from asof.time.span import instant

KNOWN = ("lamp", "oil", "tide", "rope", "keeper", "storm")
QUESTION = "lamp oil, last two weeks"
NOW = day(30)


@dataclass(frozen=True)
class Words:
    """An encoder that counts a few words."""

    name: str = "words"

    def encode(self, texts: Sequence[str], *, question: bool = False) -> NDArray[np.float32]:
        said = [re.findall(r"[a-z]+", text.lower()) for text in texts]
        counts = np.array([[words.count(each) for each in KNOWN] for words in said], np.float32)
        norms = np.linalg.norm(counts, axis=1, keepdims=True)
        return np.asarray(counts / np.where(norms, norms, 1), np.float32)


def made(
    number: int, *said: tuple[int, str], title: str = "", categories: Sequence[str] = ("cs.IR",)
) -> Paper:
    """A paper with versions of these days of January."""
    versions = (Version(day(at, 9), title or f"Pier {number}", text) for at, text in said)
    return Paper(f"2401.{number:05}", tuple(versions), tuple(categories))


PIER = [
    made(1, (28, "The lamp burns oil. A lamp with a small wick burns less oil than the old ones.")),
    made(2, (26, "Each lamp has a rope. The oil of the lamp is kept below the rope of the keeper.")),
    made(3, (20, "The lamp went out. The keeper says that the oil of the lamp was frozen.")),
    made(4, (25, "The tide comes twice. No rope is longer than the tide is high at the pier.")),
    made(5, (27, "The keeper sleeps at noon. A storm wakes the keeper, and so does the tide.")),
    made(6, (10, "The lamp burns oil, said everybody before. The oil of a lamp is dear.")),
    made(7, (27, "The lamp burns oil. The oil of a lamp is a word in a language."), categories=["cs.CL"]),
    made(8, (24, "A storm takes the rope. The lamp of the pier is dark in a storm.")),
]


def pdf(words: str) -> bytes:
    """A full text with these words on its second page."""
    head = [f"The pier of Orrin is line {n} of the first page." for n in range(8)]
    return small_pdf([head, ["2 Method", words, "The mole is not measured in this paper at all."]])


PDFS = {f"{each.id}v1": pdf(f"Lamp oil of paper {each.id[-1]} is measured with a spoon.") for each in PIER}


def settings(archive: Archive, more: str = "") -> str:
    return f'{more}\n[arxiv]\nurl = "{archive.url}"\npdf_url = "{archive.pdf_url}"\ndelay = 0\nattempts = 1\n'


@contextmanager
def opened(folder: Path, archive: Archive | None = None, more: str = "", **given: Any) -> Iterator[Corpus]:
    """The corpus of a folder on the 30th of January, with passages as `asof papers` makes them."""
    if archive is not None:
        (folder / "asof.toml").write_text(settings(archive, more))
    chunking = asof.CorpusSettings(chunking="400c/80")
    with asof.open(folder, settings=chunking, trust=True, **{"encoder": Words(), **given}) as corpus:
        corpus.session.clock = itertools.count(instant(NOW), 1_000_000).__next__
        corpus.maintenance.background = False
        yield corpus


def ask(corpus: Corpus, question: str = QUESTION, **given: Any) -> PaperAnswer:
    return ask_papers(corpus, PaperQuestion(question, **{"categories": ("cs.IR",), **given}))


def names(found: PaperAnswer) -> list[int]:
    """The papers by rank, by their numbers."""
    return [int(hit.document.rpartition(".")[2]) for hit in found.results.hits]


def requests(archive: Archive) -> list[str]:
    """What was asked for since the last call: search, ids or the name of a PDF."""
    told = []
    for each in archive.asked:
        if each["path"].startswith("/pdf/"):
            told.append(each["path"])
        else:
            told.append(each.get("id_list", "search"))
    archive.asked.clear()
    return told
