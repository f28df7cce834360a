"""The scheduler: which sites there are, when each is collected, by whom, and what became of it.

It is the root of the HIP tree (*INA §1.5*). Site crawlers are its pool; a nursery forks more of
them; a connectivity agent deposits what they bring back. Its memory is a SQLite database, so that
it goes on where it was after any end. Begin with `scheduler`, which brings the parts together.

    life · policy · naming · orders       decisions, pure: states, who collects what, names
    database                              what is kept
    collecting · pool · absences          crawls and the crawlers that have them
    nurseries                             where more crawlers come from
    depositing                            crawls on their way to storage
    means · alarm · journal · live        what these parts work with
    service · methods                     its place on the tree, and what it answers
    overview · places · pages             what it tells, and shows
"""
