"""The size of asof and its start-up, counted, each beside its limit.

    python tools/budget.py [--times]

Ends with code 1 where a limit is exceeded. Seconds are printed always, and limited only with --times: they
depend on the machine. How a limit is raised stands in CONTRIBUTING.md.
"""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import click

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench import startup

ROOT = Path(__file__).resolve().parents[1]


class Limit(NamedTuple):
    """What is accepted at most today, and what the project aims at."""

    most: float
    aim: float | None = None


LIMITS = {
    "lines, core: answer": Limit(5_470),
    "lines, core: cli": Limit(3_325),
    "lines, core: corpus": Limit(2_520),
    "lines, core: index": Limit(4_210),
    "lines, core: lang": Limit(105),
    "lines, core: models": Limit(1_475),
    "lines, core: rank": Limit(3_030),
    "lines, core: revisions": Limit(3_230),
    "lines, core: sources": Limit(5_055),
    "lines, core: store": Limit(5_035),
    "lines, core: text": Limit(3_775),
    "lines, core: time": Limit(5_045),
    "lines, core: modules of asof itself": Limit(4_965),
    "lines, core": Limit(47_215, 34_000),
    "lines, extensions: adapters": Limit(480),
    "lines, extensions: cluster": Limit(2_500),
    "lines, extensions: documents": Limit(5_695),
    "lines, extensions: facts": Limit(8_200),
    "lines, extensions: lab": Limit(4_635),
    "lines, extensions: providers": Limit(1_545),
    "lines, extensions: server": Limit(2_420),
    "lines, extensions: systems": Limit(6_680),
    "lines, extensions": Limit(32_140, 30_000),
    "lines, tests": Limit(56_675, 48_000),
    "lines, bench": Limit(2_650, 2_000),
    "modules": Limit(265, 300),
    "modules of fewer than 60 lines": Limit(0),
    "class names that stand twice": Limit(0, 0),
    "direct dependencies": Limit(9),
    "commands": Limit(33, 30),
    "options": Limit(216, 180),
    "configuration keys": Limit(62, 75),
    "imported by a search": Limit(93, 120),
    "entered by a search": Limit(81, 70),
    "seconds, asof --help": Limit(0.12, 0.10),
    "seconds, asof search": Limit(0.6, 0.30),
    "seconds, of these numpy": Limit(0.5),
}
"""By the name that is printed. What is counted and has no limit here fails, too."""

MAY_BE_SHORT = {"__init__", "__main__", "commands", "replies", "shapes", "version"}
"""Modules that may be short: entry points, tables read before anything is loaded, what loads pydantic."""
SHORT = 60
RUNS = 5

Counts = Mapping[str, float]


# -- what lies in the tree -------------------------------------------------------------------------------


