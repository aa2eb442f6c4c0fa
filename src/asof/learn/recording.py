"""What is kept of a search that is recorded, and how questions and hits are named afterwards."""

from __future__ import annotations

import json
import re
from base64 import b32encode
from collections.abc import Sequence
from difflib import get_close_matches
from hashlib import blake2b

import numpy as np

from asof.engine import Results
from asof.errors import UsageError
from asof.learn.feedback import RecordedQuestion, ShownHit, asked_of, filters_json, pack
from asof.learn.trees import replayed, summed_last
from asof.rank.candidates.gather import query_terms
from asof.rank.recipe import Recipe
from asof.schema import plain
from asof.store.feedback import AskedRow, ShownRow
from asof.text.query import parse

DIGEST_BYTES = 5
"""Of a question's id: eight letters and digits."""

NEAR = 3

_RAN = re.compile(r"(.+?)(-documents)?(?:-diverse)?(?:-reranked)?")
"""The name of a recipe as it ran: see `recipes.by_document`, `diversify.diversified`, `rerank.reranked`."""


def base_name(ran: str) -> tuple[str, str]:
    """The name of a recipe that ran, and the unit that it ranked.

    >>> base_name("papers-documents-reranked"), base_name("twe-365")
    (('papers', 'document'), ('twe-365', 'passage'))
    """
    found = _RAN.fullmatch(ran)
    assert found is not None  # noqa: S101  it is not empty
    return found[1], "document" if found[2] else "passage"


def rows_of(results: Results, recipe: Recipe) -> tuple[AskedRow, list[ShownRow]]:
    """A search that `recipe` ranked as rows of the store; id and `added` are still open.

    Raises UsageError when nothing was found, or another recipe ranked, as far as the trees tell.
    """
    name, unit = base_name(results.recipe)
    if not results.hits:
        raise UsageError("nothing was found, so there is nothing to record")
    if recipe.name != name:
        raise UsageError(f"these results were ranked by {name}, not by {recipe.name}")
    query, view = results.query, results.view
    fields = {key: plain(value) for key, value in recipe.fields()}
    asked = AskedRow(
        "", query.text, view.as_of, view.known_at, name, json.dumps(fields, ensure_ascii=False),
        filters_json(query.filters), unit, 0,
    )  # fmt: skip
    words = _words(results)
    passages = view.column("passage", np.array(results.rows, np.int64)).tolist()
    trees = [hit.why for hit in results.hits]
    shown = [
        ShownRow(hit.rank, passage, hit.id, hit.document, hit.score, pack(tree, words))
        for hit, passage, tree in zip(results.hits, passages, trees, strict=True)
    ]
    scores = [hit.score for hit in results.hits]
    if summed_last(trees, recipe) and replayed(asked_of(asked, shown), recipe, trees).tolist() != scores:
        raise UsageError(
            f"these results were not ranked by {name} as it is here: give the recipe that ranked them"
        )
    return asked, shown


def _words(results: Results) -> frozenset[str]:
    """The words of a question, as they were typed and as the index has them, in lower case."""
    query, analyzer = results.query, results.view.analyzer
    typed = (word for word, _ in parse(query.lexical, analyzer, stop_words=query.stop_words).words)
    stems = (term.word for term in query_terms(query, analyzer))
    return frozenset(word.casefold() for word in (*typed, *stems, *re.findall(r"\w+", query.text)))


def id_of(asked: AskedRow, attempt: int = 0) -> str:
    """An id that follows from a question and the instant at which it was added; another at each attempt."""
    said = json.dumps([*asked, attempt]).encode()
    return b32encode(blake2b(said, digest_size=DIGEST_BYTES).digest()).decode().lower()


def chosen(wanted: str, found: Sequence[AskedRow], known: Sequence[str]) -> AskedRow:
    """The one question that an id, or its beginning, names. `known`: the ids of all, the latest first.

    Raises UsageError, with the questions that may be meant.
    """
    if len(found) == 1:
        return found[0]
    if found:
        told = ", ".join(f"{each.id} ({each.question:.40})" for each in found[:NEAR])
        more = f" and {len(found) - NEAR:,} more" if len(found) > NEAR else ""
        raise UsageError(f"{wanted!r} begins {len(found):,} questions: {told}{more}; write more of it")
    near = get_close_matches(wanted, known, NEAR, 0.5) or list(known[:NEAR])
    meant = f"did you mean {' or '.join(near)}?" if near else "none was recorded: `asof search --record` does"
    raise UsageError(f"no question {wanted!r:.80} was recorded; {meant}")


def hit_of(asked: RecordedQuestion, wanted: int | str) -> ShownHit:
    """The hit that a rank (a whole number), a hit's id or a document's id names.

    Raises UsageError, with what was shown.
    """
    if isinstance(wanted, int) or re.fullmatch(r"[0-9]{1,9}", wanted):
        found = [each for each in asked.shown if each.rank == int(wanted)]
    else:
        found = [each for each in asked.shown if each.hit == wanted]
        found = found or [each for each in asked.shown if each.document == wanted]
    if len(found) == 1:
        return found[0]
    if found:
        ranks = ", ".join(str(each.rank) for each in found)
        raise UsageError(f"{wanted} was shown {len(found)} times, at ranks {ranks}: name one of them")
    told = ", ".join(f"{each.rank} ({each.document})" for each in asked.shown[:10])
    more = f" and {len(asked.shown) - 10:,} more" if len(asked.shown) > 10 else ""
    raise UsageError(f"{wanted!r:.80} was not shown for question {asked.id}; shown were {told}{more}")
