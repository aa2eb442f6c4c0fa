"""scipy is an extra: what needs it says so, and the rest does without."""

from __future__ import annotations

import subprocess
import sys

import pytest
from tests.support.forked_commands import run_command

from asof.errors import MissingExtra
from asof.plugins import scipy


def test_a_module_of_scipy() -> None:
    assert scipy("sparse").csr_array((2, 3)).shape == (2, 3)
    assert scipy().__name__ == "scipy"


def test_without_it_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "scipy", None)
    monkeypatch.setitem(sys.modules, "scipy.sparse", None)
    with pytest.raises(MissingExtra, match="with its extra `systems`"):
        scipy("sparse")


@pytest.mark.parametrize(("recipe", "code"), [("asof", 0), ("tempralm", 0), ("vault", 2), ("papers", 2)])
def test_recipes_without_it(tmp_path, recipe: str, code: int) -> None:
    (tmp_path / "notes").mkdir()
    for name, text in (("quay", "The quay is long."), ("mole", "The mole is short, the quay is not.")):
        (tmp_path / "notes" / f"{name}.md").write_text(text)
    without = "sys.modules['scipy'] = None"
    assert run_command("index", "notes", before=without, cwd=tmp_path).returncode == 0
    done = run_command("search", "quay", "--recipe", recipe, before=without, cwd=tmp_path)
    assert done.returncode == code, done.stderr
    assert ("extra `systems`" in done.stderr) == (code != 0)


LOADING = """
import importlib, pkgutil, sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in EXTRAS:
            raise ModuleNotFoundError(name, name=name)
EXTRAS = set(sys.argv[1:])
sys.meta_path.insert(0, Missing())
import asof
for module in pkgutil.walk_packages(asof.__path__, "asof."):
    try:
        if module.name != "asof.__main__" and ".adapters." not in module.name:
            importlib.import_module(module.name)
    except ModuleNotFoundError as missing:
        print(module.name.removeprefix("asof."), missing.name.partition(".")[0])
"""


def test_modules_that_need_an_extra_to_be_imported() -> None:
    """All others are imported without one: they load a library where they use it."""
    extras = [
        "httpx", "huggingface_hub", "matplotlib", "mcp", "onnxruntime", "prometheus_client", "pydantic",
        "pypdfium2", "python_calamine", "scipy", "starlette", "striprtf",
        "tokenizers", "uvicorn", "watchfiles",
    ]  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-c", LOADING, *extras], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == [
        "extensions.cluster.serving starlette",
        "extensions.documents.pdf_pages pypdfium2",
        "extensions.documents.sheets python_calamine",
        "extensions.facts.replies pydantic",
        "extensions.server.app starlette",
        "extensions.server.guard prometheus_client",
        "extensions.server.mcp pydantic",
        "extensions.systems.replies pydantic",
    ]
