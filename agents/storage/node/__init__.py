"""The storage node: keeps a disk, serves it over HTTP, answers its master (*INA §2.3*).

service   Options, makeService
config    its section of the configuration
routes    its HTTP interface, docs/reference/storage-http.md
reporter  tells the master what was added, and forgets nothing
fetcher   takes from other nodes what this one lacks
standing_in  and whole structure files, before captures are recorded in place of another node
methods   what it answers over HIP
lookup    what it answers to multicast questions
pages     what it shows a person, and Prometheus
"""
