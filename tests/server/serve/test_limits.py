"""How often something may be done."""

from __future__ import annotations

from asof.extensions.server.guard import TokenBucket


def test_a_burst_then_the_rate():
    now = [0.0]
    bucket = TokenBucket(rate=2.0, burst=3.0, clock=lambda: now[0])
    assert [bucket.take("a") for _ in range(3)] == [0.0, 0.0, 0.0]
    assert bucket.take("a") == 0.5  # one more in half a second
    assert bucket.take("b") == 0.0  # each has its own
    now[0] = 0.5
    assert bucket.take("a") == 0.0
    assert bucket.empty("a")
    now[0] = 60.0
    assert not bucket.empty("a")


def test_names_of_the_past_are_forgotten():
    now = [0.0]
    bucket = TokenBucket(rate=1.0, burst=1.0, clock=lambda: now[0], most=2)
    for at, name in enumerate("abcdef"):
        now[0] = at * 100.0
        bucket.take(name)
    assert len(bucket._left) <= 2
