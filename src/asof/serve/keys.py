"""Keys of a server: named, with a scope, stored as salted scrypt hashes in the user's own folder."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal

from asof.errors import UsageError
from asof.private_file import PrivateFile, WritableByOthers
from asof.serve.limits import TokenBucket

FILE = "keys.json"
FORMAT = 2
LARGEST = 1_000_000

Scope = Literal["read", "write"]
SCOPES: tuple[Scope, ...] = ("read", "write")
"""`write` also adds and deletes documents."""

BEGINNING = 13
"""So many characters of a secret are stored as they are ("asof_" and 8 of 43): whose they are not is no key,
without a hash, and `asof key list` shows them."""

LONGEST = 200
SALT, HASH = 16, 32
"""Bytes."""

GUESSES = 30
"""So many wrong secrets a minute with the beginning of a key are hashed."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_COST = {"n": 2**14, "r": 8, "p": 1}
"""scrypt: 16 MB and about 60 ms for a key that was not seen before."""


@dataclass(frozen=True, slots=True)
class Key:
    """A stored key: how its secret begins, salt and hash in hexadecimal, when it was made (ISO 8601)."""

    scope: Scope
    begins: str
    salt: str
    hash: str
    at: str

    @classmethod
    def of(cls, secret: str, scope: Scope, at: str) -> Key:
        salt = secrets.token_bytes(SALT)
        return cls(scope, secret[:BEGINNING], salt.hex(), _hashed(secret, salt), at)

    def fits(self, secret: str) -> bool:
        """Whether this is the key; takes the same time for all that begin as it does."""
        return hmac.compare_digest(_hashed(secret, bytes.fromhex(self.salt)), self.hash)


@dataclass(slots=True)
class Keys:
    """The keys of a user. Those that were verified are remembered by a keyed hash until the file changes."""

    path: Path
    owners: frozenset[int]
    _verified: dict[bytes, tuple[str, Key]] = field(default_factory=dict)
    _state: tuple[int, int, int] | None = None
    _keys: dict[str, Key] = field(default_factory=dict)
    _pepper: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    _guesses: TokenBucket = field(default_factory=lambda: TokenBucket(GUESSES / 60, GUESSES))

    @property
    def _file(self) -> PrivateFile:
        return PrivateFile(self.path, self.owners, LARGEST)

    def all(self) -> dict[str, Key]:
        """By name. Raises UsageError where the file is damaged or others may write to it."""
        try:
            content = self._file.read()
            return {} if content is None else _read(content)
        except WritableByOthers as error:
            raise UsageError(f"{error}: no key is accepted; remove it") from error
        except (ValueError, TypeError, RecursionError, OSError) as error:
            raise UsageError(f"{self.path} is damaged: no key is accepted; remove it ({error})") from error

    def add(self, name: str, scope: Scope, at: str) -> str:
        """Make a key; returns its secret, which is kept nowhere. Raises UsageError, AsofError."""
        if not _NAME.fullmatch(name):
            raise UsageError(f"{name!r:.80} is no name of a key; accepted: 64 letters, digits and . _ -")
        secret = f"asof_{secrets.token_urlsafe(32)}"
        with self._file.locked():
            keys = self.all()
            if name in keys:
                raise UsageError(f"there is a key {name!r}; remove it first: asof key remove {name}")
            self._write({**keys, name: Key.of(secret, scope, at)})
        return secret

    def remove(self, name: str) -> bool:
        """Revoke a key at once, also in servers that run; whether there was one."""
        with self._file.locked():
            keys = self.all()
            if name not in keys:
                return False
            self._write({other: key for other, key in keys.items() if other != name})
        return True

    def verify(self, secret: str) -> tuple[str, Key] | None:
        """The name and key of a secret; None for none. Hashes it the first time, if a key begins like it."""
        if not 0 < len(secret) <= LONGEST:
            return None
        self._follow()
        mark = hmac.digest(self._pepper, secret.encode("utf-8", "replace"), "sha256")
        if (known := self._verified.get(mark)) is not None:
            return known
        begins = secret[:BEGINNING]
        for name, key in self._keys.items():
            if key.begins == begins and not self._guesses.empty(name):
                if key.fits(secret):
                    self._verified[mark] = name, key
                    return name, key
                self._guesses.take(name)
        return None

    def _follow(self) -> None:
        """Read the file anew if it has changed."""
        try:
            about = self.path.stat()
            state = (about.st_mtime_ns, about.st_ino, about.st_size)
        except FileNotFoundError:
            state = (0, 0, 0)
        except OSError as error:
            raise UsageError(f"{self.path} cannot be read: no key is accepted ({error.strerror})") from error
        if state != self._state:
            self._state, self._keys, self._verified = None, {}, {}
            self._keys = self.all()
            self._state = state

    def _write(self, keys: Mapping[str, Key]) -> None:
        stored = {name: asdict(keys[name]) for name in sorted(keys)}
        self._file.write(json.dumps({"format": FORMAT, "keys": stored}, indent=2) + "\n")


def _hashed(secret: str, salt: bytes) -> str:
    return hashlib.scrypt(secret.encode("utf-8", "replace"), salt=salt, dklen=HASH, **_COST).hex()


def _read(content: bytes) -> dict[str, Key]:
    value = json.loads(content)
    keys = value.get("keys") if isinstance(value, dict) else None
    if not isinstance(keys, dict) or value.get("format") != FORMAT:
        raise ValueError("it is no list of this version of asof")
    read = {name: Key(**each) for name, each in keys.items()}
    for key in read.values():
        if key.scope not in SCOPES or len(key.begins) != BEGINNING:
            raise ValueError("a key is not of this version of asof")
        if len(bytes.fromhex(key.salt)) != SALT or len(bytes.fromhex(key.hash)) != HASH:
            raise ValueError("a salt or a hash is not of this version of asof")
    return read
