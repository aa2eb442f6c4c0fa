"""PostgreSQL as the truth of a corpus, in place of `corpus.db`.

Read `truth.py` first (a database and a schema in it), then `connection.py` (a connection that takes the SQL
that asof has for SQLite), `statements.py` (how that SQL is said to PostgreSQL) and `schema.py` (the same
tables).
"""
