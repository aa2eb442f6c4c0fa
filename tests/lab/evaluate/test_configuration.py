"""Which configuration recipes are evaluated with."""

from __future__ import annotations

import pytest

from asof.errors import BadConfig, UsageError
from asof.extensions.lab.runs import used
from asof.extensions.systems.recipes import TWE


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.setenv("ASOF_CONFIG", "/dev/null")
    path = tmp_path / "asof.toml"
    path.write_text('[recipes.twe]\ndecay.tau_min = 365\n[search]\nrecipe = "twe"\n', encoding="utf-8")
    return path


def test_that_of_the_folder_holds(file):
    found = used(None, file.parent).evaluating(["twe", "asof"])
    assert found.files == (file,)
    assert found.changed == {"twe": {"decay.tau_min": 365.0}}
    assert found.sentence == f"recipes as in {file}: twe: decay.tau_min = 365.0"
    assert found.recipe("twe") == TWE.replaced({"decay.tau_min": 365})


def test_none_is_as_published_whatever_the_folder_has(file):
    from pathlib import Path

    found = used(Path("none"), file.parent).evaluating(["twe"])
    assert found.recipe("twe") == TWE
    assert found.sentence == "recipes as published"


def test_a_file_holds_alone(file, tmp_path):
    other = tmp_path / "other.toml"
    other.write_text("[recipes.vault]\nreciprocal_rank.k = 10\n", encoding="utf-8")
    found = used(other, file.parent).evaluating(["twe", "vault"])
    assert found.recipe("twe") == TWE
    assert found.changed == {"vault": {"reciprocal_rank.k": 10}}
    assert used(other, file.parent).evaluating(["twe"]).sentence.startswith("recipes as published (")


def test_diversity_is_a_part_of_every_recipe(file):
    file.write_text('[diversity]\nkind = "per-document"\n', encoding="utf-8")
    found = used(file, file.parent).evaluating(["twe"])
    assert found.recipe("twe").name == "twe"
    assert "per_document.most" in found.changed["twe"]


def test_a_file_that_is_not_there_or_not_accepted(file, tmp_path):
    with pytest.raises(UsageError, match="there is no such file"):
        used(tmp_path / "nowhere.toml", tmp_path)
    file.write_text("[recipes.twe]\ndecay.tau = 1\n", encoding="utf-8")
    with pytest.raises(BadConfig, match=r"decay\.tau"):
        used(file, tmp_path)
