"""Asynchronous networking: what agents need and Twisted lacks (*INA §1.3.1*).

    tasks      running coroutines that have an owner
    together   several coroutines side by side, cancelled as one
    clock      seconds that go by evenly, and the time of day
    backoff    how long to wait before trying again
    workers    a bounded pool for system calls that block
    processes/ a bounded pool of processes for work that computes, or may crash or hang
    logs       text for people, JSON for programs
    address    `host:port` texts, and which addresses are one's own network
    http/      HTTP/1.1 client and server that keep heads byte for byte
    multicast  questions to many at once, answered by those who know
    nursery    forking services before a reactor runs

Knows nothing of HIP or of archives.
"""
