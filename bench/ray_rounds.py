"""What a question costs over actors of Ray beyond the work of its slowest shard, round by round.

    python -m bench.ray_rounds FOLDER [--passages 200000] [--shards 4] [--questions 40] [--calls]

FOLDER gets a generated corpus in shards, if it has none. A round is what the root sends to all actors and
waits for. An actor notes when it worked in each; the slowest one of each round, added up, is what the
question would cost if sending were free and each actor had a processor. Prints medians in ms, the number of
rounds by what is asked in them, the cost of a round in which nothing is done, and the bytes of what is sent.
Where actors do not get a processor at once, as more of them than processors, their work comes one after the
other, which counts as beyond the slowest one; so the time in which no actor works is printed, too: what
messages alone cost. `--calls`: by calls of Ray, as where there can be no connections.
"""

from __future__ import annotations

import argparse
import math
import os
import statistics
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from asof.cluster.conversation import Call, FromShard, ToShard
from asof.cluster.program import SearchRequest
from asof.cluster.ray import corpus as ray_corpus
from asof.cluster.ray import lines
from asof.cluster.ray.corpus import RayCorpus, open_ray
from asof.cluster.ray.library import ray
from asof.cluster.ray.lines import Begin
from asof.cluster.ray.messages import packed
from asof.cluster.ray.searcher import Searcher
from asof.cluster.search import NOTHING
from asof.cluster.shards import Shards, Talk
from bench import generated, mixed

AS_OF = "2025-06-01"
WARM, IDLE = 10, 200


Interval = tuple[float, float]
"""When an actor worked, from and to, in seconds of the monotonic clock, which all processes share."""


