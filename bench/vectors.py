"""An encoder for measuring: vectors without meaning, made at the speed of memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

GOLDEN = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, slots=True)
class RandomVectors:
    """Each text gets the vector that its CRC-32 seeds: uniform components, scaled to unit length."""

    d: int = 128

    @property
    def name(self) -> str:
        return f"random-{self.d}"

    def encode(self, texts: Sequence[str], *, question: bool = False) -> NDArray[np.float32]:
        seeds = np.array([crc32(text.encode()) for text in texts], np.uint64)
        places = np.arange(self.d, dtype=np.uint64)
        numbers: NDArray[np.uint64] = seeds[:, None] * np.uint64(self.d) + places
        vectors = (split_mix(numbers) >> np.uint64(40)).astype(np.float32) / 2**23 - 1
        vectors /= np.sqrt((vectors**2).sum(axis=1, keepdims=True))
        return vectors.astype(np.float32, copy=False)


def split_mix(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """SplitMix64 (Steele, Lea and Flood 2014): from counters to bits that look random."""
    mixed = (numbers + np.uint64(1)) * GOLDEN
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
