"""Questions of the greatest length, whatever they are made of, are answered in little time."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import pytest
from tests.support.growth import TIMES, is_linear

from asof.corpus.asking import LONGEST_QUESTION
from asof.corpus.corpus import Corpus
from asof.corpus.corpus import open as open_corpus
from asof.corpus.snapshot import Snapshot
from asof.errors import UsageError
from asof.extensions.facts.indexer import facts as known_facts

pytestmark = pytest.mark.slow

PIECES = [
    "".join(f"{year} " for year in range(1000, 2000)),
    "".join(f"2021-{at % 12 + 1:02}-{at % 28 + 1:02} " for at in range(455)),
    "as of 2019 ", "between 2001 and ", "last week, 3 days ago, ", "1-", "6.0.3 and 6.1 ",
    "the first of the ",
    '"', '"toll of" ', "“ ", "(", "a", "toll", "ﷺ", "e\u0301\u0301", "渡船", "\u200d",
    "".join(f"Anna{chr(97 + at % 26)} and price{at} of {1800 + at}, " for at in range(200)),
]  # fmt: skip
NUMBERS = itertools.count()
ASKS: dict[str, Callable[[Snapshot, str], object]] = {
    "search": lambda then, question: then.search(question),
    "ask": lambda then, question: then.ask(question),
    "why_not": lambda then, question: then.why_not("note7", question),
    "timeline": lambda then, question: then.timeline(question),
    "facts": lambda then, question: known_facts(then, question),
}


@pytest.fixture(scope="module")
def tolls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Corpus]:
    with open_corpus(tmp_path_factory.mktemp("tolls")) as corpus:
        corpus.add(
            {
                "id": f"note{at}",
                "text": f"The toll of bridge {at} was {at} euros in {1950 + at}.",
                "published": str(1950 + at),
            }
            for at in range(70)
        )
        corpus.at().ask("the toll of the bridge")
        yield corpus


@pytest.mark.parametrize("piece", PIECES, ids=lambda piece: piece[:12].encode("unicode_escape").decode())
def test_a_hostile_question_takes_linear_time(tolls: Corpus, piece: str) -> None:
    for name, ask in ASKS.items():

        def work(n: int, ask: Callable[[Snapshot, str], object] = ask) -> None:
            asked = f"toll bridge x{next(NUMBERS)} {piece * (n // len(piece) + 1)}"  # the last ones are kept
            ask(tolls.at(), asked[:n])

        assert is_linear(work, LONGEST_QUESTION // TIMES), name


@pytest.mark.parametrize("name", ASKS)
def test_a_longer_question_is_refused_in_words(tolls: Corpus, name: str) -> None:
    with pytest.raises(UsageError, match="has 5,001 characters; accepted: up to 5,000: ask with fewer words"):
        ASKS[name](tolls.at(), "x" * (LONGEST_QUESTION + 1))
