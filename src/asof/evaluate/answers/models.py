"""The language model of `asof.toml` in an evaluation: it may write facts and answers, and judge answers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from asof.config import Config
from asof.corpus.corpus import Corpus
from asof.corpus.models import ModelProvider
from asof.knowledge.extraction_config import Facts
from asof.models.ports import Model


@dataclass(frozen=True, slots=True)
class EvaluationModels:
    """`config`: the configuration of asof.toml. `writes`: its [model], [facts] and [ask] hold for the corpus
    that is evaluated. `judges`: its [model] judges answers, that of `judged_by` if it is given. `model`: a
    model in place of the configured one.
    """

    config: Config = field(default_factory=Config)
    writes: bool = False
    judges: bool = False
    model: Model | None = None
    judged_by: Config | None = None

    def check(self) -> None:
        """Raises UsageError if a model is needed and none is configured (Untrusted: none that is trusted)."""
        for needed, option in ((self.writes, "--model"), (self.judges, "--judge")):
            if needed and self.model is None and self.config.model is None:
                raise self.config.lacking("model", f"{option}: no language model is named")

    @property
    def writer(self) -> str:
        """A name for the model that writes and its settings, for the key of a cached corpus; "" for none."""
        if not self.writes:
            return ""
        model = self.model.name if self.model is not None else str(self.config.model)
        return f"{model} {Facts.of(self.config.tables)}"

    def configure(self, corpus: Corpus) -> None:
        """Give a corpus the configuration of asof.toml, if the model writes."""
        if self.writes:
            own = self.config
            corpus.session.config = replace(
                corpus.config, model=own.model, tables=own.tables, asking=own.asking
            )
            corpus.models.model = self.model

    @contextmanager
    def judge(self, corpus: Corpus) -> Iterator[Model | None]:
        """The model as judge, or None if it does not judge. Its replies are cached with the corpus."""
        if not self.judges:
            yield None
            return
        judging = replace(corpus.config, model=(self.judged_by or self.config).model)
        with ModelProvider(corpus.session, self.model, judging).language() as model:
            yield model


NO_MODELS = EvaluationModels()