class TimedSearcher(Searcher):
    """An actor that notes when it worked for each message of a search."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._worked: dict[str, list[Interval]] = {}

    def take_part(self, beginning: Begin, say: Any, hear: Any) -> None:
        worked, since = self._worked.setdefault(beginning.search, []), [time.monotonic()]

        def said(message: FromShard) -> None:
            worked.append((since[0], time.monotonic()))
            say(message)

        def heard() -> ToShard:
            message: ToShard = hear()
            since[0] = time.monotonic()
            return message

        super().take_part(beginning, said, heard)

    def begin(self, search: str, request: SearchRequest, number: int, call: Call | None) -> FromShard:
        since = time.monotonic()
        said = super().begin(search, request, number, call)
        self._worked[search] = [(since, time.monotonic())]
        return said

    def step(self, search: str, message: ToShard) -> FromShard:
        since = time.monotonic()
        said = super().step(search, message)
        self._worked[search].append((since, time.monotonic()))
        return said

    def worked(self, search: str) -> list[Interval]:
        """When it worked for each message of a search that ended."""
        return self._worked.pop(search)


def covered(intervals: Iterable[Interval]) -> float:
    """The time in which any of them is."""
    total, last = 0.0, -math.inf
    for begin, end in sorted(intervals):
        total += max(end - max(begin, last), 0.0)
        last = max(last, end)
    return total


@dataclass
class Round:
    """What was asked in a round, of which shards, how long the root waited, bytes of what was said."""

    what: str
    shards: list[int]
    seconds: float
    bytes: int


@dataclass
class Watched:
    """The rounds of searches at some shards, one search after the other."""

    shards: Shards
    talks: list[WatchedTalk] = field(default_factory=list)

    @property
    def count(self) -> int:
        return self.shards.count

    def begin(self, request: SearchRequest) -> Talk:
        since = time.perf_counter()
        talk: Any = self.shards.begin(request)
        self.talks.append(WatchedTalk(talk, self.count, since))
        return self.talks[-1]


@dataclass
class WatchedTalk:
    """A search whose rounds are noted."""

    talk: Any
    count: int
    since: float
    rounds: list[Round] = field(default_factory=list)
    begun: list[int] = field(default_factory=list)

    def receive(self) -> list[FromShard]:
        replies: list[FromShard] = self.talk.receive()
        what = type(replies[0]).__name__.lower()
        self.rounds.append(
            Round(what, list(range(self.count)), time.perf_counter() - self.since, len(packed(replies)))
        )
        return replies

    def gathered(self, values: list[list[Any]]) -> None:
        self.since = time.perf_counter()
        self.talk.gathered(values)

    def call(self, calls: Mapping[int, Call]) -> dict[int, Any]:
        since = time.perf_counter()
        answers: dict[int, Any] = self.talk.call(calls)
        name = next(iter(calls.values())).name if calls else "nobody"
        self.rounds.append(
            Round(f"call {name}", list(calls), time.perf_counter() - since, len(packed(answers)))
        )
        return answers

    def close(self) -> None:
        self.begun = list(self.talk._begun)
        self.talk.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--passages", type=int, default=200_000)
    parser.add_argument("--shards", type=int, default=4)
    parser.add_argument("--questions", type=int, default=40)
    parser.add_argument("--calls", action="store_true")
    options = parser.parse_args()
    if not options.folder.exists():
        mixed.build(options.folder, options.passages, options.shards, 2)
    root = Path(__file__).resolve().parents[1]
    os.environ["PYTHONPATH"] = os.pathsep.join([str(root), *filter(None, [os.environ.get("PYTHONPATH")])])
    vars(ray_corpus)["Searcher"] = TimedSearcher
    if options.calls:
        vars(lines)["connect"] = refused
    with open_ray(options.folder) as corpus:
        measured(corpus, generated.queries(WARM + options.questions))


def refused(*_: object) -> None:
    raise ConnectionRefusedError


def measured(corpus: RayCorpus, questions: list[str]) -> None:
    """Ask, and print what it costs."""
    actors = [replicas[0] for replicas in corpus.searchers]
    for question in questions[:WARM]:
        corpus.at(AS_OF).search(question)
    watched = corpus.searching.shards = Watched(corpus.searching.shards)
    whole, slowest, any_works, waited, rounds, sent = [], [], [], [], [], []
    kinds: Counter[str] = Counter()
    beyond_it: defaultdict[str, float] = defaultdict(float)
    for question in questions[WARM:]:
        watched.talks.clear()
        since = time.perf_counter()
        corpus.at(AS_OF).search(question)
        whole.append(1e3 * (time.perf_counter() - since))
        longest = working = waiting = 0.0
        of_question = [each for talk in watched.talks for each in talk.rounds]
        for talk in watched.talks:
            told = ray().get(
                [actors[shard].worked.remote(talk.talk._beginning.search) for shard in talk.begun]
            )
            worked = dict(zip(talk.begun, map(iter, told), strict=True))
            for each in talk.rounds:
                intervals = [next(worked[shard]) for shard in each.shards]
                slow = max((end - begin for begin, end in intervals), default=0.0)
                beyond_it[each.what] += 1e3 * (each.seconds - slow)
                longest += slow
                working += covered(intervals)
                waiting += each.seconds
        slowest.append(1e3 * longest)
        any_works.append(1e3 * working)
        waited.append(1e3 * waiting)
        rounds.append(len(of_question))
        sent.append(sum(each.bytes for each in of_question))
        kinds.update(each.what for each in of_question)
    print(f"{len(actors)} actors, {len(whole)} questions, medians")
    print(f"a question: {statistics.median(whole):.1f} ms")
    print(f"waited for actors: {statistics.median(waited):.1f} ms, {statistics.median(rounds):g} rounds")
    print(f"work of the slowest shard of each round: {statistics.median(slowest):.1f} ms")
    for what, work in (("beyond it", slowest), ("of it in which no actor works", any_works)):
        rest = statistics.median(all_ - own for all_, own in zip(waited, work, strict=True))
        print(f"scatter and gather {what}: {rest:.1f} ms")
    print(f"said by actors: {statistics.median(sent) / 1e3:.0f} kB a question")
    print(f"a round in which nothing is done: {idle(corpus):.2f} ms")
    for what, times in kinds.most_common():
        share = beyond_it[what] / len(whole)
        print(
            f"  {what}: {times / len(whole):.2f} rounds a question, {share:.1f} ms beyond the slowest shard"
        )


def idle(corpus: RayCorpus) -> float:
    """The median of rounds in which every actor says its last instant, in ms."""
    talk = corpus.searching.shards.begin(SearchRequest(NOTHING, None, 2**62, None))
    calls = {shard: Call("head", ()) for shard in range(corpus.searching.shards.count)}
    times = []
    for _ in range(IDLE):
        since = time.perf_counter()
        talk.call(calls)
        times.append(1e3 * (time.perf_counter() - since))
    talk.close()
    return statistics.median(times)


if __name__ == "__main__":
    main()
