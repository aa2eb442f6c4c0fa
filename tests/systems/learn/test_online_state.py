"""The state of an online learner: it comes back bit for bit, and nothing else is taken for one."""

from __future__ import annotations

import json
import math

import pytest
from tests.support.known_losses import BOX, KNOWN, START

from asof.errors import DamagedState
from asof.extensions.systems.online import OnlineLearner


def learner() -> OnlineLearner:
    """Three losses reported, a fourth pending."""
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
    assert (back.seed, back.evaluations, back.ask(), back.best) == (5, 3, online.ask(), online.best)
    assert json.loads(online.dumps())["stage"] == "evolution"


def broken(change):
    state = json.loads(learner().dumps())
    change(state)
    return json.dumps(state)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "no JSON"),
        ("[" * 100_000, "no JSON"),
        ("[]", "keys"),
        (" " * 1_000_001, "characters"),
        (broken(lambda state: state.pop("seed")), "keys"),
        (
            json.dumps({"format": 1, "told": 0, "asked": None}),
            "its format is 1, this version of asof reads 2",
        ),
        (broken(lambda state: state.update(format=3)), "format"),
        (broken(lambda state: state.update(evaluations=True)), "evaluations"),
        (broken(lambda state: state.update(evaluations=-1)), "evaluations"),
        (broken(lambda state: state.update(seed=1.5)), "seed"),
        (broken(lambda state: state.update(stage="bayesian")), "stage"),
        (broken(lambda state: state.update(evaluations=5)), "stage"),
        (broken(lambda state: state.update(evaluations=4)), "4 questions leave 4 settings"),
        (broken(lambda state: state["losses"].pop()), "2 losses"),
        (broken(lambda state: state.update(losses=None)), "lists"),
        (broken(lambda state: state["losses"].__setitem__(1, math.nan)), "loss 2"),
        (broken(lambda state: state["losses"].__setitem__(1, 10**400)), "loss 2"),
        (broken(lambda state: state["settings"][1].__setitem__(0, "1")), "setting 2"),
        (broken(lambda state: state["settings"][1].__setitem__(4, 0.9)), "outside"),
        (broken(lambda state: state["settings"][1].__setitem__(0, 0.11)), "outside"),
        (broken(lambda state: state["settings"][1].pop()), "6 numbers"),
        (broken(lambda state: state.update(start=None)), "the start"),
        (broken(lambda state: state.update(pending=[0] * 6)), "pending"),
        (broken(lambda state: state.update(box=None)), "box"),
        (broken(lambda state: state["box"]["high"].__setitem__(0, 0.7)), "another box"),
        (broken(lambda state: state["box"]["names"].__setitem__(0, "other")), "another box"),
    ],
)
def test_what_is_no_sound_state_is_refused_and_says_why(text, why):
    with pytest.raises(DamagedState, match=why) as caught:
        OnlineLearner.loads(text, BOX)
    assert "is left as it is" in str(caught.value)
    assert len(str(caught.value)) < 1000
