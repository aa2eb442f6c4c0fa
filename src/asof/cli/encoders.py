"""The encoder that a command on datasets is told to use, with its vectors kept between runs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from asof.cli.main import echo_err

if TYPE_CHECKING:
    from asof.models.ports import Encoder

BUILT_IN = ("none", "hashed")
"""Encoders that are settings of a corpus; all others are models."""


def encoder_of(name: str | None) -> Encoder | None:
    """The model that is to encode; None where none is named. Raises UsageError, ModelError."""
    if name is None or name in BUILT_IN:
        return None
    from asof.corpus.corpus import encoder_named

    return encoder_named(name, Path.cwd())


@contextmanager
def keeping(encoder: Encoder | None) -> Iterator[Encoder | None]:
    """The encoder with its vectors kept in the folder of the cache."""
    if encoder is None:
        yield None
        return
    from asof import environment
    from asof.evaluate.runs.corpus import cached_vectors

    with cached_vectors(encoder, environment.cache_folder(), echo_err) as cached:
        yield cached
