"""Where an archive's files may lie: one small interface, and what stands behind it.

interface   what every store does
errors      what can go wrong with one
fetching    a whole content from any of its copies, proven by its SHA-256
folder      the disks of storage nodes, on this machine
journals    contents that have no file yet
bucket_address  where a bucket is, and where its keys are
bucket      one bucket of an object store, called from threads
s3          the same files as objects of a bucket (extra `s3`)
depot       a bucket in which a disk of a running node keeps its contents (depot_map: which)
cluster     the storage nodes of an archive that runs (index_link, node_client: how it is asked,
            delivering: how it is fed)
places      which store an address names
copied      what was copied already, so that a copy can be taken up again
copying     from one store to another, verified
verifying   hashes everything again
exporting   some captures and their contents into another store
together    several things done at once
"""
