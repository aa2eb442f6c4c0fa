"""Facts with times: extracted from passages by rules or a model, merged by entity, read as of a view.

`extraction.py` defines an extractor. `rules/` is one without a model: `tokens.py` splits a passage into
words, figures and times; `values.py` reads measures, values and changes of each sentence, `events.py` who did
or is what, `aliases.py` the names of one thing; `dating.py` gives each fact its time, `entity.py` resolves
"we". The words of these rules are in `lang/*/facts.toml`, read by `lexicon.py`.
"""
