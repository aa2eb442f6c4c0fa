"""How TG-RAG's experiments ask: local retrieval for facts, global for overviews, and LLM-GT, which is given
the gold evidence in place of what would be retrieved (section V-B)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from asof.answer.write import REFUSAL
from asof.corpus.corpus import Corpus
from asof.data import GLOBAL, LOCAL, Answer, Citation, Filters
from asof.evaluate.answers.models import NO_MODELS, EvaluationModels
from asof.evaluate.answers.reference import is_abstract
from asof.evaluate.experiments.experiment import ExperimentOptions
from asof.knowledge.tgrag import TGRAG
from asof.models.ports import Prompt
from asof.models.prompts import between, prompt_text
from asof.rank.recipe import Recipe
from asof.recipes.baselines import NAIVE_RAG, QD_RAG
from asof.time.span import iso

if TYPE_CHECKING:
    from asof.evaluate.runs.dataset import Dataset
    from asof.models.ports import Model

GOLD, NAIVE, SPLIT, OURS = "LLM-GT", "NaiveRAG", "QD-RAG", "TG-RAG"

Sentences = Sequence[tuple[str, str]]
Asked = tuple[str, int]
"""The text of a question, and the moment as of which it is asked."""


def systems(options: ExperimentOptions) -> dict[str, Recipe]:
    """The systems of the paper that are here, by the names of its tables."""
    return {GOLD: NAIVE_RAG, NAIVE: NAIVE_RAG, SPLIT: QD_RAG, OURS: options.applied(TGRAG)}


WORDS = ("max_normalize", "combine", "round_robin_by_document")
"""The stages of `tgrag` that mix in words, which the published system does not."""


def facts_alone(recipe: Recipe) -> Recipe:
    """Local retrieval as published: passages by s(c) alone, without their words."""
    kept = tuple(stage for name, stage in recipe.stages_by_name().items() if name not in WORDS)
    return replace(recipe, stages=kept)


def models_of(options: ExperimentOptions) -> EvaluationModels:
    """The configured model writes and judges; without one, answers are quotes and nothing is judged."""
    if options.config.model is None:
        return NO_MODELS
    return EvaluationModels(options.config, writes=True, judges=True)


def labelled(recipes: Mapping[str, Recipe]) -> list[Recipe]:
    """The recipes, each named by its row."""
    return [replace(recipe, name=label) for label, recipe in recipes.items()]


@dataclass(frozen=True, slots=True)
class Asking:
    """Makes what answers the questions of a dataset; `evidence` and `overviews` are by the text of a question
    and its moment. Evidence of several questions with both the same is joined."""

    evidence: Mapping[Asked, Sentences]
    overviews: frozenset[Asked]

    @classmethod
    def of(cls, data: Dataset) -> Asking:
        evidence: dict[Asked, dict[tuple[str, str], None]] = {}
        for each in data.questions:
            own = evidence.setdefault((each.text, data.as_of(each)), {})
            own |= dict.fromkeys(data.sentences.get(each.id, []))
        overviews = frozenset((each.text, data.as_of(each)) for each in data.questions if is_abstract(each))
        return cls({asked: list(sentences) for asked, sentences in evidence.items()}, overviews)

    def __call__(self, corpus: Corpus, as_of: int) -> Answerer:
        return Answerer(self, corpus, as_of)


@dataclass(frozen=True, slots=True)
class Answerer:
    """Answers as of an instant, as the system whose name the recipe has."""

    asking: Asking
    corpus: Corpus
    as_of: int

    def ask(
        self, question: str, *, filters: Filters | None = None, recipe: str | Recipe | None = None
    ) -> Answer:
        name = recipe.name if isinstance(recipe, Recipe) else ""
        if name == GOLD:
            with self.corpus.models.language() as model:
                sentences = self.asking.evidence.get((question, self.as_of), [])
                return gold_answer(question, sentences, self.as_of, model)
        mode = GLOBAL if name == OURS and (question, self.as_of) in self.asking.overviews else LOCAL
        return self.corpus.snapshot(self.as_of, None).ask(question, mode=mode, filters=filters, recipe=recipe)


def gold_answer(question: str, sentences: Sentences, as_of: int, model: Model | None) -> Answer:
    """What a model answers from these sentences (document, sentence); without one, the sentences themselves.

    Raises ModelError.
    """
    if not sentences:
        reason = "no evidence is given"
        return Answer(question, f"No answer: {reason}", True, reason, LOCAL, as_of, as_of, ())
    citations = tuple(
        Citation(number, document, document, "", None, (), sentence)
        for number, (document, sentence) in enumerate(sentences, 1)
    )
    quoted = " ".join(each.quote for each in citations)
    answer = Answer(question, quoted, False, "", LOCAL, as_of, as_of, citations)
    if model is None:
        return answer
    evidence = between("\n\n".join(f"[{each.n}] {each.document}\n{each.quote}" for each in citations))
    user = f"As of: {iso(as_of)}\n\n{evidence}\n\nQuestion: {question}\n"
    reply = model.complete([Prompt(prompt_text("asof.answer", "answer"), user)])[0]
    cost = {"calls": reply.calls, "prompt_tokens": reply.prompt_tokens, "reply_tokens": reply.reply_tokens}
    if reply.problem:
        note = f"quoted, because {model.name} gave no answer: {reply.problem}"
        return replace(answer, notes=(note,), cost=cost)
    text = reply.text.strip()
    refused = text.startswith(REFUSAL)
    reason = text.removeprefix(REFUSAL).strip() if refused else ""
    return replace(answer, text=text, refused=refused, reason=reason, by=model.name, cost=cost)
