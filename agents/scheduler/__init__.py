"""The scheduler: which sites there are, when each is collected, by whom, and what became of it.

It is the root of the HIP tree (*INA §1.5*). Site crawlers are its pool; a nursery forks more of
them; a connectivity agent deposits what they bring back; a feed aggregator tells of news. Its
memory is a database, so that it goes on where it was after any end. Begin with `scheduler`, which
brings the parts together.

    life · policy · naming · orders          decisions, pure: states, who collects what, names
    expansion · temporal                     policy, pure: which sites are found, when each is due
    database                                 what is kept
    portion                                  sites found, judged, ranked, planned, corrected
    collecting · giving · ends · absences    crawls and the crawlers that have them
    pool · places · addresses                crawlers, and where they fetch from
    machines · nurseries                     where crawlers run, and where more come from
    depositing                               crawls on their way to storage
    means · alarm · journal · live           what these parts work with
    service · methods                        its place on the tree, and what it answers
    overview · looking · telling             what it tells of itself, and of the portion
    pages · api · desk                       what it shows, and does for programs over HTTP
"""
