"""The scheduler: which sites there are, when each is collected, by whom, and what became of it.

It is the root of the HIP tree (*INA §1.5*). Site crawlers are its pool; a nursery forks more of
them; a connectivity agent deposits what they bring back. Its memory is a SQLite database, so that
it goes on where it was after any end.

`life` holds the state machines, `policy` the decisions, both pure; `database` what is kept;
`scheduler` brings them together.
"""
