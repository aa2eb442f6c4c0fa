"""Names of one entity: which are joined, everywhere or in one document, and the entities of a view.

A merge is not stored: it is derived for each view from the current statements that two names mean the same
(facts of kind NAME, aliases), so it ends with its evidence. The rules, each of which decides against a merge
in doubt:

- A short name that stands for two different names ("IHA" for a harbour authority here and a horticultural
  association there) joins neither. Names that are joined by other statements count as one.
- A name with an initial ("M. Quill"), a name of one or two letters unless the head of a document gives it (a
  ticker), and "the" with one word ("the Company") are joined in the document alone.
- Two names that heads of documents have as their own subject are never joined, directly or over others: these
  are two companies. A name between them belongs to the nearest; at equal distance, to none.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cached_property
from typing import Annotated, Any, NamedTuple, Self

from asof.extensions.facts import store as fact_names
from asof.extensions.facts.store import AliasFact, NameMention, TitleAlias
from asof.extensions.facts.visible import StatedFact
from asof.index.view import View
from asof.store.reader import AsOfReader, visible_passages
from asof.text.query import key
from asof.time.span import Instant
from asof.wire import As

# -- merging: a pure function of statements --------------------------------------------------------


_ACRONYM = re.compile(r"[A-Z0-9][A-Z0-9.&-]{0,7}")
_DESCRIPTION = re.compile(r"(?:the|die|der|das)\s+\S+", re.IGNORECASE)


class SameNameStatement(NamedTuple):
    """A statement that two names mean the same. `head`: it is made by the head of a document, whose own
    subject `name` is. `source` is where it was stated; it does not affect merging."""

    name: str
    other: str
    document: str
    head: bool
    source: object = None


@dataclass(frozen=True, slots=True)
class MergedNames:
    """Merged names. `root`: for each key that is joined everywhere, the first key of its set; `local`: by
    document and key, the root that a key means in that document; `owners`: keys of the subjects of heads."""

    root: Mapping[str, str]
    local: Mapping[tuple[str, str], str]
    owners: frozenset[str]

    def root_of(self, key: str, document: str = "") -> str:
        """The root that a key means, in a document or anywhere; a key without any statement is its own
        root."""
        return self.local.get((document, key)) or self.root.get(key, key)


class UnionFind:
    """Disjoint sets of keys; a set is named by its first key in the alphabet."""

    def __init__(self) -> None:
        self._above: dict[str, str] = {}

    def find(self, key: str) -> str:
        while (above := self._above.get(key, key)) != key:
            self._above[key] = self._above.get(above, above)
            key = above
        return key

    def unite(self, one: str, other: str) -> None:
        one, other = sorted((self.find(one), self.find(other)))
        self._above[other] = one


def merged(statements: Iterable[SameNameStatement]) -> MergedNames:
    """The names that these statements join, in whatever order they come."""
    pairs = [(_short_and_long(each), each) for each in statements]
    pairs = [(pair, each) for pair, each in pairs if all(pair) and pair[0] != pair[1]]
    owners = frozenset(key(each.name) for _, each in pairs if each.head)
    wide = {pair for pair, each in pairs if holds_everywhere(each)}
    groups, accepted = _unambiguous(wide)
    tickers: dict[str, set[str]] = defaultdict(set)
    for (short, long), each in pairs:
        if each.head and acronym(each.name) != acronym(each.other):
            tickers[short].add(long)
    # a ticker that heads have as their subject is no other company than its own
    owned = {owner: min(tickers[owner]) if len(tickers[owner]) == 1 else owner for owner in sorted(owners)}
    root = _apart(accepted, groups, owned)
    return MergedNames(root, _local(pairs, root), owners)


def _short_and_long(statement: SameNameStatement) -> tuple[str, str]:
    """The keys of the short name, and of the name that it is short for."""
    name, other = key(statement.name), key(statement.other)
    return (name, other) if acronym(statement.name) and not acronym(statement.other) else (other, name)


def acronym(name: str) -> bool:
    """True if a name looks like an acronym or a ticker: up to eight capitals, digits, points."""
    return _ACRONYM.fullmatch(name.strip()) is not None


def holds_everywhere(statement: SameNameStatement) -> bool:
    """True if the form of the names lets a statement hold outside of its document."""
    for name in (statement.name, statement.other):
        words = key(name).split()
        letters = sum(map(len, words))
        if len(words) > 1 and any(len(word) == 1 and word.isalpha() for word in words):
            return False
        if (letters <= 2 and name.isascii() and not statement.head) or _DESCRIPTION.fullmatch(name.strip()):
            return False
    return True


MOST_ROUNDS = 64
"""At most so often a name becomes unambiguous because others were joined."""


def _unambiguous(pairs: set[tuple[str, str]]) -> tuple[UnionFind, set[tuple[str, str]]]:
    """The sets that unambiguous pairs join, and these pairs. A pair is unambiguous if its short name stands
    for one name only; joined names count as one, so that a pair can become unambiguous by others."""
    groups, accepted = UnionFind(), set[tuple[str, str]]()
    for _ in range(MOST_ROUNDS):
        meanings: dict[str, set[str]] = defaultdict(set)
        for short, long in pairs:
            meanings[short].add(groups.find(long))
        clear = {pair for pair in pairs - accepted if len(meanings[pair[0]]) == 1}
        if not clear:
            break
        for short, long in clear:
            groups.unite(short, long)
        accepted |= clear
    return groups, accepted


def _apart(
    accepted: Iterable[tuple[str, str]], groups: UnionFind, owners: Mapping[str, str]
) -> dict[str, str]:
    """The root of each key that is joined with others. Two owners never share one: a key of a set with
    several is that of the one owner beside it, else its own."""
    beside: dict[str, set[str]] = defaultdict(set)
    for short, long in accepted:
        beside[short].add(long)
        beside[long].add(short)
    sets: dict[str, list[str]] = defaultdict(list)
    for each in sorted(beside):
        sets[groups.find(each)].append(each)
    root: dict[str, str] = {}
    for keys in sets.values():
        if len({owners[each] for each in keys if each in owners}) < 2:
            root.update(dict.fromkeys(keys, keys[0]))
            continue
        parts: dict[str, list[str]] = defaultdict(list)
        for each in keys:
            near = {owners[other] for other in (each, *beside[each]) if other in owners}
            near = {owners[each]} if each in owners else near
            parts[min(near) if len(near) == 1 else f"\0{each}"].append(each)
        for part in parts.values():
            root.update(dict.fromkeys(part, part[0]))
    return root


def _local(
    pairs: Sequence[tuple[tuple[str, str], SameNameStatement]], root: Mapping[str, str]
) -> dict[tuple[str, str], str]:
    """By document and short name, the root that the document states, where it is one and differs from the
    root that holds everywhere."""
    roots_of: dict[tuple[str, str], set[str]] = defaultdict(set)
    for (short, long), statement in pairs:
        roots_of[statement.document, short].add(root.get(long, long))
    return {
        (document, short): next(iter(roots))
        for (document, short), roots in roots_of.items()
        if len(roots) == 1 and roots != {root.get(short, short)}
    }


# -- surnames in one document: "Quill" after "Marta Quill" -----------------------------------------


FULL = range(2, 4)
"""The numbers of words of a full name."""


def full_name(name: str, key: str) -> bool:
    """True if a name may be a person's first and last: two or three capitalised words and nothing else.

    >>> full_name("Marta Quill", "marta quill"), full_name("M. Quill", "m quill")
    (True, False)
    """
    words = name.split()
    return (
        len(words) in FULL
        and len(key.split()) == len(words)
        and words[0].casefold() != "the"
        and all(_capitalised(word) and len(word) > 1 for word in words)
    )


def surname_of(key: str) -> str:
    """The key of the last word of a full name."""
    return key.rpartition(" ")[2]


def surnames(mentions: Sequence[NameMention], independent: Iterable[str]) -> dict[str, str]:
    """The keys of surnames in a document, and those of their full names.

    `mentions` are those of one document, in the order of its text. A surname stands for the one full name of
    the document that ends in it, if it stands there alone, capitalised and without an article wherever it
    stands, and only after the full name. `independent` are keys that are names by themselves (a company that
    is called like its founder).
    """
    full: dict[str, dict[str, int]] = defaultdict(dict)
    alone: dict[str, int] = {}
    barred = set(independent)
    for at, each in enumerate(mentions):
        if full_name(each.name, each.key):
            full[surname_of(each.key)].setdefault(each.key, at)
        elif " " not in each.key:
            alone.setdefault(each.key, at)
            if " " in each.name.strip() or not _capitalised(each.name.strip()):
                barred.add(each.key)
    return {
        surname: next(iter(names))
        for surname, names in full.items()
        if len(names) == 1 and surname not in barred and min(names.values()) < alone.get(surname, -1)
    }


def _capitalised(word: str) -> bool:
    letters = word.replace("-", "").replace("'", "").replace("’", "")
    return letters.isalpha() and letters[0].isupper() and not letters.isupper()


# -- the entities of a view ------------------------------------------------------------------------


NEAR = 0.6
"""The least similarity (`difflib`, 1: equal) of a name that is proposed for an unknown one."""
MORE_WORDS = 2
"""The most words that a proposed name may have beyond the query that it contains."""
LONGEST_NAME = 200
"""Characters; names are not proposed for a longer one."""


class NameMerge(NamedTuple):
    """A passage that says that two names mean the same."""

    name: str
    other: str
    document: Annotated[str, "its document"]
    id: Annotated[str, 'the passage; "" for an alias of the document']
    at: Annotated[Instant, As("visible"), "since when it can be seen"]
    sentence: Annotated[str, 'what it says; "" for a title or metadata']
    everywhere: Annotated[bool, "whether it holds in all documents, or in this one alone"]


class EntityResolver:
    """The names of a view and how they are merged. Made by `of`; its methods accept names in any spelling."""

    def __init__(self, store: AsOfReader, statements: Sequence[SameNameStatement]) -> None:
        self.store, self.statements, self.merged = store, statements, merged(statements)
        self._surnames: dict[str, dict[str, str]] = {}
        self._names: dict[str, tuple[str, ...]] = {}

    @classmethod
    def of(cls, view: View) -> Self:
        """The entities of a view, kept with it."""
        store = view.store
        # a version can change its aliases and no passage
        memo: dict[Any, Any] = view.memo if fact_names.has_aliases(store.db) else view.prefix.memo
        entities: Self | None = memo.get("entities")
        if entities is None:
            statements = [
                SameNameStatement(each.subject, each.object, each.document, not each.end, each)
                for each in fact_names.alias_facts(store.db, store.as_of, store.known_at)
            ]
            statements += [
                SameNameStatement(each.title, each.alias, each.document, False, each)
                for each in fact_names.title_aliases(store.db, store.as_of, store.known_at)
            ]
            entities = memo["entities"] = cls(store, statements)
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

    def canonical(self, name: str, document: str = "") -> str:
        """The name that most current documents use for the entity of a name, an acronym only if it has no
        other; of equals the longest, then the first in the alphabet. The name itself where no fact has it."""
        return next(iter(self._names_of(self.root_of(name, document))), " ".join(name.split()))

    def names_of(self, name: str) -> tuple[str, ...]:
        """All spellings of all names of the entity that a name means everywhere, the canonical one first;
        empty for a name that no fact has."""
        return self._names_of(self.root_of(name))

    def keys_of(self, name: str) -> tuple[str, ...]:
        """The keys of all names that may mean the same as a name, in order: joined with it everywhere, or in
        some documents (defined there, or a surname)."""
        root = self.root_of(name)
        keys = {each for (_, each), its in self.merged.local.items() if its == root}
        keys |= {surname_of(key(each)) for each in self._names_of(root) if full_name(each, key(each))}
        return tuple(sorted(keys.union(self._sets.get(root, (root,)))))

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
        asked = key(name)
        if len(asked) > LONGEST_NAME:
            return ()
        spelled: dict[str, str] = {}
        for each in fact_names.all_names(self.store.db, *self._moment):
            spelled.setdefault(key(each), each)
        size = len(asked.split()) + MORE_WORDS
        inside = [each for each in spelled if f" {asked} " in f" {each} " and len(each.split()) <= size]
        alike = get_close_matches(asked, [each for each in spelled if each not in inside], most, NEAR)
        return tuple(spelled[each] for each in [*sorted(inside, key=len), *alike][:most])

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
        mentions = fact_names.mentions_by_document(self.store.db, missing, *self._moment)
        for document in missing:
            independent = self._stated[document] | self.merged.owners
            self._surnames[document] = surnames(mentions.get(document, ()), independent)

    def _surnames_of(self, document: str) -> dict[str, str]:
        self._prepare((document,))
        return self._surnames[document]

    @cached_property
    def _stated(self) -> dict[str, set[str]]:
        """The keys of the names in the statements of each document."""
        stated: dict[str, set[str]] = defaultdict(set)
        for each in self.statements:
            stated[each.document] |= {key(each.name), key(each.other)}
        return stated

    @cached_property
    def _sets(self) -> dict[str, list[str]]:
        """The keys that are joined everywhere, by their root."""
        sets: dict[str, list[str]] = defaultdict(list)
        for each, its in sorted(self.merged.root.items()):
            sets[its].append(each)
        return sets

    def _names_of(self, root: str) -> tuple[str, ...]:
        """The spellings of all names of a root, acronyms last, then those of most documents first."""
        if root not in self._names:
            called = {
                (" ".join(each.name.split()), each.document)
                for each in self._mentions(self._sets.get(root, (root,)))
                if self.merged.root_of(each.key, each.document) == root
            }
            called |= self._titled.get(root, set())
            counts = Counter(name for name, _ in called)
            self._names[root] = tuple(
                sorted(counts, key=lambda name: (acronym(name), -counts[name], -len(name), name))
            )
        return self._names[root]

    @cached_property
    def _titled(self) -> dict[str, set[tuple[str, str]]]:
        """By root: titles and aliases of documents that have aliases, each with its document."""
        titled: dict[str, set[tuple[str, str]]] = defaultdict(set)
        for each in self.statements:
            for name in (each.name, each.other) if isinstance(each.source, TitleAlias) else ():
                root = self.merged.root_of(key(name))
                if root == self.merged.root_of(key(name), each.document):
                    titled[root].add((" ".join(name.split()), each.document))
        return titled

    def _mentions(self, keys: Iterable[str]) -> list[NameMention]:
        return fact_names.mentions_by_key(self.store.db, keys, *self._moment)

    def _merge(self, statement: SameNameStatement) -> NameMerge:
        source, passage, at, sentence = statement.source, "", 0, ""
        if isinstance(source, TitleAlias):
            at = source.visible
        elif isinstance(source, AliasFact):
            sight = visible_passages(self.store.db, [source.passage], *self._moment)[source.passage]
            passage, at, sentence = (
                sight.id,
                sight.visible,
                " ".join(sight.text[source.start : source.end].split()),
            )
        wide = self.merged.root_of(key(statement.name)) == self.merged.root_of(key(statement.other))
        return NameMerge(statement.name, statement.other, statement.document, passage, at, sentence, wide)
