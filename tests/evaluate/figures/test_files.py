"""Numbers beside figures."""

from __future__ import annotations

from asof.evaluate.figures.files import as_csv


def test_rows_with_other_keys_are_one_table() -> None:
    """A later row has a key more: earlier ones are empty there."""
    assert as_csv([{"a": 1, "b": "x,y"}, {"a": 2, "c": 0.5}]) == b'a,b,c\n1,"x,y",\n2,,0.5\n'
    assert as_csv([]) == b"\n"
