"""The readers of formats that a process of its own reads, by suffix."""

from __future__ import annotations

from asof.sources.formats.reading import reader

FAR_CELLS = "delete cells that stand far from the others, or split it"

DOCX = reader("docx", ".docx")
PPTX = reader("pptx", ".pptx")
ODT = reader("odf", ".odt")
ODP = reader("odf", ".odp")
EPUB = reader("epub", ".epub")
RTF = reader("rtf", ".rtf", "striprtf")
XLSX = reader("sheets", ".xlsx", "python_calamine", remedy=FAR_CELLS)
XLS = reader("sheets", ".xls", "python_calamine", remedy=FAR_CELLS)
ODS = reader("sheets", ".ods", "python_calamine", remedy=FAR_CELLS)
EML = reader("mail", ".eml")
MBOX = reader("mail", ".mbox", many=True)
NOTEBOOK = reader("notebook", ".ipynb")
