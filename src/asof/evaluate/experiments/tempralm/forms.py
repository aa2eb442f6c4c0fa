"""What the experiments of TempRALM share: the forms of its questions, the retriever without time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from asof.evaluate.runs.questions import DatasetQuestion
from asof.rank.features.gap import Gap
from asof.rank.recipe import Recipe
from asof.schema import AcceptedValue
from asof.store.settings import CorpusSettings

SETTINGS = CorpusSettings(chunking="whole", undated="always")
"""Each fact is a passage."""

DATA = "facts with years and questions by form, as bench/tpq.py writes them; any folder as of asof evaluate"
OWN_FACTS = (
    "The tennis results of the paper are not copied: bench/tpq.py makes up cups and players from a seed."
)
FORMS = (
    "A form is the field type of a question: the year of a passage (same), a year between two seasons "
    "(between), one in which only other events were held (skipped), one after the last (after), none (none)."
)
ALL_VISIBLE = (
    "Questions name their year in words and are asked as of the newest passage, so the retriever without the "
    "temporal score sees all passages, as in the paper; the year masks what is later for TempRALM alone."
)
WORDS = (
    "Relevance is that of words (and of an encoder where one is given) in place of the paper's fine-tuned "
    "dense retriever."
)
WITHOUT, WITH = "retriever alone", "TempRALM"


def without_time(recipe: Recipe) -> Recipe:
    """The recipe without the temporal score and its mask."""
    return replace(recipe, stages=tuple(each for each in recipe.stages if not isinstance(each, Gap)))


def places_by_form(questions: Sequence[DatasetQuestion]) -> dict[str, list[int]]:
    """The places of the questions of each form, in the order in which they occur; "all" for those without."""
    found: dict[str, list[int]] = {}
    for at, question in enumerate(questions):
        found.setdefault(str(question.record.get("type") or "all"), []).append(at)
    return found


def wholes(low: int, high: int) -> AcceptedValue:
    """A list of whole numbers, both bounds included, none twice."""

    def good(value: object) -> bool:
        return (
            isinstance(value, list | tuple) and 0 < len(value) == len(set(value))
            and all(type(each) is int and low <= each <= high for each in value)
        )  # fmt: skip

    return AcceptedValue(good, f"a list of different whole numbers from {low} to {high}, such as [10, 20],")
