"""The tables of asof in a schema of PostgreSQL, made from the scripts of `store/schema.py`, and functions
that SQLite has and PostgreSQL has not.

Differences: numbers are 64 bits wide, texts compare by bytes (collation "C"); texts that may be long are
found by hashes, since a B-tree takes no more than 2,700 bytes; the list of segments is one of each machine.
"""

# ruff: noqa: ISC004  a statement is one text

from __future__ import annotations

import re
from functools import cache

from asof.store.schema import MIGRATIONS

NUMBERED = (
    "documents",
    "heads",
    "versions",
    "passages",
    "ends",
    "sources",
    "judgements",
    "learned",
    "dismissals",
)
"""Tables whose rows get ids that are never given again."""

EQUAL_ONLY = (
    "heads_by_title", "aliases_by_alias", "documents_by_last_name", "links_by_target", "facts_by_subject",
    "facts_by_object",
)  # fmt: skip
"""Indexes of texts of any length, which are only looked up as a whole."""

FUNCTIONS = (
    # a whole number beside a value of a list, which is a text: the planner sees a comparison of numbers
    "CREATE FUNCTION is_number(bigint, text) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT $1 = "
    "$2::bigint'",
    "CREATE FUNCTION is_number(text, bigint) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT "
    "$1::bigint = $2'",
    "CREATE OPERATOR = (LEFTARG = bigint, RIGHTARG = text, FUNCTION = is_number)",
    "CREATE OPERATOR = (LEFTARG = text, RIGHTARG = bigint, FUNCTION = is_number)",
    "CREATE FUNCTION instr(text, text) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT strpos($1, $2) > 0'",
    "CREATE FUNCTION hex(bytea) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT upper(encode($1, 'hex')) $$",
    # numbers are added as numbers of double width, as SQLite's total does; 0 where there are none
    "CREATE FUNCTION add(float8, bigint) RETURNS float8 LANGUAGE sql IMMUTABLE AS 'SELECT $1 + "
    "coalesce($2, 0)'",
    "CREATE AGGREGATE total(bigint) (SFUNC = add, STYPE = float8, INITCOND = '0')",
    "CREATE FUNCTION joined(text, text) RETURNS text LANGUAGE sql IMMUTABLE AS"
    " $$ SELECT CASE WHEN $2 IS NULL THEN $1 WHEN $1 IS NULL THEN $2 ELSE $1 || ',' || $2 END $$",
    "CREATE AGGREGATE group_concat(text) (SFUNC = joined, STYPE = text)",
    # seconds since 1970 as a date; only '%Y-%m' of 'unixepoch' is asked; NULL beyond the years 0 to 9999
    "CREATE FUNCTION strftime(text, bigint, text) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT"
    " CASE WHEN $2 BETWEEN -62135596800 AND 253402300799 THEN"
    " to_char(to_timestamp($2) AT TIME ZONE 'UTC', 'YYYY-MM') WHEN $2 BETWEEN -62167219200 AND -62135596801"
    " THEN '0000-' || to_char(to_timestamp($2) AT TIME ZONE 'UTC', 'MM') END $$",
    # a number of JSON as SQLite writes it: 15 digits, with a point
    "CREATE FUNCTION real_text(text) RETURNS text LANGUAGE sql IMMUTABLE SET extra_float_digits = 0 AS "
    "$$ SELECT"
    " regexp_replace($1::float8::text, '^(-?[0-9]+)(e|$)', '\\1.0\\2') $$",
    "CREATE FUNCTION json_value(json) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT CASE json_typeof($1)"
    " WHEN 'null' THEN NULL WHEN 'boolean' THEN CASE $1::text WHEN 'true' THEN '1' ELSE '0' END"
    " WHEN 'number' THEN CASE WHEN $1::text ~ '^-?[0-9]{1,18}$' THEN $1::text ELSE real_text($1::text) END"
    " WHEN 'string' THEN $1 #>> '{}' ELSE $1::text END $$",
    "CREATE FUNCTION json_kind(json) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT CASE json_typeof($1)"
    " WHEN 'boolean' THEN $1::text WHEN 'string' THEN 'text'"
    " WHEN 'number' THEN CASE WHEN $1::text ~ '^-?[0-9]+$' THEN 'integer' ELSE 'real' END"
    " ELSE json_typeof($1) END $$",
    # of a column: the members of an object, or of a list
    "CREATE FUNCTION json_each(stored text) RETURNS TABLE (key text, value text, type text) LANGUAGE plpgsql"
    " IMMUTABLE AS $$ BEGIN IF json_typeof(stored::json) = 'object' THEN RETURN QUERY SELECT m.key,"
    " json_value(m.value), json_kind(m.value) FROM pg_catalog.json_each(stored::json) AS m; ELSE RETURN QUERY"
    " SELECT (m.place - 1)::text, json_value(m.value), json_kind(m.value)"
    " FROM pg_catalog.json_array_elements(stored::json) WITH ORDINALITY AS m (value, place); END IF; END $$",
    "CREATE FUNCTION json_valid(stored text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN"
    " PERFORM stored::json; RETURN true; EXCEPTION WHEN others THEN RETURN false; END $$",
    "CREATE FUNCTION json_type(text) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT json_kind($1::json)'",
    "CREATE FUNCTION typeof(bytea) RETURNS text LANGUAGE sql IMMUTABLE AS"
    " $$ SELECT CASE WHEN $1 IS NULL THEN 'null' ELSE 'blob' END $$",
    # of a path '$.name': a whole number, else NULL
    "CREATE FUNCTION json_extract(text, text) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$ SELECT CASE WHEN"
    " json_kind($1::json -> substr($2, 3)) IN ('integer', 'true', 'false')"
    " AND json_value($1::json -> substr($2, 3)) ~ '^-?[0-9]{1,18}$'"
    " THEN json_value($1::json -> substr($2, 3))::bigint END $$",
    # a GLOB of SQLite as a regular expression: * ? [abc] [^abc] [a-z]; ] is a letter where it comes first
    r"""CREATE FUNCTION glob_pattern(glob text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE found text := '***:^'; at int := 1; c text; inside text;
BEGIN
    WHILE at <= length(glob) LOOP
        c := substr(glob, at, 1);
        IF c = '*' THEN found := found || '.*';
        ELSIF c = '?' THEN found := found || '.';
        ELSIF c = '[' THEN
            inside := substring(substr(glob, at) from '^\[(\^?\]?[^\]]*)\]');
            IF inside IS NULL OR inside IN ('', '^') THEN RETURN '***:x\A'; END IF;
            at := at + length(inside) + 1;
            found := found || '[' || CASE WHEN left(inside, 1) = '^' THEN '^' ELSE '' END
                || regexp_replace(regexp_replace(inside, '^\^', ''), '([\\\[\]])', '\\\1', 'g') || ']';
        ELSE found := found || regexp_replace(c, '([^[:alnum:]])', '\\\1');
        END IF;
        at := at + 1;
    END LOOP;
    RETURN found || '$';
END $$""",
    "CREATE TABLE sqlite_sequence (name TEXT PRIMARY KEY, seq BIGINT NOT NULL)",
    "CREATE FUNCTION next_id(text) RETURNS bigint LANGUAGE sql VOLATILE AS"
    " 'UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = $1 RETURNING seq'",
    "CREATE FUNCTION take_ids() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
    " UPDATE sqlite_sequence SET seq = (SELECT max(id) FROM came)"
    " WHERE name = TG_TABLE_NAME AND seq < (SELECT max(id) FROM came); RETURN NULL; END $$",
)

