"""The feed aggregator: tells the scheduler of new and changed pages at once (*INA §1.5.2*).

It is a slave of the scheduler, which says what to follow and keeps what is known of each feed; it
has no memory of its own between two links to the scheduler.

    reader · seen                    what is in a feed, and what of it is new
    rhythm                           when to look next
    lanes · fetching · robots        asking servers, one at a time and politely
    looking · aggregator · telling   looks at feeds that are due, and tells what came
    websub · hubs                    hubs that tell by themselves
    captures                         bodies of feeds as archived contents
"""
