"""`asof stale --judge`: verdicts and diffs on a terminal, as JSON, annotations and Markdown."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from tests.support.json_schema import faults
from tests.support.stale_flags import flag, judging

from asof.corpus import corpus as library
from asof.corpus.snapshot import Snapshot
from asof.data.stale import LINK, Stale
from asof.models.scripted import ScriptedModel
from asof.serialize.schema import schema

from .conftest import Asof, note

TEN, FIFTY = "The free plan has 10 GB.", "The free plan has 50 GB."
EVIL = "The blue `` plan\x1b[31m has 10 GB."


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> ScriptedModel:
    def said(pair: dict[str, Any]) -> dict[str, Any]:
        if "pier" in pair["older"]["sentence"]:
            return {"verdict": "unrelated"}
        return {"verdict": "outdated", "replacement": pair["older"]["sentence"].replace("10", "50")}

    model = ScriptedModel(judging(said))
    opened = library.open
    monkeypatch.setattr(
        "asof.corpus.corpus.open", lambda *given, **options: opened(*given, **options, model=model)
    )
    return model


@pytest.fixture
def stale(write: Any, asof: Asof, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four flags: three of sentences, of which the model holds one to be unrelated, and a link."""
    write("notes/plans.md", note("2021-03-01", "Plans", f"{TEN}\n{EVIL}\nThe pier has 10 lamps."))
    write("notes/prices.md", note("2023-04-11", "Prices", FIFTY))
    assert asof("index", "notes").code == 0

    def flags(then: Snapshot, *_: object, **__: object) -> Iterable[Stale]:
        newer = ("notes/prices.md", FIFTY)
        old = [flag(then, ("notes/plans.md", each), newer) for each in (TEN, "The pier has 10 lamps.", EVIL)]
        return (*old, flag(then, ("notes/plans.md", "The pier"), newer, LINK))

    monkeypatch.setattr(Snapshot, "stale", flags)


def test_verdict_reason_and_diff(asof, stale, model, here: Path):
    result = asof("stale", "--judge")
    assert result.code == 1
    lines = result.out.splitlines()
    at = lines.index("     outdated: so it is")
    assert lines[at + 1 : at + 3] == ["     --- notes/plans.md", "     +++ notes/plans.md"]
    assert [f"     -{TEN}", f"     +{FIFTY}"] == [each for each in lines[at + 3 :] if "free plan" in each][:2]
    assert lines[-1] == "note: 1 of 3 was judged unrelated and left out"
    assert "\x1b" not in result.out
    assert result.out.count("     outdated: ") == 2
    assert result.err.startswith("cost: calls ")
    assert asof("stale", "--judge").err.startswith("cost: cached ")


def test_the_diff_is_of_the_file(asof, stale, model, here: Path):
    before = (here / "notes/plans.md").read_text()
    made = asof("stale", "--judge", "--json").json()["stale"][0]["verdict"]["diff"]
    assert (here / "notes/plans.md").read_text() == before, "nothing is applied"
    subprocess.run(["git", "apply", "-p0"], cwd=here, input=made.encode(), check=True, capture_output=True)
    assert (here / "notes/plans.md").read_text() == before.replace(TEN, FIFTY)


def test_json(asof, stale, model):
    value = asof("stale", "--judge", "--json").json()
    assert list(faults(value, schema("stale"), schema("stale"))) == []
    verdicts = [each["verdict"] for each in value["stale"]]
    assert [each and each["verdict"] for each in verdicts] == ["outdated", "outdated", None]
    assert list(verdicts[0]) == ["verdict", "reason", "diff"]
    assert value["notes"] == ["1 of 3 was judged unrelated and left out"]
    plain = asof("stale", "--json").json()
    assert plain["notes"] == []
    assert not any("verdict" in each for each in plain["stale"])


def test_annotations_and_markdown(asof, stale, model):
    assert "%0Aoutdated: so it is%0A" in asof("stale", "--judge", "--format", "github").out
    page = asof("stale", "--judge", "--format", "markdown").out
    assert f"   - outdated: so it is\n\n     ```diff\n     --- notes/plans.md\n" in page  # noqa: F541
    assert page.count("\n     ```\n") == 2
    assert page.endswith("\n1 of 3 was judged unrelated and left out.\n")


def test_without_a_model(asof, stale):
    result = asof("stale", "--judge")
    assert (result.code, result.out) == (2, "")
    assert "no language model is named that could judge what is stale: name one in asof.toml" in result.err
    assert result.err.count("\n") == 1
    result = asof("stale", "--judge", "--dismiss", "abcdef")
    assert "--dismiss and --restore go with --index and nothing else" in result.err
