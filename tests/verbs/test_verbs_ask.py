"""The verb "ask": its parameters are those of a question, unless they are left out."""

from __future__ import annotations

from typing import Any

import pytest
from tests.support.fact_lines import note

import asof
from asof.answer.settings import AskSettings
from asof.config import Config
from asof.models.scripted import ScriptedModel
from asof.verbs import parameters as p
from asof.verbs import verbs


@pytest.mark.parametrize(
    ("given", "target"),
    [({}, "list"), ({"format": None}, "list"), ({"format": ""}, ""), ({"format": "table"}, "table")],
)
def test_a_format_is_as_configured_or_any_or_what_it_says(tmp_path, given: dict[str, Any], target: str):
    model = ScriptedModel(lambda prompt: "Rope [1]." if prompt.schema is None else '{"times": []}')
    config = Config(asking=AskSettings(format="list"))
    with asof.open(tmp_path, config=config, model=model) as corpus:
        corpus.maintenance.background = False
        corpus.add(note("a", "2021-12-01", "Quay | sold | rope | 2020"))
        verbs.ask(corpus, p.Ask(q="who sold rope?", mode="local", **given))
    asked = model.prompts[-1].user
    assert ("Target length and format of the answer:" in asked) == bool(target)
    assert not target or f"format of the answer: {target}\n" in asked
