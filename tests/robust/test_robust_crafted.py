"""A corpus folder that somebody made up ends in a sound result or one clear line, and touches nothing else.

ASOF_CASES=N tries N corpora of each kind (5 in the suite); ASOF_SEED=S begins with seed S.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.support import crafted_corpora

pytestmark = pytest.mark.slow

CASES, SEED = int(os.environ.get("ASOF_CASES", "5")), int(os.environ.get("ASOF_SEED", "0"))


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    root = tmp_path_factory.mktemp("crafted") / "sound"
    crafted_corpora.make_sound(root)
    yield root
    shutil.rmtree(root.parent)


def test_the_sound_corpus_has_every_kind_of_file(sound: Path) -> None:
    folders = {path.parent.name: path.suffix for path in crafted_corpora.files_of(sound)}
    assert set(folders) == {"segments", "latent", "evidence", "succession"}
    crafted_corpora.use_all(Path(shutil.copytree(sound, sound.with_name("used"))))


@pytest.mark.parametrize("kind", crafted_corpora.KINDS, ids=lambda kind: kind.__name__)
def test_a_crafted_corpus(kind: crafted_corpora.Craft, sound: Path, memory_folder: Path) -> None:
    faults = []
    for seed in range(SEED, SEED + CASES):
        folder = memory_folder / str(seed)
        try:
            crafted_corpora.attempt(sound, folder, kind, seed)
        except Exception as error:  # noqa: BLE001  anything but an AsofError is what is looked for
            faults.append((seed, repr(error)))
        shutil.rmtree(folder)
    assert faults == []
