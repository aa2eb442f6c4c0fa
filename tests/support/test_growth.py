"""What is linear and what is not."""

from __future__ import annotations

from tests.support.growth import is_linear


def test_a_square_is_not_linear() -> None:
    assert is_linear(lambda n: sum(1 for _ in range(n)), 10_000)
    assert not is_linear(lambda n: sum(1 for each in range(n) for _ in range(each)), 100)
