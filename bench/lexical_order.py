"""Is the order by words that of BM25? A dataset is asked twice, by asof and by a plain BM25 (below).

    .venv/bin/python bench/lexical_order.py DATASET

DATASET holds corpus.jsonl (id, title, text), queries.jsonl (id, text) and qrels.tsv (query, document,
relevance). With whole documents as passages the first ten of every question must be the same; the exit code
says whether they are. Then nDCG@10 of the words alone and of the default recipe, documents as units.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from numpy.typing import NDArray

from asof import engine
from asof.corpus.corpus import Corpus
from asof.corpus.corpus import open as open_corpus
from asof.data import Document, Query
from asof.rank.candidates.by_document import ByDocument
from asof.rank.candidates.gather import Lexical
from asof.rank.candidates.top_k import TopK
from asof.rank.recipe import Recipe
from asof.store.settings import CorpusSettings
from asof.text.query import parse
from asof.text.tokens import Analyzer, tokenize

K = 10
K1, B = 1.5, 0.75
TIE = 1e-6
CHUNKINGS = ("whole", "120w")
WORDS = Recipe("words", "words alone, documents as units", (Lexical(K1, B), ByDocument(), TopK()))

Found = list[tuple[str, float]]
"""Documents and their scores, the best first."""


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("dataset", type=Path)
    folder = parser.parse_args().dataset
    documents = [
        Document(line["id"], line["text"], title=line.get("title") or "")
        for line in lines(folder / "corpus.jsonl")
    ]
    judged = judgements(folder / "qrels.tsv")
    questions = {line["id"]: line["text"] for line in lines(folder / "queries.jsonl") if line["id"] in judged}
    print(f"{folder.name}: {len(documents):,} documents, {len(questions):,} questions with judgements")
    differing = 0
    for chunking in CHUNKINGS:
        with TemporaryDirectory() as place, made(place, documents, chunking) as corpus:
            words = {number: asked(corpus, text, WORDS) for number, text in questions.items()}
            if chunking == "whole":
                differing = compare(words, questions, documents)
            whole = {number: default(corpus, text) for number, text in questions.items()}
            for name, runs in (("words alone", words), ("default recipe", whole)):
                value = np.mean([ndcg([d for d, _ in runs[number]], judged[number]) for number in questions])
                print(f"nDCG@{K} {value:.4f}  {name}, passages {chunking}, unit document")
    return int(differing > 0)


def lines(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8") as file:
        yield from map(json.loads, file)


def judgements(path: Path) -> dict[str, dict[str, int]]:
    """Relevance by question and document; a first line that is no judgement is a header."""
    judged: dict[str, dict[str, int]] = defaultdict(dict)
    for number, line in enumerate(path.read_text("utf-8").splitlines()):
        query, document, relevance = line.split("\t")[:3]
        if number == 0 and not relevance.lstrip("-").isdigit():
            continue
        judged[query][document] = int(relevance)
    return dict(judged)


def made(place: str, documents: Sequence[Document], chunking: str) -> Corpus:
    corpus = open_corpus(place, settings=CorpusSettings(chunking=chunking, undated="always"))
    corpus.add(documents)
    return corpus


# -- asof ---------------------------------------------------------------------------------------------


def asked(corpus: Corpus, text: str, recipe: Recipe) -> Found:
    hits = engine.search(Query(text, text, k=K), corpus.at().view(), recipe).hits
    return [(hit.document, hit.score) for hit in hits]


def default(corpus: Corpus, text: str) -> Found:
    return [(hit.document, hit.score) for hit in corpus.search(text, k=K, unit="document").hits]


# -- the same by other means ---------------------------------------------------------------------------


@dataclass(frozen=True)
class PlainBm25:
    """A dict from stems to (document, count) pairs, and the formula; nothing of asof but its words."""

    names: Sequence[str]
    texts: Sequence[str]
    lengths: NDArray[np.float64]
    postings: Mapping[str, Sequence[tuple[int, int]]]
    analyzer: Analyzer

    @classmethod
    def of(cls, documents: Sequence[Document]) -> PlainBm25:
        analyzer = Analyzer()
        postings: dict[str, list[tuple[int, int]]] = defaultdict(list)
        lengths = []
        texts = [f"{document.title}\n{document.text}" for document in documents]
        for number, text in enumerate(texts):
            stems = analyzer.terms(text, "en")
            lengths.append(len(stems))
            for stem, count in Counter(stems).items():
                postings[stem].append((number, count))
        names = [document.id for document in documents]
        return cls(names, texts, np.array(lengths, float), postings, analyzer)

    def scores(self, question: str) -> NDArray[np.float64]:
        scores = np.zeros(len(self.names))
        relative = self.lengths / self.lengths.mean()
        asked = parse(question, self.analyzer)
        for word, times in asked.words:
            found = self.postings.get(self.analyzer.stem(word, "en"), ())
            idf = math.log(1 + (len(self.names) - len(found) + 0.5) / (len(found) + 0.5))
            for number, count in found:
                norm = K1 * (1 - B + B * relative[number])
                scores[number] += times * idf * count * (K1 + 1) / (count + norm)
        for phrase in asked.phrases:
            for number in np.flatnonzero(scores).tolist():
                if f" {' '.join(phrase)} " not in f" {' '.join(tokenize(self.texts[number]))} ":
                    scores[number] = 0.0
        return scores


def compare(runs: Mapping[str, Found], questions: Mapping[str, str], documents: Sequence[Document]) -> int:
    """How many questions have other documents or scores in the first ten; each is shown."""
    plain = PlainBm25.of(documents)
    differing = 0
    for number, found in runs.items():
        fault = difference(found, plain.scores(questions[number]), plain.names)
        if fault:
            differing += 1
            print(f"question {number}: {fault}")
    print(f"the first {K} as in a plain BM25: {len(runs) - differing:,} of {len(runs):,} questions")
    return differing


def difference(found: Found, scores: NDArray[np.float64], names: Sequence[str]) -> str:
    """What is wrong with a list, given the score of every document; "" if nothing, up to ties."""
    best = np.sort(scores[scores > 0])[::-1][:K]
    if len(found) != len(best):
        return f"{len(found)} documents, not {len(best)}"
    by_name = dict(zip(names, scores.tolist(), strict=True))
    for rank, ((document, score), expected) in enumerate(zip(found, best.tolist(), strict=True), 1):
        if abs(score - expected) > TIE or abs(by_name[document] - expected) > TIE:
            return (
                f"rank {rank}: {document} with {score:.6f}, by the plain BM25 {by_name[document]:.6f}, "
                f"where the score should be {expected:.6f}"
            )
    return ""


def ndcg(ranked: Sequence[str], relevance: Mapping[str, int]) -> float:
    """Normalised discounted cumulative gain at K, each document adding (2^r - 1) / log2(rank + 1)."""
    best = gain(sorted(relevance.values(), reverse=True))
    return gain([relevance.get(document, 0) for document in ranked]) / best if best else 0.0


def gain(grades: Sequence[int]) -> float:
    return math.fsum((2**grade - 1) / math.log2(rank + 1) for rank, grade in enumerate(grades[:K], 1))


if __name__ == "__main__":
    sys.exit(main())
