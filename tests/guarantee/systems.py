"""What the published systems show at a moment, and faults that would show what is later."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from tests.guarantee.core import LOOK, counts_what_turned_out_wrong
from tests.guarantee.histories import SMALL, Event, told
from tests.guarantee.observing import Asked, Fault, Moment, Observable, put, search_by

from asof.extensions.systems import evidence as evidence_cache
from asof.extensions.systems import latent, overlap
from asof.extensions.systems.evidence import Evidence, GraphCache, evidence
from asof.recipes import named
from asof.revisions.rows import GraphLimits, Rows

CHANGED: dict[str, dict[str, Any]] = {
    "twe": {
        "pool.n": 3, "budgeted_rerank.sizes": [2, 3, 9], "budgeted_rerank.margin": 0.1,
        "latent.dimensions": 3, "latent.min_df": 1, "centrality.threshold": 0.3,
    },
    "tempralm": {"gap.mask": False},
    "vault": {"backlinks.weight": 0.5, "recency_tiers.bounds": [3.0, 60.0, 180.0]},
    "papers": {"coverage.above": 0.2},
    "lsa": {"latent.min_df": 1, "latent.dimensions": 3},
}  # fmt: skip
"""Recipes with other numbers, which look at what the usual ones leave alone."""

BATCHED = GraphLimits(
    least_written=1, share_written=10**9, rebuild_share=0, texts_at_once=2, most_postings=12,
    products_at_once=5,
)  # fmt: skip
"""Everything is in several batches, files are always written, existing graphs are always updated."""

SMALL.append(lambda corpus: GraphCache.of(corpus.session.derived, BATCHED))


def corroboration(moment: Moment, asked: Asked) -> Any:
    """The evidence graph with caps so low that most shingles are crowded, by what passages say."""
    view = moment.then.view()
    graph: Evidence = evidence(view, threshold=0.05, cap=asked.cap)
    rows = np.flatnonzero(graph.alive[graph.nodes])
    records = view.records(rows)
    names = {
        row: f"{record.document} {record.key!r}" for row, record in zip(rows.tolist(), records, strict=True)
    }
    dead = np.setdiff1d(np.arange(len(graph.nodes)), rows)
    assert not graph.degrees[dead].any()
    edges = {}
    for row, name in names.items():
        others, weights = graph.neighbours(row)
        edges[name] = [(names[o], w) for o, w in zip(others.tolist(), weights.tolist(), strict=True)]
        assert int(weights.sum()) == graph.degrees[row]
    numbers = {name: int(graph.degrees[row]) for row, name in names.items()}
    return edges, graph.largest, numbers


def sampled(moment: Moment, asked: Asked) -> Any:
    """Latent semantic analysis fitted to a sample of three passages."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(latent, "sampled", partial(latent.sampled, most=3))
        recipe = named("lsa").replaced({**CHANGED["lsa"], "latent.max_features": 4_999})
        return search_by(recipe)(moment, asked)


OBSERVABLES: dict[str, Observable] = {
    **{f"search by {name}": search_by(name)
       for name in ("twe", "vault", "tempralm", "papers", "lsa")},
    **{f"search by {name}, changed": search_by(named(name).replaced(fields))
       for name, fields in CHANGED.items()},
    "evidence": corroboration, "search by lsa, of a sample": sampled,
}  # fmt: skip


# -- planted faults ---------------------------------------------------------------------------------------


right_cap = overlap.within_cap


def cap_by_what_comes_later(shingle: Any, node: Any, cap: int, rows: Rows) -> Any:
    """A shingle that too many carry is left out altogether, however few carried it then."""
    right = right_cap(shingle, node, cap, rows)
    return right & ((np.bincount(shingle) <= cap)[shingle] if cap else True)


def same(name: str, date: str, body: str = "Mill ferry storm.") -> Event:
    """A document of one passage; all have the same words."""
    return told(f"harbour/{name}.md", date, body)


FITTED = (
    told("ferry.md", "2020-02-03", "Mill ferry bread."),
    told("mole.md", "2020-02-03", "Mill rope storm."),
    same("2", "2020-02-03", "Storm bell ferry fog."),
    same("3", "2020-02-03", "Bread bell."),
    same("4", "2020-02-03", "Fog rope bread."),
    told("mill.md", "2021-01-15", "Storm bell mill rope."),
)

FAULTS = [
    Fault("a cap by arrival and not by time",
          put(Rows, "canonical", lambda _, nodes, *before: np.lexsort([nodes, *before])), ("evidence",),
          (same("1", "2020-03-04"), same("2", "2020-03-01"), same("3", "2020-03-02")), "2020-03-03"),
    Fault("a cap by what comes later", put(overlap, "within_cap", cap_by_what_comes_later), ("evidence",),
          (same("1", "2020-03-01"), same("2", "2020-03-02"), same("3", "2020-03-04")), "2020-03-03"),
    Fault("rows that were wrong count for the cap", counts_what_turned_out_wrong, ("evidence",),
          (same("1", "2020-03-01"), same("2", "2020-03-02"),
           Event("correct", name="harbour/1.md", date="2020-03-03")), "2020-03-09"),
    Fault("the newest graph for an earlier moment",
          put(evidence_cache, "made_from", lambda *_: "the same for all"), ("evidence",),
          (same("1", "2020-03-02"), LOOK, same("2", "2020-03-03"), LOOK, same("3", "2020-03-01")),
          "2020-03-09", 1),
    # also those that were not known yet, and those that were wrong from the beginning
    Fault("a basis of all rows",
          put(latent, "first_rows", lambda *given: np.arange(len(given[2]["visible"]))),
          ("search by lsa, changed",),
          (*FITTED, told("harbour/1.md", "2020-02-03", "Rope mill.")), "2020", 1, Asked("mill ferry storm")),
    Fault("one basis for all views", put(latent, "identity", lambda *_: "the same for all"),
          ("search by lsa, changed",), (*FITTED, LOOK), "2020",
          asked=Asked("mill ferry storm")),
    Fault("a sample by number of passage",
          put(latent, "sampled", lambda rows, of, most: rows[np.argsort(of["passage"][rows])[:most]]),
          ("search by lsa, of a sample",), (
        same("1", "2020-03-02", "## part 0\n\nStorm storm.\n\n## part 1\n\nStorm ferry storm."),
        same("1", "2020-03-02", "## part 0\n\nStorm."), same("2", "2020-03-06", "## part 0\n\nFerry ferry."),
        same("1", "2020-03-01", "## part 0\n\nStorm."),
    ), "2020-03-07", asked=Asked("mill ferry storm")),
]  # fmt: skip
