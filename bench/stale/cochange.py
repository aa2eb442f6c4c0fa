"""Cases from real histories: one commit changed the same value or statement in several documents, and one
of them is left as it was.

python bench/stale/cochange.py REPOSITORY... OUT [--most 25] [--others 75] [--print]

REPOSITORY is a work tree or a git directory. OUT/cases.jsonl has a line a case, OUT/cases/NAME.jsonl the
documents of each, as `asof index` reads them. The same repositories give the same cases.
"""

from __future__ import annotations

import json
import sys
from argparse import ArgumentParser
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from bench.stale.mine import HeldOut, diverse, held_out
from bench.stale.neighbours import neighbours
from bench.stale.repository import Repository
from bench.stale.texts import text_of, title_of
from bench.stale.units import units

VERSIONS, OF_OTHERS = 6, 3
"""Versions of a document that the commit changed, before it, and of another document."""
NOT_REAL = Path(__file__).parent / "not_real.txt"
"""Names of cases that were read and found to be no contradiction, and why."""
AFTER = 3_600
"""Seconds after the commit, as of which it is asked."""


def instant(time: int) -> str:
    return datetime.fromtimestamp(time, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def lines(repository: Repository, path: str, blob: str, until: int, most: int) -> list[dict[str, Any]]:
    """The last versions of a document up to the one that is `blob`, a record each."""
    found: list[dict[str, Any]] = []
    for time, name in repository.versions(path, blob, until, most):
        raw = repository.blob(name)
        text = text_of(path, raw)
        if raw and text and (not found or found[-1]["text"] != text):
            record = {"id": path, "published": instant(time), "text": text}
            if title := title_of(path, raw):
                record["title"] = title
            found.append(record)
    return found


def case(repository: Repository, held: HeldOut, name: str, others: int) -> tuple[dict[str, Any], list[Any]]:
    """What is expected of a case, and its documents."""
    commit = held.commit
    tree = repository.tree(commit.id)
    documents: list[dict[str, Any]] = []
    for change in commit.changes:
        if change.path not in held.changed:
            continue
        if change.path == held.path:
            documents += lines(repository, change.path, change.old, commit.time - 1, VERSIONS)
        else:
            documents += lines(repository, change.path, change.new, commit.time, VERSIONS + 1)
    for path in neighbours(repository, held, tree, others):
        documents += lines(repository, path, tree[path], commit.time - 1, OF_OTHERS)
    expected = [
        {
            "document": held.path,
            "quote": one.edit.old.text,
            "by": list(dict.fromkeys(each.path for each in one.by)),
            "new": one.by[0].new.text,
            "kind": one.kind,
            "old_value": one.old,
            "new_value": one.new,
        }
        for one in held.matches
    ]
    also = [{"document": held.path, "quote": edit.old.text} for edit in held.also]
    return {
        "case": name,
        "documents": f"cases/{name}.jsonl",
        "as_of": instant(commit.time + AFTER),
        "expected": expected,
        "harmless": [],
        "neutral": [*also, *missed(documents, held)],
        "repository": name.rsplit("-", 1)[0],
        "commit": commit.id[:12],
    }, documents


def missed(documents: list[dict[str, Any]], held: HeldOut) -> list[dict[str, str]]:
    """Sentences of other documents that say the old value of the same: the authors may have missed them."""
    found = []
    for record in {record["id"]: record for record in documents}.values():
        for one in held.matches if record["id"] != held.path else ():
            old = f" {one.old.casefold()} "
            for unit in units(record["text"], record["id"]):
                common = unit.content & one.edit.old.content - one.edit.removed
                if old in f" {' '.join(unit.folded)} " and len(common) >= 2:
                    found.append({"document": record["id"], "quote": unit.text})
    return found


def named(folder: Path) -> str:
    """The name of a repository: of its folder, or the one above a folder called `repo` or `.git`."""
    folder = folder.resolve()
    name = folder.parent.name if folder.name in ("repo", ".git") else folder.name
    return name.removesuffix(".git").replace("+", "-").replace(".", "-")


def described(held: HeldOut, name: str) -> str:
    """A case to be read."""
    one = held.matches[0]
    old, was, now = (
        " ".join(text.split()) for text in (one.edit.old.text, one.edit.new.text, one.by[0].new.text)
    )
    return (
        f"--- {name} {one.kind} {held.path}: {one.old} -> {one.new}\n"
        f"  stale: {old}\n  became: {was}\n  {one.by[0].path}: {now}"
    )


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("repositories", type=Path, nargs="+", metavar="REPOSITORY")
    parser.add_argument("out", type=Path, metavar="OUT")
    parser.add_argument("--most", type=int, default=25, help="cases a repository")
    parser.add_argument("--others", type=int, default=75, help="other documents a case")
    parser.add_argument("--print", action="store_true", help="print each case, to be read")
    arguments = parser.parse_args()
    not_real = {line.split()[0] for line in NOT_REAL.read_text(encoding="utf-8").splitlines() if line.strip()}
    (arguments.out / "cases").mkdir(parents=True, exist_ok=True)
    with (arguments.out / "cases.jsonl").open("w", encoding="utf-8") as summary:
        for folder in arguments.repositories:
            repository = Repository(folder)
            kinds: Counter[str] = Counter()
            for held in diverse(list(held_out(repository)), arguments.most):
                name = f"{named(folder)}-{held.commit.id[:8]}"
                if name in not_real:
                    continue
                expected, documents = case(repository, held, name, arguments.others)
                if not any(record["id"] == held.path for record in documents):
                    continue
                kinds[held.kind] += 1
                summary.write(json.dumps(expected, ensure_ascii=False) + "\n")
                with (arguments.out / expected["documents"]).open("w", encoding="utf-8") as file:
                    file.writelines(json.dumps(record, ensure_ascii=False) + "\n" for record in documents)
                if arguments.print:
                    print(described(held, name))
            repository.close()
            print(f"{named(folder)}: {dict(sorted(kinds.items()))}", flush=True)


if __name__ == "__main__":
    main()
