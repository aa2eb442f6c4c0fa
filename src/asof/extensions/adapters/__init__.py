"""Search as a retriever of other libraries: `langchain.py`, `llama_index.py`, `haystack.py`, `dspy.py`.

Each module has an `AsofRetriever`, takes the same options (`options.py`) and gives the same metadata
(`metadata.py`). Each needs the extra of its name; this package alone imports none of them.
"""
