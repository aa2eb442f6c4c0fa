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
_HOST = re.compile(r"(?:\[[0-9A-Fa-f:.]+\]|[^\[\]:]*)(?::(?P<port>[^:]*))?")
_LARGEST_PORT = 65_535
_FORM = "accepted: postgresql://USER@HOST/DATABASE?schema=NAME"


@dataclass(frozen=True, slots=True)
class Address:
    """A truth's URL as it was given, checked. `dsn`: what libpq is given, spelled in one way; `schema`: the
    corpus in it."""

    url: str
    dsn: str
    schema: str

    @classmethod
    def of(cls, url: str) -> Address:
        """Raises UsageError, which repeats nothing of the URL that may be a password."""
        try:
            parts = urlsplit(url)
        except ValueError:  # says what it was given
            raise UsageError(f"the address of the database is no URL; {_FORM}") from None
        options = dict(parse_qsl(parts.query, keep_blank_values=True))
        user, _, hosts = parts.netloc.rpartition("@")
        behind = "".join((parts.path, parts.query, parts.fragment))
        if ":" in user or "@" in behind or "password" in options:
            raise UsageError(
                "the address of the database holds a password, and it is stored and shown: leave it out, "
                "and set PGPASSWORD or write it to ~/.pgpass (an @ in a name is written %40)"
            )
        if parts.scheme not in SCHEMES:
            raise UsageError(f"the address of the database does not begin with postgresql://; {_FORM}")
        if not url.isprintable() or " " in url or parts.fragment:
            raise UsageError(
                f"the address of the database holds a blank, # or a character that is not seen; {_FORM}"
            )
        _check_ports(hosts, options.get("port"))
        if unknown := sorted(options.keys() - ACCEPTED):
            raise UsageError(
                f"{', '.join(unknown)[:80]}: unknown in the address of a database; accepted: "
                f"{', '.join(sorted(ACCEPTED))}"
            )
        if not parts.path.strip("/"):
            raise UsageError(f"no database is named; {_FORM}")
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
        dsn = urlunsplit(("postgresql", parts.netloc, parts.path, urlencode(sorted(options.items())), ""))
        return cls(url, dsn, schema)

    def same(self, other: Address) -> bool:
        """Whether both lead to the same corpus: they may be spelled in different ways."""
        return (self.dsn, self.schema) == (other.dsn, other.schema)

    @property
    def name(self) -> str:
        """As messages show it: no user."""
        parts = urlsplit(self.dsn)
        return f"postgresql://{parts.netloc.rpartition('@')[2]}{parts.path}?schema={self.schema}"


def _check_ports(hosts: str, option: str | None) -> None:
    """Of `HOST[:PORT],...` (libpq asks one after another), and of `port=PORT,...`."""
    read = [_HOST.fullmatch(host) for host in hosts.split(",")]
    ports = [host["port"] for host in read if host is not None]
    for port in (*ports, *(option.split(",") if option is not None else ())):
        if port and not (port.isascii() and port.isdigit() and 0 < int(port[:9]) <= _LARGEST_PORT):
            raise UsageError(f"the port of the database is no number from 1 to {_LARGEST_PORT}; {_FORM}")
    if None in read:
        raise UsageError(f"the host of the database is no name; {_FORM}")
