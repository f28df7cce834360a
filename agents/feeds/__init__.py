"""The feed aggregator: tells the scheduler of new and changed pages at once (*INA §1.5.2*).

It is a slave of the scheduler, which says what to follow and keeps what is known of each feed; it
has no memory of its own between two links to the scheduler.

    reader · json_reader · document  what is in a feed
    seen · rhythm · learning         what of it is new, and when to look next
    lanes · fetching · robots        asking servers, one at a time and politely
    followed · agenda · looking      feeds, which is due next, and a look at it
    aggregator · telling             all of them together; the scheduler is told what came
    websub · hubs                    hubs that tell by themselves
    captures · finishing · offering  bodies of feeds as archived contents
"""
