"""What `import asof` gives, and what it does not do."""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import asof

ROOT = Path(asof.__file__).parent


def test_the_names_are_those_that_type_checkers_see() -> None:
    tree = ast.parse((ROOT / "__init__.py").read_text(encoding="utf-8"))
    seen = {}
    for block in tree.body:
        if isinstance(block, ast.If) and "TYPE_CHECKING" in ast.dump(block.test):
            for line in block.body:
                assert isinstance(line, ast.ImportFrom)
                seen.update({alias.name: line.module for alias in line.names})
    assert sorted(seen) == sorted(asof.__all__) == list(asof.__all__)
    assert seen == asof._HOMES


@pytest.mark.parametrize("name", asof.__all__)
def test_every_name_loads_and_says_what_it_is(name: str) -> None:
    thing = getattr(asof, name)
    doc = inspect.getdoc(thing)
    assert doc
    assert not doc.startswith(f"{name}("), "more than a signature"


@pytest.mark.parametrize("name", ["Corpus", "Standpoint"])
def test_everything_that_can_be_called_says_what_it_does(name: str) -> None:
    methods = [
        (method, inspect.getdoc(value))
        for method, value in vars(getattr(asof, name)).items()
        if inspect.isfunction(value) and not method.startswith("_")
    ]
    assert methods
    assert [method for method, doc in methods if not doc] == []


def test_a_name_that_is_not_there() -> None:
    with pytest.raises(AttributeError, match=r"asof has no 'nothing'; it has AsofError, "):
        _ = asof.nothing


def test_importing_does_no_work() -> None:
    program = (
        "import asof, sys; print([m for m in ('numpy', 'click', 'yaml', 'sqlite3') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_module_says_what_it_is_for() -> None:
    silent = []
    for path in sorted(ROOT.rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if text and not ast.get_docstring(ast.parse(text)):
            silent.append(path.relative_to(ROOT).as_posix())
    assert silent == []
