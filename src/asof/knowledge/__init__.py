"""What passages state: facts with times, how they are read from a text, and how a view knows them.

`extraction.py` says what an extractor is. `rules.py` is one without a model: `tokens.py` cuts a passage into
words, figures and times; of each sentence `values.py` reads measures, values and changes, `events.py` who
did or is what, `aliases.py` the names of one thing; `dating.py` says of when each is, `entity.py` whom "we"
means. The words for all that lie in `lang/*/facts.toml`, read by `lexicon.py`.
"""
