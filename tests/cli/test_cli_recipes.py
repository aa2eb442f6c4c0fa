"""Choosing how to rank: `asof recipes`, `--recipe`, and asof.toml."""

from __future__ import annotations

import pytest

from asof.recipes import NAMES


def recipe_of(asof, *options: str) -> str:
    return str(asof("search", "crane", *options, "--json").json()["query"]["recipe"])


def documents(asof, *options: str) -> list[str]:
    return [hit["document"] for hit in asof("search", "crane", *options, "--json").json()["hits"]]


def test_all_recipes_are_listed(asof, here):
    result = asof("recipes")
    assert [line.split()[0] for line in result.out.splitlines()] == list(NAMES)
    assert result.out.splitlines()[0].endswith("(default)")


def test_fields_and_what_asof_toml_changes(asof, here, write):
    write("asof.toml", '[search]\nrecipe = "twe"\n[recipes.twe]\ndecay.tau_min = 30\n')
    result = asof("recipes", "twe").out
    assert "(default)" in result
    assert "  decay.tau_min = 30.0  (asof.toml)\n" in result
    assert "  decay.tau_max = 730.0\n" in result


@pytest.mark.parametrize("name", NAMES)
def test_each_recipe_can_be_asked(asof, notes, name):
    """Each finds the three notes that say "crane"; as of 2020 there is one."""
    assert recipe_of(asof, "--recipe", name) == name
    assert sorted(documents(asof, "--recipe", name)) == ["notes/blue.md", "notes/more/oak.md", "notes/red.md"]
    assert documents(asof, "--recipe", name, "--as-of", "2020") == ["notes/red.md"]
    assert recipe_of(asof, "--recipe", name, "--unit", "document") == f"{name}-documents"


def test_asof_toml_chooses(asof, notes, write):
    write("asof.toml", '[search]\nrecipe = "vault"\n')
    assert recipe_of(asof) == "vault"
    assert recipe_of(asof, "--recipe", "asof") == "asof"


def test_diversity_from_asof_toml(asof, notes, write):
    """A note with two passages about cranes before the others: at most one of a document comes first."""
    write("notes/two.md", "# Two\n\n## A\n\ncrane crane crane\n\n## B\n\ncrane crane crane\n")
    assert asof("index", "notes").code == 0
    assert documents(asof)[:2] == ["notes/two.md", "notes/two.md"]
    write("asof.toml", '[diversity]\nkind = "per-document"\nmost = 1\n')
    assert documents(asof).count("notes/two.md") == 2
    assert documents(asof)[:2] != ["notes/two.md", "notes/two.md"]
    assert recipe_of(asof) == "asof-diverse"


def test_a_model_to_rerank_with_has_to_be_named(asof, notes):
    result = asof("search", "crane", "--rerank")
    assert (result.code, result.out) == (2, "")
    assert "no model is named to rerank with: see [rerank] in asof.toml" in result.err


def test_status_tells_what_was_derived(asof, notes):
    assert "derived" not in asof("status").out
    asof("search", "crane", "--recipe", "twe")
    derived = [line for line in asof("status").out.splitlines() if line.strip().startswith("derived")]
    assert any("latent semantic analysis: 1 bas" in line for line in derived)
    assert asof("status", "--json").json()["derived"]


def test_papers_ranks_documents_once(asof, notes):
    """Its unit is the document already: asked for documents, it says and does the same."""
    passages, papers = (asof("search", "crane", "--recipe", "papers", "--json", *unit).json()
                        for unit in ([], ["--unit", "document"]))  # fmt: skip
    assert papers["notes"] == passages["notes"]
    assert papers["hits"] == passages["hits"]


def test_the_file_that_sets_a_field_is_named(asof, here, write, monkeypatch):
    """The folder's where both set it; the user's own by its path."""
    own = write("own/config.toml", "[recipes.twe]\ndecay.tau_min = 50\ndecay.tau_max = 900\n")
    write("asof.toml", "[recipes.twe]\ndecay.tau_max = 800\n")
    monkeypatch.setenv("ASOF_CONFIG", str(own))
    lines = asof("recipes", "twe").out.splitlines()
    assert f"  decay.tau_min = 50.0  ({own})" in lines
    assert "  decay.tau_max = 800.0  (asof.toml)" in lines
