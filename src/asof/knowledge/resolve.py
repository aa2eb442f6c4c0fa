"""Which names mean the same, in a view.

A merge is not stored: it is derived for each view from the current statements that two names mean the same
(facts of kind NAME, aliases of documents), so it ends with its evidence and does not hold before that was
published or known. `merging.py` has the rules, `surnames.py` one more that holds inside a document. Names of
one key (`text.names.key`) are the same without evidence.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from heapq import nlargest
from typing import NamedTuple, Self

from asof.index.view import View
from asof.knowledge import fact_names
from asof.knowledge.entities.merging import MergedNames, SameNameStatement, acronym, merged
from asof.knowledge.entities.surnames import full_name, surname_of, surnames
from asof.knowledge.fact_names import AliasFact, NameMention, TitleAlias
from asof.knowledge.visible_facts import StatedFact
from asof.store.links import visible_instants_after
from asof.store.passages import visible_passages
from asof.store.reader import AsOfReader
from asof.text.names import key

NEAR = 0.6
"""The least similarity (`difflib`, 1: equal) of a name that is proposed for an unknown one."""
MORE_WORDS = 2
"""How many words more than the query a proposed name that contains it may have."""
LONGEST_NAME = 200
"""Characters; names are not proposed for a longer one."""


class NameMerge(NamedTuple):
    """A statement that joins two names: its document, since when it is visible (an instant), its sentence.

    `sentence` and `id` (of the passage, as hits have it) are "" for an alias of a document, `sentence` also
    for what the head of a document states. `everywhere`: it holds in all documents, not in this one alone.
    """

    name: str
    other: str
    document: str
    id: str
    at: int
    sentence: str
    everywhere: bool


@dataclass(slots=True)
class Entities:
    """The names of a view and how they are merged. Made by `of`; its methods accept names in any spelling."""

    store: AsOfReader
    statements: tuple[SameNameStatement, ...]
    merged: MergedNames
    _stated: dict[str, set[str]] | None = None
    _titled: dict[str, set[tuple[str, str]]] | None = None
    _sets: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _surnames: dict[str, dict[str, str]] = field(default_factory=dict)
    _names: dict[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, view: View) -> Self:
        """The entities of a view, kept with it."""
        memo, store = view.prefix.memo, view.store
        name = "entities"
        if fact_names.has_aliases(store.db):  # a version can change its aliases and no passage
            later = memo.get("entities later")
            if later is None:
                later = memo["entities later"] = visible_instants_after(store.db, view.prefix.as_of)
            name = f"entities {bisect_right(later, view.as_of)}"
        entities: Self | None = memo.get(name)
        if entities is None:
            statements = [
                SameNameStatement(each.subject, each.object, each.document, not each.end, each)
                for each in fact_names.alias_facts(store.db, store.as_of, store.known_at)
            ]
            if name != "entities":
                statements += [
                    SameNameStatement(each.title, each.alias, each.document, False, each)
                    for each in fact_names.title_aliases(store.db, store.as_of, store.known_at)
                ]
            entities = memo[name] = cls(store, tuple(statements), merged(statements))
        return entities

    @property
    def _moment(self) -> tuple[int, int]:
        return self.store.as_of, self.store.known_at

    def root_of(self, name: str, document: str = "") -> str:
        """The identity of an entity, equal for all of its names: anywhere, or in a document."""
        here = key(name)
        if document and " " not in here and (full := self._surnames_of(document).get(here)):
            here = full
        return self.merged.root_of(here, document)

    def same(self, one: str, other: str, document: str = "") -> bool:
        """Whether two names mean the same; in a document, or anywhere."""
        return self.root_of(one, document) == self.root_of(other, document)

    def canonical(self, name: str, document: str = "") -> str:
        """The name that most current documents use for the entity of a name, an acronym only if it has no
        other; of equals the longest, then the first in the alphabet. The name itself where no fact has it."""
        return next(iter(self._names_of(self.root_of(name, document))), " ".join(name.split()))

    def names_of(self, name: str) -> tuple[str, ...]:
        """All spellings of all names of the entity that a name means everywhere, the canonical one first;
        empty for a name that no fact has."""
        return self._names_of(self.root_of(name))

    def keys_of(self, name: str) -> tuple[str, ...]:
        """The keys of all names that are joined everywhere with a name, its own among them; in order."""
        return self._keys_of(self.root_of(name))

    def keys_somewhere(self, name: str) -> tuple[str, ...]:
        """Keys that may mean the same as a name in some documents: defined there, or a surname."""
        root = self.root_of(name)
        keys = {each for (_, each), its in self.merged.local.items() if its == root}
        keys |= {surname_of(key(each)) for each in self._names_of(root) if full_name(each, key(each))}
        return tuple(sorted(keys.difference(self.keys_of(name))))

    def roots_in_documents(self, name: str) -> tuple[str, ...]:
        """The roots that a name has in the current documents that mention it, in order."""
        mentions = self._mentions([key(name)])
        return tuple(sorted({self.root_of(each.name, each.document) for each in mentions}))

    def why(self, name: str) -> tuple[NameMerge, ...]:
        """The statements that join the names of an entity, oldest first; one for each pair and document."""
        root = self.root_of(name)
        statements: dict[tuple[str, ...], SameNameStatement] = {}
        for each in self.statements:
            one, other = key(each.name), key(each.other)
            roots = {self.merged.root_of(name, each.document) for name in (one, other)}
            if one != other and roots == {root}:
                statements.setdefault((one, other, each.document), each)
        merges = [self._merge(statement) for statement in statements.values()]
        return tuple(sorted(merges, key=lambda each: (each.at, each.document, each.name, each.other)))

    def near(self, name: str, most: int = 3) -> tuple[str, ...]:
        """Names in facts that are spelled like an unknown one, most similar first."""
        query_key = key(name)
        if len(query_key) > LONGEST_NAME:
            return ()
        alike: dict[str, tuple[float, str]] = {}
        matcher = SequenceMatcher(b=query_key, autojunk=False)
        for each in fact_names.all_names(self.store.db, *self._moment):
            other = key(each)
            inside = (
                f" {query_key} " in f" {other} " and other.count(" ") <= query_key.count(" ") + MORE_WORDS
            )
            if other in alike or (
                not inside and abs(len(other) - len(query_key)) > max(3, len(query_key) // 2)
            ):
                continue
            matcher.set_seq1(other)
            if inside or (matcher.real_quick_ratio() >= NEAR and matcher.quick_ratio() >= NEAR):
                alike[other] = (max(matcher.ratio(), NEAR if inside else 0.0), each)
        best = nlargest(most, (each for each in alike.values() if each[0] >= NEAR), key=lambda each: each[0])
        return tuple(each for _, each in best)

    def prepare(self, facts: Iterable[StatedFact]) -> None:
        """Read in one query the documents whose surnames resolve the names of these facts; without this, each
        document is read when a name of it is resolved."""
        self._prepare(
            each.passage.document
            for each in facts
            if " " not in key(each.fact.subject)
            or (each.fact.amount is None and " " not in key(each.fact.object))
        )

    def _prepare(self, documents: Iterable[str]) -> None:
        missing = set(documents).difference(self._surnames)
        if not missing:
            return
        if self._stated is None:
            self._stated = defaultdict(set)
            for each in self.statements:
                self._stated[each.document] |= {key(each.name), key(each.other)}
        mentions = fact_names.mentions_by_document(self.store.db, missing, *self._moment)
        for document in missing:
            independent = self._stated.get(document, set()) | self.merged.owners
            self._surnames[document] = surnames(mentions.get(document, ()), independent)

    def _surnames_of(self, document: str) -> dict[str, str]:
        self._prepare((document,))
        return self._surnames[document]

    def _keys_of(self, root: str) -> tuple[str, ...]:
        if not self._sets:
            sets: dict[str, list[str]] = defaultdict(list)
            for each, its in sorted(self.merged.root.items()):
                sets[its].append(each)
            self._sets = {its: tuple(keys) for its, keys in sets.items()}
        return self._sets.get(root, (root,))

    def _names_of(self, root: str) -> tuple[str, ...]:
        """The spellings of all names of a root, acronyms last, then those of most documents first."""
        if root not in self._names:
            called = {
                (" ".join(each.name.split()), each.document)
                for each in self._mentions(self._keys_of(root))
                if self.merged.root_of(each.key, each.document) == root
            }
            called |= self._titles().get(root, set())
            counts = Counter(name for name, _ in called)
            self._names[root] = tuple(
                sorted(counts, key=lambda name: (acronym(name), -counts[name], -len(name), name))
            )
        return self._names[root]

    def _titles(self) -> dict[str, set[tuple[str, str]]]:
        """By root: titles and aliases of documents that have aliases, each with its document."""
        if self._titled is None:
            self._titled = defaultdict(set)
            for statement in self.statements:
                for name in (
                    (statement.name, statement.other) if isinstance(statement.source, TitleAlias) else ()
                ):
                    if (root := self.merged.root_of(key(name))) == self.merged.root_of(
                        key(name), statement.document
                    ):
                        self._titled[root].add((" ".join(name.split()), statement.document))
        return self._titled

    def _mentions(self, keys: Iterable[str]) -> list[NameMention]:
        return fact_names.mentions_by_key(self.store.db, keys, *self._moment)

    def _merge(self, statement: SameNameStatement) -> NameMerge:
        wide = self.merged.root_of(key(statement.name)) == self.merged.root_of(key(statement.other))
        if isinstance(statement.source, TitleAlias):
            return NameMerge(
                statement.name, statement.other, statement.document, "", statement.source.visible, "", wide
            )
        naming = statement.source
        assert isinstance(naming, AliasFact)  # noqa: S101  there are no others
        sight = visible_passages(self.store.db, [naming.passage], *self._moment)[naming.passage]
        sentence = " ".join(sight.text[naming.start : naming.end].split())
        return NameMerge(
            statement.name, statement.other, statement.document, sight.id, sight.visible, sentence, wide
        )
