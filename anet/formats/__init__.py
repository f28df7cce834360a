"""Files of web archives, read and written: WARC, ARC, DAT, WACZ, Tianwang, CDXJ.

Everything here blocks, and belongs in a worker. Readers take any bytes, and say what is damaged.

record     a record, as whatever file holds it, and damage in its place
reading    the records of a file, whatever format and compression it has
payload    the HTTP head of a block, and the chunks of its body
digests    what records declare of their blocks, checked on the way
"""

from anet.formats.record import Damage, Fields, Record

__all__ = ["Damage", "Fields", "Record"]
