"""What each command prints with `--json`: a type for its shape, and the function that makes it of a result.

Every surface prints these values and nothing else. The rules of style:

- The top is an object. The same thing has the same key everywhere: `query` or `question` is what was asked,
  `as_of` and `known_at` are the two moments at which the corpus was asked, `id` is a passage, `document` the
  id of its document, `sentence` what a passage says, `notes` a list of texts, `took_ms` a duration.
- An instant is a text in UTC; a stretch of time is `{"from", "until"}`, half-open; a time that a text states
  has its words beside them (`asof.data.json`).
- A key is always there, with null or an empty list where there is nothing; only what is long and has to be
  asked for (`why`, `per_query`) is absent without its option.

The JSON Schemas and docs/reference/json.md are generated from the types (`asof.serialize.schema`). It lies
above all that has results, since a serialiser names their types; the values of `asof.data` have theirs in
`asof.data.json`.
"""
