"""How a dataset is evaluated."""

from __future__ import annotations

from dataclasses import dataclass, field

from asof.store.settings import CorpusSettings


@dataclass(frozen=True, slots=True)
class Options:
    """How a dataset is evaluated.

    `queries`: a file of questions, by path or by name inside the dataset (default: all of them). `limit`: so
    many questions, chosen by a hash. `leakage`: so many are also put to a corpus cut where they were asked.
    `without`: fields that are blanked. `filter_by`: fields of a question that the metadata of a hit has to
    agree with. `settings` are those of the corpus, whose undated documents are visible always. `seed` is that
    of all that is drawn. `answers`: `ask` is evaluated too, on the questions with a right answer; `by`: the
    fields of a question by which the figures of answers are also broken down, beside its type.
    """

    queries: str = ""
    limit: int | None = None
    leakage: int = 0
    without: tuple[str, ...] = ()
    filter_by: tuple[str, ...] = ()
    settings: CorpusSettings = field(default_factory=CorpusSettings)
    seed: int = 0
    answers: bool = False
    by: tuple[str, ...] = ()


DEFAULTS = Options()
