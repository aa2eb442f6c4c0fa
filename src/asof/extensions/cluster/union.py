"""The view of several shards as of one corpus: their segments side by side, their stores asked one by one.

A shard is an ordinary corpus of the documents whose ids fall to it, with ids of rows that no other shard has
(`asof.store.writing.Ids`). All that the core joins in SQL is of one document, so a statement over all shards
is the statement over each of them, and its rows one after the other, in order or summed as its form says
(`FORMS`). What the core counts over all rows it counts in segments, which are simply more. So the view of all
shards is that of one corpus bit for bit, and no stage knows of it.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from operator import add, itemgetter
from pathlib import Path
from typing import Any

from asof.corpus.corpus import Corpus
from asof.corpus.maintenance import Maintenance
from asof.errors import UsageError
from asof.index.manifest import EmbeddingReport, IndexState, Manifest
from asof.index.view import Gather
from asof.models.named import Named
from asof.models.ports import Encoder
from asof.store.schema import CorpusSettings
from asof.store.store import Store
from asof.time.moment import When
from asof.wire import replace

Row = tuple[Any, ...]


class UnionRows(list[Row]):
    """The rows of a statement over all shards, as a cursor gives them."""

    def fetchone(self) -> Row | None:
        """The next row; None after the last."""
        return self.pop(0) if self else None

    def fetchall(self) -> list[Row]:
        """All rows that are left."""
        return self


# -- how the rows of shards become those of one corpus ---------------------------------------------------

Found = Sequence[list[Row]]
"""The rows that each shard gives."""

Whole = Callable[[Found, Any], list[Row]]
"""Makes them those of one corpus, given the values of the statement."""


def _joined(found: Found, _: Any = None) -> list[Row]:
    return [row for rows in found for row in rows]


def _different(found: Found, _: Any) -> list[Row]:
    return list(dict.fromkeys(_joined(found)))


def _in_all(found: Found, _: Any) -> list[Row]:
    common = set(found[0]).intersection(*found[1:])
    return [row for row in found[0] if row in common]


def _bounds(found: Found, _: Any) -> list[Row]:
    """The least of the first column, the greatest of the last."""
    columns = [[each for each in column if each is not None] for column in zip(*_joined(found), strict=True)]
    return [(*(min(each, default=None) for each in columns[:-1]), max(columns[-1], default=None))]


def _of_meta(found: Found, values: Any) -> list[Row]:
    """What all shards have alike, or the latest horizon."""
    return sorted(_joined(found), key=lambda row: -int(row[0]) if "horizon" in values[0] else 0)


def _sums(found: Found, _: Any) -> list[Row]:
    """A row for those with the same texts, with the sums of their numbers."""
    sums: dict[Row, list[int]] = {}
    for row in _joined(found):
        texts = tuple(each for each in row if isinstance(each, str))
        numbers = [each or 0 for each in row if not isinstance(each, str)]
        sums[texts] = list(map(add, sums.get(texts, [0] * len(row)), numbers))
    return [(*texts, *numbers) for texts, numbers in sums.items()]


def _sorted(key: Callable[[Row], Any], of: Whole = _joined) -> Whole:
    """In order, and no more than are asked for."""

    def whole(found: Found, values: Any) -> list[Row]:
        return sorted(of(found, values), key=key)[: values.get("most") if isinstance(values, dict) else None]

    return whole


FORMS: tuple[tuple[str, Whole], ...] = (
    (r"^PRAGMA data_version$", lambda found, _: [(tuple(_joined(found)),)]),
    (r" FROM meta WHERE key = \?$", _of_meta),
    (r"^SELECT (?:(?:max|count)… FROM transactions$|coalesce… FROM passages$|min…, max… FROM )", _bounds),
    (r" json_each… AS \w+ LEFT JOIN ", _in_all),  # of what is asked for what a corpus does not have
    (r"\b(?:d\.name|version) = [?:]", _joined),  # of one document, or one version
    (r" GROUP BY [ap]\.id$| ORDER BY (?:requested\.key|v\.document|v\.visible|p\.rowid|first)\b", _joined),
    (r"^(?!.* ORDER BY ).* LIMIT 1$", _joined),  # whether there is any
    (r" ORDER BY (?:1|1, 2|s\.name|visible)$", _sorted(lambda row: row, _different)),
    (r" ORDER BY (?:p\.id|id|f\.passage, f\.number|d\.name LIMIT :most)$", _sorted(itemgetter(0))),
    (r" ORDER BY coalesce… DESC, d\.name LIMIT :most$", _sorted(
        lambda row: (-(row[-1] if row[7] is None else row[7]), row[0])
    )),
    (r"\bSELECT d\.name, .* ORDER BY d\.name\b", _sorted(itemgetter(0))),
    (r"\bSELECT p\.id, d\.name, .* ORDER BY d\.name\b", _sorted(itemgetter(1))),
    (r"\bSELECT p\.document, p\.key, d\.name, .* ORDER BY d\.name\b", _sorted(itemgetter(2))),
    (r" ORDER BY 2 DESC, 1$", _sorted(lambda row: (-row[1], row[0]), _sums)),
    (r" GROUP BY s\.id ORDER BY s\.id$", _sums),
    (r"\bcount…(?:(?! (?:GROUP|ORDER) BY | LIMIT ).)*(?: GROUP BY (\S+)(?: ORDER BY \1)?)?$",
     _sorted(lambda row: row, _sums)),
    (r"^(?!.* (?:ORDER BY|LIMIT) ).*\b(?:SELECT DISTINCT|UNION)\b", _different),
    (r"^(?!.* (?:ORDER BY|GROUP BY|LIMIT) |.*\b(?:sum|min|max|avg|total)…|.*SELECT (?:\w*…,? )+FROM)",
     _joined),
)  # fmt: skip
"""By the form of a statement, less what stands in parentheses; of several the first. The rows of the last
one do not depend on each other."""


@lru_cache(maxsize=1_024)
def whole_of(statement: str) -> Whole:
    """How the rows of shards become those of one corpus. Raises UsageError for an unknown form."""
    outside, inside = " ".join(statement.split()), ""
    while outside != inside:
        outside, inside = re.sub(r"\([^()]*\)", "…", outside), outside
    how = next((how for form, how in FORMS if re.search(form, outside)), None)
    if how is None:
        raise UsageError(f"this can be asked of each shard alone, not of several: {statement:.200}")
    return how


class UnionConnection:
    """Connections to all shards that read as one does (`sqlite3.Connection`)."""

    def __init__(self, shards: Sequence[sqlite3.Connection]) -> None:
        self.shards = tuple(shards)

    def execute(self, statement: str, values: Any = ()) -> UnionRows:
        """The rows of a statement, those of one shard after those of another."""
        found = [shard.execute(statement, values).fetchall() for shard in self.shards]
        return UnionRows(whole_of(statement)(found, values))

    @property
    def in_transaction(self) -> bool:
        """True within a transaction of any shard."""
        return any(shard.in_transaction for shard in self.shards)

    def close(self) -> None:
        """Close all of them."""
        for shard in self.shards:
            shard.close()


@dataclass(slots=True)
class UnionStore:
    """The stores of all shards as one that is read. `again` opens their corpus anew; `url`: of a corpus of
    which they are a copy."""

    folder: Path
    shards: tuple[Store, ...]
    again: Callable[[], Any]
    url: str = ""
    first: Any = field(init=False)

    def __post_init__(self) -> None:
        self.first = UnionConnection([each.first for each in self.shards])

    @property
    def database(self) -> Path:
        """The folder of all databases, for messages."""
        return self.folder

    @property
    def settings(self) -> CorpusSettings:
        """The settings of all shards."""
        return self.shards[0].settings

    @property
    def wait(self) -> float:
        """Seconds to wait for another writer."""
        return self.shards[0].wait

    def reader(self) -> Any:
        """Connections that read, as one."""
        return UnionConnection([each.reader() for each in self.shards])

    def writer(self) -> Any:
        """Raises UsageError: what a corpus in one folder keeps besides documents belongs to no shard."""
        self.refuse_copy()
        raise UsageError(
            f"{self.folder} is a folder of shards: `asof index --shards` adds documents to it, and notes, "
            "recorded questions and replies of models need a corpus in one folder"
        )

    def refuse_copy(self) -> None:
        """Raises UsageError for a copy of a corpus at a URL."""
        if self.url:
            raise UsageError(
                f"this is a copy of {self.url}, which is only read: write to the folder that is indexed, "
                "then `asof push` and `asof pull`"
            )

    def empty_log(self) -> None:
        """Empty the logs of all shards."""
        for each in self.shards:
            each.empty_log()


@dataclass(slots=True)
class UnionManifest:
    """The lists of segments of all shards as one."""

    store: UnionStore
    shards: tuple[Manifest, ...]
    gather: Gather

    @property
    def encoder(self) -> Encoder | None:
        """The encoder of all shards."""
        return self.shards[0].encoder

    def state(self, db: UnionConnection) -> IndexState:
        """The state that the read transactions of all shards see; raises as `Manifest.state`."""
        states = [each.state(own) for each, own in zip(self.shards, db.shards, strict=True)]
        names = {each.encoder.name if each.encoder else "none" for each in states}
        if len(names) > 1:
            raise UsageError(
                f"the shards of {self.store.folder} have vectors of {' and of '.join(sorted(names))}: "
                "the change to one of these was interrupted; run `asof embed` again"
            )
        segments = tuple(segment for each in states for segment in each.segments)
        return IndexState(max(each.head for each in states), segments, states[0].encoder)

    def mend(self) -> list[str]:
        """Rebuild what is damaged, in any shard."""
        return [line for each in self.shards for line in each.mend()]

    def faults(self, db: UnionConnection) -> list[Any]:
        """The faults of all shards, as `Manifest.faults` has them."""
        return [fault for each, own in zip(self.shards, db.shards, strict=True) for fault in each.faults(own)]


@dataclass(slots=True)
class UnionMaintenance(Maintenance):
    """Maintenance of a corpus of several shards: each looks after its own. All that writes raises UsageError
    for a copy of a corpus at a URL."""

    shards: tuple[Corpus, ...] = ()

    def _writable(self) -> tuple[Corpus, ...]:
        store: Any = self.session.store
        store.refuse_copy()
        return self.shards

    def tidy(self) -> int:
        """See `Maintenance.tidy`."""
        return sum(each.tidy() for each in self._writable())

    def check(self) -> list[str]:
        """See `Maintenance.check`."""
        lines = [f"{each.root.name}: {line}" for each in self.shards for line in each.check()]
        self.session.forget()
        return lines

    def embed(
        self, encoder: Encoder | Named | None, progress: Callable[[int, int], None] | None = None
    ) -> EmbeddingReport:  # fmt: skip
        """See `Maintenance.embed`; `progress` is that of one shard after another."""
        reports = [each.embed(encoder, progress) for each in self._writable()]
        self.session.forget()
        return replace(
            reports[0], dimensions=max(each.dimensions or 0 for each in reports) or None,
            passages=sum(each.passages for each in reports), encoded=sum(each.encoded for each in reports),
            changed=any(each.changed for each in reports),
        )  # fmt: skip

    def correct(self, document: str, published: When) -> None:
        """See `Maintenance.correct`."""
        its = max(self._of(document), key=lambda each: document in each.maintenance.purged_with(document))
        its.correct(document, published)

    def purge(self, document: str) -> int:
        """See `Maintenance.purge`. What an id that it had before keeps lies in the shard of that one."""
        self._writable()
        self.forget_texts()
        with self.session.connection() as db:
            paths = db.execute(
                "SELECT DISTINCT h.path FROM heads AS h JOIN documents AS d ON d.id = h.document"
                " WHERE d.name = ?", (document,)
            ).fetchall()  # fmt: skip
            left = "SELECT 1 FROM documents WHERE name = ? AND current IS NULL"
            before = [path for (path,) in paths if db.execute(left, (path,)).fetchone()]
        removed = sum(each.purge(document) for each in self._of(document))
        removed += sum(
            each.purge(path) for path in before for each in self.shards if each.maintenance.purged_with(path)
        )
        self.session.forget()
        return removed

    def _of(self, document: str) -> Sequence[Corpus]:
        """The shards with a document, or with what is purged with it; one that knows nothing of it else."""
        shards = self._writable()
        return [each for each in shards if each.maintenance.purged_with(document)] or shards[:1]

    def remove(self, choose: Callable[[sqlite3.Connection], list[int]], what: str) -> int:
        """See `Maintenance.remove`."""
        self._writable()
        self.forget_texts()
        removed = sum(each.maintenance.remove(choose, what) for each in self.shards)
        self.session.forget()
        return removed

    def backup(self, file: str | Path, *, overwrite: bool = False) -> int:
        """Raises UsageError: a file holds one database."""
        raise UsageError(
            f"{self.session.root} is a folder of shards, which are a database each: copy the folder while "
            "nobody writes to it, or `asof push file:///FOLDER`"
        )
