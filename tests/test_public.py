"""What `import asof` gives, and what it does not do."""

from __future__ import annotations

import ast
import inspect
import pydoc
import subprocess
import sys
from datetime import date
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


@pytest.mark.parametrize("name", ["Corpus", "Snapshot"])
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


def test_a_name_that_is_nearly_there_is_told() -> None:
    with pytest.raises(AttributeError, match=r"did you mean Document\? it has "):
        _ = asof.document
    assert not hasattr(asof, "__wrapped__")


def test_completion_shows_the_public_names_and_nothing_else() -> None:
    assert dir(asof) == sorted([*asof.__all__, "__version__", "errors"])
    assert asof.errors.AsofError is asof.AsofError
    said = pydoc.render_doc(asof, renderer=pydoc.plaintext)  # type: ignore[attr-defined]
    assert all(f"class {name}" in said for name in ("Corpus", "Document", "Named"))


def test_type_checkers_accept_what_is_accepted(memory_folder: Path) -> None:
    """Types of this function are checked with all others: an ignored error that is none is one."""

    def says(prompt: str) -> str:
        return prompt

    def encode(texts: list[str]) -> list[list[float]]:
        return [[1.0] for _ in texts]

    document = asof.Document("a", "One.", published="2021-03-01", about=["2020", date(2021, 1, 1)], tags="x")
    published: asof.SourcedTime | None = document.published
    assert published is not None
    with pytest.raises(asof.AsofError):
        asof.Document("a", "One.", published=1.5)  # type: ignore[arg-type]
    with asof.open(memory_folder, model=says, encoder=asof.Named("x-1", encode)) as corpus:
        corpus.add(document)
        corpus.add([document, {"id": "b", "text": "Two."}, asof.Ended("c", 2021)])
        names = [hit.document for hit in corpus.at(2021).search("one", tags="x", meta={"team": "x"})]
        assert names == []
        with pytest.raises(asof.AsofError):
            corpus.at(b"2021")  # type: ignore[arg-type]


def test_results_are_a_sequence_that_is_shown_in_lines(memory_folder: Path) -> None:
    with asof.open(memory_folder) as corpus:
        assert repr(corpus) == f"Corpus({str(memory_folder)!r})"
        for name in "abc":
            corpus.add(asof.Document(name, f"The crane {name} is red.", published="2021-03"))
        results = corpus.at("2021").search("crane")
        assert len(results) == 3
        assert list(results) == list(results.hits)
        assert (results[0], results[-1], results[1:]) == (results.hits[0], results.hits[-1], results.hits[1:])
        shown = repr(results).splitlines()
        assert shown[0] == "Results('crane', as of 2021-12-31, by asof: 3 hits)"
        assert shown[1].strip() == repr(results[0])
        assert repr(results[0]).endswith(
            f", {results[0].document!r}, 2021-03, 'The crane {results[0].document} is red.')"
        )
        assert f"{results[0].published}" == "2021-03"
        assert repr(corpus.at("2021", known_at=2022)).endswith(
            "1-12-31T23:59:59.999999Z, known at 2022-12-31T23:59:59.999999Z)"
        )
        assert not corpus.search("nothing of the sort")


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
