"""The language model of `asof.toml` in an evaluation: what it writes, and what it judges."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from asof.config import Config
from asof.corpus.corpus import Corpus
from asof.corpus.models import ModelProvider
from asof.models.ports import Model


@dataclass(frozen=True, slots=True)
class Models:
    """`config`: what asof.toml says. `writes`: its [model], [facts] and [ask] hold for the corpus that is
    evaluated. `judges`: its [model] judges answers. `model`: a language model in place of the named one.
    """

    config: Config = field(default_factory=Config)
    writes: bool = False
    judges: bool = False
    model: Model | None = None

    def check(self) -> None:
        """Raises UsageError where a model is wanted and none is named (Untrusted: none that counts)."""
        for wanted, option in ((self.writes, "--model"), (self.judges, "--judge")):
            if wanted and self.model is None and self.config.model is None:
                raise self.config.lacking("model", f"{option}: no language model is named")

    @property
    def writer(self) -> str:
        """What tells corpora apart in which different models write; "" for none."""
        if not self.writes:
            return ""
        model = self.model.name if self.model is not None else str(self.config.model)
        return f"{model} {self.config.facts}"

    def writing(self, corpus: Corpus) -> None:
        """See to it that the corpus is asked as asof.toml says, if the model is to write."""
        if self.writes:
            said = self.config
            corpus.config = replace(corpus.config, model=said.model, facts=said.facts, asking=said.asking)
            corpus.models = self._provider(corpus, corpus.config)

    @contextmanager
    def judge(self, corpus: Corpus) -> Iterator[Model | None]:
        """The model as judge; its replies are kept with the corpus. None where it is not to judge."""
        if not self.judges:
            yield None
            return
        with self._provider(corpus, replace(corpus.config, model=self.config.model)).language() as model:
            yield model

    def _provider(self, corpus: Corpus, config: Config) -> ModelProvider:
        return ModelProvider(
            config, corpus.root, corpus.store, corpus.models.environment, corpus.clock, self.model
        )


NONE = Models()