LOOKUPS = (
    "CREATE INDEX tags_by_tag ON tags USING hash (tag)",
    "CREATE INDEX tags_by_head ON tags (head)",
    "CREATE INDEX aliases_by_version ON aliases (version)",
)
"""In place of the keys of tags and aliases, whose texts may be long."""

COMPLETE = 5
"""The script after which all of NUMBERED are there."""

SHARED = (
    # 'schema': the version of these tables (PRAGMA user_version);
    # what tells a reader that something changed: name '' of all, else of one machine's list of segments;
    # 'removed' counts what was erased
    "CREATE TABLE changes (name TEXT PRIMARY KEY, n BIGINT NOT NULL)",
    "INSERT INTO changes VALUES ('', 0), ('removed', 0), ('schema', 0)",
    # the folders that search this truth; cleaned: how much of 'removed' is gone from the files there
    "CREATE TABLE machines (machine TEXT PRIMARY KEY, folder TEXT NOT NULL, cleaned BIGINT NOT NULL)",
    "CREATE TABLE segment_files (machine TEXT NOT NULL DEFAULT current_setting('asof.machine'),"
    " file TEXT NOT NULL, first BIGINT NOT NULL, last BIGINT NOT NULL, ends_first BIGINT NOT NULL,"
    " ends_last BIGINT NOT NULL, rows BIGINT NOT NULL, bytes BIGINT NOT NULL, checksum BIGINT NOT NULL,"
    " PRIMARY KEY (machine, file))",
    "CREATE VIEW segments AS SELECT file, first, last, ends_first, ends_last, rows, bytes, checksum"
    " FROM segment_files WHERE machine = current_setting('asof.machine')",
    # what is erased is in no list any longer: each other machine makes those segments anew
    "CREATE FUNCTION unlist() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN"
    " IF EXISTS (SELECT 1 FROM gone) THEN UPDATE changes SET n = n + 1 WHERE name = 'removed';"
    " IF TG_TABLE_NAME = 'passages' THEN DELETE FROM segment_files AS s WHERE"
    " s.machine <> current_setting('asof.machine') AND EXISTS"
    " (SELECT 1 FROM gone WHERE gone.id BETWEEN s.first AND s.last);"
    " ELSE DELETE FROM segment_files AS s WHERE s.machine <> current_setting('asof.machine') AND EXISTS"
    " (SELECT 1 FROM gone WHERE gone.id BETWEEN s.ends_first AND s.ends_last); END IF; END IF;"
    " RETURN NULL; END $$",
)


