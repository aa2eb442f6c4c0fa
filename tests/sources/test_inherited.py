"""What programs inherit: the variables that are named, and no other."""

from __future__ import annotations

import pytest

from asof.sources.git import inherited


def test_only_what_is_named_and_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HARBOUR", "open")
    monkeypatch.setenv("HARBOUR_SECRET", "x")
    monkeypatch.delenv("HARBOUR_GONE", raising=False)
    assert inherited(("HARBOUR", "HARBOUR_GONE")) == {"HARBOUR": "open"}
