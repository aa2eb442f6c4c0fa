"""The vector of a question, by the encoder that the corpus's vectors were made with."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from asof.data import Query
from asof.index.dense import quantise
from asof.index.view import View

MEMO = "vector of the question"


def question_vector(query: Query, view: View) -> NDArray[np.int16]:
    """The question's vector (d,), as whole numbers (`asof.index.dense`). The view has to have an encoder.

    It is that of the question as it was typed: a model reads sentences, and finds a little more with the
    words that a search by words leaves out. Several stages of one question ask the encoder once.
    """
    assert view.encoder is not None  # noqa: S101  stages look
    key = (MEMO, query.text)
    if key not in view.memo:
        view.memo[key] = quantise(view.encoder.encode([query.text], question=True))[0]
    vector: NDArray[np.int16] = view.memo[key]
    return vector
