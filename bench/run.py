"""Measures asof: what it costs, beside others, and how well it ranks.

    python bench/run.py [NAME ...] [--data DIR] [--size N ...] [--json FILE] [--against FILE|COMMIT]

Without a NAME all are measured but `quality`, which needs --data DIR, a folder of datasets as `asof evaluate`
reads them. With --data the text of all of them is one corpus more of `speed`. Every corpus is built, opened
and asked in processes of its own, so that memory is that of the one task. Figures are "wall / processor", of
questions "median / 95th percentile / processor". See README.md beside this file.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from bench.corpora import Measured, gather, generate
from bench.figures import Figure, Groups, Rows, Systems, job, middle

from bench import figures, peers, startup

SIZES = (5_000, 100_000)
QUERIES = 200
OPENED, STARTED = 5, 9
SMALL = 20_000
"""Passages up to which the published stack is measured: it scores all of them in Python."""
SHARED = 5_000, 20_000
"""Passages of the corpora that are served, and asked by threads."""


def start(options: argparse.Namespace) -> Groups:
    """Commands in fresh processes: time, and modules of asof that are imported and entered."""
    rows = Rows()
    with workplace(options) as place:
        startup.two_notes(place)
        for name, words in startup.COMMANDS.items():
            taken = startup.typical([startup.run(words, place) for _ in range(STARTED + 1)])
            entered = startup.entered(words, place)
            rows |= {
                name: Figure(taken.seconds * 1e3, "ms", taken.busy * 1e3),
                f"{name}: imported": Figure(entered.imported, "modules"),
                f"{name}: entered": Figure(entered.modules, "modules"),
                f"{name}: functions": Figure(entered.functions, "functions"),
            }
    return {"start": {"asof": rows}}


def speed(options: argparse.Namespace) -> Groups:
    """Building, opening, asking, adding: generated text of some sizes, and the text of datasets."""
    groups: Groups = {}
    for size in [*(options.size or SIZES), *([None] if options.data else [])]:
        with workplace(options) as place:
            say("real text" if size is None else f"{size:,} generated passages")
            if size is None:
                corpus = gather(place, options.data, options.queries)
            else:
                corpus = generate(place, size, options.queries)
            made = {"asof": ours(place / "words", corpus, options, dense=False)}
            passages = int(made["asof"].pop("passages").value)
            if options.vectors:
                made["asof, vectors"] = ours(place / "vectors", corpus, options, dense=True)
                del made["asof, vectors"]["passages"]
            made |= others(place, corpus, options, passages)
        groups[f"{passages:,} passages of datasets" if size is None else f"{size:,} generated passages"] = (
            made
        )
        print(f"\n{list(groups)[-1]}\n\n{figures.table(made)}", flush=True)
    return groups


def ours(place: Path, corpus: Measured, options: argparse.Namespace, *, dense: bool) -> Rows:
    place.mkdir()
    folder, documents = str(place), corpus.documents
    say("asof" + (" with vectors" if dense else ""))
    rows, peak = job("measures.build", single=True, folder=folder, documents=documents, dense=dense)
    rows["peak memory, merge"] = peak
    rows["open"] = middle(
        [job("measures.opening", folder=folder, dense=dense)[0]["open"] for _ in range(OPENED)]
    )
    asked, peak = job(
        "measures.search", folder=folder, dense=dense, questions=corpus.questions, middle_day=corpus.middle,
        tenth=corpus.tenth, runs=options.runs,
    )  # fmt: skip
    rows["peak memory, search"] = peak
    if not dense:
        rows |= job("measures.cold", folder=folder, questions=corpus.questions)[0]
        rows |= job("measures.adding", folder=folder)[0]
        rows |= job("measures.remembering", folder=folder)[0]
    return rows | asked


def others(place: Path, corpus: Measured, options: argparse.Namespace, passages: int) -> Systems:
    made: Systems = {}
    for peer in filter(peers.installed, peers.NEEDED if options.peers else ()):
        if peer == "published":
            if passages <= SMALL:
                say(peer)
                files: dict[str, Any] = {"documents": corpus.documents, "questions": corpus.questions}
                rows, peak = job("peers.published", single=True, runs=options.runs, **files)
                made[peer] = rows | {"peak memory, build": peak}
            continue
        say(peer)
        lies: dict[str, Any] = {"peer": peer, "folder": str(place / peer)}
        rows, rows["peak memory, build"] = job("peers.build", single=True, documents=corpus.documents, **lies)
        rows["open"] = middle([job("peers.opening", **lies)[0]["open"] for _ in range(OPENED)])
        asked, peak = job("peers.search", questions=corpus.questions, runs=options.runs, **lies)
        made[peer] = rows | {"peak memory, search": peak} | asked
    return made


def threads(options: argparse.Namespace) -> Groups:
    """Questions a second that several threads answer beside one, with one open corpus."""
    with workplace(options) as place:
        corpus = generate(place, SHARED[1], 60)
        job("measures.build", folder=str(place / "index"), documents=corpus.documents, dense=False)
        rows, _ = job(
            "measures.threads", folder=str(place / "index"), questions=corpus.questions, number=4,
            rounds=max(options.runs, 3),
        )  # fmt: skip
    return {f"threads, {SHARED[1]:,} generated passages": {"asof": rows}}


def serve(options: argparse.Namespace) -> Groups:
    """Searches a second over HTTP, 16 clients; of generated text, or of the dataset that --sets names."""
    with workplace(options) as place:
        if options.data and options.sets:
            corpus, name = gather(place, options.data / options.sets, options.queries), options.sets
        else:
            size = options.size[0] if options.size else SHARED[0]
            corpus, name = generate(place, size, options.queries), f"{size:,} generated passages"
        job("measures.build", folder=str(place / "index"), documents=corpus.documents, dense=False)
        rows, _ = job(
            "measures.serve", folder=str(place / "index"), questions=corpus.questions, clients=16,
            seconds=options.seconds,
        )  # fmt: skip
    return {f"serve, {name}": {"asof": rows}}


def quality(options: argparse.Namespace) -> Groups:
    """Rankings and answers on datasets with judgements."""
    from bench.quality import measure

    return measure(options)


def arena(options: argparse.Namespace) -> Groups:
    """Rankings on questions of people about real corpora, beside what they would take instead."""
    from bench.arena import measure

    return measure(options)


MEASURED: dict[str, Callable[[argparse.Namespace], Groups]] = {
    "start": start, "speed": speed, "threads": threads, "serve": serve, "quality": quality, "arena": arena,
}  # fmt: skip
PRINTS = ("speed", "quality")
"""Those that print their tables themselves, as soon as there is one."""


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(MEASURED))
    parser.add_argument("--data", type=Path, metavar="DIR", help="a folder of datasets (default: $ASOF_DATA)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures")
    parser.add_argument(
        "--against", metavar="FILE|COMMIT", help="print ratios to figures of another run, or of a commit"
    )
    parser.add_argument("--folder", type=Path, metavar="DIR", help="make corpora here, and leave them")
    parser.add_argument("--runs", type=int, default=3, help="runs of which medians are taken (3)")
    parser.add_argument("--arena", type=Path, metavar="DIR", help="a folder of banks (default: $ASOF_ARENA)")
    cost = parser.add_argument_group("what it costs")
    cost.add_argument("--size", type=int, action="append", metavar="N", help=f"generated passages {SIZES}")
    cost.add_argument("--queries", type=int, default=QUERIES, help=f"({QUERIES})")
    cost.add_argument("--no-vectors", dest="vectors", action="store_false")
    cost.add_argument("--no-peers", dest="peers", action="store_false")
    cost.add_argument("--seconds", type=float, default=20, help="of serve (20)")
    good = parser.add_argument_group("quality")
    good.add_argument(
        "--recipe", action="append", metavar="SPEC", help="NAME [-STAGE] [FIELD=A[,B]] ... (asof)"
    )
    good.add_argument("--parts", action="store_true", help="each part left out, too")
    good.add_argument("--sets", default="", metavar="NAME,...", help="these datasets only")
    good.add_argument("--questions", type=int, default=200, metavar="N", help="of each set at most (200)")
    good.add_argument("--answers", action="store_true", help="ask for answers, too")
    good.add_argument("--metric", default="ndcg@10", help="of differences (ndcg@10)")
    good.add_argument("--by", default="type", metavar="FIELD", help="of a question: its kind (type)")
    good.add_argument("--encoder", type=Path, metavar="DIR", help="a model's folder")
    good.add_argument("--cache", type=Path, metavar="DIR", help="where corpora are kept for the next time")
    good.add_argument("--processes", type=int, default=2, help="sets are asked side by side by (2)")
    options = parser.parse_args()
    if unknown := set(options.names) - MEASURED.keys():
        parser.error(f"{', '.join(sorted(unknown))}: accepted are {', '.join(MEASURED)}")
    if options.data is None and os.environ.get("ASOF_DATA"):
        options.data = Path(os.environ["ASOF_DATA"])
    if options.arena is None and os.environ.get("ASOF_ARENA"):
        options.arena = Path(os.environ["ASOF_ARENA"])
    unasked = {"quality", *(() if options.arena else ("arena",))}
    options.names = options.names or [name for name in MEASURED if name not in unasked]
    if "arena" in options.names and options.arena is None:
        parser.error("arena needs --arena DIR")
    if "quality" in options.names and options.data is None:
        parser.error("quality needs --data DIR")
    return options


@contextmanager
def workplace(options: argparse.Namespace) -> Iterator[Path]:
    """An empty folder; removed at the end unless the user named it."""
    if options.folder is None:
        with TemporaryDirectory(prefix="asof-bench-") as temporary:
            yield Path(temporary)
    else:
        place = options.folder / f"{time.time_ns()}"
        place.mkdir(parents=True)
        yield place


def measured_at(commit: str) -> Groups:
    """The figures of a commit: it is checked out into a folder, and the same is measured there by this
    interpreter."""
    say(f"the same at {commit}")
    words = sys.argv[1 : sys.argv.index("--against")] + sys.argv[sys.argv.index("--against") + 2 :]
    with TemporaryDirectory(prefix="asof-bench-") as folder:
        place = Path(folder) / "asof"
        git = ("git", "-C", str(Path(__file__).parents[1]), "worktree")
        subprocess.run([*git, "add", "--detach", "--quiet", str(place), commit], check=True)
        try:
            made = Path(folder) / "figures.json"
            runner = [sys.executable, str(place / "bench" / "run.py"), *words, "--json", str(made)]
            environment = {**os.environ, "PYTHONPATH": str(place / "src")}
            subprocess.run(runner, env=environment, stdout=subprocess.DEVNULL, check=True)
            return figures.read(made)
        finally:
            subprocess.run([*git, "remove", "--force", str(place)], check=True)


def say(line: str) -> None:
    print(f"[{time.strftime('%H:%M:%S')}] {line}", file=sys.stderr, flush=True)


def main() -> None:
    os.environ["ASOF_CONFIG"] = os.devnull  # no settings of the user
    if sys.argv[1:2] == ["--job"]:
        module, _, function = sys.argv[2].partition(".")
        print(json.dumps(getattr(import_module(f"bench.{module}"), function)(**json.loads(sys.argv[3]))))
        return
    options = parse()
    machine = f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} processors"
    print(f"{machine}, load {os.getloadavg()[0]:.1f} at the start (quiet: below 0.3)")
    groups: Groups = {}
    for name in options.names:
        say(name)
        made = MEASURED[name](options)
        groups |= made
        for group, systems in made.items() if name not in PRINTS else ():
            print(f"\n{group}\n\n{figures.table(systems)}", flush=True)
        if options.json:
            words = f"python bench/run.py {shlex.join(sys.argv[1:])}"
            kept = {"command": words, "machine": machine, "figures": groups}
            options.json.write_text(json.dumps(kept, indent=1), encoding="utf-8")
    if options.against:
        before = Path(options.against)
        then = figures.read(before) if before.is_file() else measured_at(options.against)
        print(f"\nagainst {options.against}\n\n{figures.against(groups, then)}")


if __name__ == "__main__":
    main()
