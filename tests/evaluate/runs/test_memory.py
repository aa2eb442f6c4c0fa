"""How much memory a step takes at its height."""

from __future__ import annotations

import pytest

from asof.evaluate.runs import memory


def touched(megabytes):
    return bytearray(b"\1") * (megabytes * 1_000_000)


@pytest.mark.parametrize("reset", [True, False])
def test_what_is_taken_and_given_back_counts(monkeypatch, tmp_path, reset):
    """80 MB that are touched and freed. Without a reset the measure is the largest size of the process, which
    earlier tests may have made larger than this: then nothing has to show."""
    if not reset:
        monkeypatch.setattr(memory, "RESET", tmp_path / "missing" / "file")
    grown = memory.peak_growth()
    taken = touched(80)
    del taken
    size = grown()
    assert size is not None
    assert 0 <= size < 1_000
    if reset:
        assert size > 60


def test_a_status_without_the_line(monkeypatch, tmp_path):
    monkeypatch.setattr(memory, "STATUS", tmp_path / "status")
    (tmp_path / "status").write_text("Name: asof\n")
    with pytest.raises(ValueError, match="has no VmRSS"):
        memory._kilobytes("VmRSS")
    monkeypatch.setattr(memory, "RESET", tmp_path / "reset")
    assert memory.peak_growth()() is not None  # another way is taken
