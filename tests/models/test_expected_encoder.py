"""The encoder of a corpus is made, and compared, when there is something to encode."""

from __future__ import annotations

import pytest
from tests.support.meanings import Meanings

from asof.errors import ModelError, UsageError
from asof.models.encoders import ExpectedEncoder


def test_it_is_made_once_and_late() -> None:
    made = []

    def make() -> Meanings:
        made.append(Meanings())
        return made[-1]

    encoder = ExpectedEncoder("meanings", make, lambda: 8)
    assert encoder.name == "meanings"
    assert not made
    assert encoder.encode(["ferry"]).tolist() == [[1, 0, 0, 0, 0, 0, 0, 0]]
    encoder.encode(["mill"], question=True)
    assert [each.asked for each in made] == [[("ferry", False), ("mill", True)]]


def test_none_or_another_one_is_configured() -> None:
    with pytest.raises(UsageError, match=r"'meanings', which nothing names: set \[encoder\] in asof.toml"):
        ExpectedEncoder("meanings", lambda: None, lambda: 8).encode(["ferry"])
    with pytest.raises(
        UsageError, match=r"'meanings', \[encoder\] of asof.toml is 'other': run `asof embed`"
    ):
        ExpectedEncoder("meanings", lambda: Meanings("other"), lambda: 8).encode(["ferry"])


def test_another_model_under_the_same_name() -> None:
    encoder = ExpectedEncoder("meanings", lambda: Meanings(d=16), lambda: 8)
    with pytest.raises(
        ModelError, match="vectors of 16 dimensions, those of this corpus have 8: it is another"
    ):
        encoder.encode(["ferry"])
    assert ExpectedEncoder("meanings", Meanings, lambda: None).encode(["ferry"]).shape == (1, 8)
