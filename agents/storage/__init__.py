"""The replication layer: contents and structure files on many machines (*INA §2.2, §2.3*).

    disk/    plain files of one storage node: contents, structure files, the log of additions
    node/    the agent that keeps such a disk, serves it over HTTP, and answers its master
    index/   the agent that knows which node holds what, places contents, records captures
    master/  the agent that knows the nodes, redirects clients, and keeps the replicas up
    reader   reads such disks with no archive running

The three agents meet over HIP and HTTP; they share the values of `status` and `policy`.
"""
