"""The recipe `papers` on abstracts: how long a question takes, with which stages, and by which functions.

python bench/papers.py CORPUS.jsonl [--profile]
"""

from __future__ import annotations

import cProfile
import pstats
import sys
import tempfile
import time
from argparse import ArgumentParser
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).parents[1]))

from asof.corpus.corpus import Corpus
from asof.corpus.corpus import open as open_corpus
from asof.corpus.snapshot import Snapshot
from asof.data import Filters
from asof.rank.stage import Ranking
from asof.text.question import as_typed

REPEATED = 3
QUESTIONS = """
retrieval-augmented generation for long documents
continual learning without catastrophic forgetting
jailbreak attacks on vision-language models
earth observation foundation models
diffusion models for protein design
graph neural networks for molecules
temporal knowledge graphs
speech recognition for low-resource languages
robot manipulation with language instructions
federated learning with differential privacy
efficient attention for long contexts
mixture of experts routing
quantization of large language models
reward models and preference optimization
hallucination detection
code generation benchmarks
multi-agent systems of language models
medical image segmentation
autonomous driving simulation
recommender systems with user feedback
dense retrieval and reranking
time series forecasting with transformers
causal inference from observational data
quantum error correction
video generation and editing
3D gaussian splatting
point cloud registration
machine unlearning
watermarks for generated text
adversarial robustness
explainability of neural networks
mechanistic interpretability
chain of thought reasoning
mathematical theorem proving
evaluation of language models by language models
bias and fairness in hiring
misinformation on social media
legal question answering
financial news and stock prediction
weather forecasting with deep learning
traffic flow prediction
anomaly detection in industry
few-shot learning
self-supervised learning of representations
neural architecture search
reinforcement learning from human feedback
offline reinforcement learning
tool use by agents
synthetic data for training
multilingual machine translation
""".strip().splitlines()


def asked(then: Snapshot) -> list[float]:
    """Milliseconds of each question: the median of some repetitions, in turn."""
    taken: dict[str, list[float]] = {question: [] for question in QUESTIONS}
    for _ in range(REPEATED):
        for question in QUESTIONS:
            begin = time.perf_counter()
            then.search(question, recipe="papers")
            taken[question].append(1e3 * (time.perf_counter() - begin))
    return [median(each) for each in taken.values()]


def stages(corpus: Corpus) -> dict[str, float]:
    """Milliseconds of each stage, the median over the questions."""
    recipe = corpus.config.recipe_named("papers")
    view = corpus.at().view()
    taken: dict[str, list[float]] = {}
    for question in QUESTIONS:
        query = as_typed(question, view.as_of).query
        ranking = Ranking(view.window(Filters()))
        for name, stage, said in recipe.steps(query):
            begin = time.perf_counter()
            ranking = stage(said, ranking, view)
            taken.setdefault(name, []).append(1e3 * (time.perf_counter() - begin))
    return {name: median(each) for name, each in taken.items()}


def main() -> None:
    parser = ArgumentParser()
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--profile", action="store_true", help="the functions that take the most time, too")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, open_corpus(folder) as corpus:
        corpus.maintenance.background = False
        begin = time.perf_counter()
        report = corpus.add(given.corpus)
        corpus.tidy()
        print(f"{report.added:,} papers, {report.passages:,} passages in {time.perf_counter() - begin:.1f} s")
        then = corpus.at()
        begin = time.perf_counter()
        then.search(QUESTIONS[0], recipe="papers")
        print(f"the first question {time.perf_counter() - begin:.2f} s")
        taken = asked(then)
        print(
            f"then {median(taken):.1f} ms in the median of {len(taken)} questions, at most {max(taken):.1f}"
        )
        for name, spent in sorted(stages(corpus).items(), key=lambda each: -each[1]):
            print(f"{spent:8.2f} ms {name}")
        if given.profile:
            profile = cProfile.Profile()
            profile.runcall(asked, then)
            pstats.Stats(profile).sort_stats("tottime").print_stats(25)


if __name__ == "__main__":
    main()
