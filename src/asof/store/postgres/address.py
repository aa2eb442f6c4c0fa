"""The address of a truth.

    postgresql://[USER@]HOST[:PORT]/DATABASE[?schema=NAME]

Several corpora lie in one database by the names of their schemas. No password stands in it: libpq reads it
from PGPASSWORD or its password file.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

from asof.errors import UsageError

SCHEMES = ("postgresql", "postgres")
DEFAULT_SCHEMA = "asof"
ACCEPTED = frozenset({
    "schema", "sslmode", "sslrootcert", "connect_timeout", "target_session_attrs", "host", "port",
})  # fmt: skip
"""What may stand behind `?`."""

_NAME = re.compile(r"[a-z_][a-z0-9_]{0,62}")


@dataclass(frozen=True, slots=True)
class Address:
    """A truth's URL as it was given, checked. `dsn`: what libpq is given; `schema`: the corpus in it."""

    url: str
    dsn: str
    schema: str

    @classmethod
    def of(cls, url: str) -> Address:
        """Raises UsageError, which repeats no password."""
        parts = urlsplit(url)
        if parts.scheme not in SCHEMES:
            raise UsageError(
                f"{url[:80]!r} is no database; accepted: postgresql://USER@HOST/DATABASE?schema=NAME"
            )
        options = dict(parse_qsl(parts.query, keep_blank_values=True))
        if parts.password is not None or "password" in options:
            raise UsageError(
                "the address of the database holds a password, and it is stored and shown: leave it out, "
                "and set "
                "PGPASSWORD or write it to ~/.pgpass"
            )
        if unknown := sorted(options.keys() - ACCEPTED):
            raise UsageError(
                f"{', '.join(unknown)[:80]}: unknown in the address of a database; accepted: "
                f"{', '.join(sorted(ACCEPTED))}"
            )
        if not parts.path.strip("/"):
            raise UsageError("no database is named; accepted: postgresql://USER@HOST/DATABASE?schema=NAME")
        schema = options.pop("schema", DEFAULT_SCHEMA)
        if (
            not _NAME.fullmatch(schema)
            or schema.startswith("pg_")
            or schema in ("public", "information_schema")
        ):
            raise UsageError(
                f"schema is {schema[:80]!r}; accepted: lower-case letters, figures and _, not public or "
                f"pg_..."
            )
        dsn = urlunsplit(("postgresql", parts.netloc, parts.path, urlencode(options), ""))
        return cls(url, dsn, schema)

    @property
    def name(self) -> str:
        """As messages show it: no user."""
        parts = urlsplit(self.dsn)
        return f"postgresql://{parts.netloc.rpartition('@')[2]}{parts.path}?schema={self.schema}"