@cache
def scripts() -> tuple[tuple[str, ...], ...]:
    """Statements that bring a schema from version i to i + 1, as `MIGRATIONS` does in SQLite."""
    made = [tuple(map(_translated, _statements(script))) for script in MIGRATIONS]
    made[0] = (*FUNCTIONS, *made[0], *LOOKUPS, *SHARED)
    made[COMPLETE] = (*made[COMPLETE], *_triggers())
    return tuple(made)


def _triggers() -> tuple[str, ...]:
    numbered = [
        statement
        for table in NUMBERED
        for statement in (
            f"INSERT INTO sqlite_sequence VALUES ('{table}', 0)",
            f"CREATE TRIGGER take_ids AFTER INSERT ON {table} REFERENCING NEW TABLE AS came"
            " FOR EACH STATEMENT EXECUTE FUNCTION take_ids()",
        )
    ]
    erased = [
        f"CREATE TRIGGER unlist AFTER DELETE ON {table} REFERENCING OLD TABLE AS gone"
        " FOR EACH STATEMENT EXECUTE FUNCTION unlist()"
        for table in ("passages", "ends")
    ]
    return (*numbered, *erased)


def _statements(script: str) -> list[str]:
    plain = re.sub(r"--[^\n]*", "", script)
    return [" ".join(each.split()) for each in plain.split(";") if each.strip()]


def _translated(statement: str) -> str:
    table = re.match(r"CREATE TABLE (\w+)", statement)
    if table and table[1] == "segments":
        return "SELECT 1"  # a view, see SHARED
    if index := re.match(r"CREATE INDEX (\w+) ON (\w+) \((.*)\)", statement):
        if index[1] not in EQUAL_ONLY:
            return statement
        column = index[3].removesuffix(" COLLATE NOCASE")
        column = f"(lower({column}))" if column != index[3] else column
        return f"CREATE INDEX {index[1]} ON {index[2]} USING hash ({column})"
    statement = re.sub(r"\bREFERENCES \w+", "", statement).replace(" WITHOUT ROWID", "")
    if table:
        name = table[1]
        own = f"BIGINT PRIMARY KEY DEFAULT next_id('{name}')" if name in NUMBERED else "BIGINT PRIMARY KEY"
        statement = re.sub(r"INTEGER PRIMARY KEY( AUTOINCREMENT)?", own, statement)
    statement = statement.replace(" end INTEGER", ' "end" INTEGER')
    for mine, theirs in (("INTEGER", "BIGINT"), ("TEXT", 'TEXT COLLATE "C"'), ("BLOB", "BYTEA"),
                         ("REAL", "DOUBLE PRECISION")):  # fmt: skip
        statement = re.sub(rf"\b{mine}\b", theirs, statement)
    # names of any length: unique by a hash of them, and by themselves
    statement = re.sub(
        r'name TEXT COLLATE "C" NOT NULL UNIQUE(.*)\)$',
        r'name TEXT COLLATE "C" NOT NULL\1, EXCLUDE USING hash (name WITH =))',
        statement,
    )
    # texts of any length in a key: rows are unique by how they are written
    for key in ("tag, head", "alias, version"):
        statement = statement.replace(f", PRIMARY KEY ({key})", "")
    return statement
