"""What is measured of others where they are installed (requirements.txt): bm25s with PyStemmer, tantivy, and
`published`, the stack of TWE-RAG's published code (rank-bm25, scikit-learn)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from bench.corpora import pieces, questions_of
from bench.figures import Rows, bytes_in, clocked, latency, megabytes, milliseconds, one_core, rate
from numpy.typing import NDArray

K = 10
DIMENSIONS = 128
NEEDED = {"tantivy": ("tantivy",), "bm25s": ("bm25s", "Stemmer"), "published": ("rank_bm25", "sklearn")}

Texts = Sequence[tuple[str, str]]
"""Titles and texts of passages."""
Scores = NDArray[np.float64]


def installed(peer: str) -> bool:
    return all(find_spec(each) for each in NEEDED[peer])


def build(peer: str, folder: str, documents: str) -> Rows:
    """Index a file of lines; on one core."""
    one_core()
    texts = pieces(documents)
    index = INDEX[peer]
    with clocked() as clock:
        index(folder, texts)
        built = rate(len(texts), *clock())
    return {"build, one core": built, "bytes on disk": megabytes(bytes_in(Path(folder)))}


def opening(peer: str, folder: str) -> Rows:
    """Imports not counted."""
    for each in NEEDED[peer]:
        __import__(each)
    return {"open": milliseconds(lambda: OPEN[peer](folder))}


def search(peer: str, folder: str, questions: str, runs: int) -> Rows:
    return {"query: lexical, whole": latency(OPEN[peer](folder), questions_of(questions), runs)}


def index_bm25s(folder: str, texts: Texts) -> None:
    import bm25s

    index = bm25s.BM25(k1=1.5, b=0.75, backend="numpy")
    index.index(_tokens([f"{title} {text}" for title, text in texts]), show_progress=False)
    index.save(folder)


def _tokens(texts: list[str], **options: object) -> Any:
    import bm25s
    import Stemmer

    stemmer = Stemmer.Stemmer("english")
    return bm25s.tokenize(texts, stopwords=None, stemmer=stemmer, show_progress=False, **options)


def open_bm25s(folder: str) -> Callable[[str], object]:
    """Its numpy retrieval."""
    import bm25s

    index = bm25s.BM25.load(folder)
    return lambda question: index.retrieve(
        _tokens([question], return_ids=False), k=K, backend_selection="numpy", show_progress=False
    )


def _tantivy(folder: str) -> Any:
    import tantivy

    schema = tantivy.SchemaBuilder()
    for name in ("title", "text"):
        schema.add_text_field(name, stored=True, tokenizer_name="en_stem")
    return tantivy.Index(schema.build(), path=folder)


def index_tantivy(folder: str, texts: Texts) -> None:
    """With English stems, stored; by one thread."""
    import tantivy

    Path(folder).mkdir()
    writer = _tantivy(folder).writer(256_000_000, 1)
    for title, text in texts:
        writer.add_document(tantivy.Document(title=title, text=text))
    writer.commit()
    writer.wait_merging_threads()


def open_tantivy(folder: str) -> Callable[[str], object]:
    """A query over titles and texts; the documents of its hits are fetched."""
    index = _tantivy(folder)
    searcher = index.searcher()

    def ask(question: str) -> object:
        words = " ".join(re.findall(r"\w+", question.lower()))
        hits = searcher.search(index.parse_query(words, ["title", "text"]), K).hits
        return [searcher.doc(address).to_dict() for _, address in hits]

    return ask


INDEX = {"bm25s": index_bm25s, "tantivy": index_tantivy}
OPEN = {"bm25s": open_bm25s, "tantivy": open_tantivy}


def published(documents: str, questions: str, runs: int) -> Rows:
    """Build on one core, then ask. It has no files: every process builds anew."""
    one_core()
    corpus = [f"{title} {text}" for title, text in pieces(documents)]
    with clocked() as clock:
        lexical, dense = _published_stack(corpus)
        built = rate(len(corpus), *clock())
    ways: dict[str, Callable[[str], Scores]] = {
        "lexical": lexical, "dense": dense, "fused": lambda question: lexical(question) + dense(question),
    }  # fmt: skip
    rows = {"build, one core": built}
    for name, way in ways.items():
        ask = lambda question, way=way: np.argsort(way(question))[::-1][:K]  # noqa: E731
        rows[f"query: {name}, whole"] = latency(ask, questions_of(questions), runs)
    return rows


def _published_stack(corpus: list[str]) -> tuple[Callable[[str], Scores], Callable[[str], Scores]]:
    """Normalised scores of all passages: Okapi BM25 over its maximum, cosines in LSA from min to max."""
    from rank_bm25 import BM25Okapi
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.preprocessing import normalize

    okapi = BM25Okapi([text.lower().split() for text in corpus])
    vectorizer, svd = TfidfVectorizer(), TruncatedSVD(DIMENSIONS, random_state=0)
    vectors = normalize(svd.fit_transform(vectorizer.fit_transform(corpus)))

    def lexical(question: str) -> Scores:
        scores: Scores = okapi.get_scores(question.lower().split())
        return scores / (float(scores.max()) or 1.0)

    def dense(question: str) -> Scores:
        scores: Scores = (vectors @ normalize(svd.transform(vectorizer.transform([question]))).T).ravel()
        return (scores - float(scores.min())) / (float(np.ptp(scores)) or 1.0)

    return lexical, dense
