"""Files of web archives, read and written: WARC, ARC, DAT, WACZ, Tianwang, CDXJ.

Everything here blocks, and belongs in a worker. Readers take any bytes, and say what is damaged.

record     a record, as whatever file holds it, and damage in its place
reading    the records of a file, whatever format and compression it has
payload    the HTTP head of a block, and the chunks of its body
digests    what records declare of their blocks, checked on the way

warc_writing  records of WARC 1.1, from fields and parts of a block
compressing   gzip and Zstandard, record by record
serial        files with serial names, whole when they have them
cdxj          lines of an index, and blocks of them (ZipNum)
sorting       more lines than memory holds, sorted
wacz          a WACZ file: its members, its pages, what it proves
wacz_records  its records
wacz_writing  a WACZ file, written
signing       signatures of WACZ files
zip_members   zip files from anybody, read in bounds

page, plain, members   a page for writers; bytes at any place of a file; compressed streams
walking       records one after another by their lengths, and those that are found by searching
compressed, gzip_end          members and frames of files, and where a damaged one ends
warc_head, warc_plain, warc_members   headers of WARC; records that lie plain, or one in a member
warc_joined   plain and compressed parts in one file
warc_whole, proving   compression around a file, and what is proven where that is damaged
arc, arc_members, url_record, arc_writing           ARC files, and DAT files
dat           what DAT records say
tianwang, tianwang_header, tianwang_writing         Tianwang files
batches, batch_index, batch_writing, batch_files   pages in monthly batches, by identifier
"""

from anet.formats.record import Damage, Fields, Record

__all__ = ["Damage", "Fields", "Record"]
