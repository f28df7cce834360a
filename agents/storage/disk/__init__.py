"""The plain files of one storage node (*INA §2.2*), laid out as docs/reference/archive-layout.md.

layout      where everything is, and which version of the layout it is
lines       the fixed-size line of a structure file, as bytes and as a value
structures  reading structure files: binary search by date
append      writing them: late entries put in order, torn lines cut off
contents    writing contents: hashed, checked, renamed into place
additions   the log of what was added, which masters and index nodes follow
unlogged    what is published and not in that log yet, found after a crash
durable     syncing many files at the price of few
commit      one batch of writes: staged, synced, published, synced, logged
scan        what lies on the disk, in the order of keys
holdings    a Bloom filter of it, with a deletion set beside it
keeping     these holdings, kept on the disk between two starts
depot       where contents are kept in place of the disk: nowhere, or in an object store
shipping    gives them there, and frees the disk of them
disk        one disk, open: what it holds and how it is
store       what writes to it, and takes away from it
"""
