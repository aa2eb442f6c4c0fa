"""What is stale as of T is what a corpus that ends at T shows, whatever came later and in whatever order."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import asof
from asof.data.stale import Stale

THINGS = ("harbour museum", "east pier")
SENTENCES = (
    "The {} closes at {}:00 on working days.", "Every visitor of the {} pays {} crowns.",
    "Smoking is {}allowed near the {}.", "Questions about the {} go to {} in the office.",
    "The {} will be painted in {}.",
)  # fmt: skip
PEOPLE = ("Anna Lind", "Bo Berg", "Carl Ek")

Version = tuple[str, str, str]


@st.composite
def sentence(draw: st.DrawFn) -> str:
    form, thing = draw(st.sampled_from(SENTENCES)), draw(st.sampled_from(THINGS))
    number = draw(st.integers(15, 17))
    if form.startswith("Smoking"):
        return form.format(draw(st.sampled_from(("", "not "))), thing)
    if form.startswith("Questions"):
        return form.format(thing, draw(st.sampled_from(PEOPLE)))
    return form.format(thing, f"March 20{number}" if "painted" in form else number)


@st.composite
def versions(draw: st.DrawFn) -> list[Version]:
    """Versions of a few documents, of any order of dates."""
    made = []
    for _ in range(draw(st.integers(6, 14))):
        document = draw(st.sampled_from(("museum.md", "visit.md", "notes/pier.md", "changelog.md")))
        day = draw(st.integers(0, 9))
        lines = draw(st.lists(sentence(), min_size=2, max_size=5))
        link = draw(st.sampled_from(("", "", "\n\nSee [[visit]].", "\n\nSee [[museum#Prices]].")))
        heading = draw(st.sampled_from(("# Visiting", "# Museum\n\n## Prices")))
        made.append((document, f"2021-0{day % 9 + 1}-01", f"{heading}\n\n{' '.join(lines)}{link}"))
    return made


def shown(found: tuple[Stale, ...]) -> list[Any]:
    return [
        (each.id, each.kind, each.score, each.quote, each.by, each.cause, each.change, each.why.as_json())
        for each in found
    ]


def stale(made: list[Version], as_of: str) -> list[Any]:
    with tempfile.TemporaryDirectory() as folder, asof.open(Path(folder)) as corpus:
        for document, published, text in made:
            corpus.add([{"id": document, "published": published, "text": text}])
        found = corpus.at(as_of).stale()
        assert all(each.why.recomputed() == each.score for each in found)
        return shown(found)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(made=versions(), month=st.integers(1, 9), order=st.randoms(use_true_random=False))
def test_as_of_a_day_it_is_what_a_corpus_that_ends_there_shows(
    made: list[Version], month: int, order: Any
) -> None:
    once = {(document, published): text for document, published, text in made}
    made = [(document, published, text) for (document, published), text in once.items()]
    day = f"2021-0{month}-15"
    until = [version for version in made if version[1] <= day]
    shuffled = order.sample(made, len(made))
    assert stale(shuffled, day) == stale(until, day)
