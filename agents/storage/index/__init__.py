"""The index node: says where contents go, records captures, finds both (*INA §2.3.1*).

service    Options, makeService
config     its section of the configuration
placing    which contents are known, and where new ones go
recording  captures to every node that keeps their structure file
following  the nodes' logs of additions, into the catalogue
notes      what was stored before the logs tell of it
holders    who holds what, from both
view       the nodes as the master tells of them
methods    what it answers over HIP
pages      what it shows a person, and Prometheus
"""
