"""What the documents name is there: commands, options, targets, errors, modules; docstring examples run."""

from __future__ import annotations

import doctest
import importlib
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

import asof
from asof import errors
from asof.cli import commands
from asof.cli.main import cli

ROOT = Path(__file__).parents[1]
PACKAGE = Path(asof.__file__).parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
BLOCK = re.compile(r"^```(?:console|sh|shell)\n(.*?)^```", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|mailto:|#|<)([^)#\s]+)(?:#[^)]*)?\)")


def text(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


def lines_of_shell() -> Iterator[tuple[str, list[str]]]:
    """Page and words of each line that a reader is asked to type."""
    for page in PAGES:
        for block in BLOCK.findall(page.read_text(encoding="utf-8")):
            for line in block.splitlines():
                if line.startswith("$ "):
                    command, *words = shlex.split(line[2:].split(" | ")[0], comments=True)
                    yield page.name, [Path(command).name, *words]


SHELL = list(lines_of_shell())


def test_the_documents_exist():
    assert {"README.md", "ARCHITECTURE.md"} <= {page.name for page in PAGES}
    assert [words for page, words in SHELL if page == "README.md" and words[0] == "asof"]


@pytest.mark.parametrize("words", [words for _, words in SHELL if words[0] == "asof"], ids=" ".join)
def test_commands_that_are_shown_exist(words):
    context = click.Context(cli, **cli.context_settings)  # help options are kept with the command
    if words[1].startswith("-"):
        assert words[1] in ("--help", "--version")
        return
    command = cli.get_command(context, words[1])
    assert command is not None
    command.make_context(words[1], words[2:], parent=context).close()  # raises for what it does not know


@pytest.mark.parametrize("words", [words for _, words in SHELL if words[0] == "make"], ids=" ".join)
def test_targets_that_are_shown_exist(words):
    targets = set(re.findall(r"^([a-z-]+):", text("Makefile"), re.MULTILINE))
    assert {word for word in words[1:] if "=" not in word} <= targets


def test_every_command_is_in_the_readme():
    readme = text("README.md")
    own = [name for name, entry in commands.entries().items() if entry.target.startswith("asof.")]
    assert "search" in own
    assert [name for name in own if f"asof {name}" not in readme] == []


def test_every_error_is_drawn_in_the_tree():
    tree = {}
    above: list[tuple[int, str]] = []
    for line in (errors.__doc__ or "").splitlines():
        if drawn := re.match(r"([\s│├└─]*)([A-Z]\w+)(?:\s{2,}|$)", line):
            depth, name = len(drawn[1]), drawn[2]
            above = [each for each in above if each[0] < depth]
            tree[name] = above[-1][1] if above else "Exception"
            above.append((depth, name))
    classes = {
        name: value.__bases__[0].__name__
        for name, value in vars(errors).items()
        if isinstance(value, type) and issubclass(value, Exception)
    }
    assert tree == classes


def test_every_module_is_in_the_architecture():
    page = text("ARCHITECTURE.md")
    modules = [
        path.stem if path.suffix == ".py" else f"{path.name}/"
        for path in PACKAGE.iterdir()
        if (path.suffix == ".py" or (path.is_dir() and path.name != "__pycache__"))
        and path.name != "__init__.py"
    ]
    assert len(modules) > 10
    assert [each for each in sorted(modules) if not re.search(rf"\b{re.escape(each)}", page)] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    targets = LINK.findall(page.read_text(encoding="utf-8"))
    assert [target for target in targets if not (page.parent / target).exists()] == []


@pytest.mark.parametrize(
    "page",
    [
        page for page in PAGES if page.name not in ("CHANGELOG.md", "CONTRIBUTING.md")
    ],  # past, and future files
    ids=lambda page: page.name,
)
def test_modules_that_are_named_are_there(page):
    there = {
        path.name for folder in ("src", "tests", "bench", "docs") for path in (ROOT / folder).rglob("*.py")
    }
    named = re.findall(r"`(?:[a-z_]+/)*([a-z_]+\.py)`", page.read_text(encoding="utf-8"))
    assert sorted({name for name in named if name not in there}) == []


MODULES = sorted(
    path
    for path in PACKAGE.rglob("*.py")
    if "example" not in path.parts and ">>>" in path.read_text(encoding="utf-8")
)


def test_there_are_examples():
    assert MODULES


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_examples_in_docstrings_run(path):
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    module = importlib.import_module(".".join(part for part in parts if part != "__init__"))
    assert doctest.testmod(module).failed == 0
