"""Shards as actors of Ray answer as one corpus does, also while actors are killed."""

from __future__ import annotations

import contextlib
import os
import random
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import asof
from asof.extensions.cluster.gather import ShardGather
from asof.extensions.cluster.rays import Actors
from asof.extensions.cluster.shards import ShardedCorpus, create

pytestmark = pytest.mark.filterwarnings("ignore")

WORDS = ("ferry", "mill", "fare", "bridge", "toll", "crane", "berth", "storm", "bread", "quay")
SHARDS, DOCUMENTS = 2, 400


def texts() -> list[dict[str, Any]]:
    """Documents of few words, so that most match a question and many tie."""
    draw = random.Random(7)
    return [
        {
            "id": f"note-{at}", "published": f"20{10 + at % 14}-0{1 + at % 9}-11",
            "text": " ".join(draw.choices(WORDS, k=draw.choice((4, 4, 9)))) + ".",
        }
        for at in range(DOCUMENTS)
    ]  # fmt: skip


QUESTIONS = [f"{one} {other}" for one in WORDS[:5] for other in WORDS[5:]] + [
    "ferry in 2015", "-mill fare", '"toll bridge"', "berth after:2012", "harbour",
]  # fmt: skip


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Iterator[asof.Corpus]:
    with asof.open(tmp_path_factory.mktemp("one")) as corpus:
        corpus.add(texts())
        yield corpus


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ShardedCorpus]:
    import ray

    ray.init(num_cpus=SHARDS, include_dashboard=False, log_to_driver=False, object_store_memory=100 * 2**20)
    root = tmp_path_factory.mktemp("many")
    with create(root, SHARDS) as corpus:
        corpus.add(texts())
        threads = corpus.whole.session.manifest.gather.shards
        actors = Actors.started([root / f"shard-{place}" for place in range(SHARDS)], threads)
        corpus.whole.session.manifest.gather = ShardGather(actors)
        corpus.whole.session.forget()
        yield corpus
    ray.shutdown()


def shown(corpus: asof.Corpus, question: str, as_of: str | None) -> object:
    """What a search shows: hits with their trees, and notes."""
    found = corpus.at(as_of).search(question)
    return [(hit.id, hit.score, repr(hit.why), hit.superseded) for hit in found], found.notes


@pytest.mark.parametrize("as_of", [None, "2016-06-01"])
def test_actors_find_what_one_corpus_finds(one: asof.Corpus, many: ShardedCorpus, as_of: str | None) -> None:
    for question in QUESTIONS:
        assert shown(many.whole, question, as_of) == shown(one, question, as_of), question


def test_no_answer_is_lost_or_wrong_where_an_actor_is_killed(one: asof.Corpus, many: ShardedCorpus) -> None:
    killed = 0
    for at, question in enumerate(QUESTIONS * 2):
        if at % 10 == 0:
            for process in actor_processes()[:1]:
                os.kill(process, signal.SIGKILL)
                killed += 1
        assert shown(many.whole, question, None) == shown(one, question, None), question
    assert killed


def actor_processes() -> list[int]:
    """The processes of actors, by their titles."""
    found = []
    for each in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            if (each / "cmdline").read_bytes().startswith(b"ray::ShardActor"):
                found.append(int(each.name))
    return found
