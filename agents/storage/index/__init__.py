"""The index node: says where contents go, records captures, finds both (*INA §2.3.1*).

service    Options, makeService
config     its section of the configuration
placing    which contents are known, and where new ones go
recording  captures to every node that keeps their structure file
spreading  which nodes are to, round by round, until enough have
posting    the requests for that
store      the database: who holds what
database   its file
rows       its rows
readings   how far the log of each disk has been read, for which groups of keys
following  the nodes' logs of additions, into the database
notes      what was stored before the logs tell of it
sharing    which index node answers for which keys
siblings   the other index nodes
holders    who holds what, from all of these
asking     the storage nodes themselves, when no index node is sure
view       the nodes as the master tells of them
methods    what it answers over HIP
pages      what it shows a person, and Prometheus
"""
