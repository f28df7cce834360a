"""A whole archive on one machine: the supervisor that keeps its agents running, and `dlweb`.

The only room that knows all others: it reads their configuration to say where they listen, and
their disks when they are not running. It speaks with them over HIP and HTTP like anybody.
"""
