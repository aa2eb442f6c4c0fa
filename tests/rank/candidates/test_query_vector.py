"""The vector of a question."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from asof.corpus.corpus import Corpus
from asof.index.dense import SCALE
from asof.rank.candidates.gather import Dense, Lexical
from asof.rank.candidates.query_vector import question_vector
from asof.rank.candidates.top_k import TopK
from asof.rank.combine.early_termination import EarlyTermination
from asof.rank.features.latent import Similarity
from asof.rank.recipe import Recipe
from asof.recipes.asof import ASOF

Fresh = Callable[..., AbstractContextManager[Corpus]]


@dataclass
class Noting:
    """An encoder that notes what questions it is asked; every text has the vector (.6, .8)."""

    name: str = "noting"
    questions: list[str] = field(default_factory=list)

    def encode(self, texts: Sequence[str], *, question: bool = False) -> NDArray[np.float32]:
        if question:
            self.questions += texts
        return np.tile(np.array([0.6, 0.8], np.float32), (len(texts), 1))


TYPED = "Who is the current keeper as of June 2021?"


def test_the_encoder_reads_the_question_as_it_was_typed(fresh: Fresh, document: Any) -> None:
    """Words of time and wishes leave the search by words, and stay in the sentence that a model reads."""
    encoder = Noting()
    with fresh(document("a", "The keeper of the light.", "2020"), encoder=encoder) as corpus:
        results = corpus.at("2026").search(TYPED, recipe=ASOF)
        assert "2021" not in results.query.lexical
        assert encoder.questions == [TYPED]


def test_stages_of_one_question_ask_the_encoder_once(fresh: Fresh, document: Any) -> None:
    encoder = Noting()
    stages = (Lexical(), Dense(), Similarity("cosine"), EarlyTermination(), TopK())
    with fresh(document("a", "keeper", "2020"), encoder=encoder) as corpus:
        corpus.at("2026").search("keeper", recipe=Recipe("several", "", stages))
        assert encoder.questions == ["keeper"]


def test_a_vector_is_whole_numbers(fresh: Fresh, document: Any) -> None:
    """.6 and .8 of 4000."""
    with fresh(document("a", "keeper", "2020"), encoder=Noting()) as corpus:
        then = corpus.at("2026")
        vector = question_vector(then.read("keeper").query, then.view())
        assert vector.tolist() == [int(0.6 * SCALE), int(0.8 * SCALE)] == [2_400, 3_200]
