"""The state of an online learner: it comes back bit for bit, and nothing else is taken for one."""

from __future__ import annotations

import json
import math

import pytest
from tests.support.known_losses import BOX, KNOWN, START

from asof.errors import DamagedState
from asof.learn.online import OnlineLearner


def learner() -> OnlineLearner:
    """Three questions old, a fourth is asked."""
    online = OnlineLearner.begin(BOX, START, 5)
    for _ in range(3):
        online.tell(KNOWN["inside"].loss(list(online.ask().values())))
    online.ask()
    return online


def test_all_comes_back_bit_for_bit():
    online = learner()
    back = OnlineLearner.loads(online.dumps(), BOX)
    assert back.dumps() == online.dumps()
    assert (back.settings == online.settings).all()
    assert (back.losses == online.losses).all()
    assert (back.seed, back.told, back.ask(), back.best) == (5, 3, online.ask(), online.best)
    assert json.loads(online.dumps())["stage"] == "evolution"


def broken(change):
    said = json.loads(learner().dumps())
    change(said)
    return json.dumps(said)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no JSON"),
        ("[" * 100_000, "no JSON"),
        ("[]", "keys"),
        (" " * 1_000_001, "characters"),
        (broken(lambda said: said.pop("seed")), "keys"),
        (broken(lambda said: said.update(format=2)), "format"),
        (broken(lambda said: said.update(told=True)), "told"),
        (broken(lambda said: said.update(told=-1)), "told"),
        (broken(lambda said: said.update(seed=1.5)), "seed"),
        (broken(lambda said: said.update(stage="bayesian")), "stage"),
        (broken(lambda said: said.update(told=5)), "stage"),
        (broken(lambda said: said.update(told=4)), "4 questions leave 4 settings"),
        (broken(lambda said: said["losses"].pop()), "2 losses"),
        (broken(lambda said: said.update(losses=None)), "lists"),
        (broken(lambda said: said["losses"].__setitem__(1, math.nan)), "loss 2"),
        (broken(lambda said: said["losses"].__setitem__(1, 10**400)), "loss 2"),
        (broken(lambda said: said["settings"][1].__setitem__(0, "1")), "setting 2"),
        (broken(lambda said: said["settings"][1].__setitem__(4, 0.9)), "outside"),
        (broken(lambda said: said["settings"][1].__setitem__(0, 0.11)), "outside"),
        (broken(lambda said: said["settings"][1].pop()), "6 numbers"),
        (broken(lambda said: said.update(start=None)), "the start"),
        (broken(lambda said: said.update(asked=[0] * 6)), "asked"),
        (broken(lambda said: said.update(box=None)), "box"),
        (broken(lambda said: said["box"]["high"].__setitem__(0, 0.7)), "another box"),
        (broken(lambda said: said["box"]["names"].__setitem__(0, "other")), "another box"),
    ],
)
def test_what_is_no_sound_state_is_refused_and_says_why(text, why):
    with pytest.raises(DamagedState, match=why) as caught:
        OnlineLearner.loads(text, BOX)
    assert "is left as it is" in str(caught.value)
    assert len(str(caught.value)) < 1000
