"""The storage master: knows the nodes, redirects clients, keeps the replicas up (*INA §2.3*).

    service   Options, makeService
    config    its section of the configuration
    registry  the nodes and index nodes that are linked, and those that are waited for
    telling   what index nodes are told of them
    unread    which logs of additions are not known to their ends
    mending   repairs of what lacks a replica, or has copies that differ
    methods   what it answers over HIP
    pages     what it shows a person, and Prometheus

A storage node's life: UNKNOWN --registers--> UP --link closed--> WAITED FOR --grace over--> LOST;
it registers again from WAITED FOR or LOST and is UP. Replicas on a node that is waited for count;
those on a lost one do not, and are made again elsewhere.
"""
