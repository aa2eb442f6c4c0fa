"""The versions of an export, added to a transaction as they were added once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NoReturn

from asof.store.digest import (
    DigestedPassage,
    SharedAttributes,
    layout_places,
    passages_from_chunks,
    shared_attributes,
)
from asof.store.export_format import ExportedDeletion, ExportedPassage, ExportedRetirement, ExportedVersion
from asof.store.prepare import PreparedText
from asof.store.run import IndexReport
from asof.store.statements import DocumentState
from asof.store.write import Transaction
from asof.text.chunks import Chunk

LAST_OFFSET = 2**32 - 1


@dataclass(slots=True)
class RestoredTransaction:
    """A transaction of an export. `sources`: ids by name; `refuse` raises SourceError for the line that is
    read. `latest`: by document, the passages of its last version, if that was added by this transaction."""

    write: Transaction
    sources: dict[str, int]
    report: IndexReport
    refuse: Callable[[str], NoReturn]
    latest: dict[int, list[DigestedPassage]] = field(default_factory=dict)

    def add_version(self, line: ExportedVersion) -> None:
        """Add a version. Its passages have the keys that follow from their words."""
        write, document = self.write, line.document
        if line.language not in write.settings.languages:
            self.refuse(
                f"language is {line.language!r:.60}; expected: one of the settings, "
                f"{', '.join(write.settings.languages)}"
            )
        state = self._state(document.id, line.owner)
        write.source = self._source(line.source)
        head = shared_attributes(document, line.language, write.settings.search)
        passages = self._passages(state, line.passages, head)
        prepared = PreparedText(line.content, head, passages, None, [])
        version = write.add_version(
            state, document, line.content, line.stated, document.published, line.visible, prepared
        )
        # without what was prepared: the times of a passage are read only where a row begins with it
        write.passages[version.id] = (*write.passages[version.id][:3], None)
        self.latest[state.id] = passages
        self.report.count("changed" if line.owner is None else "added")

    def add_deletion(self, line: ExportedDeletion) -> None:
        """Add a deletion."""
        state = self._state(line.name, line.owner)
        self.write.add_deletion(state, line.stated, line.published, line.dated_by, line.visible)
        if line.owner is not None:
            self.report.count("added")
        else:
            self.report.count("ended")

    def retire(self, line: ExportedRetirement) -> None:
        """Retire a version of an earlier transaction."""
        state = self._known(line.name)
        row = self.write.db.execute(
            "SELECT id FROM versions WHERE document = ? ORDER BY id LIMIT 1 OFFSET ?",
            (state.id if state else None, line.number - 1),
        ).fetchone()
        version = (
            next((each for each in state.versions if row and each.id == row[0]), None) if state else None
        )
        if state is None or version is None:
            self.refuse(
                f"version {line.number} of {line.name!r:.60} is retired; expected: one that an earlier "
                "transaction added and that is not retired yet"
            )
        self.write.retire(state, version)
        self.report.count("corrected")

    def _known(self, name: str) -> DocumentState | None:
        if name not in self.write.documents:
            self.write.load([name])
        return self.write.documents.get(name)

    def _state(self, name: str, owner: str | None) -> DocumentState:
        """The state of a document; its first line says its source, and no other one does."""
        state = self._known(name)
        if state is None and owner is None:
            self.refuse(f"the first line of the document {name!r:.60} has no owner: the name of its source")
        if state is not None and owner is not None:
            self.refuse(f"owner stands in a line of {name!r:.60} that is not its first one")
        if state is None:
            state = self.write.document_state(name)
            state.source = self._source(owner or "")
        return state

    def _source(self, name: str) -> int:
        source = self.sources.get(name)
        if source is None:
            self.refuse(f"the source {name!r:.60} is not one of those in the header")
        return source

    # -- passages -----------------------------------------------------------------------------------

    def _passages(
        self, state: DocumentState, lines: list[ExportedPassage], head: SharedAttributes
    ) -> list[DigestedPassage]:
        """The passages with their keys: those of their words under this head."""
        before = self._before(state) if any(line.same for line in lines) else []
        text, chunks = list[str](), list[Chunk]()
        length = start = end = 0
        for line in lines:
            if line.same is not None and line.same > len(before):
                self.refuse(f"same is {line.same}; the version before has {len(before)} passages")
            same = before[line.same - 1] if line.same else None
            headings = line.headings if same is None else same.headings
            words = line.text if same is None else same.text
            if line.at < start or line.at + len(words) < end:
                self.refuse(f"a passage at {line.at} does not come after the one before, {start} to {end}")
            start, end = line.at, line.at + len(words)
            text.append(words)
            chunks.append(Chunk(length, length + len(words), tuple(headings.split("\n")) if headings else ()))
            length += len(words)
        if end > LAST_OFFSET:
            self.refuse(f"a passage ends at {end}; the largest offset is {LAST_OFFSET}")
        digested = passages_from_chunks("".join(text), chunks, head)
        return [
            passage._replace(start=line.at, end=line.at + len(passage.text))
            for passage, line in zip(digested, lines, strict=True)
        ]

    def _before(self, state: DocumentState) -> list[DigestedPassage]:
        """The passages of the last version of a document that is no deletion."""
        if state.id in self.latest or state.new:
            return self.latest.get(state.id, [])
        db = self.write.db
        row = db.execute(
            "SELECT layout FROM versions WHERE document = ? AND head IS NOT NULL ORDER BY id DESC LIMIT 1",
            (state.id,),
        ).fetchone()
        query = "SELECT key, headings, text FROM passages WHERE document = ?"
        texts = {key: (headings, text) for key, headings, text in db.execute(query, (state.id,))}
        return [
            DigestedPassage(key, start, end, *texts[key]) for key, start, end in layout_places(row and row[0])
        ]
