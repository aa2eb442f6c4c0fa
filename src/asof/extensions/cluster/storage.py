"""The objects of a corpus at a URL: their names, their manifests, and requests to an object storage that end.

    shard-3/segments/0123456789abcdef.seg    a segment file of the fourth shard, under its name
    shard-3/chunks/<SHA-256>                 a piece of the copy of its database
    shard-3/manifests/00000042.json          what its state number 42 consists of

The newest manifest of each shard makes up the corpus. An object never changes, and a manifest is put only
where none of its number is: of two writers one gets the number, and the other one learns it. There is no
lock, and no service beside the storage. What a storage gives is input: all of it is checked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, BinaryIO, NamedTuple
from urllib.parse import unquote, urlsplit

import msgspec
from msgspec import Meta, Struct

from asof import environment
from asof.errors import (
    NoCorpus,
    OtherSchema,
    PublishConflict,
    StorageError,
    UsageError,
    missing_extra,
)
from asof.extensions.cluster.shards import MOST
from asof.store.schema import SCHEMA_VERSION
from asof.wire import replace

FORMAT = 1
"""The version of manifests that this asof writes and reads."""

CHUNK = 4 << 20
"""Bytes of a piece of a database, and of one request for a segment."""

PLAIN_HTTP = ("AWS_ALLOW_HTTP", "AZURE_ALLOW_HTTP")
"""Variables that allow a storage to be asked without encryption, as obstore has them."""

LARGEST_MANIFEST = 32 << 20
MOST_OBJECTS = 1_000_000
"""The most bytes of a manifest, and the most objects of one kind in a shard."""

URL = re.compile(r"(?:s3|gs|az)://[a-z0-9][a-z0-9._-]{1,62}(?:/(?!\.)[\w.=+@-]+)*/?", re.ASCII)
NUMBERED = re.compile(r"manifests/([0-9]{8})\.json")
NAMED = re.compile(r"chunks/[0-9a-f]{64}|segments/[0-9a-f]{16}\.seg")
"""URLs, and names of objects in the folder of a shard. Others are no business of asof."""

Digest = Annotated[str, Meta(pattern=r"\A[0-9a-f]{64}\Z")]
Size = Annotated[int, Meta(ge=0, le=1 << 44)]


class MissingObject(StorageError):
    """An object that a manifest names is not there: a vacuum, or somebody else, removed it."""


class ListedObject(NamedTuple):
    """An object in a listing: its size in bytes, and when it was put, in seconds since 1970."""

    size: int
    put: float


class SegmentObject(Struct, frozen=True):
    """A segment file of a state."""

    file: Annotated[str, Meta(pattern=r"\A[0-9a-f]{16}\.seg\Z")]
    bytes: Size
    sha256: Digest

    @property
    def name(self) -> str:
        """Its object, in the folder of the shard."""
        return f"segments/{self.file}"


class ShardManifest(Struct, frozen=True):
    """State `number` of a shard: its segments, and the pieces of `chunk` bytes of its database of `bytes`.

    `schema`: the version of the tables; `head`: the last transaction (0: none); `settings`: those of the
    corpus, in JSON; `sha256`: the checksum of all the rest.
    """

    format: int
    schema: int
    shard: Annotated[int, Meta(ge=0, lt=MOST)]
    shards: Annotated[int, Meta(ge=1, le=MOST)]
    number: Annotated[int, Meta(ge=1, lt=10**8)]
    head: Annotated[int, Meta(ge=0)]
    settings: Annotated[str, Meta(max_length=100_000)]
    bytes: Annotated[int, Meta(ge=1, le=1 << 44)]
    chunk: Annotated[int, Meta(ge=1 << 16, le=1 << 26)]
    chunks: tuple[Digest, ...]
    segments: tuple[SegmentObject, ...]
    sha256: str = ""

    def sealed(self) -> ShardManifest:
        """The same with its checksum."""
        plain = replace(self, sha256="")
        return replace(plain, sha256=sha256(msgspec.json.encode(plain)).hexdigest())

    @property
    def pieces(self) -> Iterator[tuple[str, int, int]]:
        """The digest, first byte and size of each piece of the database."""
        for at, digest in enumerate(self.chunks):
            yield digest, at * self.chunk, min(self.chunk, self.bytes - at * self.chunk)

    @property
    def objects(self) -> dict[str, int]:
        """The objects that it names in the folder of the shard, with their sizes."""
        pieces = {f"chunks/{digest}": size for digest, _, size in self.pieces}
        return pieces | {segment.name: segment.bytes for segment in self.segments}


class ManifestVersion(Struct):
    """What manifests of every version have."""

    format: int
    schema: int


def decoded(content: bytes, shard: int, number: int, where: str) -> ShardManifest:
    """A manifest, checked. Raises OtherSchema, StorageError, which name the object `where`."""
    push = "remove this object, and push the corpus again from its folder"
    try:
        version = msgspec.json.decode(content, type=ManifestVersion)
        if (version.format, version.schema) != (FORMAT, SCHEMA_VERSION):
            newer = version.format > FORMAT or version.schema > SCHEMA_VERSION
            raise OtherSchema(
                f"{where} has format {version.format} and schema {version.schema}, this asof reads {FORMAT} "
                f"and {SCHEMA_VERSION}: {'use a newer asof' if newer else 'index anew, push to a new URL'}"
            )
        manifest = msgspec.json.decode(content, type=ShardManifest)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise StorageError(f"{where} is no manifest ({str(error)[:200]}): {push}") from error
    segments = {segment.file for segment in manifest.segments}
    agrees = (
        (manifest.shard, manifest.number) == (shard, number) and shard < manifest.shards
        and len(manifest.chunks) == -(-manifest.bytes // manifest.chunk)
        and len(segments) == len(manifest.segments) and manifest == manifest.sealed()
    )  # fmt: skip
    if not agrees:
        raise StorageError(f"{where} contradicts its name or its checksum: {push}")
    return manifest


class Storage:
    """The folder of an object storage that a URL names: s3://bucket/prefix, gs://, az:// or file:///path.

    Keys and addresses come from the environment, as the tools of the storages have them. `make`: the folder
    of a file:// URL is made if it is missing. Requests are repeated for a minute at most. Threads may share
    it.
    Raises UsageError, NoCorpus, StorageError, MissingExtra.
    """

    def __init__(self, url: str, *, make: bool = False) -> None:
        self.url = checked_url(url)
        try:
            import obstore
            from obstore.store import LocalStore, from_url
        except ModuleNotFoundError as missing:
            raise missing_extra("a corpus at a URL", "cluster", "obstore") from missing
        self._library = obstore
        if url.startswith("file:"):
            folder = Path(unquote(urlsplit(url).path))
            if not make and not folder.is_dir():
                raise NoCorpus(f"{self.url}: there is no such folder; `asof push {self.url}` makes it")
            with self._asked("", "opened"):
                if make:
                    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
                self._store: Any = LocalStore(folder)
            return
        given = environment.variables()
        with self._asked("", "opened"):
            self._store = from_url(
                self.url,
                client_options={
                    "timeout": timedelta(seconds=30),
                    "connect_timeout": timedelta(seconds=5),
                    "allow_http": any(given.get(each, "").lower() == "true" for each in PLAIN_HTTP),
                },
                retry_config={"max_retries": 5, "retry_timeout": timedelta(seconds=60)},
            )

    # -- requests -----------------------------------------------------------------------------------

    @contextmanager
    def _asked(self, name: str, done: str) -> Iterator[None]:
        where = f"{self.url}/{name}".rstrip("/")
        try:
            yield
        except FileNotFoundError as error:
            raise MissingObject(
                f"{where} is missing: push the corpus again from its folder, which sends what is missing"
            ) from error
        except (self._library.exceptions.BaseError, OSError, ValueError) as error:
            reason = re.sub(r"\?\S*", "", str(error).strip().partition("\n")[0])[
                :300
            ]  # queries hold signatures
            cut = "; if the object is cut off, remove it and push the corpus again" if done == "read" else ""
            raise StorageError(
                f"{where} could not be {done} ({reason}): check the URL, the keys in the environment and the "
                f"network, then run the same command again{cut}"
            ) from error

    def listed(self, folder: str) -> dict[str, ListedObject]:
        """The objects in a folder, by their names in it. Raises StorageError, also for too many."""
        found: dict[str, ListedObject] = {}
        with self._asked(folder, "listed"):
            for batch in self._library.list(self._store, prefix=f"{folder}/"):
                for each in batch:
                    name = str(each["path"]).removeprefix(f"{folder}/")
                    found[name] = ListedObject(each["size"], each["last_modified"].timestamp())
                if len(found) > MOST_OBJECTS:
                    raise StorageError(
                        f"{self.url}/{folder} has more than {MOST_OBJECTS:,} objects: remove what the corpus "
                        "does not need any more by `asof push --vacuum DAYS`, or push to a new URL"
                    )
        return found

    def read(self, name: str, start: int, length: int) -> bytes:
        """At most `length` bytes of an object from `start` on. Raises MissingObject, StorageError."""
        with self._asked(name, "read"):
            return bytes(self._library.get_range(self._store, name, start=start, length=length))

    def put(self, name: str, content: bytes | BinaryIO) -> None:
        """Put an object whose name tells its content. Raises StorageError."""
        with self._asked(name, "written"):
            self._library.put(self._store, name, content)

    def create(self, name: str, content: bytes) -> bool:
        """Put an object where there is none; False if there is another one. Raises StorageError."""
        taken = self._library.exceptions.AlreadyExistsError, self._library.exceptions.PreconditionError
        with self._asked(name, "written"):
            try:
                self._library.put(self._store, name, content, mode="create")
            except taken:  # perhaps by this very request, when its answer was lost and it was repeated
                return self.read(name, 0, len(content) + 1) == content
            return True

    def remove(self, names: Iterable[str]) -> None:
        """Remove objects, also such as are gone already. Raises StorageError."""
        for name in names:
            try:
                with self._asked(name, "removed"):
                    self._library.delete(self._store, name)
            except MissingObject:  # another vacuum was first
                continue

    # -- states -------------------------------------------------------------------------------------

    def manifests(self, shard: int) -> dict[int, ListedObject]:
        """The manifests of a shard by their numbers, in order."""
        found = self.listed(f"shard-{shard}/manifests")
        named = ((NUMBERED.fullmatch(f"manifests/{name}"), each) for name, each in found.items())
        return dict(sorted((int(match[1]), each) for match, each in named if match))

    def manifest(self, shard: int, number: int, size: int) -> ShardManifest:
        """A manifest of so many bytes. Raises OtherSchema, StorageError."""
        name = manifest_name(shard, number)
        if size > LARGEST_MANIFEST:
            raise StorageError(
                f"{self.url}/{name} has {size:,} bytes, more than a manifest may have: remove it"
            )
        return decoded(self.read(name, 0, size), shard, number, f"{self.url}/{name}")

    def newest(self, shard: int) -> ShardManifest | None:
        """The newest manifest of a shard; None without any. Raises OtherSchema, StorageError."""
        tried = 0
        while True:
            found = self.manifests(shard)
            last = max(found, default=0)
            try:
                return self.manifest(shard, last, found[last].size) if last else None
            except MissingObject:  # a vacuum removed it, if there is a newer one
                if last <= tried:
                    raise
                tried = last

    def state(self, only: int | None = None) -> list[ShardManifest]:
        """The newest manifests of all shards, or of one. Raises NoCorpus, OtherSchema, StorageError."""
        first = self.newest(only or 0)
        if first is None:
            raise NoCorpus(f"no corpus at {self.url}: `asof push {self.url}` puts one there")
        if only is not None:
            return [first]
        others = [self.newest(shard) for shard in range(1, first.shards)]
        found = [each for each in (first, *others) if each is not None and each.shards == first.shards]
        if len(found) < first.shards:
            raise StorageError(f"{self.url} lacks shards: push the corpus again from its folder")
        return found

    def publish(self, manifest: ShardManifest) -> None:
        """Put the manifest of a new state. Raises PublishConflict if another writer took its number."""
        name, content = manifest_name(manifest.shard, manifest.number), msgspec.json.encode(manifest)
        if len(content) > LARGEST_MANIFEST:
            raise StorageError(f"{self.url}/{name} would be too large: divide the corpus into more shards")
        if not self.create(name, content):
            raise PublishConflict(
                f"{self.url}/{name} was published by another writer meanwhile; nothing was overwritten: run "
                "the same command again, which tells if this folder has what was published"
            )


def manifest_name(shard: int, number: int) -> str:
    """The object of a manifest."""
    return f"shard-{shard}/manifests/{number:08}.json"


def checked_url(url: str) -> str:
    """A URL without the slash at its end. Raises UsageError for one that names no folder of a storage."""
    parts = urlsplit(url) if url.startswith("file:///") and url.isprintable() else None
    path = unquote(parts.path) if parts else ""
    is_folder = (
        parts and not parts.query and not parts.fragment and "\0" not in path and ".." not in path.split("/")
    )
    if len(url) > 1_000 or not (URL.fullmatch(url) or is_folder):
        shown = re.sub("//[^/]*@", "//", url[:100])  # without a key
        raise UsageError(
            f"{shown!r} names no corpus; accepted: s3://BUCKET/PREFIX, gs://BUCKET/PREFIX, "
            "az://CONTAINER/PREFIX, file:///FOLDER, without keys in it"
        )
    return url.rstrip("/")