def modules(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.py"))


def lines(paths: list[Path]) -> int:
    return sum(len(path.read_text(encoding="utf-8").splitlines()) for path in paths)


def packages(folder: Path) -> Iterator[tuple[str, list[Path]]]:
    """The packages directly below a folder, with their modules; folders without any are left out."""
    for path in sorted(folder.iterdir()):
        if path.is_dir() and (found := modules(path)):
            yield path.name, found


def tree_counts(root: Path) -> Counts:
    """Lines and modules of a checkout."""
    source = root / "src" / "asof"
    extensions = source / "extensions"
    outside = modules(extensions)
    core = [path for path in modules(source) if extensions not in path.parents]
    every = core + outside
    return {
        **{f"lines, core: {name}": lines(paths) for name, paths in packages(source) if name != "extensions"},
        "lines, core: modules of asof itself": lines(sorted(source.glob("*.py"))),
        "lines, core": lines(core),
        **{f"lines, extensions: {name}": lines(paths) for name, paths in packages(extensions)},
        "lines, extensions": lines(outside),
        "lines, tests": lines(modules(root / "tests")),
        "lines, bench": lines(modules(root / "bench")),
        "modules": len(every),
        f"modules of fewer than {SHORT} lines": len(short(every)),
        "class names that stand twice": len(twice(every)),
        "direct dependencies": len(dependencies(root / "pyproject.toml")),
    }


def short(paths: list[Path]) -> list[Path]:
    """Modules with less than a subject of their own."""
    return [path for path in paths if path.stem not in MAY_BE_SHORT and lines([path]) < SHORT]


def twice(paths: list[Path]) -> list[str]:
    """Names that more than one class has, in whatever module."""
    trees = (ast.parse(path.read_text(encoding="utf-8"), str(path)) for path in paths)
    found = Counter(node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    return sorted(name for name, number in found.items() if number > 1)


def dependencies(pyproject: Path) -> list[str]:
    with pyproject.open("rb") as file:
        found: list[str] = tomllib.load(file)["project"]["dependencies"]
    return found


# -- what users meet -------------------------------------------------------------------------------------


def interface_counts() -> Counts:
    """Commands, their options, and keys of asof.toml."""
    from asof.cli import commands, config

    loaded = [commands.load(entry) for entry in commands.entries().values()]
    return {
        "commands": len(loaded),
        "options": sum(map(options, loaded)),
        "configuration keys": configuration_keys(config.text()),
    }


def options(command: click.Command) -> int:
    """The options of a command and of the commands below it; --help is none."""
    below = command.commands.values() if isinstance(command, click.Group) else ()
    return sum(isinstance(each, click.Option) for each in command.params) + sum(map(options, below))


def configuration_keys(text: str) -> int:
    return len(re.findall(r'^#(?:"[^"]*"|\w+) = ', text, re.MULTILINE))


# -- what a start costs ----------------------------------------------------------------------------------


def start_counts(folder: Path) -> Counts:
    """Modules of asof that `asof search` imports, and those of which it enters a function."""
    found = startup.entered(startup.COMMANDS["asof search, two notes"], folder)
    return {"imported by a search": found.imported, "entered by a search": found.modules}


def start_times(folder: Path) -> Counts:
    """Seconds of the processor in fresh processes, medians."""
    helping, searching = startup.COMMANDS.values()
    return {
        "seconds, asof --help": processor(lambda: startup.run(helping, folder)),
        "seconds, asof search": processor(lambda: startup.run(searching, folder)),
        "seconds, of these numpy": processor(lambda: startup.process([sys.executable, "-c", "import numpy"])),
    }


def processor(run: Callable[[], startup.Taken]) -> float:
    return round(startup.typical([run() for _ in range(RUNS + 1)]).busy, 3)


# -- beside the limits -----------------------------------------------------------------------------------


def beside(counts: Counts, limits: Mapping[str, Limit]) -> tuple[list[str], list[str]]:
    """The lines of the table, and what is wrong."""
    table: list[str] = []
    wrong: list[str] = []
    width = max(map(len, limits))
    for name, count in counts.items():
        if (limit := limits.get(name)) is None:
            table.append(f"{name:{width}}  {count:>8,}")
            wrong.append(f"{name}: {count:,} has no limit in tools/budget.py")
            continue
        aim = "" if limit.aim is None else f"  (aim {limit.aim:,})"
        table.append(f"{name:{width}}  {count:>8,}  at most {limit.most:>8,}{aim}")
        if count > limit.most:
            wrong.append(f"{name}: {count:,} exceeds {limit.most:,}")
    return table, wrong


def main() -> int:
    timed = sys.argv[1:] == ["--times"]
    if sys.argv[1:] and not timed:
        sys.exit(__doc__)
    counts = {**tree_counts(ROOT), **interface_counts()}
    with TemporaryDirectory() as folder:
        startup.two_notes(Path(folder))
        counts |= start_counts(Path(folder))
        times = start_times(Path(folder))
    table, wrong = beside(counts, LIMITS)
    shown, slow = beside(times, LIMITS)
    click.echo("\n".join(table + shown))
    wrong += slow if timed else []
    for each in wrong:
        click.echo(f"over budget: {each}", err=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
