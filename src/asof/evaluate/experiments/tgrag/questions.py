"""The specific or the abstract questions of a dataset, as a file that an evaluation is given."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from asof.errors import UsageError
from asof.evaluate.answers.reference import is_abstract
from asof.evaluate.experiments.experiment import ExperimentOptions
from asof.evaluate.runs.dataset import Dataset, load


@contextmanager
def questions_of(
    dataset: Path, options: ExperimentOptions, *, abstract: bool, only: str = ""
) -> Iterator[tuple[Dataset, str]]:
    """The dataset, and the path of a file with its questions of one kind alone.

    `only`: the one with this id. Raises UsageError without any.
    """
    data = load(dataset, queries=options.queries)
    chosen = [each for each in data.questions if is_abstract(each) == abstract]
    if not chosen:
        kind = 'abstract ({"abstract": true})' if abstract else "specific (with answers)"
        raise UsageError(f"{data.name} has {len(data.questions):,} questions, none of them {kind}")
    if only:
        ids = ", ".join(each.id for each in chosen[:5])
        chosen = [each for each in chosen if each.id == only]
        if not chosen:
            raise UsageError(f"no such question: {only}; accepted are ids, e.g. {ids}")
    with TemporaryDirectory(prefix="asof-questions-") as folder:
        path = Path(folder) / "queries.jsonl"
        lines = (json.dumps({**each.record, "id": each.id}, ensure_ascii=False) for each in chosen)
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        yield data, str(path)
