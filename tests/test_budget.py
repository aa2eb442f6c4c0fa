"""The counters of tools/budget.py on a small tree, and its comparison with limits."""

from __future__ import annotations

from pathlib import Path

import click
import pytest
from tools import budget
from tools.budget import Limit

TREE = {
    "pyproject.toml": '[project]\ndependencies = ["click>=8.1", "rich>=13.7"]\n',
    "src/asof/__init__.py": "",
    "src/asof/values.py": "class Hit: ...\n\n\nclass Why: ...\n",
    "src/asof/version.py": "VERSION = 1\n",
    "src/asof/time/__init__.py": "# Times\n",
    "src/asof/time/parse.py": "def parse():\n    class Hit: ...\n" + "\n" * 70,
    "src/asof/extensions/__init__.py": "",
    "src/asof/extensions/facts/commands.py": "COMMANDS = {}\n",
    "src/asof/extensions/facts/facts.py": "class Fact: ...\n",
    "src/asof/lang/en/words.toml": "stop = []\n",
    "tests/test_values.py": "# one\n# two\n# three\n",
    "bench/run.py": "# one\n# two\n",
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name, text in TREE.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


def test_counts_of_a_tree(tree: Path) -> None:
    assert budget.tree_counts(tree) == {
        "lines, core: time": 73,
        "lines, core: modules of asof itself": 5,
        "lines, core": 78,
        "lines, extensions: facts": 2,
        "lines, extensions": 2,
        "lines, tests": 3,
        "lines, bench": 2,
        "modules": 8,
        "modules of fewer than 60 lines": 2,  # values and facts
        "class names that stand twice": 1,
        "direct dependencies": 2,
    }


def test_what_is_counted_can_be_named(tree: Path) -> None:
    every = budget.modules(tree / "src")
    assert [path.name for path in budget.short(every)] == ["facts.py", "values.py"]
    assert budget.twice(every) == ["Hit"]


def test_options_of_a_command_and_below_it() -> None:
    one = click.Command("one", params=[click.Option(["--as-of"]), click.Argument(["question"])])
    two = click.Command("two", params=[click.Option(["-k"]), click.Option(["--json"])])
    assert budget.options(one) == 1
    assert budget.options(click.Group("both", commands=[one, two], params=[click.Option(["--index"])])) == 4


def test_keys_of_a_configuration() -> None:
    text = '# key = of a sentence\n[index]\n# About it.\n#stem = true\n#"a b" = 1\nchunking = "whole"\n'
    assert budget.configuration_keys(text) == 2


def test_the_interface_is_counted() -> None:
    assert all(budget.interface_counts().values())


def test_beside_limits() -> None:
    limits = {"lines": Limit(1_000, 500), "modules": Limit(3)}
    table, wrong = budget.beside({"lines": 1_000, "modules": 4, "names": 1}, limits)
    assert table == [
        "lines       1,000  at most    1,000  (aim 500)",
        "modules         4  at most        3",
        "names           1",
    ]
    assert wrong == ["modules: 4 exceeds 3", "names: 1 has no limit in tools/budget.py"]
