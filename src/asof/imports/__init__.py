"""Documents from where people already have them: feeds, sitemaps, Zotero, bookmarks.

Each kind is a source scheme, a module with a `SCHEME`, that `asof import KIND PATH` and `asof index
KIND:PATH` open. All of them only read, and state what they read with the dates that stand there.
"""
