"""Learning ahead of questions: one process at a time."""

from __future__ import annotations

import threading

import asof
from asof.extensions.facts.indexer import learn
from asof.models.ports import ScriptedModel
from asof.values import Document


def test_two_that_learn_at_once_pay_once(tmp_path):
    (tmp_path / "asof.toml").write_text('[facts]\nextractor = "model"\n', encoding="utf-8")
    model = ScriptedModel(lambda _: '{"facts": []}')
    with asof.open(tmp_path, model=model) as one, asof.open(tmp_path, model=model) as other:
        one.add([Document(f"d{n}", f"The crane number {n} squeaks.") for n in range(20)])
        lessons = []
        threads = [threading.Thread(target=lambda c=each: lessons.append(learn(c))) for each in (one, other)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    assert sorted(each.passages for each in lessons) == [0, 20]
    assert len(model.prompts) == 20
