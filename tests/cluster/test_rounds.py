"""What a search asks the shards, round by round."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.support.shards import new_shards

from asof.cluster.conversation import Call, Conversation
from asof.cluster.shards import LocalShards, LocalTalk

DAY = "2024-05-02"


class WatchedTalk(LocalTalk):
    called: list[Call]
    gathered_of: list[int]

    def gathered(self, values: list[list[Any]]) -> None:
        self.gathered_of.append(len(values))
        super().gathered(values)

    def call(self, calls: Mapping[int, Call]) -> dict[int, Any]:
        self.called += calls.values()
        return super().call(calls)


class WatchedShards(LocalShards):
    """Shards that note what they are asked after the first stages."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.called: list[Call] = []
        self.gathered_of: list[int] = []

    ahead = False

    def begin(self, request: Any) -> WatchedTalk:
        request = replace(request, ahead=self.ahead)
        talk = WatchedTalk([Conversation(*group, request) for group in self._groups])
        talk.called, talk.gathered_of = self.called, self.gathered_of
        return talk


def test_what_later_stages_will_ask_is_said_with_the_rows(tmp_path: Path) -> None:
    documents = [
        {"id": f"d{at}", "title": f"Ferry {at}", "text": f"The ferry {at} sails.", "published": DAY}
        for at in range(12)
    ]
    with new_shards(tmp_path, 3) as corpus:
        corpus.add(documents)
        snapshot = corpus.at(DAY)
        expected = [(hit.id, hit.score, hit.why.as_json()) for hit in snapshot.search("Ferry 3").hits]
        sessions = [shard.session for shard in corpus.shards]
        watched = snapshot.asked.search.shards = WatchedShards(sessions, 3)
        found = snapshot.search("Ferry 3").hits
        assert [(hit.id, hit.score, hit.why.as_json()) for hit in found] == expected
        assert found[0].document == "d3"
        names = {call.name for call in watched.called}
        assert {"records", "layouts", "succession.described"} <= names  # what is not known beforehand
        assert not names & {"live", "called", "dfs"}
        watched.called.clear()
        watched.ahead = True  # as of actors, where a round takes longer than reading a few passages more
        assert [(hit.id, hit.score) for hit in snapshot.search("Ferry 3").hits] == [
            one[:2] for one in expected
        ]
        assert {call.name for call in watched.called} == {"succession.neighbours"}


def test_the_first_stages_wait_for_each_other_eight_times(tmp_path: Path) -> None:
    documents = [
        {"id": f"d{at}", "title": f"Note {at}", "text": f"The ferry {at} sails to harbour {at % 7}.",
         "published": DAY}
        for at in range(400)
    ]  # fmt: skip
    with new_shards(tmp_path, 3) as corpus:
        corpus.add(documents)
        snapshot = corpus.at(DAY)
        expected = [(hit.id, hit.score, hit.why.as_json()) for hit in snapshot.search("harbour 3").hits]
        watched = WatchedShards([shard.session for shard in corpus.shards], 3)
        snapshot.asked.search.shards = watched
        found = snapshot.search("harbour 3").hits
        assert [(hit.id, hit.score, hit.why.as_json()) for hit in found] == expected
        # counts and the question's document frequencies; how many there are, and the best of words; the 100th
        # best and the ten best; the terms of the ten (not how many come into question: with so few all do);
        # these terms' document frequencies and stems; the best feedback; of how many the 100 best, and these;
        # the terms of their titles, and their moments
        assert watched.gathered_of == [1, 2, 2, 1, 2, 1, 2, 2]
