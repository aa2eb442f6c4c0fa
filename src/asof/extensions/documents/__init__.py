"""Readers of file formats, and sources that are exports of other programs.

`asof index SCHEME:...` takes feeds and Zotero libraries; the readers take PDF, office
formats, mail, books, notebooks, Org and chats. Read `reading.py` first: a reader (but those of notebooks,
Org and chats) runs in a process of its own (`reader_process.py`), which has only the standard library and
the library of the format, and gives `parts.Part`s. The extra `documents` brings those libraries. That process
imports this package: nothing may be imported here.
"""
