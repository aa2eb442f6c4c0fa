"""What is said now and rests on what is no longer so: values, statements, quotations, links, times.

`find.py` lists it for a view. Everything here is a function of the rows and links that are visible in the
view, so what is stale as of T is what a corpus that ends at T would show.
"""
