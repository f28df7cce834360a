"""The archived URLs in the order of sites, and those that fuzzy rules hold equal.

surt        the text by which URLs are sorted, and ranges of it
service     all of it, as a part of the agent
tables      the file: three tables in LMDB
index       what is asked of it
following   how it learns what the storage nodes hold
"""
