"""Adapters: an asof corpus as a retriever of other libraries.

`langchain.py`, `llama_index.py` and `haystack.py` each have a retriever; all take the same options and give
the same metadata (`retrieval.py`: read it first). Each needs the extra of its name, such as `langchain`; this
package alone imports none of the libraries.
"""
