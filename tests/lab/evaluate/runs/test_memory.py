"""How much memory a step takes at its height."""

from __future__ import annotations

import pytest

from asof.extensions.lab import datasets


def touched(megabytes):
    return bytearray(b"\1") * (megabytes * 1_000_000)


def test_what_is_taken_and_given_back_counts():
    """80 MB that are touched and freed."""
    grown = datasets.peak_growth()
    taken = touched(80)
    del taken
    size = grown()
    assert size is not None
    assert 60 < size < 1_000


def test_where_the_height_cannot_be_set_back_nothing_is_told(monkeypatch, tmp_path):
    """A later step would seem to take nothing."""
    monkeypatch.setattr(datasets, "RESET", tmp_path / "missing" / "file")
    for _ in range(2):
        grown = datasets.peak_growth()
        taken = touched(80)
        del taken
        assert grown() is None


def test_a_status_without_the_line(monkeypatch, tmp_path):
    monkeypatch.setattr(datasets, "STATUS", tmp_path / "status")
    (tmp_path / "status").write_text("Name: asof\n")
    with pytest.raises(ValueError, match="has no VmRSS"):
        datasets._kilobytes("VmRSS")
    monkeypatch.setattr(datasets, "RESET", tmp_path / "reset")
    assert datasets.peak_growth()() is None
