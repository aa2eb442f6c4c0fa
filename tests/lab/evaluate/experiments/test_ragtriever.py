"""`ragtriever/components` on a tiny vault, where each component is seen to act."""

from __future__ import annotations

from typing import Any

import pytest
from tests.lab.evaluate.conftest import write_lines
from tests.lab.evaluate.experiments.conftest import value

from asof.errors import UsageError
from asof.extensions.lab.experiments import ExperimentOptions
from asof.extensions.lab.published import components
from asof.extensions.systems.vault import VAULT


@pytest.fixture(scope="session")
def vault(tmp_path_factory):
    """Two notes say the same: the one that nine others link to is right, and the newer one of two others."""
    folder = tmp_path_factory.mktemp("vault") / "vault"
    folder.mkdir()
    notes: list[dict[str, Any]] = [
        {"id": "pump", "text": "How the pump is cleaned.", "timestamp": "2020-01-01", "title": "Pump"},
        {
            "id": "pump copy",
            "text": "How the pump is cleaned.",
            "timestamp": "2020-01-01",
            "title": "Pump copy",
        },
        {"id": "rota new", "text": "The rota of the kitchen.", "timestamp": "2024-06-01"},
        {"id": "rota old", "text": "The rota of the kitchen.", "timestamp": "2020-06-01"},
        *(
            {
                "id": f"day {n}",
                "text": f"Day {n}. See [[pump]].",
                "timestamp": "2020-02-01",
                "links": ["pump"],
            }
            for n in range(9)
        ),
    ]
    write_lines(folder / "corpus.jsonl", notes)
    write_lines(
        folder / "queries.jsonl",
        [{"id": "q1", "text": "pump cleaned"}, {"id": "q2", "text": "rota kitchen"}],
    )
    (folder / "qrels.tsv").write_text("q1\tpump\t1\nq2\trota new\t1\n", encoding="utf-8")
    return folder


def test_each_component_alone_and_all_together(experimented, vault, tmp_path):
    found = experimented("ragtriever/components", dataset=vault, figures=tmp_path)
    table = found.outcome.table
    assert [row.label for row in table.rows] == [
        "baseline", "+ rank fusion", "+ backlinks", "+ recency", "all components",
    ]  # fmt: skip
    assert value(table, "all components", "mrr") == 1.0
    assert table.cell("baseline", "mrr change") is None
    for label in ("+ backlinks", "+ recency", "all components"):
        change = value(table, label, "mrr") - value(table, "baseline", "mrr")
        assert value(table, label, "mrr change") == pytest.approx(change)
    # one relevant document a question: 1/3 where it is among the first three
    assert value(table, "all components", "precision@3") == pytest.approx(1 / 3)
    each = {row["query_id"]: row for row in found.outcome.each}
    assert set(each) == {"q1", "q2"}
    assert each["q1"]["baseline"] + each["q1"]["all components"] == pytest.approx(1.0)
    assert "questions worse (met, none)" in found.outcome.notes[0]
    assert (tmp_path / "ragtriever-components.png").is_file()


def test_all_components_on_are_the_recipe():
    keys = {"rrf_k": 60, "backlink_boost_weight": 0.1, "backlink_boost_cap": 10}
    assert components(ExperimentOptions(parameters=keys))["all components"] == VAULT


def test_its_own_keys_are_settings(experimented, vault):
    found = experimented("ragtriever/components", "backlink_boost_weight=0", dataset=vault)
    assert value(found.outcome.table, "+ backlinks", "worse") == 0
    assert value(found.outcome.table, "+ backlinks", "mrr change") == 0.0
    with pytest.raises(UsageError, match="rrf_k = 0"):
        experimented("ragtriever/components", "rrf_k=0", dataset=vault)
    with pytest.raises(UsageError, match="recency_fresh_days < recency_recent_days"):
        experimented("ragtriever/components", "recency_fresh_days=300", dataset=vault)
