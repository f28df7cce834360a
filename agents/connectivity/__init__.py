"""The connectivity agent: takes finished crawls to the storage, and reads their reports.

It is a slave of the scheduler, which tells it what to deposit, and of the storage master, which
redirects it to an index node (*INA §1.5, §2.3.1*). Contents go before structures, everything may
be repeated, and a crawl's folder goes only when the scheduler says so, which is after it has
noted that the deposit is durable.

    crawl_folder · structure                what a crawler left, read with care
    index · contents · deposit              how it comes to the storage nodes
    elements · report · judging · learning  what the scheduler is told of the site
    former · discard                        what stays for the next crawl, and what goes
"""
