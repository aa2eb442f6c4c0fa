"""What is named where an option fits nothing."""

from __future__ import annotations

from asof.extensions.lab.datasets import DatasetQuestion
from asof.extensions.lab.runs import listed, question_fields


def test_eight_are_named_and_the_others_counted():
    assert listed([]) == "none"
    assert listed(["a", "b"]) == "a, b"
    assert listed(map(str, range(8))) == "0, 1, 2, 3, 4, 5, 6, 7"
    assert listed(map(str, range(1010))) == "0, 1, 2, 3, 4, 5, 6, 7 and 1,002 more"  # 1,010 - 8


def test_long_ones_are_cut_where_one_sees_it():
    assert listed(["x" * 40, "y" * 41]) == f"{'x' * 40}, {'y' * 39}…"


def test_fields_with_the_fewest_values_come_first():
    questions = [
        DatasetQuestion(
            f"q{n}", "?", record={"id": f"q{n}", "part": n % 2, "tags": ["a", n // 2], "none": None}
        )
        for n in range(6)
    ]
    assert question_fields(questions) == "part, tags, id"  # 2, 3 and 6 different values
