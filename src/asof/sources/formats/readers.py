"""The readers of formats that a process of its own reads, by suffix."""

from __future__ import annotations

from asof.sources.formats.reading import reader

DOCX = reader("docx", ".docx")
PPTX = reader("pptx", ".pptx")
ODT = reader("odf", ".odt")
ODP = reader("odf", ".odp")
EPUB = reader("epub", ".epub")
RTF = reader("rtf", ".rtf", "striprtf")
XLSX = reader("sheets", ".xlsx", "python_calamine")
XLS = reader("sheets", ".xls", "python_calamine")
ODS = reader("sheets", ".ods", "python_calamine")
EML = reader("mail", ".eml")
MBOX = reader("mail", ".mbox", many=True)
NOTEBOOK = reader("notebook", ".ipynb")
