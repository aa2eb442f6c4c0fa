"""A corpus folder that somebody made up ends in a sound result or one clear line, and touches nothing else.

ASOF_CASES=N tries N corpora of each kind (5 in the suite); ASOF_SEED=S begins with seed S.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.robust import crafted

CASES, SEED = int(os.environ.get("ASOF_CASES", "5")), int(os.environ.get("ASOF_SEED", "0"))


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    root = tmp_path_factory.mktemp("crafted") / "sound"
    crafted.make_sound(root)
    yield root
    shutil.rmtree(root.parent)


def test_the_sound_corpus_has_every_kind_of_file(sound: Path) -> None:
    folders = {path.parent.name: path.suffix for path in crafted.files_of(sound)}
    assert set(folders) == {"segments", "latent", "evidence", "succession"}
    crafted.use_all(Path(shutil.copytree(sound, sound.with_name("used"))))


@pytest.mark.parametrize("kind", crafted.KINDS, ids=lambda kind: kind.__name__)
def test_a_crafted_corpus(kind: crafted.Craft, sound: Path, memory_folder: Path) -> None:
    faults = []
    for seed in range(SEED, SEED + CASES):
        folder = memory_folder / str(seed)
        try:
            crafted.attempt(sound, folder, kind, seed)
        except Exception as error:  # noqa: BLE001  anything but an AsofError is what is looked for
            faults.append((seed, repr(error)))
        shutil.rmtree(folder)
    assert faults == []
