"""Files of web archives, read and written: WARC, ARC, DAT, WACZ, Tianwang, CDXJ.

Everything here blocks, and belongs in a worker. Readers take any bytes, and say what is damaged.

record     a record, as whatever file holds it, and damage in its place
reading    the records of a file, whatever format and compression it has
"""

from anet.formats.record import Damage, Fields, Record

__all__ = ["Damage", "Fields", "Record"]
