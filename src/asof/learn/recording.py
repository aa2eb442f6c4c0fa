"""The rows that record a search, and the names by which recorded questions and hits are looked up."""

from __future__ import annotations

import json
import re
from base64 import b32encode
from collections.abc import Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from hashlib import blake2b

import numpy as np

from asof.data import Why
from asof.engine import Results
from asof.errors import UsageError
from asof.learn.feedback import RecordedQuestion, ShownHit, filters_json, pack
from asof.learn.recorded_scores import numbers, tree_numbers
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
    match = _RAN.fullmatch(ran)
    assert match is not None  # noqa: S101  it is not empty
    return match[1], "document" if match[2] else "passage"


def rows_of(results: Results, recipe: Recipe) -> tuple[AskedRow, list[ShownRow]]:
    """A search that `recipe` ranked as rows of the store, without id and `added`.

    Raises UsageError when nothing was found, or when the trees show that another recipe ranked.
    """
    name, unit = base_name(results.recipe)
    if not results.hits:
        raise UsageError("nothing was found, so there is nothing to record")
    if recipe.name != name:
        raise UsageError(f"these results were ranked by {name}, not by {recipe.name}")
    query, view = results.query, results.view
    fields = {key: plain(value) for key, value in recipe.fields()}
    row = AskedRow(
        "", query.text, view.as_of, view.known_at, name, json.dumps(fields, ensure_ascii=False),
        filters_json(query.filters), unit, 0,
    )  # fmt: skip
    words = _words(results)
    passages = view.column("passage", np.array(results.rows, np.int64)).tolist()
    names = {id(stage): name for name, stage in results.ran.stages_by_name().items()}
    trees = [_with_names(hit.why, names) for hit in results.hits]
    own = numbers(fields)
    if any(own.get(field) != value for tree in trees for field, value in tree_numbers(tree)):
        raise UsageError(
            f"these results were not ranked by {name} as it is here: give the recipe that ranked them"
        )
    shown = [
        ShownRow(hit.rank, passage, hit.id, hit.document, hit.score, pack(tree, words))
        for hit, passage, tree in zip(results.hits, passages, trees, strict=True)
    ]
    return row, shown


def _with_names(tree: Why, names: Mapping[int, str]) -> Why:
    """The tree with the names of stages in place of the stages (by their `id`)."""
    constant = tree.constant and (names[id(tree.constant[0])], tree.constant[1])
    made = tree.made and replace(tree.made, stage=names[id(tree.made.stage)])
    parts = tuple(_with_names(each, names) for each in tree.parts)
    return replace(tree, parts=parts, constant=constant, made=made)


def _words(results: Results) -> frozenset[str]:
    """The words of a question, as they were typed and as the index has them, in lower case."""
    query, analyzer = results.query, results.view.analyzer
    typed = (word for word, _ in parse(query.lexical, analyzer, stop_words=query.stop_words).words)
    stems = (term.word for term in query_terms(query, analyzer))
    return frozenset(word.casefold() for word in (*typed, *stems, *re.findall(r"\w+", query.text)))


def id_of(row: AskedRow, attempt: int = 0) -> str:
    """An id that is a digest of a question and the instant at which it was added; another at each attempt."""
    content = json.dumps([*row, attempt]).encode()
    return b32encode(blake2b(content, digest_size=DIGEST_BYTES).digest()).decode().lower()


def chosen(prefix: str, matches: Sequence[AskedRow], known: Sequence[str]) -> AskedRow:
    """The one question whose id begins with `prefix`; `matches` are all such, `known` all ids, latest first.

    Raises UsageError, which lists similar ids or the questions that match.
    """
    if len(matches) == 1:
        return matches[0]
    if matches:
        questions = ", ".join(f"{each.id} ({each.question:.40})" for each in matches[:NEAR])
        more = f" and {len(matches) - NEAR:,} more" if len(matches) > NEAR else ""
        raise UsageError(f"{prefix!r} begins {len(matches):,} questions: {questions}{more}; write more of it")
    near = get_close_matches(prefix, known, NEAR, 0.5) or list(known[:NEAR])
    none = "none was recorded: `asof papers` records one"
    suggestion = f"did you mean {' or '.join(near)}?" if near else none
    raise UsageError(f"no question {prefix!r:.80} was recorded; {suggestion}")


def hit_of(question: RecordedQuestion, name: int | str) -> ShownHit:
    """The hit that a rank (a whole number), a hit's id or a document's id names.

    Raises UsageError, which lists the hits that were shown.
    """
    if isinstance(name, int) or re.fullmatch(r"[0-9]{1,9}", name):
        matches = [each for each in question.shown if each.rank == int(name)]
    else:
        matches = [each for each in question.shown if each.hit == name]
        matches = matches or [each for each in question.shown if each.document == name]
    if len(matches) == 1:
        return matches[0]
    if matches:
        ranks = ", ".join(str(each.rank) for each in matches)
        raise UsageError(f"{name} was shown {len(matches)} times, at ranks {ranks}: name one of them")
    hits = ", ".join(f"{each.rank} ({each.document})" for each in question.shown[:10])
    more = f" and {len(question.shown) - 10:,} more" if len(question.shown) > 10 else ""
    raise UsageError(f"{name!r:.80} was not shown for question {question.id}; shown were {hits}{more}")
